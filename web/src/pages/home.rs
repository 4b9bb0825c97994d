//! `/`: an introduction, a search field, counts, and the newest agents.

use crate::cache::{self, Policy};
use crate::error::{AppError, IndexUnavailable, NoParameters, Problem};
use crate::html::{self, Layout, Page};
use crate::pages::NOTE;
use crate::query::SearchParams;
use crate::state::AppState;
use crate::twin::Form;
use crate::view::{self, card::Card};
use askama::Template;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use indexer::search::{Answer, Facet, Query, Request, Sort};
use serde::Serialize;
use std::collections::BTreeMap;
use store::StoredAgent;

/// Number of new agents shown.
const NEWEST: usize = 6;
/// Number of sites that example searches are taken from.
const SAMPLE: usize = 40;
/// Number of example searches shown.
const EXAMPLES: usize = 10;

/// Most example searches taken from one site.
const TAGS_OF_SITE: usize = 2;
/// Longest tag used as an example, in characters.
const TAG: usize = 24;

#[derive(Debug, Template)]
#[template(path = "home.html")]
struct HomePage {
    layout: Layout,
    is_empty: bool,
    /// Reason why the index is unavailable.
    outage: Option<IndexUnavailable>,
    counts: Vec<Count>,
    examples: Vec<Choice>,
    formats: Vec<Choice>,
    newest: Vec<Card>,
    public_url: String,
}

/// The twin in Markdown.
#[derive(Template)]
#[template(path = "home.md")]
struct HomeMarkdown<'a> {
    page: &'a HomePage,
}

impl Page for HomePage {
    fn markdown(&self) -> askama::Result<String> {
        HomeMarkdown { page: self }.render()
    }
}

/// Number with its noun.
#[derive(Debug)]
struct Count {
    /// Name in JSON.
    key: &'static str,
    value: u64,
    number: String,
    noun: &'static str,
}

/// Link to a search.
#[derive(Debug)]
struct Choice {
    words: String,
    count: String,
    href: String,
}

/// Body of the JSON twin.
#[derive(Debug, Serialize)]
struct HomeBody<'a> {
    /// Numbers of agents, capabilities, manifests and visited sites.
    counts: BTreeMap<&'static str, u64>,
    formats: Vec<ChoiceBody<'a>>,
    examples: Vec<ChoiceBody<'a>>,
    newest: Vec<CardBody<'a>>,
    /// False while the index is unavailable.
    is_searchable: bool,
    links: Links,
    note: &'static str,
}

#[derive(Debug, Serialize)]
struct ChoiceBody<'a> {
    text: &'a str,
    page: &'a str,
}

#[derive(Debug, Serialize)]
struct CardBody<'a> {
    name: &'a str,
    site: &'a str,
    description: Option<&'a str>,
    level: &'static str,
    page: &'a str,
}

#[derive(Debug, Serialize)]
struct Links {
    search: &'static str,
    suggest: &'static str,
    rules: &'static str,
    docs: &'static str,
}

/// Answers `GET /`.
pub(crate) async fn show(
    State(state): State<AppState>,
    form: Form,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let page = HomePage::read(state).await?;
    Ok(html::tagged(form, &page, Policy::Front, &headers)?)
}

/// Answers `GET /index.json`.
pub(crate) async fn twin(
    State(state): State<AppState>,
    _: NoParameters,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let page = HomePage::read(state).await?;
    Ok(cache::json(&page.body(), Policy::Front, &headers))
}

impl HomePage {
    async fn read(state: AppState) -> Result<Self, AppError> {
        let census = state.stats().await?;
        let found = state
            .find(Request {
                sort: Sort::FirstSeen,
                per_site: 1,
                unfold: false,
                facets: vec![Facet::Format],
                ..Request::new(Query::default(), SAMPLE)
            })
            .await;
        let (Answer { results, found, .. }, outage) = match found {
            // The counts are useful even while the index is unavailable.
            Err(AppError::Search(error)) => (Answer::default(), Some(IndexUnavailable::of(&error))),
            found => (found?, None),
        };
        let sample: Vec<_> = found.into_iter().map(|found| found.agent).collect();
        let formats: Vec<Choice> = {
            let values = results.facets.get(&Facet::Format).into_iter().flatten();
            values
                .take(EXAMPLES)
                .map(|count| Choice {
                    words: view::format_title(&count.value),
                    count: view::grouped(count.count),
                    href: SearchParams::default()
                        .toggled(Facet::Format, &count.value)
                        .page(),
                })
                .collect()
        };
        let visited = census.outcomes.values().sum();
        let documents = census.formats.values().sum();
        Ok(Self {
            layout: Layout::new("").with_twin(Form::Json.path("/")),
            is_empty: census.agents == 0,
            outage,
            counts: vec![
                Count::of("agents", census.agents, "agent", "agents"),
                Count::of(
                    "capabilities",
                    census.capabilities,
                    "capability",
                    "capabilities",
                ),
                Count::of("manifests", documents, "manifest", "manifests"),
                Count::of("sites_visited", visited, "site visited", "sites visited"),
            ],
            examples: examples(&sample),
            formats,
            newest: sample.iter().take(NEWEST).map(Card::of).collect(),
            public_url: state.public_url,
        })
    }

    fn body(&self) -> HomeBody<'_> {
        HomeBody {
            counts: self.counts.iter().map(|it| (it.key, it.value)).collect(),
            formats: self.formats.iter().map(ChoiceBody::of).collect(),
            examples: self.examples.iter().map(ChoiceBody::of).collect(),
            newest: self.newest.iter().map(CardBody::of).collect(),
            is_searchable: self.outage.is_none(),
            links: Links {
                search: "/api/v1/search",
                suggest: "/api/v1/suggest",
                rules: "/api/v1/rules",
                docs: "/docs/index.json",
            },
            note: NOTE,
        }
    }
}

impl<'a> ChoiceBody<'a> {
    fn of(choice: &'a Choice) -> Self {
        Self {
            text: &choice.words,
            page: &choice.href,
        }
    }
}

impl<'a> CardBody<'a> {
    fn of(card: &'a Card) -> Self {
        Self {
            name: &card.name,
            site: &card.site.shown,
            description: card.description.as_deref(),
            level: card.level,
            page: &card.path,
        }
    }
}

/// Returns a tag of each site, then second tags, so that no site dominates.
///
/// `sample` has one agent of each registrable domain.
fn examples(sample: &[StoredAgent]) -> Vec<Choice> {
    let mut words: Vec<&String> = Vec::new();
    for _ in 0..TAGS_OF_SITE {
        for agent in sample {
            let mut tags = agent.listing.agent.tags.iter();
            let fresh = tags.find(|tag| is_short_word(tag) && !words.contains(tag));
            words.extend(fresh);
        }
    }
    words
        .into_iter()
        .take(EXAMPLES)
        .map(|tag| Choice {
            words: tag.clone(),
            count: String::new(),
            href: SearchParams::of(tag).page(),
        })
        .collect()
}

/// Reports whether a tag is a single term rather than a list.
fn is_short_word(tag: &str) -> bool {
    tag.chars().count() <= TAG && !tag.contains([',', ';'])
}

impl Count {
    fn of(key: &'static str, value: u64, singular: &'static str, plural: &'static str) -> Self {
        Self {
            key,
            value,
            number: view::grouped(value),
            noun: if value == 1 { singular } else { plural },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_search_is_one_short_thing() {
        assert!(is_short_word("mountain hut"));
        assert!(!is_short_word("cat, boarding"));
        assert!(!is_short_word(&"long".repeat(7)));
    }
}
