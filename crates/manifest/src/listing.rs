//! An agent merged from all documents of a domain, with the source of each fact.

use crate::{Agent, AgentId, Document, FormatId, Level, Reading};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One agent of a domain, merged from all documents that describe it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Listing {
    /// `<domain>/<slug>`.
    pub id: AgentId,
    /// Format of the leading document (PR-01).
    pub format: FormatId,
    /// The leading document's level.
    pub level: Level,
    /// The merged facts; `provenance` has the source of each.
    pub agent: Agent,
    /// Source documents, the leading one first.
    pub sources: Vec<Source>,
    /// Source of each fact, by its path in `agent`: `name`, `capabilities/2`, or
    /// `capabilities/2/description` if that comes from another document than the capability itself.
    #[serde(default)]
    pub provenance: BTreeMap<String, Evidence>,
    /// Contradictions between its documents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<Conflict>,
}

impl Listing {
    /// Reports whether its documents agree; `None` if there is only one.
    pub fn is_consistent(&self) -> Option<bool> {
        (self.sources.len() > 1).then_some(self.conflicts.is_empty())
    }
}

/// A document that an agent was read from.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct Source {
    /// Final URL.
    pub url: String,
    /// SHA-256 of the stored bytes, hexadecimal.
    pub hash: String,
    /// Format id.
    pub format: FormatId,
    /// Generation or dialect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<String>,
    /// The document's level.
    pub level: Level,
}

impl Source {
    /// Creates the source entry of a document read as `reading`.
    pub fn of(document: &Document, reading: &Reading) -> Self {
        Self {
            url: document.url.to_string(),
            hash: document.hash(),
            format: reading.format,
            generation: reading.generation.clone(),
            level: reading.level(),
        }
    }
}

/// Source and position of a fact.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
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
    /// Claims of the documents, the leading one first, without documents that do not mention the
    /// fact.
    pub claims: Vec<Claim>,
}

/// One document's claim about a disputed fact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// Source and position of the claim.
    pub evidence: Evidence,
    /// The name, the version, the URLs or the authentication schemes; for capabilities, the names
    /// of those that not every document has. At most 20 values.
    pub values: Vec<String>,
}
