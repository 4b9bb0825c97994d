//! `GET /api/v1/stats`: what this registry holds, counted now and on earlier days.

use crate::cache::{self, Policy};
use crate::error::{AppError, Problem};
use crate::openapi::OperationDoc;
use crate::parameter::{BadParameter, only};
use crate::state::AppState;
use aide::transform::TransformOperation;
use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use schemars::{JsonSchema, json_schema};
use serde::Serialize;
use std::collections::BTreeMap;
use store::{CensusDay, Day, Outcome, Stats};

/// Most days of the history in one answer.
const MAX_DAYS: u32 = 3_660;

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
    /// Counts of the last days, oldest first; empty without `days`. Days on which the registry did
    /// not count are missing.
    history: Vec<DayBody>,
}

/// Counts of one day.
#[derive(Debug, JsonSchema, Serialize)]
struct DayBody {
    /// Day in UTC, such as `2026-11-24`.
    day: String,
    /// Time of the count.
    at: String,
    agents: u64,
    capabilities: u64,
    sites: SiteCounts,
    agents_by: AgentCounts,
    /// Findings by rule.
    findings: BTreeMap<String, u64>,
}

/// Counts of agents by the values of facets; an agent may have several protocols and schemes of
/// authentication.
#[derive(Debug, JsonSchema, Serialize)]
struct AgentCounts {
    format: BTreeMap<String, u64>,
    protocol: BTreeMap<String, u64>,
    level: BTreeMap<String, u64>,
    auth: BTreeMap<String, u64>,
    tld: BTreeMap<String, u64>,
}

/// Counts of sites.
#[derive(Debug, JsonSchema, Serialize)]
struct SiteCounts {
    known: u64,
    /// Sites that the last visit contacted, which is not so if the name does not resolve or leads
    /// to an address that is not visited.
    visited: u64,
    /// Sites by the outcome of the last visit.
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
    /// Documents of each format by level.
    by_format_and_level: BTreeMap<String, BTreeMap<String, u64>>,
}

/// Describes `GET /api/v1/stats`.
pub(crate) fn describe(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    let days = json_schema!({ "type": "integer", "minimum": 1, "maximum": MAX_DAYS });
    OperationDoc::new(operation, "getStats", "Counts what this registry holds.")
        .query("days", "Number of days of `history`, today included.", days)
        .answer::<StatsBody>("The counts.")
        .problem(400, "A parameter is unknown or invalid.")
        .done()
}

/// Answers `GET /api/v1/stats`.
pub(crate) async fn show(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let days = days(query.as_deref()).map_err(AppError::BadParameters)?;
    let history = match days {
        Some(days) => {
            let first = Day::of((state.now)()).before(days - 1);
            state
                .store
                .census_since(first)
                .await
                .map_err(AppError::from)?
        }
        None => Vec::new(),
    };
    let census = state.stats().await?;
    let body = StatsBody::of(&census, history);
    Ok(cache::json(&body, Policy::Search, &headers))
}

/// Parses the number of days.
fn days(query: Option<&str>) -> Result<Option<u32>, Vec<BadParameter>> {
    let [days] = only(query, ["days"])?;
    match days.map(|it| it.parse()) {
        None => Ok(None),
        Some(Ok(days)) if (1..=MAX_DAYS).contains(&days) => Ok(Some(days)),
        Some(_) => Err(vec![BadParameter::new(
            "days",
            "out_of_range",
            format!("`days` must be a whole number from 1 to {MAX_DAYS}"),
        )]),
    }
}

impl StatsBody {
    fn of(stats: &Stats, history: Vec<CensusDay>) -> Self {
        let mut by_format = stats.formats.clone();
        let total = by_format.values().sum();
        let unread = by_format.remove("").unwrap_or(0);
        Self {
            agents: stats.agents,
            capabilities: stats.capabilities,
            sites: SiteCounts::of(stats.domains, stats.outcomes.clone()),
            documents: DocumentCounts {
                total,
                unread,
                by_format,
                by_level: stats.levels.clone(),
                by_format_and_level: stats.graded.clone(),
            },
            findings: stats.findings.clone(),
            last_change: stats.last_change,
            history: history.into_iter().map(DayBody::of).collect(),
        }
    }
}

impl SiteCounts {
    fn of(known: u64, by_outcome: BTreeMap<String, u64>) -> Self {
        Self {
            known,
            visited: Outcome::contacted(&by_outcome),
            by_outcome,
        }
    }
}

impl DayBody {
    fn of(day: CensusDay) -> Self {
        let counts = day.counts;
        Self {
            day: day.day.start().date(),
            at: day.at.to_rfc3339(),
            agents: counts.agents,
            capabilities: counts.capabilities,
            sites: SiteCounts::of(counts.domains, counts.outcomes),
            agents_by: AgentCounts {
                format: counts.formats,
                protocol: counts.protocols,
                level: counts.levels,
                auth: counts.auth,
                tld: counts.tlds,
            },
            findings: counts.findings,
        }
    }
}
