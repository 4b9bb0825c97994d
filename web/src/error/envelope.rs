//! Answers of the Interaction API: envelopes (IA-10), with the statuses that its text names.

use crate::cache::{self, Policy};
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

/// Media type of every answer.
pub(crate) const JSON: &str = "application/json; charset=utf-8";

/// Returns an answer with `data`.
pub(crate) fn success(status: StatusCode, data: &Value) -> Response {
    enveloped(status, &json!({ "ok": true, "data": data }))
}

/// Returns a refusal, with the seconds to wait in a header and in words (IA-21).
pub(crate) fn refusal(status: StatusCode, message: &str, wait_s: Option<u64>) -> Response {
    let wait = wait_s.map(|it| format!(" Retry after {it} seconds."));
    let message = format!("{message}{}", wait.unwrap_or_default());
    let mut response = enveloped(status, &json!({ "ok": false, "error": message }));
    if let Some(wait) = wait_s {
        let headers = response.headers_mut();
        headers.insert(RETRY_AFTER, HeaderValue::from(wait));
    }
    cache::keep(Policy::Never, response)
}

/// Returns the status of the Interaction API that is nearest to one of the native API.
pub(crate) fn of_api(status: StatusCode) -> StatusCode {
    match status {
        StatusCode::CONFLICT => StatusCode::FORBIDDEN,
        StatusCode::GONE => StatusCode::NOT_FOUND,
        StatusCode::UNPROCESSABLE_ENTITY => StatusCode::BAD_REQUEST,
        StatusCode::GATEWAY_TIMEOUT => StatusCode::SERVICE_UNAVAILABLE,
        other => other,
    }
}

fn enveloped(status: StatusCode, body: &Value) -> Response {
    let body = terminal::json(&body.to_string()).into_owned();
    (status, [(CONTENT_TYPE, JSON)], body).into_response()
}
