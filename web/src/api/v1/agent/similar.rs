//! `GET /api/v1/agents/{domain}/{slug}/similar`: agents of other sites that are similar to an agent.

use super::{of_agent, place};
use crate::api::v1::search::Links;
use crate::api::v1::site::AgentSummary;
use crate::cache::Policy;
use crate::error::{NoParameters, Problem};
use crate::record::NOTE;
use crate::record::agent::neighbours;
use crate::state::AppState;
use aide::transform::TransformOperation;
use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Response};
use schemars::JsonSchema;
use serde::Serialize;

/// Agents of other sites that are similar to an agent.
#[derive(Debug, JsonSchema, Serialize)]
struct SimilarBody {
    id: String,
    /// Category of needs; absent if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<&'static str>,
    /// At most three, the nearest first, each of a site of its own; empty if none is near enough.
    similar: Vec<AgentSummary>,
    links: Links,
    note: &'static str,
}

/// Describes `GET /api/v1/agents/{domain}/{slug}/similar`.
pub(crate) fn describe(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    of_agent(
        operation,
        "getSimilar",
        "Returns agents of other sites that are similar to an agent.",
    )
    .answer::<SimilarBody>("The similar agents.")
    .done()
}

/// Answers `GET /api/v1/agents/{domain}/{slug}/similar`.
pub(crate) async fn show(
    State(state): State<AppState>,
    _: NoParameters,
    path: Result<Path<(String, String)>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (place, path_of) = place(path, "/similar", None)?;
    let tag = place.tag(&state, &["similar"]).await?;
    tag.serve(Policy::Current, &headers, async {
        let agent = place.load(&state, path_of).await?;
        let found = neighbours(&state, &agent.listing.id).await?;
        let body = SimilarBody {
            id: agent.listing.id.to_string(),
            category: found.category.map(|it| it.id),
            similar: found.similar.iter().map(AgentSummary::of).collect(),
            links: Links::of(&agent),
            note: NOTE,
        };
        Ok(Json(body).into_response())
    })
    .await
}
