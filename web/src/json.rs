//! JSON of answers, in which hidden characters of third parties are escapes.
//!
//! A control character or one that changes the order of text has the same value as an escape, and does
//! nothing on a terminal to which a client prints the answer.

use crate::media_type;
use axum::body::{Body, HttpBody as _, to_bytes};
use axum::extract::Request;
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use std::borrow::Cow;

/// Returns a value as text.
pub(crate) fn text(value: &impl Serialize) -> serde_json::Result<String> {
    let text = serde_json::to_string(value)?;
    Ok(match terminal::json(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(escaped) => escaped,
    })
}

/// Returns a value as an answer.
pub(crate) fn answer(value: &impl Serialize) -> Response {
    match text(value) {
        Ok(text) => {
            let media_type = HeaderValue::from_static(media_type::JSON);
            ([(CONTENT_TYPE, media_type)], text).into_response()
        }
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// Escapes the answer to a request if it is JSON that is complete in memory.
pub(crate) async fn escape(request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    // What was kept compressed was escaped before.
    let is_encoded = response.headers().contains_key(CONTENT_ENCODING);
    let Some(length) = response.body().size_hint().exact() else {
        return response;
    };
    if is_encoded || !media_type::is_any_json(response.headers()) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(bytes) = to_bytes(body, usize::try_from(length).unwrap_or(usize::MAX)).await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let escaped = match std::str::from_utf8(&bytes).map(terminal::json) {
        Ok(Cow::Owned(escaped)) => escaped,
        Ok(Cow::Borrowed(_)) | Err(_) => return Response::from_parts(parts, Body::from(bytes)),
    };
    parts.headers.remove(CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(escaped))
}
