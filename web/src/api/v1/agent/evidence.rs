//! `GET /api/v1/agents/{domain}/{slug}/evidence`: the sources of an agent's facts.

use super::{EvidenceBody, of_agent, place};
use crate::api::v1::search::Links;
use crate::api::v1::site::ConflictBody;
use crate::cache::Policy;
use crate::error::{NoParameters, Problem};
use crate::record::NOTE;
use crate::state::AppState;
use aide::transform::TransformOperation;
use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Response};
use schemars::JsonSchema;
use serde::Serialize;

/// Sources of an agent's facts, and the facts on which they disagree.
#[derive(Debug, JsonSchema, Serialize)]
struct AgentEvidenceBody<'a> {
    id: String,
    #[serde(flatten)]
    evidence: EvidenceBody<'a>,
    conflicts: Vec<ConflictBody>,
    links: Links,
    note: &'static str,
}

/// Describes `GET /api/v1/agents/{domain}/{slug}/evidence`.
pub(crate) fn describe(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    of_agent(
        operation,
        "getEvidence",
        "Returns the sources of an agent's facts.",
    )
    .answer::<AgentEvidenceBody<'_>>("The sources, and the facts on which they disagree.")
    .done()
}

/// Answers `GET /api/v1/agents/{domain}/{slug}/evidence`.
pub(crate) async fn show(
    State(state): State<AppState>,
    _: NoParameters,
    path: Result<Path<(String, String)>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (place, path_of) = place(path, "/evidence", None)?;
    let tag = place.tag(&state, &["evidence"]).await?;
    tag.serve(Policy::Current, &headers, async {
        let agent = place.load(&state, path_of).await?;
        let documents = state.store.site_documents(&agent.domain).await?;
        let conflicts = agent.listing.conflicts.iter();
        let body = AgentEvidenceBody {
            id: agent.listing.id.to_string(),
            evidence: EvidenceBody::of(&documents, &agent.listing),
            conflicts: conflicts
                .map(|conflict| ConflictBody::of(&agent.listing, conflict))
                .collect(),
            links: Links::of(&agent),
            note: NOTE,
        };
        Ok(Json(body).into_response())
    })
    .await
}
