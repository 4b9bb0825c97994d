//! Findings: problems and remarks on a manifest, as data.

use crate::rule::document::DI_03;
use crate::rule::{Graded, Rule, Severity};
use serde::Serialize;
use std::collections::HashSet;
use std::fmt::Display;

/// One finding on a document, made by a rule of the catalogue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The rule, serialized as its id, such as `A2-06`.
    pub rule: &'static Rule,
    /// Severity in this case; a rule may be an error in one place and a warning in another.
    pub severity: Severity,
    /// JSON Pointer (RFC 6901) to the member; for text formats the empty string.
    pub pointer: String,
    /// Line in a text format, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Column in that line, in characters, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// Text at this position: cleaned, shortened and without secrets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<String>,
    /// Problem and correction, for the site's owner.
    pub message: String,
}

impl Finding {
    /// Creates a finding at a JSON pointer.
    pub fn new(
        rule: impl Into<Graded>,
        pointer: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        let Graded { rule, severity } = rule.into();
        Self {
            rule,
            severity,
            pointer: pointer.into(),
            line: None,
            column: None,
            excerpt: None,
            message: message.into(),
        }
    }

    /// Creates a finding at a position of a fact: a JSON pointer, or `line:N` in a text format.
    pub(crate) fn at(rule: impl Into<Graded>, place: &str, message: impl Into<String>) -> Self {
        match place.strip_prefix("line:").map(str::parse) {
            Some(Ok(line)) => Self::at_line(rule, line, message),
            Some(Err(_)) | None => Self::new(rule, place, message),
        }
    }

    /// Creates a finding at a line of a text format, counted from 1.
    pub(crate) fn at_line(rule: impl Into<Graded>, line: u32, message: impl Into<String>) -> Self {
        Self {
            line: Some(line),
            ..Self::new(rule, "", message)
        }
    }
}

/// Maximum number of findings that are kept of one document.
const MAX_FINDINGS: usize = 200;

/// Creates the finding that `count` more items exist than are kept or shown (DI-03).
pub(crate) fn more(what: &str, count: usize) -> Finding {
    let message = format!("and {count} more {what}, which are not shown");
    Finding::new(DI_03.info(), "", message)
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
        rule: impl Into<Graded>,
        pointer: impl Display,
        message: impl Into<String>,
    ) {
        self.push(Finding::new(rule, pointer.to_string(), message));
    }

    /// Reports that of `count` items at `pointer` only the first `read` are read (DI-03).
    pub(crate) fn rest(&mut self, pointer: impl Display, count: usize, read: usize) {
        if count > read {
            let message = format!("{count} items; the first {read} are read");
            self.add(DI_03.info(), pointer, message);
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
    pub(crate) fn places_of(&self, rule: &Rule) -> HashSet<String> {
        let of_rule = self.kept.iter().filter(|finding| finding.rule == rule);
        of_rule.map(|finding| finding.pointer.clone()).collect()
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
