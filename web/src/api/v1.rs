//! Version 1 of the native API: its responses stay compatible.
//!
//! The types here and those of [`indexer::public`] are the contract.

pub(crate) mod agent;
pub(crate) mod capability;
pub(crate) mod convert;
pub(crate) mod facet;
pub(crate) mod info;
pub(crate) mod rule;
pub(crate) mod search;
pub(crate) mod site;
pub(crate) mod stats;
pub(crate) mod suggest;
pub(crate) mod validate;

mod draft;

use crate::cache::{Policy, Tag};
use crate::state::AppState;
use aide::axum::ApiRouter;
use aide::axum::routing::get_with;
use axum::Json;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::{get, post};
use indexer::search::{Facet, FacetCount};
use serde::Serialize;
use std::collections::BTreeMap;

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
        .route("/agents/{domain}/{slug}/history", get(agent::history::show))
        .route("/agents/{domain}/{slug}/diff", get(agent::diff::show))
        .route("/agents/{domain}/{slug}/raw", get(agent::raw::show))
        .route(
            "/agents/{domain}/{slug}/evidence",
            get(agent::evidence::show),
        )
        .route("/sites/{domain}/report", get(site::report::show))
        .route("/sites/{domain}/crawl", get(site::crawl::show))
        .route("/capabilities", get(capability::list))
        .route("/facets", get(facet::list))
        .route("/info", get(info::show))
        .route("/stats", get(stats::show))
        .route("/validate", post(validate::show))
        .route("/convert", post(convert::show))
        .api_route("/sites/{domain}", get_with(site::show, site::describe))
        .api_route("/suggest", get_with(suggest::show, suggest::describe))
        .api_route("/rules", get_with(rule::list, rule::describe_list))
        .api_route("/rules/{id}", get_with(rule::show, rule::describe))
}

/// Returns `body` with `policy` and a tag of its content; 304 if the client has it.
fn tagged(body: &impl Serialize, policy: Policy, headers: &HeaderMap) -> Response {
    let text = serde_json::to_string(body).unwrap_or_default();
    Tag::of(&["body", &text]).answer(policy, headers, Json(body))
}

/// Returns counts by the names of their facets.
fn facet_counts(
    counts: BTreeMap<Facet, Vec<FacetCount>>,
) -> BTreeMap<&'static str, Vec<FacetCount>> {
    let counts = counts.into_iter();
    counts
        .map(|(facet, counts)| (facet.as_str(), counts))
        .collect()
}
