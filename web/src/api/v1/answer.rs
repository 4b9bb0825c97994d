//! Answers and parts of them that several addresses share.

use crate::cache::{self, Policy};
use axum::Json;
use axum::http::header::LOCATION;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use search::{Facet, FacetCount};
use serde::Serialize;
use std::collections::BTreeMap;

/// Returns the answer to a request that is carried out later: its state, which is followed at `path`.
pub(super) fn queued(body: &impl Serialize, path: &str) -> Response {
    let mut response = (StatusCode::ACCEPTED, Json(body)).into_response();
    if let Ok(location) = HeaderValue::from_str(path) {
        response.headers_mut().insert(LOCATION, location);
    }
    cache::keep(Policy::Never, response)
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
