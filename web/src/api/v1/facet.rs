//! `GET /api/v1/facets`: the values by which a search can be filtered, with counts.

use super::answer::facet_counts;
use crate::cache::{Policy, Tag};
use crate::error::{NoParameters, Problem};
use crate::openapi::OperationDoc;
use crate::record::NOTE;
use crate::state::AppState;
use aide::transform::TransformOperation;
use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use schemars::JsonSchema;
use search::{Facet, FacetCount, Query, Request};
use serde::Serialize;
use std::collections::BTreeMap;

/// Values of all facets.
#[derive(Debug, JsonSchema, Serialize)]
struct FacetsBody {
    /// Generation of the index that counted.
    generation: u64,
    /// Number of agents.
    total: u64,
    /// The most frequent values of each facet, at most 100.
    facets: BTreeMap<&'static str, Vec<FacetCount>>,
    note: &'static str,
}

/// Describes `GET /api/v1/facets`.
pub(crate) fn describe(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    OperationDoc::new(
        operation,
        "listFacets",
        "Lists the values by which a search can be filtered.",
    )
    .answer::<FacetsBody>("The most frequent values of each facet.")
    .problem(400, "A parameter is unknown.")
    .done()
}

/// Answers `GET /api/v1/facets`.
pub(crate) async fn list(
    State(state): State<AppState>,
    _: NoParameters,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let tag = Tag::of(&["facets", &state.version().await?]);
    tag.serve(Policy::Search, &headers, async {
        let request = Request {
            facets: Facet::ALL.to_vec(),
            ..Request::new(Query::default(), 0)
        };
        let results = state.find(request).await?.results;
        let body = FacetsBody {
            generation: results.generation,
            total: results.total,
            facets: facet_counts(results.facets),
            note: NOTE,
        };
        Ok(Json(body))
    })
    .await
}
