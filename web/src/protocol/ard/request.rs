//! Bodies and arguments of requests, and the errors about them.

use crate::error::AppError;
use crate::media_type;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::http::HeaderMap;
use schemars::{Schema, json_schema};
use serde::de::DeserializeOwned;

/// Most results of a page.
const MOST: u32 = 100;

/// Parses the body of a request, which must be declared as JSON.
pub(super) fn parsed<T: DeserializeOwned>(
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<T, AppError> {
    if !media_type::is_json(headers) {
        return Err(AppError::MediaType(media_type::JSON));
    }
    serde_json::from_slice(&body?)
        .map_err(|error| AppError::BadBody(format!("the body cannot be read: {error}")))
}

/// Returns the error of an argument.
pub(super) fn invalid(message: String) -> AppError {
    AppError::BadBody(message)
}

/// Returns the error of a token that belongs to no page of this request.
pub(super) fn bad_token() -> AppError {
    let message = "`pageToken` is damaged or belongs to another request; leave it out to start at \
                   the first page";
    invalid(message.to_owned())
}

/// Returns the error of a search. If the generation of the index in a page token is gone, the error
/// names the token.
pub(super) fn of_search(error: AppError) -> AppError {
    match error.starting_at(String::new) {
        AppError::CursorGone(_) => {
            let message = "the index has changed since `pageToken` was made; leave it out to start \
                           at the first page";
            invalid(message.to_owned())
        }
        error => error,
    }
}

/// Returns the schema of a number of results.
pub(super) fn page_size_schema(default: u32) -> Schema {
    json_schema!({ "type": "integer", "minimum": 1, "maximum": MOST, "default": default })
}

/// Checks a number of results.
pub(super) fn page_size(given: Option<u32>, default: u32) -> Result<usize, AppError> {
    match given.unwrap_or(default) {
        size @ 1..=MOST => Ok(size as usize),
        _ => Err(invalid(format!(
            "`pageSize` must be a whole number from 1 to {MOST}"
        ))),
    }
}
