//! `/stats`: counts of everything, as charts, tables and CSV.

mod history;
mod quality;

use crate::cache::{self, Policy};
use crate::error::AppError;
use crate::html::{self, Layout};
use crate::query::SearchParams;
use crate::state::AppState;
use crate::twin::Form;
use crate::view::chart::{Chart, Row};
use crate::view::fault::fault;
use crate::view::time::Moment;
use crate::view::{self, access, outcome};
use askama::Template;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, Uri};
use axum::response::{IntoResponse as _, Response};
use history::History;
use manifest::{Level, rules};
use quality::Quality;
use search::{Facet, FacetCount, Query, Request};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use store::{Outcome, Stats};

/// Most rows of a chart.
const ROWS: usize = 15;

/// Charts by their names in addresses, with what each counts.
const CHARTS: [(&str, &str, &str, Source); 7] = [
    (
        "formats",
        "Agents by format",
        "Format",
        Source::Facet(Facet::Format),
    ),
    (
        "protocols",
        "Agents by protocol",
        "Protocol",
        Source::Facet(Facet::Protocol),
    ),
    (
        "authentication",
        "Agents by authentication",
        "Authentication",
        Source::Facet(Facet::Auth),
    ),
    ("levels", "Manifests A to D", "Manifest", Source::Levels),
    (
        "domains",
        "Agents by top-level domain",
        "Top-level domain",
        Source::Facet(Facet::Tld),
    ),
    (
        "outcomes",
        "Sites by last attempt",
        "Last attempt",
        Source::Outcomes,
    ),
    (
        "rules",
        "What is wrong most often",
        "Fault",
        Source::Findings,
    ),
];

/// Source of a chart.
#[derive(Clone, Copy, Debug)]
enum Source {
    Facet(Facet),
    Levels,
    Outcomes,
    Findings,
}

#[derive(Debug, Template)]
#[template(path = "stats.html")]
struct StatsPage {
    layout: Layout,
    /// Time of the counts.
    at: Moment,
    /// Sentences on shares of the counts.
    headlines: Vec<String>,
    counts: Vec<(&'static str, String)>,
    quality: Quality,
    charts: Vec<Chart>,
    history: History,
    /// Text by which the counts are cited.
    citation: String,
}

html::markdown_twin!(StatsPage, "stats.md");

/// Answers `GET /stats`.
pub(crate) async fn show(
    State(state): State<AppState>,
    form: Form,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let census = state.stats().await?;
    let facets = facets(&state).await?;
    let documents = census.formats.values().sum();
    let visited = Outcome::contacted(&census.outcomes);
    let counts = [
        ("Agents", census.agents),
        ("Capabilities", census.capabilities),
        ("Documents", documents),
        ("Sites visited", visited),
        ("Sites known", census.domains),
    ];
    let charts = CHARTS.into_iter();
    let now = (state.now)();
    let at = Moment::of(now, now);
    let page = StatsPage {
        layout: Layout::new("").at("/stats"),
        headlines: headlines(&census, &facets),
        quality: Quality::of(&census),
        citation: format!(
            "agentdex, {}/stats, as of {}. CC0 1.0.",
            state.public_url, at.words
        ),
        history: History::read(&state, &census, &facets).await?,
        at,
        counts: counts
            .map(|(noun, number)| (noun, view::grouped(number)))
            .into(),
        charts: charts
            .map(|(name, title, noun, source)| Chart {
                title,
                noun,
                csv: Some(format!("/stats/{name}/index.csv")),
                rows: rows(source, &census, &facets),
                left_out: String::new(),
            })
            .map(|it| it.limited(ROWS))
            // One bar compares nothing.
            .filter(|it| it.rows.len() > 1)
            .collect(),
    };
    Ok(html::kept(form, &page, Policy::Search, &headers)?)
}

/// Answers `GET /stats/{chart}/index.csv`.
pub(crate) async fn table(
    State(state): State<AppState>,
    path: Result<Path<String>, PathRejection>,
    uri: Uri,
) -> Result<Response, AppError> {
    let Path(name) = path?;
    if name == history::NAME {
        return Ok(csv(history::csv(&history::days(&state).await?)));
    }
    if name == quality::NAME {
        return Ok(csv(quality::csv(&*state.stats().await?)));
    }
    let chart = CHARTS.into_iter().find(|it| it.0 == name);
    let (_, _, noun, source) = chart.ok_or_else(|| AppError::no_such_page(uri.path()))?;
    let (census, facets) = (state.stats().await?, facets(&state).await?);
    let mut text = format!("{},number\r\n", noun.to_lowercase());
    for row in rows(source, &census, &facets) {
        let label = row.label.replace('"', "\"\"");
        let _ = write!(text, "\"{label}\",{}\r\n", row.value);
    }
    Ok(csv(text))
}

/// Answers with a table.
fn csv(text: String) -> Response {
    let response = ([(CONTENT_TYPE, "text/csv; charset=utf-8")], text);
    cache::keep(Policy::Search, response.into_response())
}

/// Counts the agents by every facet that has a chart; nothing while the index is unavailable.
async fn facets(state: &AppState) -> Result<BTreeMap<Facet, Vec<FacetCount>>, AppError> {
    let charts = CHARTS.into_iter();
    let request = Request {
        facets: charts
            .filter_map(|it| match it.3 {
                Source::Facet(facet) => Some(facet),
                Source::Levels | Source::Outcomes | Source::Findings => None,
            })
            .chain([Facet::Callable])
            .collect(),
        ..Request::new(Query::default(), 1)
    };
    match state.find(request).await {
        Err(AppError::Search(_)) => Ok(BTreeMap::new()),
        answer => Ok(answer?.results.facets),
    }
}

/// Says in sentences what the counts mean, as shares.
fn headlines(stats: &Stats, facets: &BTreeMap<Facet, Vec<FacetCount>>) -> Vec<String> {
    let counted = |facet: Facet, value: &str| {
        let mut counts = facets.get(&facet)?.iter();
        Some(counts.find(|it| it.value == value).map_or(0, |it| it.count))
    };
    let complete = stats.levels.get("A").copied();
    let read: u64 = stats.levels.values().sum();
    let all = [
        (
            counted(Facet::Callable, "call"),
            stats.agents,
            "agents",
            "state a complete first call",
        ),
        (
            counted(Facet::Auth, "unknown"),
            stats.agents,
            "agents",
            "do not say how callers authenticate",
        ),
        (complete, read, "documents", "are valid and complete"),
    ];
    let known = all.into_iter().filter(|it| it.1 > 0);
    known
        .filter_map(|(number, total, noun, words)| {
            let number = number?;
            let percent = (u128::from(number) * 200 + u128::from(total)) / (u128::from(total) * 2);
            let (number, total) = (view::grouped(number), view::grouped(total));
            Some(format!("{number} of {total} {noun} ({percent} %) {words}."))
        })
        .collect()
}

/// Returns the rows of a chart, the highest numbers first.
fn rows(source: Source, stats: &Stats, facets: &BTreeMap<Facet, Vec<FacetCount>>) -> Vec<Row> {
    let counted = |counts: &BTreeMap<String, u64>, row: &dyn Fn(&str, u64) -> Row| {
        let mut rows: Vec<Row> = counts.iter().map(|(key, value)| row(key, *value)).collect();
        rows.sort_by_key(|it| std::cmp::Reverse(it.value));
        rows
    };
    match source {
        Source::Facet(facet) => {
            let counts = facets.get(&facet).into_iter().flatten();
            let row = |it: &FacetCount| {
                let search = SearchParams::default().toggled(facet, &it.value);
                Row::new(value_words(facet, &it.value), it.count, Some(search.page()))
            };
            counts.map(row).collect()
        }
        Source::Levels => counted(&stats.levels, &|level, value| {
            let words = Level::parse(level).map_or("", view::level_words);
            Row::new(format!("{level} · {words}"), value, None)
        }),
        Source::Outcomes => counted(&stats.outcomes, &|name, value| {
            let outcome = Outcome::parse(name);
            let rule = outcome.map(outcome::RuleLink::of);
            let words = outcome.map_or_else(|| name.to_owned(), |it| outcome::word(it).to_owned());
            Row::new(words, value, rule.map(|it| it.path))
        }),
        Source::Findings => counted(&stats.findings, &|rule, value| {
            let title = rules::find(rule).map(|it| format!("{rule}: {}", fault(it.title)));
            let label = title.unwrap_or_else(|| rule.to_owned());
            Row::new(label, value, Some(view::rule_path(rule)))
        }),
    }
}

/// Returns a value of a facet in words.
pub(super) fn value_words(facet: Facet, value: &str) -> String {
    match facet {
        Facet::Format => view::format_title(value),
        Facet::Protocol => access::protocol_title(value),
        Facet::Auth => access::scheme_title(value).to_owned(),
        Facet::Tld => format!(".{value}"),
        _ => value.to_owned(),
    }
}
