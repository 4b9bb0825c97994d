//! Head of an agent's pages: name, site, level, last visit, and the views as tabs.

use crate::view::time::Moment;
use crate::view::{self, SiteName};
use manifest::Timestamp;
use store::StoredAgent;

/// Head of an agent's pages.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) name: String,
    pub(super) site: SiteName,
    pub(super) format: String,
    pub(super) level: &'static str,
    pub(super) level_words: &'static str,
    pub(super) status: &'static str,
    pub(super) confirmed: Moment,
    /// Path of the overview.
    path: String,
    /// Path of the agent in the API.
    api: String,
}

/// Link to a view.
#[derive(Debug)]
pub(super) struct TabLink {
    pub(super) href: String,
    pub(super) words: &'static str,
    pub(super) is_current: bool,
}

impl Head {
    /// Creates the head of the page of `stored`, as of `now`.
    pub(super) fn of(stored: &StoredAgent, now: Timestamp) -> Self {
        let listing = &stored.listing;
        Self {
            name: view::title(&listing.agent.name),
            site: SiteName::of(&stored.domain),
            format: view::format_title(listing.format.as_str()),
            level: listing.level.as_str(),
            level_words: view::level_words(listing.level),
            status: view::status_words(stored.status),
            confirmed: Moment::of(stored.last_seen, now),
            path: view::agent_path(&listing.id),
            api: super::api_path(&listing.id),
        }
    }

    /// Returns the links to the views; the documents and the changes are those of the API.
    pub(super) fn tabs(&self) -> [TabLink; 3] {
        let api = |ending: &str| format!("{}{ending}", self.api);
        [
            (self.path.clone(), "Overview"),
            (api("/raw"), "Raw (JSON)"),
            (api("/history"), "History (JSON)"),
        ]
        .map(|(href, words)| TabLink {
            is_current: href == self.path,
            href,
            words,
        })
    }
}
