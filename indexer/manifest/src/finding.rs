//! Findings: problems and remarks on a manifest, as data.

use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fmt::{self, Display};

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// A remark that requires no change.
    Info,
    /// Accepted, but not what the specification recommends.
    Warning,
    /// The document is invalid in its own format.
    Error,
}

impl Severity {
    /// Returns the severity as a lower-case English word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }

    /// Returns the word that compilers and SARIF use: `note`, `warning` or `error`.
    pub fn label(self) -> &'static str {
        match self {
            Self::Info => "note",
            Self::Warning | Self::Error => self.as_str(),
        }
    }
}

/// One finding on a document, made by a rule of the catalogue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The rule's stable id, such as `A2-06`.
    pub rule: String,
    /// Severity in this case; a rule may be an error in one place and a warning in another.
    pub severity: Severity,
    /// JSON Pointer (RFC 6901) to the member; for text formats the empty string.
    pub pointer: String,
    /// Line in a text format, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Column in that line, in characters, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// Text at this position: cleaned, shortened and without secrets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<String>,
    /// Problem and correction, for the site's owner.
    pub message: String,
}

impl Finding {
    /// Creates a finding at a JSON pointer.
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
            column: None,
            excerpt: None,
            message: message.into(),
        }
    }

    /// Creates a finding at a line of a text format, counted from 1.
    pub fn at_line(rule: &str, severity: Severity, line: u32, message: impl Into<String>) -> Self {
        Self {
            line: Some(line),
            ..Self::new(rule, severity, "", message)
        }
    }
}

/// A member below a pointer; it is formatted only when a finding is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Below<'p>(pub(crate) &'p str, pub(crate) &'p str);

impl Display for Below<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.0, self.1)
    }
}

/// Maximum number of findings that are kept of one document.
const MAX_FINDINGS: usize = 200;

/// Creates the finding that `count` more items exist than are kept or shown (DI-03).
pub(crate) fn more(what: &str, count: usize) -> Finding {
    let message = format!("and {count} more {what}, which are not shown");
    Finding::new("DI-03", Severity::Info, "", message)
}

/// Bounded list of the findings on one document.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings {
    kept: Vec<Finding>,
    /// Number of findings that did not fit.
    more: usize,
}

impl Findings {
    /// Adds a finding at a JSON pointer.
    pub(crate) fn add(
        &mut self,
        rule: &str,
        severity: Severity,
        pointer: impl Display,
        message: impl Into<String>,
    ) {
        self.push(Finding::new(rule, severity, pointer.to_string(), message));
    }

    /// Adds a finding with the severity of its rule in the catalogue ([`crate::rules`]).
    ///
    /// An unknown rule counts as an error; a test ensures that there is none.
    pub(crate) fn report(&mut self, rule: &str, pointer: impl Display, message: impl Into<String>) {
        let severity = crate::rules::find(rule).map_or(Severity::Error, |rule| rule.severity);
        self.add(rule, severity, pointer, message);
    }

    /// Adds an error at a JSON pointer.
    pub(crate) fn error(&mut self, rule: &str, pointer: impl Display, message: impl Into<String>) {
        self.add(rule, Severity::Error, pointer, message);
    }

    /// Adds a warning at a JSON pointer.
    pub(crate) fn warn(&mut self, rule: &str, pointer: impl Display, message: impl Into<String>) {
        self.add(rule, Severity::Warning, pointer, message);
    }

    /// Adds a remark at a JSON pointer.
    pub(crate) fn info(&mut self, rule: &str, pointer: impl Display, message: impl Into<String>) {
        self.add(rule, Severity::Info, pointer, message);
    }

    /// Reports that of `count` items at `pointer` only the first `read` are read (DI-03).
    pub(crate) fn rest(&mut self, pointer: impl Display, count: usize, read: usize) {
        if count > read {
            let message = format!("{count} items; the first {read} are read");
            self.info("DI-03", pointer, message);
        }
    }

    /// Adds a finding. If the list is full and has no error, an error replaces its last finding.
    pub(crate) fn push(&mut self, finding: Finding) {
        if self.kept.len() < MAX_FINDINGS {
            self.kept.push(finding);
            return;
        }
        self.more += 1;
        let is_error = |it: &Finding| it.severity == Severity::Error;
        if is_error(&finding) && !self.kept.iter().any(is_error) {
            self.kept.pop();
            self.kept.push(finding);
        }
    }

    /// Adds all of `others`.
    pub(crate) fn extend(&mut self, others: Self) {
        for finding in others.kept {
            self.push(finding);
        }
        self.more += others.more;
    }

    /// Returns the positions of the findings of this rule.
    pub(crate) fn places_of(&self, rule: &str) -> HashSet<String> {
        let of_rule = self.kept.iter().filter(|finding| finding.rule == rule);
        of_rule.map(|finding| finding.pointer.clone()).collect()
    }

    /// Iterates over the findings so far.
    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Finding> {
        self.kept.iter()
    }

    /// Removes the findings of this rule.
    pub(crate) fn forget(&mut self, rule: &str) {
        self.kept.retain(|finding| finding.rule != rule);
    }

    /// Returns the findings in the order in which they were added, with a note on how many did not
    /// fit.
    pub(crate) fn into_vec(mut self) -> Vec<Finding> {
        if self.more > 0 {
            self.kept.push(more("findings", self.more));
        }
        self.kept
    }
}
