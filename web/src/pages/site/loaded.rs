//! Site of a request: one that is known, or one that waits for its first visit.

use super::missing;
use crate::cache::Policy;
use crate::error::AppError;
use crate::state::AppState;
use manifest::{Domain, Timestamp};
use store::{SeedSource, Site, Submission};

/// Site, and the submission for whose visit it waits.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) site: Site,
    /// Submission without result, if the site was not visited yet.
    pub(crate) submission: Option<Submission>,
}

impl Loaded {
    /// Returns the cache policy of its answers: a submission has another state within seconds.
    pub(crate) fn policy(&self) -> Policy {
        match self.submission {
            Some(_) => Policy::Front,
            None => Policy::Details,
        }
    }
}

/// Loads a site; an error if it is neither known nor submitted.
pub(crate) async fn load(state: &AppState, domain: &Domain) -> Result<Loaded, AppError> {
    match find(state, domain).await? {
        Some(loaded) => Ok(loaded),
        None => Err(missing(state, domain).await),
    }
}

/// Loads a site; `None` if it is neither known nor submitted, or if it is excluded.
pub(crate) async fn find(state: &AppState, domain: &Domain) -> Result<Option<Loaded>, AppError> {
    let site = state.store.site(domain).await?;
    if site.as_ref().is_some_and(|it| it.last_visit.is_some()) {
        let submission = None;
        return Ok(site.map(|site| Loaded { site, submission }));
    }
    let submission = state.store.open_submission(domain).await?;
    if site.is_none() && !state.store.exclusions_of(domain).await?.is_empty() {
        return Ok(None);
    }
    let site = site.or_else(|| submission.as_ref().map(submitted));
    Ok(site.map(|site| Loaded { site, submission }))
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
    }
}
