//! `/`: what this is, a search field, what there is, and what is new.

use crate::cache::{self, Policy};
use crate::error::AppError;
use crate::html::{Layout, Page};
use crate::pages::agents_of;
use crate::query::Asked;
use crate::state::{AppState, nothing};
use crate::view::{self, card::Card};
use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use indexer::search::{Facet, Request, Sort};
use std::collections::BTreeMap;

/// How many new agents are shown.
const NEWEST: usize = 6;
/// How many example searches are shown.
const EXAMPLES: usize = 10;

#[derive(Debug, Template)]
#[template(path = "home.html")]
struct HomePage {
    layout: Layout,
    is_empty: bool,
    counts: Vec<Count>,
    examples: Vec<Choice>,
    formats: Vec<Choice>,
    newest: Vec<Card>,
    public_url: String,
}

/// A number with its noun.
#[derive(Debug)]
struct Count {
    number: String,
    noun: &'static str,
}

/// A search that one click makes.
#[derive(Debug)]
struct Choice {
    words: String,
    count: String,
    href: String,
}

/// `GET /`.
pub(crate) async fn show(State(state): State<AppState>) -> Result<Response, AppError> {
    let census = state.store.stats((state.now)()).await?;
    let found = state
        .find(Request {
            text: String::new(),
            filters: BTreeMap::new(),
            sort: Sort::FirstSeen,
            per_site: 1,
            limit: NEWEST,
            after: None,
            facets: vec![Facet::Tag, Facet::Format],
        })
        .await;
    let results = match found {
        // The counts and the search field are of use while the index is made.
        Err(AppError::NotReady) => nothing(),
        found => found?,
    };
    let newest = agents_of(&state, results.hits.iter().map(|hit| &hit.id)).await?;
    let choices_of = |facet: Facet, limit: usize| -> Vec<Choice> {
        let values = results.facets.get(&facet).into_iter().flatten();
        values
            .take(limit)
            .map(|count| Choice {
                words: match facet {
                    Facet::Format => view::format_title(&count.value),
                    _ => count.value.clone(),
                },
                count: view::grouped(count.count),
                href: match facet {
                    Facet::Tag => searching(&count.value).page(),
                    _ => Asked::default().toggled(facet, &count.value).page(),
                },
            })
            .collect()
    };
    let visited = census.outcomes.values().sum();
    let documents = census.formats.values().sum();
    let page = Page(HomePage {
        layout: Layout::new("").with_twin("/api/v1/search?sort=first_seen".to_owned()),
        is_empty: census.agents == 0,
        counts: vec![
            Count::of(census.agents, "agent", "agents"),
            Count::of(census.capabilities, "capability", "capabilities"),
            Count::of(documents, "manifest", "manifests"),
            Count::of(visited, "site visited", "sites visited"),
        ],
        examples: choices_of(Facet::Tag, EXAMPLES),
        formats: choices_of(Facet::Format, EXAMPLES),
        newest: newest.iter().map(Card::of).collect(),
        public_url: state.public_url,
    });
    Ok(cache::keep(Policy::Front, page.into_response()))
}

fn searching(words: &str) -> Asked {
    Asked {
        text: words.to_owned(),
        ..Asked::default()
    }
}

impl Count {
    fn of(number: u64, singular: &'static str, plural: &'static str) -> Self {
        Self {
            number: view::grouped(number),
            noun: if number == 1 { singular } else { plural },
        }
    }
}
