//! The Interaction API (`/.well-known/agents/api`), which `agents.json` announces.
//!
//! Its capabilities are those of the table, carried out by the native API; what is added here are
//! envelopes, pages by number, sessions, and the signed record of each session.

mod answer;
mod audit;
mod description;
mod request;
mod session;

use crate::cache::{self, Policy, Tag};
use crate::error::{AppError, Missing, envelope};
use crate::own::capability::CAPABILITIES;
use crate::own::place;
use crate::protocol::operation::{Operation, Operations, Refusal};
use crate::state::AppState;
use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequest as _, Path, Request, State};
use axum::http::header::VARY;
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodFilter, any, get, on, post};
pub(crate) use description::describe;
use request::ListRequest;
use store::Session;

/// Parameter of a search with the lowest level of its results.
const MIN_MATCH: &str = "min_match";

/// Returns the routes.
pub(crate) fn routes(operations: &Operations) -> Router<AppState> {
    let routes = Router::new()
        .route(place::SESSION, post(session::create).delete(session::end))
        .route(place::AUDIT, get(audit::show))
        .route(place::INTERACTION, any(unknown))
        .route(&format!("{}/{{*rest}}", place::INTERACTION), any(unknown));
    operations.all().fold(routes, |routes, operation| {
        let capability = &operation.capability;
        let filter = MethodFilter::try_from(capability.method.clone()).unwrap_or(MethodFilter::GET);
        let (operations, name) = (operations.clone(), capability.name);
        let handler = on(
            filter,
            async move |State(state): State<AppState>,
                        variable: Result<Path<String>, PathRejection>,
                        request: Request| {
                let variable = variable.ok().map(|Path(it)| it);
                show(&operations, name, &state, variable, request).await
            },
        );
        let (path, variable) = capability.interaction_parts();
        let path = format!("{}{path}", place::INTERACTION);
        let routes = routes.route(&path, handler.clone());
        match variable {
            // The id of an agent has a slash, which not every client encodes.
            Some(variable) => routes.route(&format!("{path}/{{*{variable}}}"), handler),
            None => routes,
        }
    })
}

/// Answers requests at other addresses.
async fn unknown() -> AppError {
    AppError::NotFound(Box::new(Missing {
        message: format!(
            "There is no such endpoint. {} lists those that there are.",
            place::AGENTS_JSON
        ),
        ..Missing::default()
    }))
}

/// Answers the call of a capability, and records it if it is part of a session.
async fn show(
    operations: &Operations,
    name: &'static str,
    state: &AppState,
    variable: Option<String>,
    request: Request,
) -> Result<Response, AppError> {
    let Some(operation) = operations.named(name) else {
        return Err(AppError::no_such_page(""));
    };
    let (parts, body) = request.into_parts();
    let request = Request::from_parts(parts.clone(), body);
    // Whether or not there is a session.
    Operations::permit(&operation.capability, &operations.caller(&parts))?;
    let token = session::token(&parts.headers)?;
    let session = match &token {
        Some(token) => session::opened(state, token).await?,
        None => None,
    };
    let Some(session) = session else {
        if operation.capability.needs_session {
            return Ok(session::required(token.is_some()));
        }
        let asked = read(operation, variable, request).await?;
        let response = call(operations, operation, &state.public_url, &asked, &parts).await;
        return Ok(public(response, &parts));
    };
    if session.calls >= Session::MAX_CALLS {
        return Ok(session::used_up(&session, (state.now)()));
    }
    let asked = read(operation, variable, request).await;
    let params = asked.as_ref().map(audit::redacted).unwrap_or_default();
    let outcome = match asked {
        Ok(asked) => call(operations, operation, &state.public_url, &asked, &parts).await,
        Err(error) => Outcome::Refused(error.into_response()),
    };
    let response = private(outcome);
    let status = response.status();
    if audit::record(state, &session, name, &parts.method, params, status).await? {
        Ok(response)
    } else {
        // The session was ended in the meantime.
        Ok(session::required(true))
    }
}

/// Outcome of a call, before the headers of its answer are known.
enum Outcome {
    /// Envelope with data.
    Done(StatusCode, serde_json::Value),
    /// Refusal, complete.
    Refused(Response),
}

/// Reads the parameters of a call.
async fn read(
    operation: &Operation,
    variable: Option<String>,
    request: Request,
) -> Result<ListRequest, AppError> {
    let capability = &operation.capability;
    let variable = capability.interaction_parts().1.zip(variable);
    if capability.method == Method::GET {
        let query = request.uri().query().unwrap_or_default();
        return ListRequest::of_query(capability, variable, query);
    }
    let headers = request.headers().clone();
    let body = Bytes::from_request(request, &()).await?;
    ListRequest::of_body(capability, &request::object(&headers, &body)?)
}

/// Carries out a call.
async fn call(
    operations: &Operations,
    operation: &Operation,
    url: &str,
    asked: &ListRequest,
    parts: &Parts,
) -> Outcome {
    let caller = operations.caller(parts);
    let mut arguments = asked.arguments.clone();
    if operation.capability.name == "search" {
        // The protocol has no word for a match that is none.
        let least = arguments.entry(MIN_MATCH);
        let _ = least.or_insert_with(|| "weak".into());
    }
    match operations.whole(operation, arguments, &caller).await {
        Ok(answered) => {
            let (status, data) = answer::of(&operation.capability, url, asked, answered);
            Outcome::Done(status, data)
        }
        Err(refusal) => Outcome::Refused(refused(&refusal)),
    }
}

fn refused(refusal: &Refusal) -> Response {
    let status = match refusal.problem["errorCode"].as_str() {
        // A cursor is a parameter.
        Some("cursor_gone") => StatusCode::BAD_REQUEST,
        _ => refusal.status,
    };
    envelope::refusal(
        envelope::of_api(status),
        &own_advice(&refusal.text()),
        refusal.wait_s,
    )
}

/// Returns advice of the native API with the addresses of the Interaction API, for those that there are.
fn own_advice(text: &str) -> String {
    let text = text.replace(place::DOCS, place::PROTOCOLS);
    CAPABILITIES.iter().fold(text, |text, capability| {
        let (own, _) = capability.interaction_parts();
        let own = format!("{}{own}", place::INTERACTION);
        text.replace(&capability.api_address(), &own)
    })
}

/// Returns an answer to a request without a session, which every cache may keep if it only reads.
fn public(outcome: Outcome, parts: &Parts) -> Response {
    let (status, data) = match outcome {
        Outcome::Refused(response) => return response,
        Outcome::Done(status, data) => (status, data),
    };
    if ![Method::GET, Method::HEAD].contains(&parts.method) {
        return cache::keep(Policy::Never, envelope::success(status, &data));
    }
    let tag = Tag::of(&["interaction", &data.to_string()]);
    let response = envelope::success(status, &data);
    let mut response = tag.answer(Policy::Search, &parts.headers, response);
    // A call within a session has to be recorded.
    for name in session::TOKEN_HEADERS {
        response
            .headers_mut()
            .append(VARY, HeaderValue::from_name(name));
    }
    response
}

/// Returns an answer to the holder of a token.
fn private(outcome: Outcome) -> Response {
    match outcome {
        Outcome::Refused(response) => response,
        Outcome::Done(status, data) => {
            cache::keep(Policy::Private, envelope::success(status, &data))
        }
    }
}
