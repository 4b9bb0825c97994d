//! `GET /api/v1/submissions/{id}`: the way of a submitted domain or of a recheck to its result.

pub(crate) mod submit;

use super::answer::queued;
use super::site::edge::EdgeBody;
use crate::action::crawler::ABSENT;
use crate::action::visit;
use crate::cache::{self, Policy};
use crate::error::{AppError, NoParameters, Problem};
use crate::openapi::OperationDoc;
use crate::record::NOTE;
use crate::record::site;
use crate::state::AppState;
use crate::view::{self, visit_detail};
use aide::transform::TransformOperation;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use manifest::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use store::{SiteSnapshot, SnapshotAgent, SnapshotFinding, Submission, Wait, requested};

/// Submission, and its result.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct SubmissionBody {
    id: String,
    /// `new`, or `recheck` of a known domain.
    kind: &'static str,
    domain: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    port: Option<u16>,
    /// `waiting` for the crawler, `queued`, `visiting`, `visited`, or `refused`.
    state: &'static str,
    submitted: String,
    /// Time before which it is not visited, while it waits for a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_before: Option<String>,
    /// Sentence on the reason why it waits for a time, or for a crawler.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Time since which submissions wait and no crawler takes any, while that is so.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_crawler_since: Option<String>,
    /// Start of the visit.
    started: Option<String>,
    /// End of the visit.
    ended: Option<String>,
    /// Outcome of the visit.
    outcome: Option<String>,
    /// Details of the outcome, or the reason why it is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    /// Sentence on what the owner of the site can do, if the outcome calls for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<&'static str>,
    /// Answer by which the visit was refused, until a later visit.
    #[serde(skip_serializing_if = "Option::is_none")]
    refusal: Option<EdgeBody>,
    /// The site before a recheck.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<SnapshotBody>,
    /// The site after the visit; `null` until its documents have been read.
    after: Option<SnapshotBody>,
    /// Differences between both.
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<DifferenceBody>,
    links: SubmissionLinks,
    note: &'static str,
}

/// Site at one moment.
#[derive(Debug, JsonSchema, Serialize)]
struct SnapshotBody {
    /// Outcome of its last visit; `null` before the first.
    outcome: Option<String>,
    agents_total: u64,
    capabilities_total: u64,
    findings_total: u64,
    /// The first 500 agents.
    agents: Vec<SnapshotAgentBody>,
}

#[derive(Debug, JsonSchema, Serialize)]
struct SnapshotAgentBody {
    id: String,
    name: String,
    capabilities: u64,
}

/// Differences between the site before and after a recheck.
#[derive(Debug, JsonSchema, Serialize)]
struct DifferenceBody {
    agents_added: Vec<SnapshotAgentBody>,
    agents_removed: Vec<SnapshotAgentBody>,
    findings_added: Vec<FindingBody>,
    /// Findings that the documents no longer have.
    findings_mended: Vec<FindingBody>,
    /// False if the site has more than 500 agents or findings, of which only the first are compared.
    is_complete: bool,
}

#[derive(Debug, JsonSchema, Serialize)]
struct FindingBody {
    /// URL of the document.
    url: String,
    rule: String,
    severity: &'static str,
    pointer: String,
    message: String,
    /// The rule, with examples.
    help: String,
}

#[derive(Debug, JsonSchema, Serialize)]
struct SubmissionLinks {
    /// This submission.
    submission: String,
    page: String,
    api: String,
    report: String,
    crawl: String,
    /// Address to which a recheck is posted.
    recheck: String,
}

/// Describes `GET /api/v1/submissions/{id}`.
pub(crate) fn describe(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    OperationDoc::new(
        operation,
        "getSubmission",
        "Returns the state of a submission or a recheck, and its result.",
    )
    .path(
        "id",
        "Id of the submission.",
        "00000000000000000000000000000000",
    )
    .answer::<SubmissionBody>("The submission.")
    .problem(400, "A parameter is unknown.")
    .problem(
        404,
        &format!(
            "There is no such submission, or it was made more than {} days ago.",
            requested::KEPT_DAYS
        ),
    )
    .done()
}

/// Answers `GET /api/v1/submissions/{id}`.
pub(crate) async fn show(
    State(state): State<AppState>,
    _: NoParameters,
    path: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let Path(id) = path?;
    let submission = visit::find(&state, &id).await?;
    let body = SubmissionBody::read(&state, &submission).await?;
    Ok(cache::json(&body, Policy::Never, &headers))
}

/// Answers a request that was accepted: the submission, and the address at which to follow it.
pub(super) async fn accepted(
    state: &AppState,
    submission: &Submission,
) -> Result<Response, AppError> {
    let body = SubmissionBody::read(state, submission).await?;
    Ok(queued(&body, &api_path(&submission.id)))
}

fn api_path(id: &str) -> String {
    format!("{}/submissions/{id}", super::BASE)
}

impl SubmissionBody {
    async fn read(state: &AppState, submission: &Submission) -> Result<Self, AppError> {
        let wait = state.store.wait(submission, (state.now)()).await?;
        let absent = visit::absent_since(state, submission).await?;
        let edge = site::edge_of_submission(state, submission).await?;
        Ok(Self {
            refusal: edge.map(EdgeBody::from),
            ..Self::of(submission, wait, absent)
        })
    }

    fn of(submission: &Submission, wait: Option<Wait>, absent: Option<Timestamp>) -> Self {
        let (before, after) = (submission.before.as_ref(), submission.after.as_ref());
        Self {
            id: submission.id.clone(),
            kind: submission.kind.as_str(),
            domain: submission.domain.to_string(),
            port: submission.port,
            state: submission.state.as_str(),
            submitted: submission.at.to_rfc3339(),
            not_before: wait.map(|wait| match wait {
                Wait::Site(until) | Wait::Share(until) => until.to_rfc3339(),
            }),
            reason: wait
                .map(visit::reason)
                .or_else(|| absent.map(|_| ABSENT))
                .map(str::to_owned),
            no_crawler_since: absent.map(Timestamp::to_rfc3339),
            started: submission.started.map(Timestamp::to_rfc3339),
            ended: submission.ended.map(Timestamp::to_rfc3339),
            outcome: submission.outcome.map(|it| it.as_str().to_owned()),
            detail: submission.detail.as_deref().map(visit_detail),
            advice: visit::advice(submission),
            refusal: None,
            before: before.map(SnapshotBody::of),
            after: after.map(SnapshotBody::of),
            changes: before
                .zip(after)
                .map(|(before, after)| DifferenceBody::of(before, after)),
            links: SubmissionLinks::of(submission),
            note: NOTE,
        }
    }
}

impl SnapshotBody {
    fn of(snapshot: &SiteSnapshot) -> Self {
        let agents = snapshot.agents.iter();
        Self {
            outcome: snapshot.outcome.clone(),
            agents_total: snapshot.agents_total,
            capabilities_total: agents.clone().map(|it| it.capabilities).sum(),
            findings_total: snapshot.findings_total,
            agents: agents.map(SnapshotAgentBody::of).collect(),
        }
    }
}

impl SnapshotAgentBody {
    fn of(agent: &SnapshotAgent) -> Self {
        Self {
            id: agent.id.clone(),
            name: agent.name.clone(),
            capabilities: agent.capabilities,
        }
    }
}

impl DifferenceBody {
    fn of(before: &SiteSnapshot, after: &SiteSnapshot) -> Self {
        let agents =
            |found: Vec<&SnapshotAgent>| found.into_iter().map(SnapshotAgentBody::of).collect();
        let findings =
            |found: Vec<&SnapshotFinding>| found.into_iter().map(FindingBody::of).collect();
        Self {
            agents_added: agents(after.agents_missing_in(before)),
            agents_removed: agents(before.agents_missing_in(after)),
            findings_added: findings(after.findings_missing_in(before)),
            findings_mended: findings(before.findings_missing_in(after)),
            is_complete: before.is_complete() && after.is_complete(),
        }
    }
}

impl FindingBody {
    fn of(finding: &SnapshotFinding) -> Self {
        Self {
            url: finding.url.clone(),
            rule: finding.rule.clone(),
            severity: finding.severity.as_str(),
            pointer: finding.pointer.clone(),
            message: finding.message.clone(),
            help: format!("/docs/rules/{}", finding.rule),
        }
    }
}

impl SubmissionLinks {
    fn of(submission: &Submission) -> Self {
        let api = site::api_path(&submission.domain);
        Self {
            submission: api_path(&submission.id),
            page: view::site_path(submission.domain.as_str()),
            report: format!("{api}/report"),
            crawl: format!("{api}/crawl"),
            recheck: format!("{api}/recheck"),
            api,
        }
    }
}
