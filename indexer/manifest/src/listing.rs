//! What all documents of a domain say of one agent, and how we know.

use crate::{Agent, AgentId, Document, FormatId, Level, Reading};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One agent of a domain, merged from all documents that describe it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Listing {
    /// `<domain>/<slug>`.
    pub id: AgentId,
    /// The format of the document that leads (PR-01).
    pub format: String,
    /// The leading document's level.
    pub level: Level,
    /// The merged facts; where each stands is told by `provenance`.
    pub agent: Agent,
    /// Documents behind it, leading one first.
    pub sources: Vec<Source>,
    /// Where each fact comes from, by its path in `agent`: `name`, `capabilities/2`, or
    /// `capabilities/2/description` where another document says it than the capability itself.
    #[serde(default)]
    pub provenance: BTreeMap<String, Evidence>,
    /// Where its documents contradict each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<Conflict>,
}

impl Listing {
    /// Whether its documents agree; `None` when there is only one to ask.
    pub fn is_consistent(&self) -> Option<bool> {
        (self.sources.len() > 1).then_some(self.conflicts.is_empty())
    }
}

/// A document that an agent was read from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Final URL.
    pub url: String,
    /// SHA-256 of the stored bytes, hexadecimal.
    pub hash: String,
    /// Format id.
    pub format: String,
    /// Generation or dialect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<String>,
    /// The document's level.
    pub level: Level,
}

impl Source {
    /// The source entry of a document read as `reading`.
    pub fn of(document: &Document, reading: &Reading) -> Self {
        Self {
            url: document.url.to_string(),
            hash: document.hash(),
            format: FormatId::as_str(reading.format).to_owned(),
            generation: reading.generation.clone(),
            level: reading.level(),
        }
    }
}

/// Where a fact stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// Index in [`Listing::sources`].
    pub source: usize,
    /// JSON pointer, or `line:N` for text formats; empty for the whole document.
    pub pointer: String,
}

/// A fact on which the documents of one agent disagree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conflict {
    /// `name`, `version`, `auth`, `capabilities`, `endpoint`, or `endpoint/<protocol>`.
    pub field: String,
    /// What each document says, leading one first. Documents that say nothing of it are left out.
    pub claims: Vec<Claim>,
}

/// What one document says of a disputed fact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// Where it says so.
    pub evidence: Evidence,
    /// The name, the version, the URLs, the ways to authenticate; of capabilities the names of those
    /// that not every document has. At most 20.
    pub values: Vec<String>,
}
