//! `/log`: the public log of what was hidden, excluded, left and returned.

use crate::cache::Policy;
use crate::error::AppError;
use crate::html::{self, Layout};
use crate::parameter::value;
use crate::record::log::LogPage;
use crate::state::AppState;
use crate::twin::Form;
use crate::view::time::Moment;
use crate::view::{self, foreign};
use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use manifest::{Domain, Timestamp};
use store::{ExclusionSource, ModerationAction, ModerationEntry};

/// Entries of a page.
const ENTRIES: u32 = 100;
/// Path of the page.
const PATH: &str = "/log";

#[derive(Debug, Template)]
#[template(path = "log.html")]
struct LogView {
    layout: Layout,
    entries: Vec<EntryView>,
    /// Address of the next page, with older entries.
    next: Option<String>,
    /// True if this is not the first page.
    is_later: bool,
}

html::markdown_twin!(LogView, "log.md");

/// Entry of the log.
#[derive(Debug)]
struct EntryView {
    at: Moment,
    action: &'static str,
    target: String,
    /// Page about the target, if it is a domain or an agent.
    path: Option<String>,
    reason: String,
    source: &'static str,
}

/// Answers `GET /log`.
pub(crate) async fn show(
    State(state): State<AppState>,
    form: Form,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    // Pages ignore what is no number.
    let before = value(query.as_deref(), "before").and_then(|it| it.parse().ok());
    let page = LogPage::load(&state, before, ENTRIES).await?;
    let now = (state.now)();
    let address = |before| format!("{PATH}?before={before}");
    let here = before.map_or_else(|| PATH.to_owned(), address);
    let view = LogView {
        layout: Layout::new("").at(&here),
        entries: page
            .entries
            .iter()
            .map(|it| EntryView::of(it, now))
            .collect(),
        next: page.next.map(address),
        is_later: before.is_some(),
    };
    Ok(html::tagged(form, &view, Policy::Front, &headers)?)
}

impl EntryView {
    fn of(entry: &ModerationEntry, now: Timestamp) -> Self {
        Self {
            at: Moment::of(entry.at, now),
            action: action(entry.action),
            path: path(&entry.target),
            target: foreign(&entry.target),
            reason: foreign(&entry.reason),
            source: source(entry.source),
        }
    }
}

/// Returns an action in a word or two.
fn action(action: ModerationAction) -> &'static str {
    match action {
        ModerationAction::Hide => "Hidden",
        ModerationAction::Show => "Shown again",
        ModerationAction::Block => "Excluded",
        ModerationAction::Unblock => "Admitted again",
        ModerationAction::OptOut => "Asked not to be listed",
        ModerationAction::Restore => "Returned",
        ModerationAction::ReportClosed => "Report closed",
    }
}

/// Returns the source of an action in words.
fn source(source: ExclusionSource) -> &'static str {
    match source {
        ExclusionSource::Operator => "the operator",
        ExclusionSource::Blocklist => "the blocklist of the operator",
        ExclusionSource::Owner => "its owner",
        ExclusionSource::Robots => "its robots.txt",
        ExclusionSource::ContentSignal => "its Content-Signal",
    }
}

/// Returns the path of the page about a domain or an agent.
fn path(target: &str) -> Option<String> {
    match target.split_once('/') {
        Some((domain, slug)) => Some(view::path(&["agent", domain, slug])),
        None => Domain::parse(target)
            .ok()
            .map(|it| view::site_path(it.as_str())),
    }
}
