//! `/`: a search field, a few needs that can be met, and what was found, changed and gone.

mod needs;

use crate::cache::{self, Policy};
use crate::cached_value::CachedValue;
use crate::error::{AppError, IndexUnavailable, NoParameters, Problem};
use crate::html::{self, Layout};
use crate::pages::atom;
use crate::pages::event::{Event, Events};
use crate::query::SearchParams;
use crate::record::NOTE;
use crate::state::AppState;
use crate::twin::Form;
use crate::view;
use crate::view::card::Card;
use crate::view::chart::{Chart, Row};
use crate::view::time::Moment;
use askama::Template;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use search::{Answer, Facet, Query, Request, Sort};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use store::Outcome;

/// Number of new agents in the twins.
const NEWEST: usize = 6;
/// Number of agents that example needs are taken from.
const SAMPLE: usize = 100;
/// Number of entries of the change log that are shown.
const EVENTS: usize = 10;
/// Number of formats in the chart.
const FORMATS: usize = 8;

#[derive(Debug, Template)]
#[template(path = "home.html")]
struct HomePage {
    layout: Layout,
    is_empty: bool,
    /// Reason why the index is unavailable.
    outage: Option<IndexUnavailable>,
    counts: Vec<Count>,
    /// Numbers of agents and sites, in words.
    pulse: String,
    last_visit: Option<Moment>,
    examples: Vec<Choice>,
    live: Vec<Event>,
    formats: Option<Chart>,
    newest: Vec<Card>,
    /// A search as a command.
    curl: String,
}

html::markdown_twin!(HomePage, "home.md");

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
    href: String,
}

/// Body of the JSON twin.
#[derive(Debug, Serialize)]
struct HomeBody<'a> {
    /// Numbers of agents, capabilities, manifests and visited sites.
    counts: BTreeMap<&'static str, u64>,
    formats: Vec<FormatBody<'a>>,
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
struct FormatBody<'a> {
    text: &'a str,
    count: u64,
    page: Option<&'a str>,
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

/// The home page, which is kept for some seconds: its examples are found by a dozen searches.
#[derive(Clone, Debug, Default)]
pub(crate) struct Home(CachedValue<HomePage>);

impl Home {
    /// Answers `GET /`.
    pub(crate) async fn show(
        self,
        State(state): State<AppState>,
        form: Form,
        headers: HeaderMap,
    ) -> Result<Response, AppError> {
        let page = self.page(state).await?;
        Ok(html::tagged(form, &*page, Policy::Front, &headers)?)
    }

    /// Answers `GET /index.json`.
    pub(crate) async fn twin(
        self,
        State(state): State<AppState>,
        _: NoParameters,
        headers: HeaderMap,
    ) -> Result<Response, Problem> {
        let page = self.page(state).await?;
        Ok(cache::json(&page.body(), Policy::Front, &headers))
    }

    async fn page(&self, state: AppState) -> Result<Arc<HomePage>, AppError> {
        let now = (state.now)();
        let page = self.0.at(now, HomePage::read(state)).await;
        page.map_err(|_| AppError::Panic)?
    }
}

impl HomePage {
    async fn read(state: AppState) -> Result<Self, AppError> {
        let census = state.stats().await?;
        let now = (state.now)();
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
        let formats: Vec<Row> = {
            let values = results.facets.get(&Facet::Format).into_iter().flatten();
            let search = |value: &str| SearchParams::default().toggled(Facet::Format, value);
            values
                .map(|it| {
                    let href = search(&it.value).page();
                    Row::new(view::format_title(&it.value), it.count, Some(href))
                })
                .collect()
        };
        let visited = Outcome::contacted(&census.outcomes);
        let documents = census.formats.values().sum();
        Ok(Self {
            layout: Layout::new("").at("/").followed_by(atom::of_all()),
            is_empty: census.agents == 0,
            outage,
            pulse: format!(
                "{} and {} on {}",
                view::count(census.agents, "agent", "agents"),
                view::count(census.capabilities, "capability", "capabilities"),
                view::count(visited, "visited site", "visited sites"),
            ),
            last_visit: census.last_visit.map(|at| Moment::of(at, now)),
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
            examples: needs::met(&state, &sample).await?,
            live: Events::All.newest(&state, EVENTS).await?,
            formats: (!formats.is_empty()).then_some(
                Chart {
                    title: "Agents by format",
                    noun: "Format",
                    csv: Some("/stats/formats/index.csv".to_owned()),
                    rows: formats,
                    left_out: String::new(),
                }
                .limited(FORMATS),
            ),
            newest: sample
                .iter()
                .take(NEWEST)
                .map(|it| Card::of(it, now))
                .collect(),
            curl: format!(
                "curl '{}/api/v1/search?q=weather&limit=5'",
                state.public_url
            ),
        })
    }

    /// Returns the formats with their numbers of agents.
    fn formats(&self) -> impl Iterator<Item = &Row> {
        self.formats.iter().flat_map(|it| &it.rows)
    }

    fn body(&self) -> HomeBody<'_> {
        HomeBody {
            counts: self.counts.iter().map(|it| (it.key, it.value)).collect(),
            formats: self.formats().map(FormatBody::of).collect(),
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

impl<'a> FormatBody<'a> {
    fn of(row: &'a Row) -> Self {
        Self {
            text: &row.label,
            count: row.value,
            page: row.href.as_deref(),
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
