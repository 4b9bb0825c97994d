//! Rules of manifests, and the general ones: those on any document, on the documents of one site, and
//! on conversions. Each format has its own beside its reader.

use crate::format_id::FormatId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt::{self, Display};
use std::hash::{Hash, Hasher};

pub(crate) mod convert;
pub(crate) mod document;
pub(crate) mod profile;
pub(crate) mod site;

/// Severity of a finding.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// A remark that requires no change.
    Info,
    /// Accepted, but not what the specification recommends.
    Warning,
    /// The document is invalid in its own format.
    Error,
}

crate::words!(Severity {
    Info = "info",
    Warning = "warning",
    Error = "error",
});

impl Severity {
    /// Returns the word that compilers and SARIF use: `note`, `warning` or `error`.
    pub fn label(self) -> &'static str {
        match self {
            Self::Info => "note",
            Self::Warning | Self::Error => self.as_str(),
        }
    }
}

/// A numbered rule of the catalogue; displayed, serialized, compared and hashed as its id.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Stable id, such as `A2-06`.
    pub id: &'static str,
    /// Display name of what it applies to: "A2A agent card", "Any document".
    pub format: &'static str,
    /// Highest severity of its findings; a finding may have a lower one where the specification is
    /// less strict.
    pub severity: Severity,
    /// Short statement of what holds in a document that follows it.
    pub title: &'static str,
    /// Reason for the rule and what to do, in one to three sentences.
    pub explanation: &'static str,
    /// Source: the specification and its section.
    pub section: &'static str,
    /// Documents of one site that follow it.
    pub good: &'static [Example],
    /// Documents of one site that break it; none for internal errors (DI-11).
    pub bad: &'static [Example],
}

/// Rules on documents that may describe nothing that can be listed.
const DECISIVE: [&str; 7] = [
    "AT-41", "DI-05", "DI-07", "DI-11", "DI-16", "DI-30", "GP-05",
];

/// Rules on the headers of a document.
const OF_DELIVERY: [&str; 3] = ["AT-46", "DI-02", "DI-08"];

/// A rule with the severity of one finding: that of the rule, or a lower one.
#[derive(Clone, Copy, Debug)]
pub struct GradedRule {
    pub(crate) rule: &'static Rule,
    pub(crate) severity: Severity,
}

impl From<&'static Rule> for GradedRule {
    fn from(rule: &'static Rule) -> Self {
        let severity = rule.severity;
        Self { rule, severity }
    }
}

impl Rule {
    /// Creates an error without text, from which the rules of a format take what they share.
    pub(crate) const fn shared(format: &'static str, good: &'static [Example]) -> Self {
        Self {
            id: "",
            format,
            severity: Severity::Error,
            title: "",
            explanation: "",
            section: "",
            good,
            bad: &[],
        }
    }

    /// Reports whether a finding of this rule results from how a document is served, or from other
    /// documents of its site.
    pub fn needs_more_than_the_text(&self) -> bool {
        site::RULES.contains(&self) || OF_DELIVERY.contains(&self.id)
    }

    /// Reports whether a document that breaks this rule may describe nothing that can be listed.
    pub fn decides_listing(&self) -> bool {
        DECISIVE.contains(&self.id)
    }

    /// Makes a finding of this rule a warning, whose other findings are errors.
    pub const fn warning(&'static self) -> GradedRule {
        self.at_most(Severity::Warning)
    }

    /// Makes a finding of this rule a remark, whose other findings are more severe.
    pub const fn info(&'static self) -> GradedRule {
        self.at_most(Severity::Info)
    }

    /// Grades a finding of this rule with `worst` at most.
    pub const fn at_most(&'static self, worst: Severity) -> GradedRule {
        // `Ord::min` cannot be called in constants.
        let is_lower = (self.severity as u8) < worst as u8;
        GradedRule {
            rule: self,
            severity: if is_lower { self.severity } else { worst },
        }
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Rule {}

/// Compares the id.
impl PartialEq<str> for Rule {
    fn eq(&self, id: &str) -> bool {
        self.id == id
    }
}

impl Hash for Rule {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

impl Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.id)
    }
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id)
    }
}

/// A document that shows a rule, as one site would serve it.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// Path, such as `/.well-known/agent-card.json`; the host comes first where it matters.
    pub path: &'static str,
    /// `Content-Type` of the response, where it matters.
    pub media_type: Option<&'static str>,
    /// Names and values of the other headers of the response, where they are known.
    pub headers: Option<&'static [(&'static str, &'static str)]>,
    /// Format to read it as, where detection would find another.
    pub format: Option<FormatId>,
    /// Body of the response.
    pub body: &'static [u8],
}

impl Example {
    /// Creates the example of a text at a path.
    pub(crate) const fn at(path: &'static str, body: &'static str) -> Self {
        Self {
            path,
            media_type: None,
            headers: None,
            format: None,
            body: body.as_bytes(),
        }
    }

    /// Creates the example of a text at a path that is read as `format`, without detection.
    pub(crate) const fn read_as(format: FormatId, path: &'static str, body: &'static str) -> Self {
        let mut example = Self::at(path, body);
        example.format = Some(format);
        example
    }

    /// Returns the body as text, for pages; invalid bytes become U+FFFD.
    pub fn text(&self) -> Cow<'static, str> {
        String::from_utf8_lossy(self.body)
    }
}
