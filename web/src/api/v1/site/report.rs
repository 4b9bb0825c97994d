//! `GET /api/v1/sites/{domain}/report`: what a site should correct.

use super::edge::EdgeBody;
use super::{ConflictBody, DocumentBody, SiteLinks, SubmissionLink, answer, of_site};
use crate::cache::{self, Policy};
use crate::error::{NoParameters, Problem};
use crate::record::NOTE;
use crate::record::site::reason::{advice, reason};
use crate::record::site::{SiteRecord, conflicts, edge_of, shown_documents};
use crate::state::AppState;
use aide::transform::TransformOperation;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use manifest::{Severity, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use store::{Site, SiteDocument};

/// Findings on the documents of a site, and the facts on which they disagree.
#[derive(Debug, JsonSchema, Serialize)]
struct SiteReportBody<'a> {
    domain: String,
    /// Number of listed agents.
    agents: usize,
    /// Reason why the site has no agents here, if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_listed_because: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
    /// Answer by which the site refused the last visit.
    #[serde(skip_serializing_if = "Option::is_none")]
    refusal: Option<EdgeBody>,
    /// Submission for whose visit the site waits, with its state.
    #[serde(skip_serializing_if = "Option::is_none")]
    submission: Option<SubmissionLink>,
    findings: FindingCounts,
    documents: Vec<DocumentBody<'a>>,
    /// Facts on which the documents of one agent disagree.
    conflicts: Vec<ConflictBody>,
    links: SiteLinks,
    note: &'static str,
}

/// Numbers of findings by severity.
#[derive(Debug, JsonSchema, Serialize)]
struct FindingCounts {
    error: usize,
    warning: usize,
    info: usize,
}

/// Describes `GET /api/v1/sites/{domain}/report`.
pub(crate) fn describe(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    of_site(
        operation,
        "getReport",
        "Returns what a site should correct.",
    )
    .answer::<SiteReportBody<'_>>("The findings on its documents.")
    .done()
}

/// Answers `GET /api/v1/sites/{domain}/report`.
pub(crate) async fn show(
    State(state): State<AppState>,
    _: NoParameters,
    path: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let show = async |loaded: &SiteRecord| {
        let now = (state.now)();
        let body = SiteReportBody {
            refusal: edge_of(&loaded.site, state.crawler.has_addresses(), now).map(EdgeBody::from),
            submission: SubmissionLink::of_site(&state, loaded).await?,
            ..SiteReportBody::of(&loaded.site, now)
        };
        Ok(cache::json(&body, Policy::Current, &headers))
    };
    Ok(answer(&state, path, "/report", &headers, show).await?)
}

impl<'a> SiteReportBody<'a> {
    fn of(site: &'a Site, now: Timestamp) -> Self {
        Self {
            domain: site.domain.to_string(),
            agents: site.agents.len(),
            not_listed_because: reason(site, now).map(|it| it.to_string()),
            advice: advice(site),
            refusal: None,
            submission: None,
            findings: FindingCounts::of(shown_documents(site)),
            documents: shown_documents(site).map(DocumentBody::of).collect(),
            conflicts: conflicts(site)
                .map(|(listing, conflict)| ConflictBody::of(listing, conflict))
                .collect(),
            links: SiteLinks::of(&site.domain),
            note: NOTE,
        }
    }
}

impl FindingCounts {
    fn of<'a>(documents: impl Iterator<Item = &'a SiteDocument>) -> Self {
        let mut counts = Self {
            error: 0,
            warning: 0,
            info: 0,
        };
        for finding in documents.flat_map(|it| &it.findings) {
            *match finding.severity {
                Severity::Error => &mut counts.error,
                Severity::Warning => &mut counts.warning,
                Severity::Info => &mut counts.info,
            } += 1;
        }
        counts
    }
}
