//! The registry API of Agentic Resource Discovery (ARD), as its specification states it.
//!
//! Searches are those of the native API. Facts beyond an entry of a catalogue are in its `metadata`.

mod agents;
mod entry;
mod explore;
mod expression;
mod filter;
mod referral;
mod search;

use crate::error::AppError;
use crate::own::place;
use crate::state::AppState;
use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::routing::{get, post};
use serde::de::DeserializeOwned;

/// Returns the routes. Some clients take the address in a catalogue for that of the search itself.
pub(crate) fn routes() -> Router<AppState> {
    let at = |path: &str| format!("{}{path}", place::ARD);
    Router::new()
        .route(place::ARD, post(search::show))
        .route(&at("/search"), post(search::show))
        .route(&at("/explore"), post(explore::show))
        .route(&at("/agents"), get(agents::list))
        .route(&at("/agents/{identifier}"), get(agents::show))
}

/// Parses the body of a request.
fn parsed<T: DeserializeOwned>(body: Result<Bytes, BytesRejection>) -> Result<T, AppError> {
    serde_json::from_slice(&body?)
        .map_err(|error| AppError::BadBody(format!("the body cannot be read: {error}")))
}

/// Returns the error of an argument.
fn invalid(message: String) -> AppError {
    AppError::BadBody(message)
}

/// Returns the error of a token that belongs to no page of this request.
fn bad_token() -> AppError {
    let message = "`pageToken` is damaged or belongs to another request; leave it out to start at \
                   the first page";
    invalid(message.to_owned())
}

/// Returns the error of a search, or for a generation of the index that is gone, that of the token.
fn of_search(error: AppError) -> AppError {
    match error.starting_at(String::new) {
        AppError::CursorGone(_) => {
            let message = "the index has changed since `pageToken` was made; leave it out to start \
                           at the first page";
            invalid(message.to_owned())
        }
        error => error,
    }
}

/// Checks a number of results.
fn page_size(given: Option<u32>, default: u32) -> Result<usize, AppError> {
    const MOST: u32 = 100;
    match given.unwrap_or(default) {
        size @ 1..=MOST => Ok(size as usize),
        _ => Err(invalid(format!(
            "`pageSize` must be a whole number from 1 to {MOST}"
        ))),
    }
}
