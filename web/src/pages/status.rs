//! `/status`: whether this registry works, and how fresh it is.

use crate::action::crawler;
use crate::cache::{self, Policy};
use crate::error::{AppError, IndexUnavailable, NoParameters, Problem};
use crate::html::{self, Layout};
use crate::state::AppState;
use crate::twin::Form;
use crate::view;
use crate::view::time::Moment;
use askama::Template;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Serialize;

#[derive(Debug, Template)]
#[template(path = "status.html")]
struct StatusPage {
    layout: Layout,
    version: &'static str,
    outage: Option<IndexUnavailable>,
    /// Changes that are not searchable yet; `None` while the index is unavailable.
    behind: Option<u64>,
    behind_words: String,
    /// Number of agents that wait for a sentence vector.
    waiting: u64,
    waiting_words: String,
    last_visit: Option<Moment>,
    due: u64,
    due_words: String,
    /// Time since which work waits and no crawler takes any.
    absent: Option<Moment>,
}

html::markdown_twin!(StatusPage, "status.md");

/// Body of the JSON twin.
#[derive(Debug, Serialize)]
struct StatusBody<'a> {
    version: &'static str,
    is_searchable: bool,
    changes_not_searchable: Option<u64>,
    agents_without_sentence_vector: u64,
    last_visit: Option<&'a str>,
    sites_due: u64,
    /// `null` while a crawler takes work, or none waits.
    no_crawler_since: Option<&'a str>,
}

/// Answers `GET /status`.
pub(crate) async fn show(
    State(state): State<AppState>,
    form: Form,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let page = StatusPage::read(&state).await?;
    Ok(html::tagged(form, &page, Policy::Front, &headers)?)
}

/// Answers `GET /status/index.json`.
pub(crate) async fn twin(
    State(state): State<AppState>,
    _: NoParameters,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let page = StatusPage::read(&state).await?;
    let body = StatusBody {
        version: page.version,
        is_searchable: page.outage.is_none(),
        changes_not_searchable: page.behind,
        agents_without_sentence_vector: page.waiting,
        last_visit: page.last_visit.as_ref().map(|it| &*it.iso),
        sites_due: page.due,
        no_crawler_since: page.absent.as_ref().map(|it| &*it.iso),
    };
    Ok(cache::json(&body, Policy::Front, &headers))
}

impl StatusPage {
    async fn read(state: &AppState) -> Result<Self, AppError> {
        let census = state.stats().await?;
        let (generation, outage) = match state.generation().await {
            Ok(generation) => (generation.parse::<u64>().ok(), None),
            Err(AppError::Search(error)) => (None, Some(IndexUnavailable::of(&error))),
            Err(error) => return Err(error),
        };
        let behind = generation.map(|it| census.last_change.saturating_sub(it));
        let absent = crawler::absent_since(state).await?;
        let waiting = if outage.is_some() {
            0
        } else {
            state.waiting().await?
        };
        let now = (state.now)();
        Ok(Self {
            layout: Layout::new("").at("/status").unlisted(),
            version: env!("CARGO_PKG_VERSION"),
            behind_words: match behind {
                Some(0) => "All changes are searchable.".to_owned(),
                Some(behind) => format!(
                    "{} not searchable yet.",
                    view::count(behind, "change is", "changes are")
                ),
                None => "Nothing is indexed yet.".to_owned(),
            },
            behind,
            waiting_words: match waiting {
                0 => String::new(),
                waiting => format!(
                    "{} for a sentence vector, without which needs find them less often.",
                    view::count(waiting, "agent waits", "agents wait")
                ),
            },
            waiting,
            outage,
            last_visit: census.last_visit.map(|at| Moment::of(at, now)),
            due_words: view::count(census.due, "site is due", "sites are due"),
            due: census.due,
            absent: absent.map(|at| Moment::of(at, now)),
        })
    }
}
