//! Head of an agent's pages: name, site, the facts that callers ask for first, and the views as tabs.

use crate::view::place::raw_path;
use crate::view::time::Moment;
use crate::view::{self, SiteName, access, brief};
use askama::filters::Safe;
use connect::Callable;
use manifest::{Agent, AgentId, Listing, Timestamp};
use search::language_of;
use store::{AgentStatus, StoredAgent};
use url::form_urlencoded;

/// Maximum number of protocols in the head.
const PROTOCOLS: usize = 3;

/// Head of an agent's pages.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) name: String,
    /// Language of its texts (ISO 639-1), if it is known.
    language: Option<&'static str>,
    pub(crate) site: SiteName,
    pub(crate) format: String,
    /// Facts that callers ask for first, in words.
    pub(crate) facts: Vec<String>,
    /// True if its documents state a complete first call.
    pub(crate) is_ready: bool,
    pub(crate) level: &'static str,
    pub(crate) level_words: &'static str,
    pub(crate) status: &'static str,
    pub(crate) is_failing: bool,
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
        let callable = connect::callable(listing);
        Self {
            name: view::title(&listing.agent.name),
            language: language_of(&listing.agent),
            facts: facts(listing, callable),
            is_ready: callable == Callable::Call,
            is_failing: stored.status == AgentStatus::Failing,
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

    /// Returns the attribute `lang` of its texts.
    pub(crate) fn lang(&self) -> Safe<String> {
        view::lang(self.language)
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

/// Returns the facts that callers ask for first: whether and by which protocols an agent is called, and
/// with which authentication and price.
fn facts(listing: &Listing, callable: Callable) -> Vec<String> {
    let agent = &listing.agent;
    let format = || view::format_title(listing.format.as_str());
    let mut facts = vec![
        brief::callable_words(callable).to_owned(),
        protocols(agent).unwrap_or_else(format),
    ];
    if callable != Callable::Described {
        let not_stated = |fact| format!("{fact} not stated");
        facts.push(brief::key_words(agent).unwrap_or_else(|| not_stated("authentication")));
        facts.push(brief::price_words(agent).unwrap_or_else(|| not_stated("price")));
    }
    facts
}

/// Names the protocols of an agent, each once, the preferred one first.
fn protocols(agent: &Agent) -> Option<String> {
    let preferred = agent.interfaces.iter().filter(|it| it.preferred);
    let mut titles: Vec<String> = Vec::new();
    for interface in preferred.chain(&agent.interfaces) {
        let title = access::versioned(interface);
        if titles.len() < PROTOCOLS && !titles.contains(&title) {
            titles.push(title);
        }
    }
    (!titles.is_empty()).then(|| titles.join(", "))
}

fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// Returns the path of the page with the changes of an agent.
pub(crate) fn history_path(id: &AgentId) -> String {
    format!("{}/history", view::agent_path(id))
}
