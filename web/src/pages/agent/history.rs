//! `/agent/{domain}/{slug}/history`: the changes of an agent by date, fact by fact, and the versions of
//! its documents.

mod words;

use super::head::{Head, View, history_path};
use crate::cache::Policy;
use crate::error::AppError;
use crate::html::{self, Layout};
use crate::pages::atom;
use crate::record::agent::{api_path, load};
use crate::record::version::change::Reader;
use crate::record::version::{DocumentVersions, newest_changes, versions};
use crate::state::AppState;
use crate::twin::Form;
use crate::view::change::{classes, operation};
use crate::view::time::Moment;
use crate::view::{self, WebLink};
use askama::Template;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use manifest::difference::Differences;
use manifest::{AgentId, Timestamp};
use store::{Change, StoredAgent};
use words::DifferenceView;

#[derive(Debug, Template)]
#[template(path = "history.html")]
struct HistoryPage {
    layout: Layout,
    head: Head,
    first_seen: Moment,
    changed: Moment,
    days: Vec<Day>,
    /// True if nothing has changed since the agent was first listed.
    is_unchanged: bool,
    /// True if there are earlier changes or versions.
    has_earlier: bool,
}

html::markdown_twin!(HistoryPage, "history.md");

/// Day with changes.
#[derive(Debug)]
struct Day {
    /// RFC 3339 date.
    iso: String,
    words: String,
    entries: Vec<Entry>,
}

/// Change of the record, or version of a document.
#[derive(Debug)]
struct Entry {
    at: Moment,
    /// Kind in a word or two.
    op: &'static str,
    detail: String,
    /// Id under which it is listed now.
    successor: Option<(String, String)>,
    version: Option<VersionView>,
}

/// Version of a document.
#[derive(Debug)]
struct VersionView {
    link: WebLink,
    /// First digits of its hash.
    hash: String,
    size: String,
    /// Address of its bytes.
    bytes: String,
    /// Page with the difference from the version before it.
    diff: Option<String>,
    differences: Vec<DifferenceView>,
    /// Statement on differences that are not listed.
    other: Option<String>,
}

/// Answers `GET /agent/{domain}/{slug}/history`.
pub(crate) async fn show(
    State(state): State<AppState>,
    path: Result<Path<(String, String)>, PathRejection>,
    form: Form,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let agent = load(&state, path, |id| form.path(&history_path(id))).await?;
    let id = &agent.listing.id;
    let (changes, has_earlier) = newest_changes(&state, id).await?;
    let documents = versions(&state, &agent).await?;
    let mut reader = Reader::new();
    let mut compared = Vec::with_capacity(documents.len());
    for document in &documents {
        compared.push(reader.differences(&state, &agent, document).await?);
    }
    let documents: Vec<_> = documents.into_iter().zip(compared).collect();
    let page = HistoryPage::of(&agent, &changes, &documents, has_earlier, (state.now)());
    Ok(html::tagged(form, &page, Policy::Current, &headers)?)
}

impl HistoryPage {
    fn of(
        stored: &StoredAgent,
        changes: &[Change],
        documents: &[(DocumentVersions, Vec<Option<Differences>>)],
        has_earlier_changes: bool,
        now: Timestamp,
    ) -> Self {
        let id = &stored.listing.id;
        let mut entries: Vec<(Timestamp, Entry)> = Vec::new();
        entries.extend(changes.iter().map(|it| (it.at, Entry::of_change(it, now))));
        for (document, differences) in documents {
            let versions = 0..document.versions.len();
            entries.extend(versions.map(|at| {
                let found = differences.get(at).and_then(Option::as_ref);
                let entry = Entry::of_version(document, at, found, id, now);
                (document.versions[at].first_seen, entry)
            }));
        }
        // A record changes after its document; of the same time, the document is the cause.
        entries.sort_by_key(|(at, entry)| (std::cmp::Reverse(*at), entry.version.is_some()));
        let mut days: Vec<Day> = Vec::new();
        let has_versions = documents.iter().any(|(it, _)| it.versions.len() > 1);
        for (_, entry) in entries {
            let iso = entry.at.iso.chars().take(10).collect::<String>();
            match days.last_mut() {
                Some(day) if day.iso == iso => day.entries.push(entry),
                Some(_) | None => days.push(Day {
                    words: entry
                        .at
                        .words
                        .split(',')
                        .next()
                        .unwrap_or_default()
                        .to_owned(),
                    iso,
                    entries: vec![entry],
                }),
            }
        }
        Self {
            layout: Layout::new("")
                .at(&history_path(id))
                .unlisted()
                .followed_by(atom::of_agent(id, &view::title(&stored.listing.agent.name))),
            head: Head::of(stored, View::History, now),
            first_seen: Moment::of(stored.first_seen, now),
            changed: Moment::of(stored.changed, now),
            days,
            is_unchanged: changes.len() <= 1 && !has_versions,
            has_earlier: has_earlier_changes || documents.iter().any(|(it, _)| it.has_earlier),
        }
    }
}

impl Entry {
    fn of_change(change: &Change, now: Timestamp) -> Self {
        let (op, detail) = operation(change);
        let successor = change.successor.as_ref();
        Self {
            at: Moment::of(change.at, now),
            op,
            detail,
            successor: successor.map(|id| (id.to_string(), view::agent_path(id))),
            version: None,
        }
    }

    fn of_version(
        document: &DocumentVersions,
        at: usize,
        differences: Option<&Differences>,
        id: &AgentId,
        now: Timestamp,
    ) -> Self {
        let version = &document.versions[at];
        let before = document.versions.get(at + 1);
        let (listed, other) = differences.map_or_else(Default::default, |found| {
            let listed = found.listed.iter().map(DifferenceView::of).collect();
            (listed, other(found))
        });
        Self {
            at: Moment::of(version.first_seen, now),
            op: match before {
                Some(_) => "New version",
                None if document.has_earlier => "Version",
                None => "First version",
            },
            detail: String::new(),
            successor: None,
            version: Some(VersionView {
                link: WebLink::of(&document.url),
                hash: version.hash.chars().take(12).collect(),
                size: view::size(version.bytes),
                bytes: format!("{}/raw?document={}", api_path(id), version.hash),
                diff: before.map(|before| {
                    let (path, from, to) = (view::agent_path(id), &before.hash, &version.hash);
                    format!("{path}/diff?from={from}&to={to}")
                }),
                differences: listed,
                other,
            }),
        }
    }
}

/// States the differences that are not listed; none at all if only the layout differs.
fn other(found: &Differences) -> Option<String> {
    if found == &Differences::default() {
        return Some("No fact of this agent differs.".to_owned());
    }
    let more = (found.more > 0).then(|| {
        let more = found.more as u64;
        view::count(more, "further difference", "further differences")
    });
    let also =
        (!found.other.is_empty()).then(|| format!("Also changed: {}", classes(&found.other)));
    let parts: Vec<String> = more.into_iter().chain(also).collect();
    (!parts.is_empty()).then(|| format!("{}.", parts.join(". ")))
}
