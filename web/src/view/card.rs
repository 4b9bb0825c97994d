//! Agents in a list.

use super::time::Moment;
use super::{
    PAGE_LANGUAGE, SiteName, access, agent_path, brief, format_title, grouped, shortened, title,
};
use connect::{Callable, callable};
use manifest::caution::{self, Caution};
use manifest::{Listing, Timestamp};
use search::{Fragment, MatchedField, Reason, language_of};
use store::{AgentStatus, StoredAgent};

/// Longest description in a list, in characters.
const DESCRIPTION: usize = 260;
/// Most reasons shown for one hit.
const REASONS: usize = 3;
/// Maximum number of capabilities named in a list.
const CAPABILITIES: usize = 5;

/// Agent in a list.
#[derive(Clone, Debug)]
pub(crate) struct Card {
    pub(crate) path: String,
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    /// Language of its texts (ISO 639-1), if it is not that of the page.
    pub(crate) language: Option<&'static str>,
    pub(crate) site: SiteName,
    pub(crate) level: &'static str,
    /// Way in which it can be used.
    pub(crate) callable: Callable,
    /// Protocol, authentication and price, as far as they are stated, and another language.
    pub(crate) facts: Vec<String>,
    /// Time of the last visit that confirmed it.
    pub(crate) checked: Moment,
    pub(crate) is_failing: bool,
    /// Names of its first capabilities.
    pub(crate) capabilities: Vec<String>,
    /// Number of further capabilities, in words.
    pub(crate) more_capabilities: Option<String>,
    /// Signs that it may be taken for another agent, or sends its callers elsewhere, in words.
    pub(crate) cautions: Vec<String>,
    /// Command that calls a hit, if its documents state a call; none outside of a search.
    pub(crate) call: Option<String>,
    /// Reasons of the match; empty outside of a search.
    pub(crate) because: Vec<MatchReason>,
}

/// Reason of a match.
#[derive(Clone, Debug)]
pub(crate) struct MatchReason {
    /// Label: `Capability`, `Tag`, `Description`.
    pub(crate) label: &'static str,
    /// Name of the matching capability, if any.
    pub(crate) capability: Option<String>,
    /// Text, with the matches marked.
    pub(crate) snippet: Vec<Fragment>,
}

impl Card {
    /// Creates the card of an agent, as of `now`.
    pub(crate) fn of(stored: &StoredAgent, now: Timestamp) -> Self {
        let agent = &stored.listing.agent;
        let names: Vec<String> = agent
            .capabilities
            .iter()
            .take(CAPABILITIES)
            .map(|it| title(&it.name))
            .collect();
        let more = agent.capabilities.len().saturating_sub(CAPABILITIES);
        let language = language_of(agent).filter(|it| *it != PAGE_LANGUAGE);
        let way = callable(&stored.listing);
        Self {
            path: agent_path(&stored.listing.id),
            name: title(&agent.name),
            description: agent
                .description
                .as_ref()
                .map(|text| shortened(text, DESCRIPTION)),
            language,
            site: SiteName::of(&stored.domain),
            level: stored.listing.level.as_str(),
            facts: facts(&stored.listing, way, language),
            callable: way,
            checked: Moment::of(stored.last_seen, now),
            is_failing: stored.status == AgentStatus::Failing,
            capabilities: names,
            more_capabilities: (more > 0).then(|| format!("and {} more", grouped(more as u64))),
            cautions: sentences(&caution::of(&stored.listing)),
            call: None,
            because: Vec::new(),
        }
    }

    /// Replaces the signs by those of a hit.
    pub(crate) fn with_cautions(self, cautions: &[Caution]) -> Self {
        Self {
            cautions: sentences(cautions),
            ..self
        }
    }

    /// Names its first capabilities; `None` if it has none.
    pub(crate) fn capability_names(&self) -> Option<String> {
        let mut text = self.capabilities.join(", ");
        if let Some(more) = &self.more_capabilities {
            text = format!("{text} {more}");
        }
        (!text.is_empty()).then_some(text)
    }

    /// Returns the way in which it can be used, in words.
    pub(crate) fn callable_words(&self) -> &'static str {
        brief::callable_words(self.callable)
    }

    /// Reports whether its documents state a complete first call.
    pub(crate) fn is_ready(&self) -> bool {
        self.callable == Callable::Call
    }

    /// Counts the reasons after the first.
    pub(crate) fn more_reasons(&self) -> Option<String> {
        let more = self.because.len().saturating_sub(1);
        (more > 0).then(|| format!("+{more}"))
    }

    /// Adds the reasons of the match. A reason that quotes the whole description replaces it.
    pub(crate) fn found(self, reasons: &[Reason]) -> Self {
        // Name and description are there already; they explain a match only by the words in them.
        let is_new =
            |reason: &&Reason| reason.field != MatchedField::Meaning || reason.capability.is_some();
        let reasons: Vec<&Reason> = reasons.iter().take(REASONS).filter(is_new).collect();
        let is_quoted = |description: &String| {
            reasons.iter().any(|reason| {
                let parts = reason.snippet.iter();
                let snippet: String = parts.map(|it| it.text.as_str()).collect();
                reason.field == MatchedField::Description && snippet == *description
            })
        };
        Self {
            description: self.description.filter(|it| !is_quoted(it)),
            because: reasons.into_iter().map(MatchReason::of).collect(),
            ..self
        }
    }
}

fn sentences(cautions: &[Caution]) -> Vec<String> {
    cautions.iter().map(Caution::text).collect()
}

/// Returns the facts that a caller compares first: protocol, authentication, price, and the language
/// of its texts if it is another than that of the page.
fn facts(listing: &Listing, way: Callable, language: Option<&str>) -> Vec<String> {
    let agent = &listing.agent;
    let mut interfaces = agent.interfaces.iter();
    let interface = interfaces.clone().find(|it| it.preferred);
    let interface = interface.or_else(|| interfaces.next());
    let protocol = match interface {
        Some(interface) => access::versioned(interface),
        None => format_title(listing.format.as_str()),
    };
    let not_stated = (way != Callable::Described).then_some("authentication not stated");
    let all = [
        Some(protocol),
        brief::key_words(agent).or_else(|| not_stated.map(str::to_owned)),
        brief::price_words(agent),
        language.map(|it| format!("in {}", brief::language_name(it))),
    ];
    all.into_iter().flatten().collect()
}

impl MatchReason {
    fn of(reason: &Reason) -> Self {
        let label = match reason.field {
            MatchedField::Name => "Name",
            MatchedField::CapabilityName | MatchedField::CapabilityDescription => "Capability",
            MatchedField::CapabilityExample => "Example",
            MatchedField::Tag => "Tag",
            MatchedField::Description => "Description",
            MatchedField::Provider => "Provider",
            MatchedField::Site => "Site",
            MatchedField::CapabilityParameter => "Parameter",
            MatchedField::Meaning => "Similar",
        };
        // A capability found by its name need not be named twice.
        let is_name = reason.field == MatchedField::CapabilityName;
        Self {
            label,
            capability: reason.capability.clone().filter(|_| !is_name),
            snippet: reason.snippet.clone(),
        }
    }
}
