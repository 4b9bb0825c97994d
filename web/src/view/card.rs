//! Agents in a list.

use super::{SiteName, access, agent_path, format_title, grouped, level_words, shortened, title};
use indexer::search::{Fragment, MatchedField, Reason};
use store::{AgentStatus, StoredAgent};

/// Longest description in a list, in characters.
const DESCRIPTION: usize = 260;
/// Most reasons shown for one hit.
const REASONS: usize = 3;
/// Most capabilities named in a list.
const CAPABILITIES: usize = 5;

/// Agent in a list.
#[derive(Clone, Debug)]
pub(crate) struct Card {
    pub(crate) path: String,
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) site: SiteName,
    pub(crate) level: &'static str,
    pub(crate) level_words: &'static str,
    /// Format and protocols in a few words.
    pub(crate) kind: String,
    pub(crate) is_failing: bool,
    /// Names of its first capabilities.
    pub(crate) capabilities: Vec<String>,
    /// Number of further capabilities, in words.
    pub(crate) more_capabilities: Option<String>,
    /// Reasons of the match; empty outside of a search.
    pub(crate) because: Vec<Because>,
}

/// Reason of a match.
#[derive(Clone, Debug)]
pub(crate) struct Because {
    /// Label: `Capability`, `Tag`, `Description`.
    pub(crate) label: &'static str,
    /// Name of the matching capability, if any.
    pub(crate) capability: Option<String>,
    /// Text, with the matches marked.
    pub(crate) snippet: Vec<Fragment>,
}

impl Card {
    /// Creates the card of an agent.
    pub(crate) fn of(stored: &StoredAgent) -> Self {
        let agent = &stored.listing.agent;
        let mut kind = vec![format_title(stored.listing.format.as_str())];
        for interface in &agent.interfaces {
            let title = access::protocol_title(&interface.protocol);
            if !kind.iter().any(|it| it.contains(&title)) {
                kind.push(title);
            }
        }
        kind.truncate(4);
        let names: Vec<String> = agent
            .capabilities
            .iter()
            .take(CAPABILITIES)
            .map(|it| title(&it.name))
            .collect();
        let more = agent.capabilities.len().saturating_sub(CAPABILITIES);
        Self {
            path: agent_path(&stored.listing.id),
            name: title(&agent.name),
            description: agent
                .description
                .as_ref()
                .map(|text| shortened(text, DESCRIPTION)),
            site: SiteName::of(&stored.domain),
            level: stored.listing.level.as_str(),
            level_words: level_words(stored.listing.level),
            kind: kind.join(" · "),
            is_failing: stored.status == AgentStatus::Failing,
            capabilities: names,
            more_capabilities: (more > 0).then(|| format!("and {} more", grouped(more as u64))),
            because: Vec::new(),
        }
    }

    /// Adds the reasons of the match. A reason that quotes the whole description replaces it.
    pub(crate) fn found(self, reasons: &[Reason]) -> Self {
        let is_quoted = |description: &String| {
            reasons.iter().take(REASONS).any(|reason| {
                let parts = reason.snippet.iter();
                let snippet: String = parts.map(|it| it.text.as_str()).collect();
                reason.field == MatchedField::Description && snippet == *description
            })
        };
        Self {
            description: self.description.filter(|it| !is_quoted(it)),
            because: reasons.iter().take(REASONS).map(Because::of).collect(),
            ..self
        }
    }
}

impl Because {
    fn of(reason: &Reason) -> Self {
        let label = match reason.field {
            MatchedField::Name => "Name",
            MatchedField::CapabilityName | MatchedField::CapabilityDescription => "Capability",
            MatchedField::CapabilityExample => "Example",
            MatchedField::Tag => "Tag",
            MatchedField::Description => "Description",
            MatchedField::Provider => "Provider",
            MatchedField::Site => "Site",
            MatchedField::CapabilityParameter | MatchedField::Meaning => "Found in",
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
