//! Submitted domains and requested rechecks, with their results.

use super::{Exclusion, Outcome};
use manifest::{Domain, Severity, Timestamp};
use serde::{Deserialize, Serialize};

/// Maximum number of agents, and of findings, of a snapshot.
pub const SNAPSHOT_CAP: usize = 500;

/// Kind of a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SubmissionKind {
    /// A domain that was unknown.
    New,
    /// Another visit to a known domain.
    Recheck,
}

manifest::words!(SubmissionKind {
    New = "new",
    Recheck = "recheck",
});

/// State of a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SubmissionState {
    /// No crawler has processed it yet.
    Waiting,
    /// Its domain is in the frontier.
    Queued,
    /// Its domain is being visited.
    Visiting,
    /// Its domain has been visited since.
    Visited,
    /// Its domain is not visited.
    Refused,
}

manifest::words!(SubmissionState {
    Waiting = "waiting",
    Queued = "queued",
    Visiting = "visiting",
    Visited = "visited",
    Refused = "refused",
});

/// Wish of a visitor: a visit to a domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisitRequest {
    /// Kind.
    pub kind: SubmissionKind,
    /// Id of the submission, which the caller draws at random.
    pub id: String,
    /// The domain.
    pub domain: Domain,
    /// Port of its https origin, unless 443; ignored for a recheck.
    pub port: Option<u16>,
    /// Keyed hash of the network that it comes from.
    pub network: String,
    /// SHA-256, in hexadecimal, of the token by which the owner of the domain asks (P47).
    pub token_hash: Option<String>,
}

/// Decision on a [`VisitRequest`].
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// It waits for a crawler, or another submission of the domain did already: that one.
    Accepted(Box<Submission>),
    /// The submitted domain is known, so there is nothing to do.
    Known,
    /// The domain to be rechecked is not known.
    Unknown,
    /// The domain is excluded.
    Excluded(Box<Exclusion>),
    /// Too early: it may be asked again at this time (P47).
    Later(Timestamp),
    /// Too many submissions wait already.
    Full,
    /// Too many submissions of the same network wait already.
    FullOfNetwork,
}

/// Submitted domain, or requested recheck.
#[derive(Clone, Debug, PartialEq)]
pub struct Submission {
    /// Random id.
    pub id: String,
    /// Kind.
    pub kind: SubmissionKind,
    /// The domain.
    pub domain: Domain,
    /// Port of its https origin, unless 443.
    pub port: Option<u16>,
    /// Time of the submission.
    pub at: Timestamp,
    /// State.
    pub state: SubmissionState,
    /// Earliest time of the visit.
    pub earliest: Timestamp,
    /// Outcome of the visit.
    pub outcome: Option<Outcome>,
    /// Details of the outcome, or the reason of a refusal.
    pub detail: Option<String>,
    /// Start of the visit.
    pub started: Option<Timestamp>,
    /// End of the visit.
    pub ended: Option<Timestamp>,
    /// The site before a recheck.
    pub before: Option<SiteSnapshot>,
    /// The site after the visit, once its documents have been read.
    pub after: Option<SiteSnapshot>,
}

/// Reason why a submission waits, apart from its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Its site was visited in the meantime or asked for a pause, until this time.
    Site(Timestamp),
    /// The requested visits of the last 24 hours, of all networks or of its own, leave no room until
    /// this time, or until enough other visits were made.
    Share(Timestamp),
}

/// Agents and findings of a site at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteSnapshot {
    /// Word of the last outcome; `None` before the first visit.
    pub outcome: Option<String>,
    /// Number of all agents.
    pub agents_total: u64,
    /// Number of all findings.
    pub findings_total: u64,
    /// The first [`SNAPSHOT_CAP`] agents, by id.
    pub agents: Vec<SnapshotAgent>,
    /// The first [`SNAPSHOT_CAP`] findings, by document and position.
    pub findings: Vec<SnapshotFinding>,
}

/// Agent of a [`SiteSnapshot`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotAgent {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Number of its capabilities.
    pub capabilities: u64,
}

/// Finding of a [`SiteSnapshot`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotFinding {
    /// URL of its document.
    pub url: String,
    /// Id of its rule.
    pub rule: String,
    /// Severity.
    pub severity: Severity,
    /// JSON pointer or position in the document.
    pub pointer: String,
    /// Message.
    pub message: String,
}

impl SiteSnapshot {
    /// Reports whether it lists all agents and all findings.
    pub fn is_complete(&self) -> bool {
        let holds = |all: u64, listed: usize| all == listed as u64;
        holds(self.agents_total, self.agents.len())
            && holds(self.findings_total, self.findings.len())
    }

    /// Returns the findings that `other` does not have.
    pub fn findings_missing_in<'a>(&'a self, other: &'a Self) -> Vec<&'a SnapshotFinding> {
        let is_same = |a: &SnapshotFinding, b: &SnapshotFinding| {
            (&a.url, &a.rule, &a.pointer) == (&b.url, &b.rule, &b.pointer)
        };
        let findings = self.findings.iter();
        findings
            .filter(|it| !other.findings.iter().any(|there| is_same(it, there)))
            .collect()
    }

    /// Returns the agents that `other` does not have.
    pub fn agents_missing_in<'a>(&'a self, other: &'a Self) -> Vec<&'a SnapshotAgent> {
        let agents = self.agents.iter();
        agents
            .filter(|it| !other.agents.iter().any(|there| there.id == it.id))
            .collect()
    }
}
