//! Head of an agent's pages: name, site, the facts that callers ask for first, and the views as tabs.

use crate::view::place::raw_path;
use crate::view::time::Moment;
use crate::view::{self, SiteName, access};
use askama::filters::Safe;
use connect::Callable;
use manifest::{Agent, AgentId, Listing, Timestamp};
use search::language_of;
use store::{AgentStatus, StoredAgent};
use url::form_urlencoded;

/// Maximum number of protocols in the head.
const PROTOCOLS: usize = 3;
/// Longest name of a currency, and longest price, in the head.
const ASSET: usize = 12;
const PRICE: usize = 60;

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
        Self {
            name: view::title(&listing.agent.name),
            language: language_of(&listing.agent),
            facts: facts(listing),
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
fn facts(listing: &Listing) -> Vec<String> {
    let agent = &listing.agent;
    let callable = connect::callable(listing);
    let words = match callable {
        Callable::Call => "Callable",
        Callable::Connect => "Callable by a client",
        Callable::Run => "Runs on your machine",
        Callable::Ask => "Callable with a credential",
        Callable::Described => "Descriptive only",
    };
    let format = || view::format_title(listing.format.as_str());
    let mut facts = vec![words.to_owned(), protocols(agent).unwrap_or_else(format)];
    if callable != Callable::Described {
        facts.push(authentication(agent).unwrap_or_else(|| "authentication not stated".to_owned()));
        facts.push(price(agent).unwrap_or_else(|| "no price stated".to_owned()));
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

/// Names the ways to authenticate in a few words; `None` if nothing is stated.
fn authentication(agent: &Agent) -> Option<String> {
    let mut words: Vec<&str> = Vec::new();
    for auth in &agent.auth {
        let word = match auth.scheme.as_str() {
            "none" => "no authentication",
            "unknown" => "authentication not stated",
            other => access::scheme_word(other),
        };
        if !words.contains(&word) {
            words.push(word);
        }
    }
    (!words.is_empty()).then(|| words.join(" or "))
}

/// Names the price in a few words; `None` if no payment is stated.
fn price(agent: &Agent) -> Option<String> {
    let first = agent.payments.first()?;
    let mut prices = agent.payments.iter().filter(|it| it.price.is_some());
    let Some(payment) = prices.next() else {
        return Some(format!("paid by {}", view::foreign(&first.protocol)));
    };
    if prices.any(|it| it.price != payment.price) {
        return Some("several prices".to_owned());
    }
    let price = payment.price.as_deref().unwrap_or_default();
    // The address of a token contract tells a reader nothing.
    let asset = payment
        .asset
        .as_deref()
        .filter(|it| it.len() <= ASSET && !price.contains(*it));
    let words = format!("price {price} {}", asset.unwrap_or_default());
    Some(view::shortened(&view::foreign(&words), PRICE))
}

fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// Returns the path of the page with the changes of an agent.
pub(crate) fn history_path(id: &AgentId) -> String {
    format!("{}/history", view::agent_path(id))
}
