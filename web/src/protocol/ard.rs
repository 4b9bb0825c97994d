//! The registry API of Agentic Resource Discovery (ARD), as its specification states it.
//!
//! Searches are those of the native API. Facts beyond an entry of a catalogue are in its `metadata`.

mod agents;
mod entry;
mod explore;
mod expression;
mod filter;
mod referral;
mod request;
mod search;

use crate::own::place;
use crate::state::AppState;
use axum::Router;
use axum::routing::{get, post};

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
