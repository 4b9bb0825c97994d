//! Atom feeds (RFC 4287): the changes of all agents, of those of a site, and of one; and the agents that
//! a search finds, the newest first.
//!
//! An entry of a change has the address of the change in the API as its id, so that it is the same in
//! every feed. A feed names a state only by its time, so it is made anew only when something changed.

use crate::cache::{Policy, Tag};
use crate::error::AppError;
use crate::html::FeedLink;
use crate::query::{SearchParams, Unknown, location};
use crate::record::agent::Place;
use crate::record::mark::Mark;
use crate::record::{named, site};
use crate::state::AppState;
use crate::view::change::operation;
use crate::view::{self, foreign};
use atom_syndication::{Entry, Feed, FixedDateTime, Link, Person, Text};
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse as _, Response};
use manifest::{AgentId, Domain, Timestamp};
use search::{Answer, Fit, Sort, Unit};
use store::{Change, StoredAgent};

/// Most entries of a feed.
const ENTRIES: u32 = 50;
/// Longest description of an entry, in characters.
const DESCRIPTION: usize = 1_000;
/// Name of a feed below the page that it belongs to.
const FILE: &str = "feed.atom";
const MEDIA_TYPE: &str = "application/atom+xml";

/// Feed without its entries.
struct Head {
    title: String,
    /// Path of the feed.
    path: String,
    /// Path of the page that it belongs to.
    page: String,
}

/// Returns the link to the feed of all changes.
pub(crate) fn of_all() -> FeedLink {
    FeedLink {
        title: "Changes of all agents".to_owned(),
        path: format!("/{FILE}"),
    }
}

/// Returns the link to the feed of a site.
pub(crate) fn of_site(domain: &Domain) -> FeedLink {
    FeedLink {
        title: format!("Changes of the agents of {}", domain.to_unicode()),
        path: format!("{}/{FILE}", view::site_path(domain.as_str())),
    }
}

/// Returns the link to the feed of an agent with this name.
pub(crate) fn of_agent(id: &AgentId, name: &str) -> FeedLink {
    FeedLink {
        title: format!("Changes of {name}"),
        path: agent_path(id),
    }
}

/// Returns the link to the feed of a search.
pub(crate) fn of_search(asked: &SearchParams) -> FeedLink {
    let title = match asked.text.as_str() {
        "" => "Agents that this search finds".to_owned(),
        text => format!("Agents for “{}”", view::shortened(text, 80)),
    };
    FeedLink {
        title,
        path: location(&format!("/search/{FILE}"), &asked.canonical()),
    }
}

fn agent_path(id: &AgentId) -> String {
    format!("{}/{FILE}", view::agent_path(id))
}

/// Answers `GET /feed.atom`.
pub(crate) async fn all(
    State(state): State<AppState>,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let newest = state.store.feed_state().await?;
    let tag = Tag::of(&["feed", &newest.epoch, &newest.last_change.to_string()]);
    tag.serve(Policy::Current, &headers, async {
        let since = newest.last_change.saturating_sub(ENTRIES.into());
        let mut changes = state.store.changes(since, ENTRIES).await?;
        changes.reverse();
        let link = of_all();
        let head = Head {
            title: link.title,
            path: link.path,
            page: "/".to_owned(),
        };
        head.with_changes(&state, &changes).await
    })
    .await
}

/// Answers `GET /site/{domain}/feed.atom`.
pub(crate) async fn site(
    State(state): State<AppState>,
    path: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let Path(domain) = path?;
    let domain = named(&domain, |it| of_site(it).path)?;
    let mark = Mark::of(&state, &domain).await?;
    if !mark.is_known() && site::find(&state, &domain).await?.is_none() {
        return Err(site::missing(&state, &domain).await);
    }
    mark.tag(&["site feed"])
        .serve(Policy::Current, &headers, async {
            let store = &state.store;
            let changes = store.changes_of_domain(&domain, ENTRIES).await?;
            let link = of_site(&domain);
            let head = Head {
                title: link.title,
                path: link.path,
                page: view::site_path(domain.as_str()),
            };
            head.with_changes(&state, &changes).await
        })
        .await
}

/// Answers `GET /agent/{domain}/{slug}/feed.atom`, for an agent that is no longer listed too: its last
/// entry says so.
pub(crate) async fn agent(
    State(state): State<AppState>,
    path: Result<Path<(String, String)>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let place = Place::of(path, agent_path)?;
    let tag = place.tag(&state, &["agent feed"]).await?;
    tag.serve(Policy::Current, &headers, async {
        let id = place.id();
        let name = match place.load(&state, agent_path).await {
            Ok(agent) => view::title(&agent.listing.agent.name),
            Err(AppError::Removed { .. }) => foreign(id.as_str()),
            Err(error) => return Err(error),
        };
        let changes = state.store.changes_of(&id, ENTRIES).await?;
        let link = of_agent(&id, &name);
        let head = Head {
            title: link.title,
            path: link.path,
            page: view::agent_path(&id),
        };
        head.with_changes(&state, &changes).await
    })
    .await
}

/// Answers `GET /search/feed.atom`: what the search finds, the newest agents first.
pub(crate) async fn search(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let query = query.unwrap_or_default();
    let asked = SearchParams::parse(&query, Unknown::Ignored, &state.keys());
    let asked = asked.map_err(AppError::BadSearch)?;
    let followed = SearchParams {
        sort: Sort::FirstSeen,
        unit: Unit::Agent,
        // What only stands near a need is no news.
        min_match: asked.min_match.max(Fit::Weak),
        limit: ENTRIES as usize,
        cursor: None,
        facets: Vec::new(),
        ..asked.clone()
    };
    let (version, identity) = (state.version().await?, followed.identity());
    let tag = Tag::of(&["search feed", &version, &identity]);
    let answers = &state.shared.answers;
    let made = async {
        let answer = state.find(followed.request()).await?;
        let link = of_search(&asked);
        let head = Head {
            title: link.title,
            path: link.path,
            page: asked.page(),
        };
        head.answer(&state, entries(&state, &answer))
    };
    answers.serve(&tag, Policy::Search, &headers, made).await
}

/// Returns the agents that were found as entries.
fn entries(state: &AppState, answer: &Answer) -> Vec<Entry> {
    let agents = answer.found.iter().map(|it| &it.agent);
    let entry = |stored: &StoredAgent| {
        let listing = &stored.listing;
        let address = format!("{}{}", state.public_url, view::agent_path(&listing.id));
        let description = listing.agent.description.as_deref().unwrap_or_default();
        let (name, site) = (view::title(&listing.agent.name), stored.domain.to_unicode());
        Entry {
            title: Text::plain(format!("{name} at {site}")),
            updated: time(stored.changed),
            published: Some(time(stored.first_seen)),
            summary: Some(Text::plain(view::shortened(description, DESCRIPTION))),
            links: vec![link("alternate", "text/html", address.clone())],
            id: address,
            ..Entry::default()
        }
    };
    agents.map(entry).collect()
}

impl Head {
    /// Returns the feed with these changes, newest first.
    async fn with_changes(
        self,
        state: &AppState,
        changes: &[Change],
    ) -> Result<Response, AppError> {
        let epoch = state.store.feed_state().await?.epoch;
        let ids: Vec<AgentId> = changes.iter().map(|it| it.agent.clone()).collect();
        let agents = state.store.agents_by_id(&ids).await?;
        let entry = |change: &Change| {
            let agent = agents.iter().find(|it| it.listing.id == change.agent);
            of_change(change, agent, &state.public_url, &epoch)
        };
        self.answer(state, changes.iter().map(entry).collect())
    }

    /// Returns the feed with these entries as a response.
    fn answer(self, state: &AppState, entries: Vec<Entry>) -> Result<Response, AppError> {
        let own = format!("{}{}", state.public_url, self.path);
        let updated = entries.iter().map(|it| it.updated).max();
        let feed = Feed {
            title: Text::plain(self.title),
            id: own.clone(),
            // A feed without entries has not changed since it could have had any.
            updated: updated.unwrap_or_else(|| time(Timestamp(0))),
            authors: vec![Person {
                name: "agentdex".to_owned(),
                uri: Some(state.public_url.clone()),
                ..Person::default()
            }],
            links: vec![
                link("self", MEDIA_TYPE, own),
                link(
                    "alternate",
                    "text/html",
                    format!("{}{}", state.public_url, self.page),
                ),
            ],
            entries,
            ..Feed::default()
        };
        let text = feed.write_to(Vec::new()).map_err(|_| AppError::Panic)?;
        let media_type = HeaderValue::from_static("application/atom+xml; charset=utf-8");
        Ok(([(CONTENT_TYPE, media_type)], text).into_response())
    }
}

/// Returns a change as an entry; its agent is `None` if it is not listed any more.
fn of_change(change: &Change, agent: Option<&StoredAgent>, public_url: &str, epoch: &str) -> Entry {
    let (op, detail) = operation(change);
    let name = match agent {
        Some(agent) => view::title(&agent.listing.agent.name),
        None => foreign(change.agent.as_str()),
    };
    let site = change.agent.parts().0;
    let successor = change.successor.as_ref();
    let successor = successor.map(|it| format!("now listed as {it}"));
    let detail = (!detail.is_empty()).then_some(detail);
    let details: Vec<String> = detail.into_iter().chain(successor).collect();
    let summary = match details.as_slice() {
        [] => format!("{op}."),
        details => format!("{op}: {}.", details.join("; ")),
    };
    let since = change.seq.saturating_sub(1);
    let page = format!("{public_url}{}", view::agent_path(&change.agent));
    Entry {
        title: Text::plain(format!("{op}: {name} at {site}")),
        id: format!("{public_url}/api/v1/changes?since={since}&epoch={epoch}&limit=1"),
        updated: time(change.at),
        summary: Some(Text::plain(summary)),
        links: vec![link("alternate", "text/html", page)],
        ..Entry::default()
    }
}

fn link(rel: &str, media_type: &str, href: String) -> Link {
    Link {
        rel: rel.to_owned(),
        mime_type: Some(media_type.to_owned()),
        href,
        ..Link::default()
    }
}

fn time(at: Timestamp) -> FixedDateTime {
    at.to_rfc3339().parse().unwrap_or_default()
}
