//! `GET /api/v1/agents/{domain}/{slug}/history`: what changed, and when.

use super::version::VersionBody;
use super::{load, of_agent};
use crate::api::v1::change::ChangeBody;
use crate::api::v1::search::Links;
use crate::cache::{self, Policy};
use crate::error::{NoParameters, Problem};
use crate::record::NOTE;
use crate::record::version::newest_changes;
use crate::record::version::{DocumentVersions, versions};
use crate::state::AppState;
use aide::transform::TransformOperation;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Serialize;

/// Changes of an agent, and the versions of its documents.
#[derive(Debug, JsonSchema, Serialize)]
struct HistoryBody {
    id: String,
    first_seen: String,
    last_seen: String,
    changed: String,
    /// Changes of the merged record, newest first.
    changes: Vec<ChangeBody>,
    /// True if there are earlier changes than those listed.
    has_earlier_changes: bool,
    /// Documents that the agent is read from, the leading one first.
    documents: Vec<DocumentHistory>,
    links: Links,
    note: &'static str,
}

/// Versions of one document.
#[derive(Debug, JsonSchema, Serialize)]
struct DocumentHistory {
    url: String,
    /// Newest first.
    versions: Vec<VersionBody>,
    /// True if there are earlier versions than those listed.
    has_earlier_versions: bool,
}

/// Describes `GET /api/v1/agents/{domain}/{slug}/history`.
pub(crate) fn describe(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    of_agent(operation, "getHistory", "Returns the changes of an agent.")
        .answer::<HistoryBody>("The changes, and the versions of its documents.")
        .done()
}

/// Answers `GET /api/v1/agents/{domain}/{slug}/history`.
pub(crate) async fn show(
    State(state): State<AppState>,
    _: NoParameters,
    path: Result<Path<(String, String)>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let agent = load(&state, path, "/history", None).await?;
    let id = &agent.listing.id;
    let (changes, has_earlier_changes) = newest_changes(&state, id).await?;
    let documents = versions(&state, &agent).await?;
    let body = HistoryBody {
        id: id.to_string(),
        first_seen: agent.first_seen.to_rfc3339(),
        last_seen: agent.last_seen.to_rfc3339(),
        changed: agent.changed.to_rfc3339(),
        changes: changes.iter().map(ChangeBody::of).collect(),
        has_earlier_changes,
        documents: documents
            .iter()
            .map(|document| DocumentHistory::of(document, id))
            .collect(),
        links: Links::of(&agent),
        note: NOTE,
    };
    Ok(cache::json(&body, Policy::Current, &headers))
}

impl DocumentHistory {
    fn of(document: &DocumentVersions, id: &manifest::AgentId) -> Self {
        let versions = 0..document.versions.len();
        Self {
            url: document.url.clone(),
            versions: versions
                .map(|at| VersionBody::of(document, at, id))
                .collect(),
            has_earlier_versions: document.has_earlier,
        }
    }
}
