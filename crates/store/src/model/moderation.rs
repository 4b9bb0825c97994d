//! Moderation: hidden agents, the public log, and reports of problems.

use super::{ExclusionSource, Scope};
use manifest::domain::DomainError;
use manifest::{AgentId, Domain, Timestamp};
use std::time::Duration;

/// Subject of moderation: a domain with all its agents, or one agent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// All agents of a domain.
    Domain(Domain),
    /// One agent.
    Agent(AgentId),
}

impl Target {
    /// Parses a domain, or the id of an agent, `<domain>/<slug>`.
    pub fn parse(text: &str) -> Result<Self, DomainError> {
        let text = text.trim();
        match text.split_once('/') {
            None => Domain::parse(text).map(Self::Domain),
            Some((domain, slug)) => {
                let domain = Domain::parse(domain)?;
                let is_slug = !slug.is_empty() && slug.len() <= 200 && !slug.contains(['/', ' ']);
                if !is_slug {
                    return Err(DomainError::Invalid);
                }
                Ok(Self::Agent(AgentId::new(&domain, slug)))
            }
        }
    }

    /// Returns the domain, or the id of the agent.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Domain(domain) => domain.as_str(),
            Self::Agent(id) => id.as_str(),
        }
    }

    /// Returns the name of the domain.
    pub fn domain(&self) -> &str {
        match self {
            Self::Domain(domain) => domain.as_str(),
            Self::Agent(id) => id.parts().0,
        }
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.pad(self.as_str())
    }
}

/// Agents that are not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HiddenTarget {
    /// A domain, or the id of an agent.
    pub target: String,
    /// Public reason.
    pub reason: String,
    /// Start.
    pub since: Timestamp,
}

/// Result of hiding or showing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModerationCounts {
    /// False if nothing had to be changed except the reason.
    pub is_new: bool,
    /// Agents that were removed from the lists, or returned to them.
    pub agents: u64,
}

/// Kind of an entry of the public log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ModerationAction {
    /// Agents are no longer shown.
    Hide,
    /// They are shown again.
    Show,
    /// A domain is excluded by the operator.
    Block,
    /// That exclusion has ended.
    Unblock,
    /// An owner opted out.
    OptOut,
    /// An owner returned.
    Restore,
    /// A report of a problem was closed.
    ReportClosed,
}

manifest::words!(ModerationAction {
    Hide = "hide",
    Show = "show",
    Block = "block",
    Unblock = "unblock",
    OptOut = "optout",
    Restore = "restore",
    ReportClosed = "report-closed",
});

impl ModerationAction {
    /// Returns the action of an exclusion by this source.
    pub(crate) fn excluding(source: ExclusionSource) -> Self {
        if source.is_owner() {
            Self::OptOut
        } else {
            Self::Block
        }
    }

    /// Returns the action of the end of an exclusion by this source.
    pub(crate) fn including(source: ExclusionSource) -> Self {
        if source.is_owner() {
            Self::Restore
        } else {
            Self::Unblock
        }
    }
}

/// Entry of the public log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModerationEntry {
    /// Number, which grows.
    pub id: u64,
    /// Time.
    pub at: Timestamp,
    /// Kind.
    pub action: ModerationAction,
    /// A domain, `*.` and a suffix, or the id of an agent.
    pub target: String,
    /// Public reason.
    pub reason: String,
    /// Origin.
    pub source: ExclusionSource,
}

impl Scope {
    /// Returns the scope as the public log names it: the domain, or `*.` and the suffix.
    pub fn target(&self) -> String {
        if self.is_suffix() {
            format!("*.{}", self.name())
        } else {
            self.name().to_owned()
        }
    }
}

/// Kind of a reported problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReportKind {
    /// It pretends to be another organization.
    Impersonation,
    /// It is harmful, such as phishing or malware.
    Harmful,
    /// It is not a working agent, but advertising.
    Spam,
    /// It is illegal, or infringes rights.
    Illegal,
    /// The registry shows it wrongly.
    Wrong,
    /// Anything else.
    Other,
}

manifest::words!(ReportKind {
    Impersonation = "impersonation",
    Harmful = "harmful",
    Spam = "spam",
    Illegal = "illegal",
    Wrong = "wrong",
    Other = "other",
});

/// Reported problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProblemReport {
    /// Random id.
    pub id: String,
    /// Time.
    pub at: Timestamp,
    /// A domain, or the id of an agent.
    pub target: String,
    /// Kind.
    pub kind: ReportKind,
    /// Text of the reporter: third-party text.
    pub text: String,
    /// Keyed hash of the network that it came from; `None` after a day.
    pub network: Option<String>,
}

impl ProblemReport {
    /// Most open reports of a target.
    pub const MAX_OF_TARGET: u32 = 20;
    /// Most reports of a network in a day.
    pub const MAX_OF_NETWORK: u32 = 20;
    /// Most open reports; further ones are refused until an operator has closed some.
    pub const MAX_OPEN: u32 = 10_000;
    /// Time for which a report is stored after it was closed.
    pub const KEPT: Duration = Duration::from_hours(30 * 24);
}

/// State of a report, without its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportState {
    /// A domain, or the id of an agent.
    pub target: String,
    /// Kind.
    pub kind: ReportKind,
    /// Time.
    pub at: Timestamp,
    /// Time at which the operator closed it.
    pub closed: Option<Timestamp>,
}

/// Answer to a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportAnswer {
    /// It is stored.
    Stored,
    /// Too many are open, in all or of its target.
    TooMany,
    /// Its network has an open one on its target; another one is accepted then.
    Again(Timestamp),
    /// Its network sent too many in a day; another one is accepted then.
    TooManyOfNetwork(Timestamp),
}

/// Open reports that are closed together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReportSelection {
    /// Those with these ids.
    Ids(Vec<String>),
    /// Those on a target; for a domain, those on its agents too.
    Target(Target),
    /// Those from a network, by its keyed hash or the beginning of that.
    Network(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_a_domain_or_an_agent() {
        let agent = Target::parse(" Mesa.example/tables ").unwrap();
        assert_eq!(agent.as_str(), "mesa.example/tables");
        assert_eq!(agent.domain(), "mesa.example");
        let domain = Target::parse("mesa.example").unwrap();
        assert_eq!(
            domain,
            Target::Domain(Domain::parse("mesa.example").unwrap())
        );
        for wrong in ["", "/", "mesa.example/", "mesa.example/a/b", "a b/c", "x"] {
            assert!(Target::parse(wrong).is_err(), "{wrong}");
        }
    }
}
