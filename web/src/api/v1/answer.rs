//! Answers and parts of them that several addresses share.

use crate::cache::{Policy, Tag};
use axum::Json;
use axum::http::HeaderMap;
use axum::response::Response;
use indexer::search::{Facet, FacetCount};
use serde::Serialize;
use std::collections::BTreeMap;

/// Returns `body` with `policy` and a tag of its content; 304 if the client has it.
pub(super) fn tagged(body: &impl Serialize, policy: Policy, headers: &HeaderMap) -> Response {
    let text = serde_json::to_string(body).unwrap_or_default();
    Tag::of(&["body", &text]).answer(policy, headers, Json(body))
}

/// Returns counts by the names of their facets.
pub(super) fn facet_counts(
    counts: BTreeMap<Facet, Vec<FacetCount>>,
) -> BTreeMap<&'static str, Vec<FacetCount>> {
    let counts = counts.into_iter();
    counts
        .map(|(facet, counts)| (facet.as_str(), counts))
        .collect()
}
