//! Version 1 of the native API: its responses stay compatible.
//!
//! The types here and those of [`indexer::public`] are the contract.

pub(crate) mod agent;
pub(crate) mod rule;
pub(crate) mod search;
pub(crate) mod site;
pub(crate) mod suggest;

use crate::cache::json as tagged;
use crate::state::AppState;
use aide::axum::ApiRouter;
use aide::axum::routing::get_with;

/// Path of this version.
pub(crate) const BASE: &str = "/api/v1";

/// Returns the routes, each with its description.
pub(crate) fn routes() -> ApiRouter<AppState> {
    ApiRouter::new()
        .api_route("/search", get_with(search::show, search::describe))
        .api_route(
            "/agents/{domain}/{slug}",
            get_with(agent::show, agent::describe),
        )
        .api_route("/sites/{domain}", get_with(site::show, site::describe))
        .api_route("/suggest", get_with(suggest::show, suggest::describe))
        .api_route("/rules", get_with(rule::list, rule::describe_list))
        .api_route("/rules/{id}", get_with(rule::show, rule::describe))
}
