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
use aide::axum::ApiRouter;
use aide::axum::routing::{get_with, post_with};
use axum::routing::post;

/// Returns the routes. Some clients take the address in a catalogue for that of the search itself.
pub(crate) fn routes() -> ApiRouter<AppState> {
    let at = |path: &str| format!("{}{path}", place::ARD);
    ApiRouter::new()
        .route(place::ARD, post(search::show))
        .api_route(&at("/search"), post_with(search::show, search::describe))
        .api_route(&at("/explore"), post_with(explore::show, explore::describe))
        .api_route(
            &at("/agents"),
            get_with(agents::list, agents::describe_list),
        )
        .api_route(
            &at("/agents/{identifier}"),
            get_with(agents::show, agents::describe),
        )
}
