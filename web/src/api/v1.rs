//! Version 1 of the native API: its responses stay compatible.
//!
//! The types here and those of [`export::public`] are the contract.

pub(crate) mod agent;
pub(crate) mod capability;
pub(crate) mod change;
pub(crate) mod claim;
pub(crate) mod convert;
pub(crate) mod export;
pub(crate) mod facet;
pub(crate) mod info;
pub(crate) mod list;
pub(crate) mod moderation;
pub(crate) mod problem_report;
pub(crate) mod rule;
pub(crate) mod search;
pub(crate) mod site;
pub(crate) mod stats;
pub(crate) mod submission;
pub(crate) mod suggest;
pub(crate) mod validate;

mod answer;
mod json_body;

use crate::own::place;
use crate::state::AppState;
use aide::axum::ApiRouter;
use aide::axum::routing::{get_with, post_with};
use axum::response::Redirect;

/// Path of this version.
pub(crate) const BASE: &str = "/api/v1";

/// Answers `GET /api/v1` with the address of the list of operations, which is a page with twins.
pub(crate) async fn overview() -> Redirect {
    Redirect::temporary(place::DOCS)
}

/// Returns the routes, each with its description.
pub(crate) fn routes() -> ApiRouter<AppState> {
    ApiRouter::new()
        .api_route("/search", get_with(search::show, search::describe))
        .api_route("/agents", get_with(list::agents, list::describe_agents))
        .api_route("/sites", get_with(list::sites, list::describe_sites))
        .api_route(
            "/agents/{domain}/{slug}",
            get_with(agent::show, agent::describe),
        )
        .api_route(
            "/agents/{domain}/{slug}/history",
            get_with(agent::history::show, agent::history::describe),
        )
        .api_route(
            "/agents/{domain}/{slug}/diff",
            get_with(agent::diff::show, agent::diff::describe),
        )
        .api_route(
            "/agents/{domain}/{slug}/raw",
            get_with(agent::raw::show, agent::raw::describe),
        )
        .api_route(
            "/agents/{domain}/{slug}/evidence",
            get_with(agent::evidence::show, agent::evidence::describe),
        )
        .api_route(
            "/agents/{domain}/{slug}/similar",
            get_with(agent::similar::show, agent::similar::describe),
        )
        .api_route(
            "/sites/{domain}/report",
            get_with(site::report::show, site::report::describe),
        )
        .api_route(
            "/sites/{domain}/crawl",
            get_with(site::crawl::show, site::crawl::describe),
        )
        .api_route(
            "/capabilities",
            get_with(capability::list, capability::describe),
        )
        .api_route("/changes", get_with(change::list, change::describe))
        .api_route(
            "/changes/stream",
            get_with(change::stream::show, change::stream::describe),
        )
        .api_route(
            "/export/latest.json",
            get_with(export::newest, export::describe_latest),
        )
        .api_route(
            "/export/{file}",
            get_with(export::file, export::describe_file),
        )
        .api_route("/facets", get_with(facet::list, facet::describe))
        .api_route("/info", get_with(info::show, info::describe))
        .api_route("/stats", get_with(stats::show, stats::describe))
        .api_route("/validate", post_with(validate::show, validate::describe))
        .api_route("/convert", post_with(convert::show, convert::describe))
        .api_route("/sites/{domain}", get_with(site::show, site::describe))
        .api_route(
            "/moderation",
            get_with(moderation::list, moderation::describe),
        )
        .api_route(
            "/reports",
            post_with(problem_report::create, problem_report::describe),
        )
        .api_route("/leave", post_with(claim::leave, claim::describe_leave))
        .api_route(
            "/leave/{id}",
            get_with(claim::leave_state, claim::describe_leave_state),
        )
        .api_route(
            "/return",
            post_with(claim::come_back, claim::describe_return),
        )
        .api_route(
            "/return/{id}",
            get_with(claim::return_state, claim::describe_return_state),
        )
        .api_route("/own", post_with(claim::own, claim::describe_own))
        .api_route(
            "/own/{id}",
            get_with(claim::own_state, claim::describe_own_state),
        )
        .api_route(
            "/sites/{domain}/recheck",
            post_with(site::recheck::show, site::recheck::describe),
        )
        .api_route(
            "/submit",
            post_with(submission::submit::show, submission::submit::describe),
        )
        .api_route(
            "/submissions/{id}",
            get_with(submission::show, submission::describe),
        )
        .api_route("/suggest", get_with(suggest::show, suggest::describe))
        .api_route("/rules", get_with(rule::list, rule::describe_list))
        .api_route("/rules/{id}", get_with(rule::show, rule::describe))
}
