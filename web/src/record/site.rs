//! Site of a request: one that is known, or one that waits for its first visit.

pub(crate) mod listing_state;
pub(crate) mod reason;

use super::withdrawn;
use crate::action::address;
use crate::error::{AppError, Missing, sentence};
use crate::parameter::BadParameter;
use crate::state::AppState;
use crate::view;
use crate::view::edge::{self, EdgeView};
use manifest::listing::{Conflict, Listing};
use manifest::{Domain, Timestamp};
use store::{Outcome, SeedSource, Site, SiteDocument, Submission};

/// Site, and the submission for whose visit it waits.
#[derive(Debug)]
pub(crate) struct SiteRecord {
    pub(crate) site: Site,
    /// Submission without result.
    pub(crate) submission: Option<Submission>,
}

/// Loads a site; an error if it is neither known nor submitted.
pub(crate) async fn load(state: &AppState, domain: &Domain) -> Result<SiteRecord, AppError> {
    match find(state, domain).await? {
        Some(loaded) => Ok(loaded),
        None => Err(missing(state, domain).await),
    }
}

/// Loads a site; `None` if it is neither known nor submitted, or if it is excluded.
pub(crate) async fn find(
    state: &AppState,
    domain: &Domain,
) -> Result<Option<SiteRecord>, AppError> {
    let site = state.store.site(domain).await?;
    let submission = state.store.open_submission(domain).await?;
    if site.is_none() && !state.store.exclusions_of(domain).await?.is_empty() {
        return Ok(None);
    }
    let site = site.or_else(|| submission.as_ref().map(submitted));
    Ok(site.map(|site| SiteRecord { site, submission }))
}

/// Returns a submitted site of which nothing is known yet.
fn submitted(submission: &Submission) -> Site {
    let due: Timestamp = submission.at.max(submission.earliest);
    Site {
        domain: submission.domain.clone(),
        port: submission.port,
        source: SeedSource::Submitted,
        first_seen: submission.at,
        last_visit: None,
        last_outcome: None,
        due,
        robots: None,
        agents: Vec::new(),
        documents: Vec::new(),
        visits: Vec::new(),
        hidden: Vec::new(),
        edge: None,
    }
}

/// Returns the error for an unknown site.
pub(crate) async fn missing(state: &AppState, domain: &Domain) -> AppError {
    match withdrawn::site(state, domain).await {
        Ok(None) => {}
        Ok(Some(error)) | Err(error) => return error,
    }
    let fault = address::parse(domain.as_str()).err();
    // Another site with a similar name is no answer to its owner.
    AppError::NotFound(Box::new(Missing {
        title: Some(unlisted_title(domain, fault.as_ref())),
        message: match &fault {
            Some(fault) => sentence(&fault.message),
            None => format!(
                "{} is not listed yet: the registry has no record of it.",
                domain.to_unicode()
            ),
        },
        advice: match &fault {
            Some(_) => "It cannot be submitted.",
            None => {
                "To have it visited, submit its domain: POST /api/v1/submit, as /docs/api describes, or the tool submit_site of MCP."
            }
        },
        words: domain.to_unicode(),
        submit: fault.is_none().then(|| domain.to_string()),
        ..Missing::default()
    }))
}

/// Returns the title of a page about a domain of which nothing is known, given what is wrong with it.
pub(crate) fn unlisted_title(domain: &Domain, fault: Option<&BadParameter>) -> String {
    let shown = domain.to_unicode();
    match fault {
        Some(fault) if fault.code == "reserved_name" => format!("{shown} is a reserved name"),
        _ => format!("{shown} isn’t listed yet"),
    }
}

/// Returns the documents that may be shown: none of a site that opted out.
pub(crate) fn shown_documents(site: &Site) -> impl Iterator<Item = &SiteDocument> {
    let has_left = site.last_outcome == Some(Outcome::OptedOut);
    site.documents.iter().filter(move |_| !has_left)
}

/// Returns the answer by which a site refused the last visit; `has_addresses` if those of the crawler
/// are published.
pub(crate) fn edge_of(site: &Site, has_addresses: bool, now: Timestamp) -> Option<EdgeView> {
    let outcome = site.last_outcome.filter(|it| it.is_refusal())?;
    let answer = site.edge.as_ref()?;
    let requests = edge::requests_of(&site.visits, answer);
    Some(EdgeView::of(answer, outcome, requests, has_addresses, now))
}

/// Returns the answer by which the visit of a submission was refused, while no later visit replaced
/// it.
pub(crate) async fn edge_of_submission(
    state: &AppState,
    submission: &Submission,
) -> Result<Option<EdgeView>, AppError> {
    let Some(outcome) = submission.outcome.filter(|it| it.is_refusal()) else {
        return Ok(None);
    };
    let (Some(started), Some(ended)) = (submission.started, submission.ended) else {
        return Ok(None);
    };
    let answer = state.store.edge_answer(&submission.domain).await?;
    let answer = answer.filter(|it| started <= it.at && it.at <= ended);
    let has_addresses = state.crawler.has_addresses();
    let now = (state.now)();
    Ok(answer.map(|it| EdgeView::of(&it, outcome, None, has_addresses, now)))
}

/// Returns the facts on which the documents of an agent disagree, for every agent of a site.
pub(crate) fn conflicts(site: &Site) -> impl Iterator<Item = (&Listing, &Conflict)> {
    let listings = site.agents.iter().map(|agent| &agent.listing);
    listings.flat_map(|it| it.conflicts.iter().map(move |conflict| (it, conflict)))
}

/// Returns the path of the JSON version.
pub(crate) fn api_path(domain: &Domain) -> String {
    view::path(&["api", "v1", "sites", domain.as_str()])
}
