//! `GET /api/v1/stats`: what this registry holds, counted.

use super::answer::tagged;
use crate::api::openapi::Described;
use crate::cache::Policy;
use crate::error::{NoParameters, Problem};
use crate::state::AppState;
use aide::transform::TransformOperation;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use store::Stats;

/// Counts of everything.
#[derive(Debug, JsonSchema, Serialize)]
struct StatsBody {
    agents: u64,
    capabilities: u64,
    sites: SiteCounts,
    documents: DocumentCounts,
    /// Findings by rule.
    findings: BTreeMap<String, u64>,
    /// Newest sequence number of the change log.
    last_change: u64,
}

/// Counts of sites.
#[derive(Debug, JsonSchema, Serialize)]
struct SiteCounts {
    known: u64,
    visited: u64,
    /// Visited sites by the outcome of the last visit.
    by_outcome: BTreeMap<String, u64>,
}

/// Counts of stored documents.
#[derive(Debug, JsonSchema, Serialize)]
struct DocumentCounts {
    total: u64,
    /// Documents that the indexer has not read yet; they have neither format nor level.
    unread: u64,
    by_format: BTreeMap<String, u64>,
    by_level: BTreeMap<String, u64>,
}

/// Describes `GET /api/v1/stats`.
pub(crate) fn describe(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    Described::new(operation, "getStats", "Counts what this registry holds.")
        .answer::<StatsBody>("The counts.")
        .problem(400, "A parameter is unknown.")
        .done()
}

/// Answers `GET /api/v1/stats`.
pub(crate) async fn show(
    State(state): State<AppState>,
    _: NoParameters,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let body = StatsBody::of(&state.stats().await?);
    Ok(tagged(&body, Policy::Search, &headers))
}

impl StatsBody {
    fn of(stats: &Stats) -> Self {
        let mut by_format = stats.formats.clone();
        let total = by_format.values().sum();
        let unread = by_format.remove("").unwrap_or(0);
        Self {
            agents: stats.agents,
            capabilities: stats.capabilities,
            sites: SiteCounts {
                known: stats.domains,
                visited: stats.outcomes.values().sum(),
                by_outcome: stats.outcomes.clone(),
            },
            documents: DocumentCounts {
                total,
                unread,
                by_format,
                by_level: stats.levels.clone(),
            },
            findings: stats.findings.clone(),
            last_change: stats.last_change,
        }
    }
}
