//! What is wrong, odd or worth knowing in a manifest, as data.

use serde::{Deserialize, Serialize};

/// How grave a finding is: the E, W and I of FORMATS.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; nothing to mend.
    Info,
    /// Accepted, yet not what the specification asks for.
    Warning,
    /// The document is invalid in its own format.
    Error,
}

impl Severity {
    /// The lower-case English word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One remark on a document, tied to a numbered rule of FORMATS.md.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The rule's stable id, such as `A2-06`.
    pub rule: String,
    /// How grave it is here; a rule may be an error in one place and a warning in another.
    pub severity: Severity,
    /// JSON Pointer (RFC 6901) to the member; for text formats the empty string.
    pub pointer: String,
    /// Line in a text format, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// What is wrong and what would be right, for the site's owner.
    pub message: String,
}

impl Finding {
    /// A finding at a JSON pointer.
    pub fn new(
        rule: &str,
        severity: Severity,
        pointer: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            rule: rule.to_owned(),
            severity,
            pointer: pointer.into(),
            line: None,
            message: message.into(),
        }
    }

    /// A finding at a line of a text format, counted from 1.
    pub fn at_line(rule: &str, severity: Severity, line: u32, message: impl Into<String>) -> Self {
        Self {
            line: Some(line),
            ..Self::new(rule, severity, "", message)
        }
    }
}
