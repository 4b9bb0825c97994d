//! `/agent/{domain}/{slug}/diff?from=&to=`: the difference between two versions of a document, line by
//! line.

use super::head::{Head, View, history_path};
use crate::cache::Policy;
use crate::error::AppError;
use crate::html::{self, Layout};
use crate::parameter::value;
use crate::query::location;
use crate::record::agent::{api_path, load};
use crate::record::version::DocumentVersions;
use crate::record::version::diff::{Comparison, compared};
use crate::state::AppState;
use crate::twin::Form;
use crate::view::lines::{self, Piece, Space};
use crate::view::time::Moment;
use crate::view::{self, WebLink};
use askama::Template;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use manifest::{AgentId, Timestamp};
use store::StoredAgent;
use url::form_urlencoded;

#[derive(Debug, Template)]
#[template(path = "diff.html")]
struct DiffPage {
    layout: Layout,
    head: Head,
    link: WebLink,
    history: String,
    from: Option<VersionView>,
    to: VersionView,
    lines: Vec<LineView>,
    /// Statement in place of the lines.
    nothing: Option<&'static str>,
    is_cut: bool,
}

html::markdown_twin!(DiffPage, "diff.md");

#[derive(Debug)]
struct VersionView {
    hash: String,
    size: String,
    first_seen: Moment,
    /// Address of its bytes.
    bytes: String,
}

#[derive(Debug)]
struct LineView {
    /// `added`, `removed`, `same` or `place`.
    kind: &'static str,
    /// `+`, `−`, or nothing.
    mark: &'static str,
    pieces: Vec<Piece>,
}

/// Answers `GET /agent/{domain}/{slug}/diff`.
pub(crate) async fn show(
    State(state): State<AppState>,
    path: Result<Path<(String, String)>, PathRejection>,
    RawQuery(query): RawQuery,
    form: Form,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let query = query.unwrap_or_default();
    let (from, to) = (value(Some(&query), "from"), value(Some(&query), "to"));
    let here = |id: &AgentId| location(&form.path(&diff_path(id)), &query);
    let agent = load(&state, path, here).await?;
    let found = compared(&state, &agent, from.as_deref(), to.as_deref()).await?;
    let asked = [("from", from), ("to", to)];
    let mut canonical = form_urlencoded::Serializer::new(String::new());
    canonical.extend_pairs(asked.into_iter().filter_map(|(name, it)| Some((name, it?))));
    let address = location(&diff_path(&agent.listing.id), &canonical.finish());
    let page = DiffPage::of(&agent, &found, &address, (state.now)());
    Ok(html::tagged(form, &page, Policy::Current, &headers)?)
}

/// Returns the path of the page.
fn diff_path(id: &AgentId) -> String {
    format!("{}/diff", view::agent_path(id))
}

impl DiffPage {
    fn of(stored: &StoredAgent, found: &Comparison, address: &str, now: Timestamp) -> Self {
        let id = &stored.listing.id;
        let version = |at| VersionView::of(&found.document, at, id, now);
        let mut space = Space::of_page();
        let text = found.diff.as_deref().unwrap_or_default();
        let lines: Vec<_> = text
            .lines()
            .map_while(|line| LineView::of(line, &mut space))
            .collect();
        Self {
            layout: Layout::new("").at(address).unlisted(),
            head: Head::of(stored, View::History, now),
            link: WebLink::of(&found.document.url),
            history: history_path(id),
            from: found.from.map(version),
            to: version(found.to),
            nothing: match (&found.diff, found.from) {
                (Some(text), _) if text.is_empty() => Some("Nothing differs but the layout."),
                (Some(_), _) => None,
                (None, None) => Some("No earlier version of this document is stored."),
                (None, Some(_)) => Some("One of these versions is not text or no longer stored."),
            },
            is_cut: found.is_cut || lines.len() < text.lines().count(),
            lines,
        }
    }

    /// Returns the lines as text.
    fn plain(&self) -> String {
        let lines = self.lines.iter();
        let text = lines.map(|line| {
            let mark = match line.kind {
                "added" => "+",
                "removed" => "-",
                "place" => "",
                _ => " ",
            };
            format!("{mark}{}", lines::text([&*line.pieces].into_iter()))
        });
        text.collect()
    }
}

impl VersionView {
    fn of(document: &DocumentVersions, at: usize, id: &AgentId, now: Timestamp) -> Self {
        let version = &document.versions[at];
        Self {
            hash: version.hash.clone(),
            size: view::size(version.bytes),
            first_seen: Moment::of(version.first_seen, now),
            bytes: format!("{}/raw?document={}", api_path(id), version.hash),
        }
    }
}

impl LineView {
    /// Reads a line of the unified format; `None` if there is no space for it.
    fn of(line: &str, space: &mut Space) -> Option<Self> {
        let (kind, mark, text) = match line.split_at_checked(1) {
            Some(("+", text)) => ("added", "+", text),
            Some(("-", text)) => ("removed", "−", text),
            Some((" ", text)) => ("same", "", text),
            Some(_) | None => ("place", "", line),
        };
        let line = space.line(text, &[])?;
        Some(Self {
            kind,
            mark,
            pieces: line.pieces,
        })
    }
}
