//! Agent of a request.

mod capability_page;
mod members;
mod neighbours;

use super::mark::Mark;
use super::{named, not_found, withdrawn};
use crate::cache::Tag;
use crate::error::AppError;
use crate::state::AppState;
use crate::view::statement::Statement;
use crate::view::time::Moment;
use crate::view::{self, SiteName};
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
pub(crate) use capability_page::CapabilityPage;
use manifest::listing::Source;
use manifest::{AgentId, Domain};
pub(crate) use members::members;
pub(crate) use neighbours::{Neighbours, neighbours};
use store::{SiteDocument, StoredAgent};

/// Loads the agent of a request; `path_of` is the path of that address for another id, to which the
/// error of another spelling or an earlier id redirects.
pub(crate) async fn load(
    state: &AppState,
    path: Result<Path<(String, String)>, PathRejection>,
    path_of: impl Fn(&AgentId) -> String,
) -> Result<StoredAgent, AppError> {
    Place::of(path, &path_of)?.load(state, path_of).await
}

/// Domain and slug that a request names.
#[derive(Debug)]
pub(crate) struct Place {
    domain: Domain,
    slug: String,
}

impl Place {
    /// Returns the place that a request names, like [`load`].
    pub(crate) fn of(
        path: Result<Path<(String, String)>, PathRejection>,
        path_of: impl Fn(&AgentId) -> String,
    ) -> Result<Self, AppError> {
        let Path((domain, slug)) = path?;
        let domain = named(&domain, |it| path_of(&AgentId::new(it, &slug)))?;
        Ok(Self { domain, slug })
    }

    /// Returns the id of the agent at this place.
    pub(crate) fn id(&self) -> AgentId {
        AgentId::new(&self.domain, &self.slug)
    }

    /// Loads the agent at this place, like [`load`].
    pub(crate) async fn load(
        &self,
        state: &AppState,
        path_of: impl Fn(&AgentId) -> String,
    ) -> Result<StoredAgent, AppError> {
        match lookup(state, &self.domain, &self.slug).await? {
            Some(agent) => Ok(agent),
            None => Err(missing(state, &self.domain, &self.slug, path_of).await),
        }
    }

    /// Returns the tag of a response that shows the agent with its documents, and depends on `parts` as
    /// well. Nothing of the agent is read for it.
    pub(crate) async fn tag(&self, state: &AppState, parts: &[&str]) -> Result<Tag, AppError> {
        let (mark, newest) = self.mark(state).await?;
        Ok(mark.tag(&self.with(&newest, parts)))
    }

    /// Returns the tag of a page, like [`Place::tag`].
    pub(crate) async fn page_tag(&self, state: &AppState, parts: &[&str]) -> Result<Tag, AppError> {
        let (mark, newest) = self.mark(state).await?;
        Ok(mark.page_tag(&self.with(&newest, parts), (state.now)()))
    }

    /// Returns the mark of the site, and the newest change of all with the state of the index, since agents
    /// name each other and have neighbours.
    async fn mark(&self, state: &AppState) -> Result<(Mark, String), AppError> {
        let mark = Mark::of(state, &self.domain).await?;
        let (change, indexed) = (state.store.last_change().await?, state.indexed().await?);
        Ok((mark, format!("{change} {indexed}")))
    }

    fn with<'a>(&'a self, newest: &'a str, parts: &[&'a str]) -> Vec<&'a str> {
        let own = [self.domain.as_str(), &self.slug, newest];
        parts.iter().copied().chain(own).collect()
    }
}

/// Loads an agent.
pub(crate) async fn lookup(
    state: &AppState,
    domain: &Domain,
    slug: &str,
) -> Result<Option<StoredAgent>, AppError> {
    let id = AgentId::new(domain, slug);
    Ok(state.store.agents_by_id(&[id]).await?.pop())
}

/// Returns the stored document behind a source; `None` if a newer version replaced it.
pub(crate) fn document<'a>(
    documents: &'a [SiteDocument],
    source: &Source,
) -> Option<&'a SiteDocument> {
    documents
        .iter()
        .find(|it| it.url == source.url && it.hash == source.hash)
}

/// Returns the error for an agent that is not listed under this id: the path of its present id, the
/// reason of its removal, or that there never was one.
pub(crate) async fn missing(
    state: &AppState,
    domain: &Domain,
    slug: &str,
    path: impl FnOnce(&AgentId) -> String,
) -> AppError {
    match withdrawn::agent(state, domain, slug).await {
        Ok(None) => {}
        Ok(Some(error)) | Err(error) => return error,
    }
    let tombstone = match state.store.tombstone(&AgentId::new(domain, slug)).await {
        Ok(tombstone) => tombstone,
        Err(error) => return error.into(),
    };
    if let Some(successor) = tombstone.as_ref().and_then(|it| it.successor.as_ref()) {
        return AppError::Renamed(path(successor));
    }
    let slug = view::foreign(slug);
    let name = format!("“{slug}” at {}", domain.to_unicode());
    let advice = match &tombstone {
        Some(_) => "It is listed again if its site announces it again.",
        None => "It may have been renamed or removed.",
    };
    // Only a known site has a page.
    let site = match state.store.domain_state(domain).await {
        Ok(known) => known.map(|_| SiteName::of(domain)),
        Err(error) => return error.into(),
    };
    let message = format!("There is no agent {name}.");
    match (
        not_found(state, message, advice, site, &slug).await,
        tombstone,
    ) {
        (AppError::NotFound(missing), Some(tombstone)) => {
            let since = Moment::of(tombstone.at, (state.now)());
            let reason = format!(": {}.", view::foreign(&tombstone.reason));
            let before = format!("The agent {name} is no longer listed");
            AppError::Removed {
                message: Statement::since(before, since, reason),
                missing,
                tombstone: Box::new(tombstone),
            }
        }
        (error, _) => error,
    }
}

/// Returns the path of the JSON version.
pub(crate) fn api_path(id: &AgentId) -> String {
    let (domain, slug) = id.parts();
    view::path(&["api", "v1", "agents", domain, slug])
}
