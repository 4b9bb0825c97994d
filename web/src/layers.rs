//! Middleware for all requests: log line, limits, headers, compression.

use crate::error::AppError;
use crate::state::AppState;
use axum::Router;
use axum::extract::MatchedPath;
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, CONTENT_SECURITY_POLICY,
    HeaderName, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderValue, Request, StatusCode};
use axum::response::{IntoResponse, Response};
use std::any::Any;
use std::time::Duration;
use tower::ServiceBuilder;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::set_header::SetResponseHeaderLayer;
use tower_http::timeout::TimeoutLayer;
use tower_http::trace::TraceLayer;
use tracing::Span;

/// Time until a response must begin.
const DEADLINE: Duration = Duration::from_secs(10);

/// Content security policy: only our own style sheet and icon, no scripts, no framing.
const CONTENT_POLICY: &str = "default-src 'self'; script-src 'none'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// Wraps `router` in the layers of the whole site, outermost first.
pub(crate) fn wrap(router: Router) -> Router {
    let layers = ServiceBuilder::new()
        .layer(
            // The span names the route, not the address, so that the log holds neither queries nor
            // visitors.
            TraceLayer::new_for_http()
                .make_span_with(|request: &Request<_>| {
                    let route = request.extensions().get::<MatchedPath>();
                    let route = route.map_or("unknown", MatchedPath::as_str);
                    tracing::debug_span!("request", http.method = %request.method(), http.route = route)
                })
                .on_request(())
                .on_response(|response: &Response<_>, elapsed: Duration, _: &Span| {
                    let status = response.status().as_u16();
                    let elapsed_us = elapsed.as_micros();
                    tracing::debug!(http.status = status, elapsed_us, "answered {status}");
                })
                .on_failure(()),
        )
        .layer(header(X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .layer(header(REFERRER_POLICY, "same-origin"))
        .layer(header(CONTENT_SECURITY_POLICY, CONTENT_POLICY))
        .layer(CompressionLayer::new())
        .layer(TimeoutLayer::with_status_code(
            StatusCode::GATEWAY_TIMEOUT,
            DEADLINE,
        ))
        .layer(CatchPanicLayer::custom(|_: Box<dyn Any + Send>| {
            AppError::Panic.into_response()
        }));
    router.layer(layers)
}

/// Opens `router` to pages of any origin (CORS).
pub(crate) fn open_to_all(router: Router<AppState>) -> Router<AppState> {
    router
        .layer(header(ACCESS_CONTROL_ALLOW_ORIGIN, "*"))
        .layer(header(ACCESS_CONTROL_EXPOSE_HEADERS, "ETag"))
}

/// Reports whether errors at this path are problem documents rather than pages.
pub(crate) fn is_for_programs(path: &str) -> bool {
    path == "/api" || path.starts_with("/api/")
}

/// Opens a response from outside of the API's routes to pages of any origin.
pub(crate) fn to_all(mut response: Response) -> Response {
    let any_origin = HeaderValue::from_static("*");
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, any_origin);
    response
}

fn header(name: HeaderName, value: &'static str) -> SetResponseHeaderLayer<HeaderValue> {
    SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value))
}
