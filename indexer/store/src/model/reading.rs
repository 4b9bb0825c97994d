//! Documents, and the agents read from them.

use super::Outcome;
use manifest::{AgentId, Document, Domain, Finding, Level, Listing, Mention, Timestamp};
use serde::{Deserialize, Serialize};

/// A domain that waits for the indexer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// The domain.
    pub domain: Domain,
    /// State of its documents that a reading must name, so that a change in between is not lost.
    pub revision: i64,
}

/// A current document of a domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredDocument {
    /// Row id.
    pub id: i64,
    /// SHA-256 of its bytes.
    pub hash: String,
    /// The document.
    pub document: Document,
}

/// A fresh reading of all documents of a domain.
#[derive(Clone, Debug)]
pub struct DomainReadings {
    /// The domain and the revision that was read.
    pub unread: Unread,
    /// The merged agents.
    pub listings: Vec<Listing>,
    /// What was said of each document.
    pub documents: Vec<DocumentReading>,
    /// Why agents that are no longer listed went, for the change log.
    pub reason: String,
}

/// What reading one stored document gave.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentReading {
    /// Row id of the document.
    pub id: i64,
    /// Format id.
    pub format: String,
    /// Generation or dialect.
    pub generation: Option<String>,
    /// Quality level.
    pub level: Level,
    /// Remarks.
    pub findings: Vec<Finding>,
    /// Whom it speaks of.
    pub mentions: Vec<Mention>,
}

/// What happened to an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// First seen.
    Add,
    /// Content changed.
    Update,
    /// No longer published, or no longer readable.
    Remove,
    /// Its site answers otherwise than before ([`AgentStatus`]); what it says is the same.
    Status,
}

impl Operation {
    /// The word used in rows and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Update => "update",
            Self::Remove => "remove",
            Self::Status => "status",
        }
    }

    /// The operation with this word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Add, Self::Update, Self::Remove, Self::Status]
            .into_iter()
            .find(|operation| operation.as_str() == word)
    }
}

/// One entry of the change log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Sequence number, from 1, without gaps.
    pub seq: u64,
    /// When.
    pub at: Timestamp,
    /// What.
    pub op: Operation,
    /// To whom.
    pub agent: AgentId,
    /// SHA-256 of the listing now; `None` after a removal.
    pub hash: Option<String>,
    /// SHA-256 of the listing before.
    pub previous_hash: Option<String>,
    /// Why, for removals; from what to what, for a status.
    pub reason: String,
}

/// How an agent's site answers now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AgentStatus {
    /// The last visit confirmed a document of it.
    Ok,
    /// The last visit failed.
    Failing,
    /// The last visit neither confirmed it nor failed.
    Unknown,
}

impl AgentStatus {
    /// The status of the agents of a domain whose last visit ended so.
    pub fn after(outcome: Option<Outcome>) -> Self {
        match outcome {
            Some(Outcome::Found) => Self::Ok,
            Some(
                Outcome::Blocked
                | Outcome::Throttled
                | Outcome::Down
                | Outcome::DnsError
                | Outcome::TlsError
                | Outcome::Timeout
                | Outcome::TooLarge
                | Outcome::ProtocolError
                | Outcome::BlockedAddress
                | Outcome::RedirectRefused,
            ) => Self::Failing,
            Some(
                Outcome::Empty
                | Outcome::Soft404
                | Outcome::RobotsDisallow
                | Outcome::OptedOut
                | Outcome::Budget,
            )
            | None => Self::Unknown,
        }
    }

    /// The word used in changes, searches and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failing => "failing",
            Self::Unknown => "unknown",
        }
    }
}

/// One agent as listed, with its history.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredAgent {
    /// The merged agent.
    pub listing: Listing,
    /// Its domain.
    pub domain: Domain,
    /// When it was first listed.
    pub first_seen: Timestamp,
    /// When its site last confirmed it: the last visit that fetched one of its documents.
    pub last_seen: Timestamp,
    /// When its content last changed.
    pub changed: Timestamp,
    /// SHA-256 over what the listing says, hexadecimal: a document that only looks different leaves it
    /// as it is.
    pub hash: String,
    /// How its site answers now.
    pub status: AgentStatus,
}
