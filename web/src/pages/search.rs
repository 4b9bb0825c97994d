//! `/search`: search results with reasons and filters.

mod facets;
mod found;
mod words;

use crate::action::address;
use crate::cache::{Policy, Tag, period};
use crate::error::AppError;
use crate::html::{self, Layout};
use crate::own::capability::CAPABILITIES;
use crate::pages::atom;
use crate::query::{SearchParams, Unknown, location, sort_word};
use crate::record::site::{self, SiteRecord};
use crate::state::AppState;
use crate::twin::Form;
use crate::view::{self, SiteName};
use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use facets::{FacetView, SHOWN, facets};
use found::{FoundCard, cards};
use search::{Category, Correction, Facet, Fit, Query, Results, Sort, Unit};
use serde_json::json;
use words::{facet_title, value_words};

/// Most completions that the search field offers.
const COMPLETIONS: usize = 10;

#[derive(Debug, Template)]
#[template(path = "search.html")]
struct SearchPage {
    layout: Layout,
    title: String,
    summary: String,
    /// Ignored parts of the query.
    ignored: Option<String>,
    /// Corrections of mistyped words.
    corrected: Vec<Correction>,
    /// Explanation of an empty result.
    nothing: EmptyResult,
    /// True if no agent seems to meet the need, and the cards are the nearest.
    is_none: bool,
    is_first: bool,
    first_page: String,
    cards: Vec<FoundCard>,
    /// Further weaker matches, which are shown on request.
    weaker: Vec<FoundCard>,
    /// The site that the query names.
    site_row: Option<SiteRow>,
    /// The same search as a command.
    curl: String,
    /// The same search as a call of a tool; none of a search with filters.
    tool_call: Option<String>,
    /// Kinds of results.
    units: Vec<Choice>,
    sorts: Vec<Choice>,
    active: Vec<Choice>,
    facets: Vec<FacetView>,
    nearest: Vec<Choice>,
    next: Option<String>,
    /// Filters and order as hidden fields, so that a new search keeps them.
    kept: Vec<(String, String)>,
}

html::markdown_twin!(SearchPage, "search.md");

/// Page of the site that a query names.
#[derive(Debug)]
struct SiteRow {
    site: String,
    path: String,
    words: String,
    /// Domain that can be submitted, if the registry does not know it.
    submit: Option<String>,
}

/// Explanation of an empty result.
#[derive(Debug)]
struct EmptyResult {
    /// True if other words could find more.
    is_need: bool,
    why: &'static str,
    /// Search without filters, if there are any.
    without: Option<String>,
}

/// Link that changes the search.
#[derive(Debug)]
struct Choice {
    words: String,
    count: String,
    href: String,
    is_active: bool,
}

impl Choice {
    /// Creates a link to the first page of a search, without a count.
    fn of(words: String, search: &SearchParams) -> Self {
        Self {
            words,
            count: String::new(),
            href: search.page(),
            is_active: false,
        }
    }
}

/// Answers `GET /search`.
pub(crate) async fn show(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
    form: Form,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let query = query.unwrap_or_default();
    let keys = state.keys();
    let mut asked =
        SearchParams::parse(&query, Unknown::Ignored, &keys).map_err(AppError::BadSearch)?;
    asked.facets = SHOWN.to_vec();
    let (version, now) = (state.version().await?, (state.now)());
    let (kind, identity) = (form.media_type(), asked.identity());
    // What is known of a site changes as soon as it is submitted.
    let site_row = SiteRow::of(&state, &asked).await?;
    let site = format!("{site_row:?}");
    // The page says how long ago each agent was checked.
    let period = period(Policy::KEPT, &identity, now);
    let tag = Tag::of(&["search page", kind, &version, &identity, &site, &period]);
    state
        .shared
        .answers
        .serve(&tag, Policy::Search, &headers, async {
            let (answer, completions) = tokio::join!(
                state.find(asked.request()),
                state.suggest(&asked.text, COMPLETIONS),
            );
            let answer = answer.map_err(|error| error.starting_at(|| asked.page()))?;
            let results = &answer.results;
            let completions = completions?;
            let completions = completions.into_iter().map(|it| it.text).collect();
            let (cards, weaker) = cards(&answer, &asked, now);
            let page = SearchPage {
                layout: layout(&asked, completions),
                title: title(&asked),
                summary: summary(results, asked.unit),
                ignored: (!results.query.ignored.is_empty())
                    .then(|| results.query.ignored.join(", ")),
                corrected: results.corrected.clone(),
                is_none: results.query.is_need() && results.fit == Fit::None,
                is_first: asked.cursor.is_none(),
                first_page: asked.page(),
                cards,
                weaker,
                site_row,
                curl: curl(&state, &asked),
                tool_call: tool_call(&asked),
                units: units(&asked, &results.query),
                sorts: sorts(&asked, results),
                active: active(&asked),
                nothing: EmptyResult::of(&asked, results),
                facets: facets(&asked, results),
                nearest: nearest(&answer.nearest_capabilities),
                next: asked.next(results, &keys).map(|token| {
                    let canonical = asked.canonical();
                    location("/search", &format!("{canonical}&cursor={token}"))
                }),
                kept: kept(&asked),
            };
            Ok(html::rendered(form, &page)?)
        })
        .await
}

fn title(asked: &SearchParams) -> String {
    if asked.text.is_empty() {
        "All agents".to_owned()
    } else {
        view::shortened(&asked.text, 80)
    }
}

fn summary(results: &Results, unit: Unit) -> String {
    let (one, several) = match unit {
        Unit::Agent => ("agent", "agents"),
        Unit::Capability => ("capability", "capabilities"),
    };
    let of_best = if results.is_partial {
        " among the best agents"
    } else {
        ""
    };
    let counted = |one, several| format!("{}{of_best}", view::count(results.total, one, several));
    let query = &results.query;
    let weaker = match results.weaker {
        0 => String::new(),
        weaker => format!(" · {} weaker", view::grouped(weaker)),
    };
    match results.fit {
        _ if query.is_lost() => "Nothing to search for.".to_owned(),
        _ if !query.is_need() && results.total == 0 => format!("No {several} found."),
        _ if !query.is_need() => counted(one, several),
        Fit::None if results.hits.is_empty() => format!("No matching {several}."),
        Fit::None => format!("No {one} here seems to do this. These are the nearest."),
        Fit::Weak => format!("{}{weaker}", counted("possible match", "possible matches")),
        Fit::Good | Fit::Strong => format!("{}{weaker}", counted("match", "matches")),
    }
}

impl EmptyResult {
    fn of(asked: &SearchParams, results: &Results) -> Self {
        let query = &results.query;
        let has_conditions = !asked.filters.is_empty()
            || !query.filters.is_empty()
            || !query.excluded_filters.is_empty();
        let is_need = query.is_need();
        Self {
            is_need: is_need && !query.is_address(),
            why: match (is_need, has_conditions) {
                _ if query.is_lost() => "The query has no usable search terms.",
                _ if results.is_too_general => {
                    "Words that almost every agent has find nothing by themselves. Add what the agent should do."
                }
                (true, false) if query.is_address() => "No agent in the registry has this address.",
                (true, true) => "No agent in the registry matches both the query and the filters.",
                (false, true) => "No agent in the registry matches the filters.",
                (true, false) => "No agent in the registry matches this query.",
                // An empty query, or only excluded words.
                (false, false) => "No agent in the registry matches.",
            },
            without: has_conditions.then(|| {
                let search = SearchParams {
                    unit: asked.unit,
                    sort: asked.sort,
                    min_match: asked.min_match,
                    ..SearchParams::of(&query.plain())
                };
                search.page()
            }),
        }
    }
}

/// Returns the command that asks the API the same.
fn curl(state: &AppState, asked: &SearchParams) -> String {
    let path = location("/api/v1/search", &asked.canonical());
    format!("curl '{}{}'", state.public_url, path.replace('\'', "%27"))
}

/// Returns the call of the registry's MCP server that asks the same; `None` for a search that has no
/// words, or filters, of which the tool has fewer.
fn tool_call(asked: &SearchParams) -> Option<String> {
    let is_plain = asked.filters.is_empty() && !asked.text.is_empty();
    let search = CAPABILITIES.iter().find(|it| it.name == "search")?;
    let call = json!({"name": search.tool?, "arguments": {"q": asked.text}});
    is_plain.then(|| call.to_string())
}

impl SiteRow {
    /// Returns the row of the site that the query names by its domain or a URL; `None` if it names
    /// none.
    async fn of(state: &AppState, asked: &SearchParams) -> Result<Option<Self>, AppError> {
        let text = asked.text.trim();
        if text.contains(char::is_whitespace) || !text.contains('.') {
            return Ok(None);
        }
        let Ok(domain) = address::site(text) else {
            return Ok(None);
        };
        let site = site::find(state, &domain).await?;
        let can_be_submitted = address::parse(domain.as_str()).is_ok();
        if site.is_none() && !can_be_submitted {
            return Ok(None);
        }
        let name = SiteName::of(&domain);
        Ok(Some(Self {
            words: match &site {
                None => "not listed yet.".to_owned(),
                Some(SiteRecord { site, .. }) if site.last_visit.is_none() => {
                    "waits for its first visit.".to_owned()
                }
                Some(SiteRecord { site, .. }) if site.agents.is_empty() => {
                    "known, without a listed agent.".to_owned()
                }
                Some(SiteRecord { site, .. }) => {
                    let agents = view::count(site.agents.len() as u64, "agent", "agents");
                    format!("{agents} listed.")
                }
            },
            submit: site.is_none().then(|| domain.to_string()),
            site: name.shown,
            path: name.path,
        }))
    }
}

/// Returns the same search for each kind of results; none of a list of agents without a need.
fn units(asked: &SearchParams, query: &Query) -> Vec<Choice> {
    let units = [(Unit::Agent, "Agents"), (Unit::Capability, "Capabilities")];
    let has_kinds = query.is_need() || asked.unit == Unit::Capability;
    let units = units.into_iter().filter(|_| has_kinds);
    let choices = units.map(|(unit, words)| {
        let search = SearchParams {
            unit,
            cursor: None,
            ..asked.clone()
        };
        Choice {
            is_active: unit == asked.unit,
            ..Choice::of(words.to_owned(), &search)
        }
    });
    choices.collect()
}

/// Returns the same search in each order. Agents that are only the nearest have but one.
fn sorts(asked: &SearchParams, results: &Results) -> Vec<Choice> {
    let query = &results.query;
    if query.is_need() && results.fit == Fit::None {
        return Vec::new();
    }
    let effective = match asked.sort {
        Sort::Relevance if !query.is_need() => Sort::Updated,
        sort => sort,
    };
    [
        (Sort::Relevance, "Best match"),
        (Sort::Updated, "Last changed"),
        (Sort::FirstSeen, "Newest"),
        (Sort::Name, "Name"),
    ]
    .into_iter()
    // Without words there is no relevance, and the index sorts by date.
    .filter(|(sort, _)| query.is_need() || *sort != Sort::Relevance)
    .map(|(sort, words)| {
        let search = SearchParams {
            sort,
            ..asked.clone()
        };
        Choice {
            is_active: sort == effective,
            ..Choice::of(words.to_owned(), &search)
        }
    })
    .collect()
}

fn active(asked: &SearchParams) -> Vec<Choice> {
    let values = asked.filters.iter().flat_map(|(facet, values)| {
        values.iter().map(move |value| {
            let words = format!("{}: {}", facet_title(*facet), value_words(*facet, value));
            Choice {
                is_active: true,
                ..Choice::of(words, &asked.toggled(*facet, value))
            }
        })
    });
    values.collect()
}

/// Returns the layout of a search. Search engines list those of all agents and of each category; of others
/// there is no end.
fn layout(asked: &SearchParams, completions: Vec<String>) -> Layout {
    let page = asked.page();
    let layout = Layout::new(&asked.text)
        .completing(completions)
        .at(&page)
        .followed_by(atom::of_search(asked));
    let of_category = |it: &Category| SearchParams::default().toggled(Facet::Category, it.id);
    let mut categories = Category::all().iter().map(|it| of_category(it).page());
    let is_listed = page == "/search" || categories.any(|it| it == page);
    if is_listed && asked.cursor.is_none() {
        layout
    } else {
        layout.unlisted()
    }
}

fn nearest(names: &[String]) -> Vec<Choice> {
    names
        .iter()
        .map(|name| Choice::of(name.clone(), &SearchParams::of(name)))
        .collect()
}

fn kept(asked: &SearchParams) -> Vec<(String, String)> {
    let mut fields: Vec<(String, String)> = Vec::new();
    for (facet, values) in &asked.filters {
        for value in values {
            fields.push((facet.as_str().to_owned(), value.clone()));
        }
    }
    if asked.unit == Unit::Capability {
        fields.push(("unit".to_owned(), "capability".to_owned()));
    }
    if asked.min_match > Fit::None {
        fields.push(("min_match".to_owned(), asked.min_match.as_str().to_owned()));
    }
    if asked.sort != Sort::Relevance {
        fields.push(("sort".to_owned(), sort_word(asked.sort).to_owned()));
    }
    fields
}
