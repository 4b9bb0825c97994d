//! `GET /api/v1/sites/{domain}`, and the addresses below it.

pub(crate) mod crawl;
pub(crate) mod edge;
pub(crate) mod recheck;
pub(crate) mod report;

use crate::action::visit;
use crate::cache::{self, Policy};
use crate::error::{AppError, NoParameters, Problem};
use crate::openapi::OperationDoc;
use crate::record::NOTE;
use crate::record::agent::api_path;
use crate::record::mark::Mark;
use crate::record::named;
use crate::record::site::reason::reason;
use crate::record::site::{self, SiteRecord, conflicts, edge_of, shown_documents};
use crate::state::AppState;
use crate::view::{self, foreign, visit_detail};
use aide::transform::TransformOperation;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use edge::EdgeBody;
use export::public::Finding;
use manifest::listing::{Conflict, Listing};
use manifest::{Domain, FormatId, Mention, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use store::{
    ForbiddenPath, HiddenTarget, Receipt, RobotsState, Site, SiteDocument, SiteVisit, StoredAgent,
    Submission,
};

#[derive(Debug, JsonSchema, Serialize)]
struct SiteBody<'a> {
    domain: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    port: Option<u16>,
    source: &'static str,
    first_seen: String,
    last_visit: Option<String>,
    last_outcome: Option<&'static str>,
    next_visit: String,
    /// Reason why the site has no agents here, if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_listed_because: Option<String>,
    /// Answer by which it refused the last visit.
    #[serde(skip_serializing_if = "Option::is_none")]
    refusal: Option<EdgeBody>,
    /// Submission for whose visit it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    submission: Option<SubmissionLink>,
    /// Agents of the site that the operator hides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hidden: Vec<HiddenBody>,
    robots: Option<RobotsBody>,
    agents: Vec<AgentSummary>,
    documents: Vec<DocumentBody<'a>>,
    /// Facts on which the documents of one agent disagree.
    conflicts: Vec<ConflictBody>,
    visits: Vec<VisitBody>,
    links: SiteLinks,
    note: &'static str,
}

/// Submission for whose visit a site waits.
#[derive(Debug, JsonSchema, Serialize)]
struct SubmissionLink {
    id: String,
    /// `waiting` for the crawler, `queued` or `visiting`.
    state: &'static str,
    submitted: String,
    /// Time since which submissions wait and no crawler takes any, while that is so.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_crawler_since: Option<String>,
    /// Address at which it is followed.
    link: String,
}

/// Agents that the operator hides.
#[derive(Debug, JsonSchema, Serialize)]
struct HiddenBody {
    /// The domain, for all its agents, or the id of one.
    target: String,
    reason: String,
    since: String,
}

#[derive(Debug, JsonSchema, Serialize)]
struct RobotsBody {
    verdict: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    http_status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delay_ms: Option<u32>,
    #[serde(skip_serializing_if = "String::is_empty")]
    why: String,
    /// Usual paths of manifests that its rules forbid, as far as the rules are known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    forbidden: Vec<ForbiddenBody>,
}

/// Path that robots.txt forbids to our crawler.
#[derive(Debug, JsonSchema, Serialize)]
struct ForbiddenBody {
    path: String,
    /// Line of the rule that decides, counted from 1.
    line: u32,
    /// The rule, such as `Disallow: /private/`.
    rule: String,
}

#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct AgentSummary {
    id: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    format: FormatId,
    level: &'static str,
    capabilities: usize,
    links: AgentLinks,
}

#[derive(Debug, JsonSchema, Serialize)]
struct AgentLinks {
    page: String,
    api: String,
}

#[derive(Debug, JsonSchema, Serialize)]
struct DocumentBody<'a> {
    url: String,
    requested: String,
    http_status: u16,
    media_type: Option<String>,
    hash: String,
    bytes: u64,
    /// `null` until the indexer has read it.
    format: Option<String>,
    generation: Option<String>,
    level: Option<&'static str>,
    first_seen: String,
    fetched: String,
    changed: String,
    findings: Vec<Finding<'a>>,
    /// Agents of other sites that it mentions, which are not listed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    mentions: Vec<Mention>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct ConflictBody {
    agent: String,
    /// `name`, `version`, `auth`, `capabilities`, `endpoint`, or `endpoint/<protocol>`.
    field: String,
    /// Values by document, the leading one first.
    claims: Vec<StatementBody>,
}

#[derive(Debug, JsonSchema, Serialize)]
struct StatementBody {
    /// URL of the document.
    url: String,
    pointer: String,
    /// For capabilities, only those that not every document has.
    values: Vec<String>,
}

#[derive(Debug, JsonSchema, Serialize)]
struct VisitBody {
    started: String,
    ended: String,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    requests: u32,
    bytes: u64,
    receipts: Vec<ReceiptBody>,
}

#[derive(Debug, JsonSchema, Serialize)]
struct ReceiptBody {
    at: String,
    method: String,
    url: String,
    /// `null` if no response came.
    http_status: Option<u16>,
    bytes: u64,
    duration_ms: u32,
    verdict: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    why: String,
}

/// Links of a site.
#[derive(Debug, JsonSchema, Serialize)]
struct SiteLinks {
    page: String,
    api: String,
    /// Findings on its documents.
    report: String,
    /// Our requests to it.
    crawl: String,
}

/// Describes `GET /api/v1/sites/{domain}`.
pub(crate) fn describe(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    OperationDoc::new(
        operation,
        "getSite",
        "Returns one site: its agents, documents and visits.",
    )
    .path("domain", "Domain of the site.", "mesa-do-tejo.example")
    .answer::<SiteBody<'_>>("The site.")
    .problem(400, "A parameter is unknown or invalid.")
    .moved()
    .problem(404, "The site is neither known nor submitted.")
    .problem(410, "The operator excludes it, or its owner left.")
    .done()
}

/// Answers `GET /api/v1/sites/{domain}`.
pub(crate) async fn show(
    State(state): State<AppState>,
    _: NoParameters,
    path: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let show = async |loaded: &SiteRecord| {
        let now = (state.now)();
        let body = SiteBody {
            refusal: edge_of(&loaded.site, state.crawler.has_addresses(), now).map(EdgeBody::from),
            submission: SubmissionLink::of_site(&state, loaded).await?,
            ..SiteBody::of(&loaded.site, now)
        };
        Ok(cache::json(&body, Policy::Current, &headers))
    };
    Ok(answer(&state, path, "", &headers, show).await?)
}

/// Describes an operation on a site.
fn of_site<'t>(operation: TransformOperation<'t>, id: &str, summary: &str) -> OperationDoc<'t> {
    OperationDoc::new(operation, id, summary)
        .path("domain", "Domain of the site.", "mesa-do-tejo.example")
        .moved()
        .problem(400, "The domain is none, or a parameter is unknown.")
        .problem(404, "The site is neither known nor submitted.")
        .problem(410, "The operator excludes it, or its owner left.")
}

/// Answers a request to the address of a site or to one below it, such as `/report`, with what `show`
/// makes of the site; 304 without reading it if the client has that.
async fn answer(
    state: &AppState,
    path: Result<Path<String>, PathRejection>,
    below: &str,
    headers: &HeaderMap,
    show: impl AsyncFnOnce(&SiteRecord) -> Result<Response, AppError>,
) -> Result<Response, AppError> {
    let Path(domain) = path?;
    let domain = named(&domain, |it| format!("{}{below}", site::api_path(it)))?;
    let mark = Mark::of(state, &domain).await?;
    let shown = async { show(&site::load(state, &domain).await?).await };
    if mark.is_whole() {
        let tag = mark.tag(&["site", below]);
        tag.serve(Policy::Current, headers, shown).await
    } else {
        shown.await
    }
}

impl SubmissionLink {
    /// Returns the submission for whose visit a site waits.
    async fn of_site(state: &AppState, loaded: &SiteRecord) -> Result<Option<Self>, AppError> {
        let Some(submission) = &loaded.submission else {
            return Ok(None);
        };
        let absent = visit::absent_since(state, submission).await?;
        Ok(Some(Self::of(submission, absent)))
    }

    fn of(submission: &Submission, absent: Option<Timestamp>) -> Self {
        Self {
            id: submission.id.clone(),
            state: submission.state.as_str(),
            submitted: submission.at.to_rfc3339(),
            no_crawler_since: absent.map(Timestamp::to_rfc3339),
            link: view::path(&["api", "v1", "submissions", &submission.id]),
        }
    }
}

impl SiteLinks {
    fn of(domain: &Domain) -> Self {
        let api = site::api_path(domain);
        Self {
            page: view::site_path(domain.as_str()),
            report: format!("{api}/report"),
            crawl: format!("{api}/crawl"),
            api,
        }
    }
}

impl HiddenBody {
    fn of(hidden: &HiddenTarget) -> Self {
        Self {
            target: hidden.target.clone(),
            reason: foreign(&hidden.reason),
            since: hidden.since.to_rfc3339(),
        }
    }
}

impl RobotsBody {
    fn of(robots: &RobotsState) -> Self {
        Self {
            verdict: foreign(&robots.verdict),
            http_status: robots.status,
            delay_ms: robots.delay_ms,
            why: foreign(&robots.why),
            forbidden: robots.forbidden.iter().map(ForbiddenBody::of).collect(),
        }
    }
}

impl ForbiddenBody {
    fn of(forbidden: &ForbiddenPath) -> Self {
        Self {
            path: foreign(&forbidden.path),
            line: forbidden.line,
            rule: foreign(&forbidden.rule),
        }
    }
}

impl<'a> SiteBody<'a> {
    fn of(site: &'a Site, now: Timestamp) -> Self {
        Self {
            domain: site.domain.to_string(),
            port: site.port,
            source: site.source.as_str(),
            first_seen: site.first_seen.to_rfc3339(),
            last_visit: site.last_visit.map(Timestamp::to_rfc3339),
            last_outcome: site.last_outcome.map(store::Outcome::as_str),
            next_visit: site.due.to_rfc3339(),
            not_listed_because: reason(site, now).map(|it| it.to_string()),
            refusal: None,
            submission: None,
            hidden: site.hidden.iter().map(HiddenBody::of).collect(),
            robots: site.robots.as_ref().map(RobotsBody::of),
            agents: site.agents.iter().map(AgentSummary::of).collect(),
            documents: shown_documents(site).map(DocumentBody::of).collect(),
            conflicts: conflicts(site)
                .map(|(listing, conflict)| ConflictBody::of(listing, conflict))
                .collect(),
            visits: site.visits.iter().map(VisitBody::of).collect(),
            links: SiteLinks::of(&site.domain),
            note: NOTE,
        }
    }
}

impl AgentSummary {
    pub(super) fn of(stored: &StoredAgent) -> Self {
        let listing = &stored.listing;
        Self {
            id: listing.id.to_string(),
            name: listing.agent.name.clone(),
            description: listing.agent.description.clone(),
            format: listing.format,
            level: listing.level.as_str(),
            capabilities: listing.agent.capabilities.len(),
            links: AgentLinks {
                page: view::agent_path(&listing.id),
                api: api_path(&listing.id),
            },
        }
    }
}

impl<'a> DocumentBody<'a> {
    fn of(document: &'a SiteDocument) -> Self {
        Self {
            url: document.url.clone(),
            requested: document.requested.clone(),
            http_status: document.status,
            media_type: document.media_type.as_deref().map(foreign),
            hash: document.hash.clone(),
            bytes: document.bytes,
            format: document.format.clone(),
            generation: document.generation.clone(),
            level: document.level.map(manifest::Level::as_str),
            first_seen: document.first_seen.to_rfc3339(),
            fetched: document.fetched.to_rfc3339(),
            changed: document.changed.to_rfc3339(),
            findings: document.findings.iter().map(Finding::of).collect(),
            mentions: document.mentions.clone(),
        }
    }
}

impl ConflictBody {
    pub(super) fn of(listing: &Listing, conflict: &Conflict) -> Self {
        let claims = conflict.claims.iter();
        Self {
            agent: listing.id.to_string(),
            field: conflict.field.clone(),
            claims: claims
                .map(|claim| StatementBody {
                    url: listing
                        .sources
                        .get(claim.evidence.source)
                        .map_or_else(String::new, |source| source.url.clone()),
                    pointer: claim.evidence.pointer.clone(),
                    values: claim.values.clone(),
                })
                .collect(),
        }
    }
}

impl VisitBody {
    fn of(visit: &SiteVisit) -> Self {
        Self {
            started: visit.started.to_rfc3339(),
            ended: visit.ended.to_rfc3339(),
            outcome: visit.outcome.as_str(),
            detail: visit.detail.as_deref().map(visit_detail),
            requests: visit.requests,
            bytes: visit.bytes,
            receipts: visit.receipts.iter().map(ReceiptBody::of).collect(),
        }
    }
}

impl ReceiptBody {
    fn of(receipt: &Receipt) -> Self {
        Self {
            at: receipt.at.to_rfc3339(),
            method: receipt.method.clone(),
            url: receipt.url.clone(),
            http_status: receipt.status,
            bytes: receipt.bytes,
            duration_ms: receipt.ms,
            verdict: foreign(&receipt.verdict),
            why: foreign(&receipt.why),
        }
    }
}
