//! The pages for people: each file is one page with its template, its parameters and its handler.

pub(crate) mod agent;
pub(crate) mod docs;
pub(crate) mod home;
pub(crate) mod rule;
pub(crate) mod rules;
pub(crate) mod search;
pub(crate) mod site;

use crate::error::{AppError, Missing, words_of};
use crate::parameter::BadParameter;
use crate::state::AppState;
use crate::view::SiteName;
use crate::view::card::Card;
use indexer::search::{Request, Sort};
use manifest::Domain;
use std::collections::BTreeMap;
use store::StoredAgent;

/// Number of agents that an error suggests.
const NEAREST: usize = 5;

/// Domain in a URL, by its spelling.
pub(crate) enum Named {
    /// Canonical spelling.
    Canonical(Domain),
    /// Another spelling, such as Unicode: the visitor is redirected to the A-label form.
    Alias(Domain),
}

/// Parses a domain in a URL.
pub(crate) fn named(text: &str) -> Result<Named, AppError> {
    match Domain::parse(text) {
        Ok(domain) if domain.as_str() == text => Ok(Named::Canonical(domain)),
        Ok(domain) => Ok(Named::Alias(domain)),
        Err(error) => Err(AppError::BadParameters(vec![BadParameter::new(
            "domain",
            "bad_domain",
            format!(
                "`{}` is not a domain: {error}",
                manifest::text::clean(text, 100)
            ),
        )])),
    }
}

/// Returns the agents of these ids, in the order of the ids.
pub(crate) async fn agents_of<'a>(
    state: &AppState,
    ids: impl Iterator<Item = &'a manifest::AgentId>,
) -> Result<Vec<StoredAgent>, AppError> {
    let ids: Vec<_> = ids.cloned().collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    Ok(state.store.agents_by_id(&ids).await?)
}

/// Returns a 404 with the agents that best match the request.
///
/// Without a working index there are no suggestions.
pub(crate) async fn not_found(
    state: &AppState,
    message: String,
    advice: &'static str,
    site: Option<SiteName>,
    asked: &str,
) -> AppError {
    let words = words_of(asked);
    let request = Request {
        text: words.clone(),
        filters: BTreeMap::new(),
        sort: Sort::Relevance,
        per_site: NEAREST,
        unfold: false,
        limit: NEAREST,
        after: None,
        facets: Vec::new(),
    };
    let nearest = match state.find(request).await {
        Ok(results) => agents_of(state, results.hits.iter().map(|hit| &hit.id))
            .await
            .unwrap_or_default(),
        Err(_) => Vec::new(),
    };
    AppError::NotFound(Box::new(Missing {
        message,
        advice,
        site,
        instead: None,
        words,
        nearest: nearest.iter().map(Card::of).collect(),
    }))
}
