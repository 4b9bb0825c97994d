//! Head of an agent's pages: name, site, level, last visit, and the views as tabs.

use crate::view::place::raw_path;
use crate::view::time::Moment;
use crate::view::{self, SiteName};
use manifest::{AgentId, Timestamp};
use store::StoredAgent;
use url::form_urlencoded;

/// Head of an agent's pages.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) name: String,
    pub(crate) site: SiteName,
    pub(crate) format: String,
    pub(crate) level: &'static str,
    pub(crate) level_words: &'static str,
    pub(crate) status: &'static str,
    pub(crate) confirmed: Moment,
    /// Path of the overview.
    pub(crate) path: String,
    /// Address of the form that reports a problem with it.
    pub(crate) report: String,
    current: View,
    /// Paths of the views.
    views: [String; 3],
}

/// View of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    Overview,
    Raw,
    History,
}

/// Link to a view.
#[derive(Debug)]
pub(crate) struct TabLink {
    pub(crate) href: String,
    pub(crate) words: &'static str,
    pub(crate) is_current: bool,
}

impl Head {
    /// Creates the head of a view of `stored`, as of `now`.
    pub(crate) fn of(stored: &StoredAgent, current: View, now: Timestamp) -> Self {
        let listing = &stored.listing;
        let path = view::agent_path(&listing.id);
        Self {
            name: view::title(&listing.agent.name),
            site: SiteName::of(&stored.domain),
            format: view::format_title(listing.format.as_str()),
            level: listing.level.as_str(),
            level_words: view::level_words(listing.level),
            status: view::status_words(stored.status),
            confirmed: Moment::of(stored.last_seen, now),
            views: [
                path.clone(),
                raw_path(&listing.id),
                history_path(&listing.id),
            ],
            report: format!("/report?target={}", encoded(listing.id.as_str())),
            path,
            current,
        }
    }

    /// Reports whether this is the overview.
    pub(crate) fn is_overview(&self) -> bool {
        self.current == View::Overview
    }

    /// Returns the links to the views.
    pub(crate) fn tabs(&self) -> impl Iterator<Item = TabLink> {
        let views = [
            (View::Overview, "Overview"),
            (View::Raw, "Raw"),
            (View::History, "History"),
        ];
        let links = views.into_iter().zip(&self.views);
        links.map(|((view, words), href)| TabLink {
            href: href.clone(),
            words,
            is_current: view == self.current,
        })
    }
}

fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// Returns the path of the page with the changes of an agent.
pub(crate) fn history_path(id: &AgentId) -> String {
    format!("{}/history", view::agent_path(id))
}
