//! `/`: a search field, a few needs that can be met, and what was found, changed and gone.

mod needs;
mod receipt;

use crate::cache::{self, Policy};
use crate::cached_value::CachedValue;
use crate::error::{AppError, IndexUnavailable, NoParameters, Problem};
use crate::html::{self, Layout};
use crate::own::{SLUG, place};
use crate::pages::atom;
use crate::pages::event::{EventGroup, Events};
use crate::query::SearchParams;
use crate::record::NOTE;
use crate::state::AppState;
use crate::twin::Form;
use crate::view;
use crate::view::access;
use crate::view::card::Card;
use crate::view::chart::{Chart, Row};
use crate::view::time::Moment;
use askama::Template;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use connect::Callable;
use receipt::Receipt;
use search::{Answer, Category, Facet, Query, Request, Results, Sort};
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use store::Outcome;

/// Number of new agents that are shown.
const NEWEST: usize = 6;
/// Number of new agents of which one gives the receipt.
const CALLABLE: usize = 24;
/// Number of agents that example needs are taken from.
const SAMPLE: usize = 100;
/// Number of groups of changes that are shown.
const CHANGES: usize = 6;
/// Number of protocols in the chart.
const PROTOCOLS: usize = 6;

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
    /// Categories that have agents, with their numbers.
    categories: Vec<(Choice, String)>,
    receipt: Option<Receipt>,
    live: Vec<EventGroup>,
    protocols: Option<Chart>,
    /// The newest agents whose documents state a complete call.
    newest: Vec<Card>,
    /// A search as a command.
    curl: String,
    /// Configuration with which an MCP client uses this registry.
    configuration: String,
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
    protocols: Vec<ProtocolBody<'a>>,
    examples: Vec<ChoiceBody<'a>>,
    categories: Vec<ChoiceBody<'a>>,
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
struct ProtocolBody<'a> {
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
        Ok(html::kept(form, &*page, Policy::Front, &headers)?)
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
        let newest = |limit| Request {
            sort: Sort::FirstSeen,
            per_site: 1,
            unfold: false,
            ..Request::new(Query::default(), limit)
        };
        let all = Request {
            facets: vec![Facet::Protocol, Facet::Category],
            ..newest(SAMPLE)
        };
        let (Answer { results, found, .. }, outage) = match state.find(all).await {
            // The counts are useful even while the index is unavailable.
            Err(AppError::Search(error)) => (Answer::default(), Some(IndexUnavailable::of(&error))),
            found => (found?, None),
        };
        let callable = vec![Callable::Call.as_str().to_owned()];
        let callable = Request {
            filters: [(Facet::Callable, callable)].into(),
            ..newest(CALLABLE)
        };
        let callable: Vec<_> = match &outage {
            Some(_) => Vec::new(),
            None => state.find(callable).await?.found,
        };
        let callable: Vec<_> = callable.into_iter().map(|found| found.agent).collect();
        let protocols = results.facets.get(&Facet::Protocol).into_iter().flatten();
        let protocols: Vec<Row> = protocols
            .map(|it| {
                let search = SearchParams::default().toggled(Facet::Protocol, &it.value);
                let title = access::protocol_title(&it.value);
                Row::new(title, it.count, Some(search.page()))
            })
            .collect();
        let visited = Outcome::contacted(&census.outcomes);
        let documents = census.formats.values().sum();
        Ok(Self {
            layout: Layout::new("").at("/").followed_by(atom::of_all()),
            is_empty: census.agents == 0,
            outage,
            pulse: format!(
                "{} on {}",
                view::count(census.agents, "agent", "agents"),
                view::count(census.sites, "site", "sites"),
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
            examples: needs::met(&state, &found).await?,
            categories: categories(&results),
            receipt: Receipt::of_first(&state, &callable).await?,
            live: Events::All.by_hour(&state, CHANGES).await?,
            protocols: (protocols.len() > 1).then_some(
                Chart {
                    title: "Agents by protocol",
                    noun: "Protocol",
                    csv: Some("/stats/protocols/index.csv".to_owned()),
                    rows: protocols,
                    left_out: String::new(),
                }
                .limited(PROTOCOLS),
            ),
            newest: callable
                .iter()
                .take(NEWEST)
                .map(|it| Card::of(it, now))
                .collect(),
            curl: format!(
                "curl '{}/api/v1/search?q=weather&limit=5'",
                state.public_url
            ),
            configuration: json!({"mcpServers": {SLUG: {
                "type": "http",
                "url": format!("{}{}", state.public_url, place::MCP),
            }}})
            .to_string(),
        })
    }

    /// Returns the protocols with their numbers of agents.
    fn protocols(&self) -> impl Iterator<Item = &Row> {
        self.protocols.iter().flat_map(|it| &it.rows)
    }

    fn body(&self) -> HomeBody<'_> {
        HomeBody {
            counts: self.counts.iter().map(|it| (it.key, it.value)).collect(),
            protocols: self.protocols().map(ProtocolBody::of).collect(),
            examples: self.examples.iter().map(ChoiceBody::of).collect(),
            categories: self
                .categories
                .iter()
                .map(|it| ChoiceBody::of(&it.0))
                .collect(),
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

/// Returns the searches of the categories that have agents, with their numbers.
fn categories(results: &Results) -> Vec<(Choice, String)> {
    let counts = results.facets.get(&Facet::Category);
    let counts = counts.map_or(&[][..], Vec::as_slice);
    let choice = |category: &Category| {
        let count = counts.iter().find(|it| it.value == category.id)?.count;
        let search = SearchParams::default().toggled(Facet::Category, category.id);
        let choice = Choice {
            words: category.title.to_owned(),
            href: search.page(),
        };
        Some((choice, view::grouped(count)))
    };
    Category::all().iter().filter_map(choice).collect()
}

impl<'a> ChoiceBody<'a> {
    fn of(choice: &'a Choice) -> Self {
        Self {
            text: &choice.words,
            page: &choice.href,
        }
    }
}

impl<'a> ProtocolBody<'a> {
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
