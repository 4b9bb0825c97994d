//! OPTIONS at every address, the `Allow` header of 405, and preflight requests of browsers (CORS).

use super::acts::is_act;
use crate::error::ErrorForm;
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_MAX_AGE,
    ACCESS_CONTROL_REQUEST_METHOD, ALLOW, ORIGIN,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};

/// Headers that pages of other origins may send.
const ALLOWED_HEADERS: &str = "A2A-Version, Accept, Authorization, Content-Type, If-None-Match, \
     MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, X-Agent-Session, X-Request-Id, X-Session-Token";

/// Methods that pages of other origins may use at any address of the Interaction API (IA-40).
const INTERACTION_METHODS: &str = "GET, POST, PUT, PATCH, DELETE, OPTIONS";

/// Seconds for which a browser may remember the answer to a preflight request; Chromium caps it at
/// two hours. The Interaction API states the value of its own text.
const MAX_AGE: &str = "7200";
const INTERACTION_MAX_AGE: &str = "86400";

/// Question of a browser about a request on behalf of a page of another origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Preflight {
    /// No such question.
    None,
    /// Question about a request that only reads.
    Read,
    /// Question about a request that changes something.
    Act,
}

impl Preflight {
    /// Reads a request.
    pub(super) fn of(method: &Method, uri: &Uri, headers: &HeaderMap) -> Self {
        let asked = headers.get(ACCESS_CONTROL_REQUEST_METHOD);
        let Some(asked) = asked.filter(|_| method == Method::OPTIONS) else {
            return Self::None;
        };
        if !headers.contains_key(ORIGIN) {
            return Self::None;
        }
        // What is no method is none that reads.
        let asked = Method::from_bytes(asked.as_bytes()).unwrap_or(Method::POST);
        if is_act(&asked, uri.path()) {
            Self::Act
        } else {
            Self::Read
        }
    }
}

/// Returns the answer to `OPTIONS *`, which asks about the server as a whole (RFC 9110 §9.3.7): the
/// methods that some address accepts; `None` for other requests.
pub(super) fn of_server(method: &Method, uri: &Uri) -> Option<Response> {
    let is_whole = method == Method::OPTIONS && uri.path() == "*";
    let allow = [(ALLOW, "GET, HEAD, POST, OPTIONS")];
    is_whole.then(|| (StatusCode::NO_CONTENT, allow).into_response())
}

/// Answers OPTIONS where the router has no such method, and completes `Allow`.
pub(super) fn finish(
    mut response: Response,
    method: &Method,
    preflight: Preflight,
    form: ErrorForm,
) -> Response {
    if response.status() != StatusCode::METHOD_NOT_ALLOWED {
        return response;
    }
    let allow = format!("{}, OPTIONS", allowed(&response));
    let allow = HeaderValue::from_str(&allow).unwrap_or(HeaderValue::from_static("OPTIONS"));
    if method != Method::OPTIONS {
        response.headers_mut().insert(ALLOW, allow);
        return response;
    }
    let mut response = StatusCode::NO_CONTENT.into_response();
    let headers = response.headers_mut();
    let (methods, age) = match form {
        ErrorForm::Interaction => (
            HeaderValue::from_static(INTERACTION_METHODS),
            INTERACTION_MAX_AGE,
        ),
        _ => (allow.clone(), MAX_AGE),
    };
    if preflight == Preflight::Read || form == ErrorForm::Interaction {
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, methods);
        let allowed = HeaderValue::from_static(ALLOWED_HEADERS);
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, allowed);
        headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(age));
    }
    headers.insert(ALLOW, allow);
    response
}

/// Returns the methods in `Allow`, with a space after each comma.
pub(super) fn allowed(response: &Response) -> String {
    let allow = response.headers().get(ALLOW);
    let allow = allow.and_then(|it| it.to_str().ok()).unwrap_or_default();
    let methods = allow.split(',').map(str::trim).filter(|it| !it.is_empty());
    methods.collect::<Vec<_>>().join(", ")
}
