//! What a format is, and what reading a document gives.

use crate::{Agent, Document, Finding, Severity};
use serde::{Deserialize, Serialize};

/// The stable name of a format or dialect, such as `a2a-agent-card` (FORMATS.md section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct FormatId(pub &'static str);

impl FormatId {
    /// The name as text.
    pub fn as_str(self) -> &'static str {
        self.0
    }
}

impl std::fmt::Display for FormatId {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.pad(self.0)
    }
}

/// How good a document is (FORMATS.md 12.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Level {
    /// Valid in its own format, identity matches, every capability described.
    A,
    /// Valid with warnings.
    B,
    /// Invalid, or in no specified format, yet readable enough to be listed.
    C,
    /// Kept, not listed.
    D,
}

impl Level {
    /// The letter.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
            Self::D => "D",
        }
    }

    /// The level with this letter.
    pub fn parse(letter: &str) -> Option<Self> {
        match letter {
            "A" => Some(Self::A),
            "B" => Some(Self::B),
            "C" => Some(Self::C),
            "D" => Some(Self::D),
            _ => None,
        }
    }
}

/// Another document that this one points at (FORMATS.md 12.5): data, nothing is fetched here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// What is to be found there: `agent-card`, `agents.json`, `openapi`, `ai-catalog`, `mcp`, …
    pub rel: String,
    /// Absolute URL, resolved against the document's final URL.
    pub url: String,
    /// Where the document says so: JSON pointer, or empty for text formats.
    pub pointer: String,
}

/// Everything that one document says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reading {
    /// The format that the content was recognised as.
    pub format: FormatId,
    /// The generation or dialect within the format, such as `0.3` or `D2`.
    pub generation: Option<String>,
    /// The agents described, in document order, not yet merged with other documents.
    pub agents: Vec<Agent>,
    /// Remarks for the owner.
    pub findings: Vec<Finding>,
    /// Documents pointed at.
    pub references: Vec<Reference>,
}

impl Reading {
    /// True when the format's own validator would accept the document: no error finding.
    pub fn is_valid(&self) -> bool {
        self.findings
            .iter()
            .all(|finding| finding.severity != Severity::Error)
    }

    /// True when a directory can list something from it.
    pub fn is_indexable(&self) -> bool {
        !self.agents.is_empty()
    }

    /// The quality level (FORMATS.md 12.4).
    pub fn level(&self) -> Level {
        let has_warnings = self
            .findings
            .iter()
            .any(|finding| finding.severity == Severity::Warning);
        match (self.is_indexable(), self.is_valid(), has_warnings) {
            (false, _, _) => Level::D,
            (true, false, _) => Level::C,
            (true, true, _) if !self.format.is_specified() => Level::C,
            (true, true, true) => Level::B,
            (true, true, false) => Level::A,
        }
    }
}

impl FormatId {
    /// False for what follows no specification and is read by habit only (FORMATS.md 11.10, AT-90).
    pub fn is_specified(self) -> bool {
        !matches!(
            self.0,
            "profile" | "agents-txt-d11" | "agents-wrapper" | "unrecognised"
        )
    }
}

/// One member of [`crate::formats::ALL`].
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The format's id.
    pub id: FormatId,
    /// Its name for people, such as "A2A agent card".
    pub title: &'static str,
    /// Where its publishers put it, most likely first.
    pub places: &'static [&'static str],
    /// Reads a document that was recognised as this format.
    pub read: fn(&Document) -> Reading,
}
