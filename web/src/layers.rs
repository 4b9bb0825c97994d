//! Middleware for all requests: request id, limits, errors, headers, compression.

mod acts;
mod encoding;
mod forms;
mod methods;
mod request_id;

use crate::answers::{self, Asked};
use crate::client::{self, Client, Peer};
use crate::error::{self, AppError, ErrorForm, MAX_BODY};
use crate::host::BadHost;
use crate::json;
use crate::json_rpc::id_of;
use crate::origin;
use crate::outage;
use crate::own::place;
use crate::public_url;
use crate::rate::{Balance, Effort};
use crate::state::AppState;
use axum::Router;
use axum::body::to_bytes;
use axum::extract::{DefaultBodyLimit, MatchedPath, Request, State};
use axum::http::header::{
    ACCEPT, ACCEPT_ENCODING, ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS,
    CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, HeaderName, LINK, REFERRER_POLICY,
    RETRY_AFTER, VARY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, Method, Uri};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use manifest::Timestamp;
use request_id::RequestId;
use std::any::Any;
use std::time::{Duration, Instant};
use tower::ServiceBuilder;
use tower_http::CompressionLevel;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate, SizeAbove};
use tower_http::set_header::SetResponseHeaderLayer;
use tracing::{Instrument as _, Span, field};

/// Level of compression in every encoding. Below 4, br reads blocks of 16 KiB, and allocates and clears
/// 8 MiB once it has read the second; from 4 on, blocks are four times as long as that, longer than
/// most answers.
const COMPRESSION: CompressionLevel = CompressionLevel::Precise(4);

/// Most bytes of a request too many that are read for its id.
const MAX_REFUSED: usize = 16 << 10;

/// Time until a response must begin.
const DEADLINE: Duration = Duration::from_secs(10);

/// Content security policy: only our own style sheet, script and icon, nothing inline, no framing.
const CONTENT_POLICY: &str = "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// Headers that pages of other origins may read.
const EXPOSED: &str = "Age, Cache-Status, ETag, Link, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id";

/// Media type of the files of an export.
const ZSTD: &str = "application/zstd";

/// Headers of the rate limit: the size of the client's bucket, the tokens left, and the time at which
/// it is full.
const RATE_LIMIT: [HeaderName; 3] = [
    HeaderName::from_static("x-ratelimit-limit"),
    HeaderName::from_static("x-ratelimit-remaining"),
    HeaderName::from_static("x-ratelimit-reset"),
];

/// Wraps `router` in the layers of the whole site, outermost first.
pub(crate) fn wrap(router: Router, state: AppState) -> Router {
    let site = ServiceBuilder::new()
        .layer(header(X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .layer(header(REFERRER_POLICY, "same-origin"))
        .layer(header(CONTENT_SECURITY_POLICY, CONTENT_POLICY))
        .map_request(encoding::with_identity)
        // Around compression, so that what is kept is compressed.
        .layer(from_fn_with_state(
            state.shared.answers.clone(),
            answers::keep,
        ))
        .layer(
            CompressionLayer::new()
                .quality(COMPRESSION)
                .compress_when(compressible()),
        )
        // Before an answer is described and before routing, since both depend on the form.
        .map_request(forms::chosen)
        .layer(from_fn_with_state(state, answer))
        .layer(CatchPanicLayer::custom(|_: Box<dyn Any + Send>| {
            AppError::Panic.into_response()
        }))
        .service(
            router
                .layer(from_fn(json::escape))
                .layer(from_fn(name_route))
                .layer(DefaultBodyLimit::max(MAX_BODY)),
        );
    // Around the router and not within it, where `Allow` is not known yet.
    Router::new().fallback_service(site)
}

/// Returns the rule for the answers that are compressed: those of such a type that are not small.
fn compressible() -> impl Predicate {
    SizeAbove::default().and(compressible_type())
}

/// Returns the rule for types of answers that are compressed: not images and events, and not the files
/// of an export, which are compressed already.
fn compressible_type() -> impl Predicate {
    NotForContentType::GRPC
        .and(NotForContentType::IMAGES)
        .and(NotForContentType::SSE)
        .and(NotForContentType::const_new(ZSTD))
}

/// Adds the route to the span of a request.
async fn name_route(route: Option<MatchedPath>, request: Request, next: Next) -> Response {
    let route = route.as_ref().map_or("unknown", MatchedPath::as_str);
    Span::current().record("http.route", route);
    next.run(request).await
}

/// Answers a request: with its span in the log, within the limits, and with the headers of its kind.
async fn answer(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let id = RequestId::of(request.headers());
    // The span names the route, not the address, so that the log holds neither queries nor
    // visitors. Its level is that of the errors that need it.
    let span = tracing::error_span!("request", http.method = %request.method(), http.route = field::Empty, request.id = %id);
    let finished = async move {
        let started = Instant::now();
        let method = request.method().clone();
        let uri = request.uri().clone();
        let preflight = methods::Preflight::of(&method, &uri, request.headers());
        let is_encoded = method == Method::HEAD && request.headers().contains_key(ACCEPT_ENCODING);
        let form = forms::of_errors(&uri, request.headers());
        let asked = Asked::of(&method, &uri, request.headers());
        let is_refused = is_foreign_act(&state, &request);
        let balance = balance(&state, &request, is_refused);
        let response = if let Some(wait_s) = balance.and_then(|it| it.wait_s) {
            too_many(wait_s, form, request).await
        } else if request.extensions().get::<BadHost>().is_some() {
            AppError::BadHost.into_response()
        } else if is_refused {
            AppError::CrossSite.into_response()
        } else if is_too_large(request.headers()) {
            AppError::TooLarge(MAX_BODY).into_response()
        } else if let Some(response) = methods::of_server(&method, &uri) {
            response
        } else {
            let work = client::scope(client(&state, &request), next.run(request));
            let work = public_url::scope(&state.public_url, work);
            let answered = tokio::time::timeout(DEADLINE, work).await;
            answered.unwrap_or_else(|_| AppError::Late.into_response())
        };
        let response = match asked {
            Some(asked) => {
                let answers = &state.shared.answers;
                outage::answered(answers, asked, response, (state.now)()).await
            }
            None => response,
        };
        let response = methods::finish(response, &method, preflight, form);
        let allowed = methods::allowed(&response);
        let mut response = error::finish(response, form, &allowed);
        let has_length = !is_encoded || !compressible_type().should_compress(&response);
        let is_error = !response.status().is_success() && !response.status().is_redirection();
        let headers = response.headers_mut();
        if !has_length {
            // That of the answer as it is, which GET would compress.
            headers.remove(CONTENT_LENGTH);
        }
        if is_error && !headers.contains_key(CACHE_CONTROL) {
            // Such as 406 of a library.
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        }
        describe(headers, &uri, balance, (state.now)());
        // An act is not granted to pages of other origins, not even one that needs no grant for its
        // method and its headers.
        if form != ErrorForm::Page && preflight != methods::Preflight::Act {
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
            let exposed = HeaderValue::from_static(EXPOSED);
            headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
        }
        if let Ok(id) = HeaderValue::from_str(id.as_str()) {
            response.headers_mut().insert(request_id::HEADER, id);
        }
        let elapsed = started.elapsed();
        state.metrics.answered(response.status(), elapsed);
        let status = response.status().as_u16();
        let elapsed_us = elapsed.as_micros();
        tracing::debug!(http.status = status, elapsed_us, "answered {status}");
        response
    };
    finished.instrument(span).await
}

/// Returns the client that a request comes from; `None` without a socket.
fn client(state: &AppState, request: &Request) -> Option<Client> {
    let peer = *request.extensions().get::<Peer>()?;
    let (headers, proxies) = (request.headers(), state.limiter.proxies());
    if peer.is_unnamed_proxy(headers, proxies) && state.limiter.is_first_unnamed_proxy() {
        let address = peer.0;
        tracing::warn!(
            "a request from {address} has X-Forwarded-For, which is not believed: if it comes from your proxy, give --trusted-proxy {address}, or all visitors share one rate limit"
        );
    }
    Some(Client::of(peer.visitor(headers, proxies)))
}

/// Reports whether a page of another origin asks to change something.
fn is_foreign_act(state: &AppState, request: &Request) -> bool {
    acts::is_act(request.method(), request.uri().path())
        && origin::is_foreign(request.headers(), request.uri(), &state.public_url)
}

/// Takes the tokens of a request from the bucket of its client; `None` without a limit. One that is
/// refused for its origin takes no more than a read, which any page can make a browser send.
fn balance(state: &AppState, request: &Request, is_refused: bool) -> Option<Balance> {
    // Assets are small and never asked for twice.
    if request.uri().path().starts_with("/assets/") {
        return None;
    }
    let effort = if is_refused {
        Effort::Small
    } else {
        effort(request.method(), request.uri().path())
    };
    state.limiter.take(client(state, request)?, effort)
}

/// Returns the effort that a request causes.
fn effort(method: &Method, path: &str) -> Effort {
    match *method {
        Method::OPTIONS => Effort::Question,
        // Most calls of these protocols read. The effort of the others is that of the API, and the
        // number of sessions has limits of its own.
        _ if [ErrorForm::Rpc, ErrorForm::Interaction].contains(&ErrorForm::at(path)) => {
            Effort::Small
        }
        // Searches, whose parameters are in the body.
        Method::POST if ErrorForm::at(path) == ErrorForm::Ard => Effort::Small,
        _ => Effort::of(method, path),
    }
}

/// Reports whether a request announces a body above the limit.
fn is_too_large(headers: &HeaderMap) -> bool {
    let length = headers.get(CONTENT_LENGTH).and_then(|it| it.to_str().ok());
    let length = length.and_then(|it| it.parse::<u64>().ok());
    length.is_some_and(|length| length > MAX_BODY as u64)
}

/// Adds the headers that depend on the kind of the address, and on the client's bucket.
fn describe(headers: &mut HeaderMap, uri: &Uri, balance: Option<Balance>, now: Timestamp) {
    let is_interaction = ErrorForm::at(uri.path()) == ErrorForm::Interaction;
    // On HEAD too, whose body is not compressed.
    headers.append(VARY, HeaderValue::from_name(ACCEPT_ENCODING));
    if forms::has_forms(uri.path()) {
        headers.append(VARY, HeaderValue::from_name(ACCEPT));
        if let Some(links) = forms::links(uri) {
            headers.append(LINK, links);
        }
        headers.append(LINK, HeaderValue::from_static(place::LINKS));
    } else if is_interaction {
        headers.append(LINK, HeaderValue::from_static(place::AGENTS_LINK));
    }
    if let Some(balance) = balance {
        // In Unix seconds (IA-22), and the same everywhere.
        let since = u64::try_from(now.0).unwrap_or_default().div_ceil(1_000);
        let values = [
            u64::from(balance.limit),
            u64::from(balance.remaining),
            since + balance.reset_s,
        ];
        for (name, value) in RATE_LIMIT.into_iter().zip(values) {
            headers.insert(name, HeaderValue::from(value));
        }
    }
}

/// Answers one request too many; one of JSON-RPC with its id, unless that would be work.
async fn too_many(wait_s: u64, form: ErrorForm, request: Request) -> Response {
    let error = AppError::TooMany { wait_s };
    if form != ErrorForm::Rpc {
        return error.into_response();
    }
    let reading = tokio::time::timeout(DEADLINE, to_bytes(request.into_body(), MAX_REFUSED)).await;
    let body = reading.ok().and_then(Result::ok).unwrap_or_default();
    let mut response = error::rpc_to(&id_of(&body), error);
    let headers = response.headers_mut();
    headers.insert(RETRY_AFTER, HeaderValue::from(wait_s));
    response
}

fn header(name: HeaderName, value: &'static str) -> SetResponseHeaderLayer<HeaderValue> {
    SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value))
}
