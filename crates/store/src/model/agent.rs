//! Documents, and the agents read from them.

use super::Outcome;
use manifest::{
    AgentId, ChangeClass, Document, Domain, Finding, FormatId, Level, Listing, Mention, Timestamp,
};
use schemars::JsonSchema;
use serde::Serialize;

/// A listed agent, without what it states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedAgent {
    /// The id.
    pub id: AgentId,
    /// Time of the last change.
    pub changed: Timestamp,
}

/// Sentence vector of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentVector {
    /// The agent.
    pub agent: AgentId,
    /// Hash of the model and of the texts, as 64 hexadecimal digits.
    pub hash: String,
    /// The vector, as the index reads it.
    pub vector: Vec<u8>,
}

/// Domain that waits for the indexer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadDomain {
    /// The domain.
    pub domain: Domain,
    /// Revision of its documents. A reading must state it, so that a change in the meantime is not
    /// lost.
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

/// New reading of all documents of a domain.
#[derive(Clone, Debug)]
pub struct DomainReadings {
    /// The domain and the revision that was read.
    pub unread: UnreadDomain,
    /// The merged agents.
    pub listings: Vec<Listing>,
    /// Results per document.
    pub documents: Vec<DocumentReading>,
    /// Reason for the removal of agents that are no longer listed, for the change log.
    pub reason: String,
}

/// Result of reading one stored document.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentReading {
    /// Row id of the document.
    pub id: i64,
    /// Format id.
    pub format: FormatId,
    /// Generation or dialect.
    pub generation: Option<String>,
    /// Level: manifest A to D.
    pub level: Level,
    /// Findings.
    pub findings: Vec<Finding>,
    /// Mentions of other sites.
    pub mentions: Vec<Mention>,
}

/// Kind of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// First seen.
    Add,
    /// Content changed.
    Update,
    /// No longer published, or no longer readable.
    Remove,
    /// The status of its site changed ([`AgentStatus`]); its content is the same.
    Status,
    /// Taken out of the registry for its owner or by the operator.
    OptOut,
    /// Listed again after an opt-out.
    Restore,
}

impl Operation {
    /// Reports whether the agent is no longer listed after it.
    pub fn is_removal(self) -> bool {
        matches!(self, Self::Remove | Self::OptOut)
    }
}

manifest::words!(Operation {
    Add = "add",
    Update = "update",
    Remove = "remove",
    Status = "status",
    OptOut = "optout",
    Restore = "restore",
});

/// Entry of the change log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Sequence number, from 1, without gaps.
    pub seq: u64,
    /// Time.
    pub at: Timestamp,
    /// Kind.
    pub op: Operation,
    /// Agent that changed.
    pub agent: AgentId,
    /// Parts that changed, with an update.
    pub classes: Vec<ChangeClass>,
    /// SHA-256 of the new listing; `None` after a removal.
    pub hash: Option<String>,
    /// SHA-256 of the previous listing.
    pub previous_hash: Option<String>,
    /// Reason of a removal or a return, old and new status, or the previous id of a renamed agent.
    pub reason: String,
    /// Id under which a removed agent is listed now: its new name, or an agent that it became part
    /// of.
    pub successor: Option<AgentId>,
}

impl Change {
    /// Returns an entry on `agent`, which has no hashes, to be appended to the log: that gives it
    /// its sequence number.
    pub fn new(op: Operation, agent: AgentId, reason: impl Into<String>, at: Timestamp) -> Self {
        Self {
            seq: 0,
            at,
            op,
            agent,
            classes: Vec::new(),
            hash: None,
            previous_hash: None,
            reason: reason.into(),
            successor: None,
        }
    }
}

/// Agent that is no longer listed under its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tombstone {
    /// The id.
    pub agent: AgentId,
    /// Time since which it is not listed.
    pub at: Timestamp,
    /// [`Operation::Remove`] or [`Operation::OptOut`].
    pub op: Operation,
    /// Reason.
    pub reason: String,
    /// Id under which it is listed now.
    pub successor: Option<AgentId>,
}

/// Status of an agent, from the last visit to its site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AgentStatus {
    /// The last visit confirmed one of its documents.
    Ok,
    /// The last visit failed.
    Failing,
    /// The last visit neither confirmed a document nor failed.
    Unknown,
}

impl AgentStatus {
    /// Returns the status of a domain's agents after a visit with this outcome.
    pub fn after(outcome: Option<Outcome>) -> Self {
        match outcome {
            Some(Outcome::Found) => Self::Ok,
            Some(outcome) if outcome.is_failure() => Self::Failing,
            Some(_) | None => Self::Unknown,
        }
    }
}

manifest::words!(AgentStatus {
    Ok = "ok",
    Failing = "failing",
    Unknown = "unknown",
});

/// Listed agent with its history.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredAgent {
    /// The merged agent.
    pub listing: Listing,
    /// Its domain.
    pub domain: Domain,
    /// Time of the visit that first found it.
    pub first_seen: Timestamp,
    /// Time of the last visit that fetched or confirmed one of its documents, `first_seen` at the
    /// earliest.
    pub last_seen: Timestamp,
    /// Time of the last change of its content.
    pub changed: Timestamp,
    /// SHA-256 over the facts of the listing, in hexadecimal; it does not depend on the layout of the
    /// documents.
    pub hash: String,
    /// Its status.
    pub status: AgentStatus,
}
