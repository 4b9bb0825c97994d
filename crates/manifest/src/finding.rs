//! Findings: problems and remarks on a manifest, as data.

use crate::rule::document::DI_03;
use crate::rule::{GradedRule, Rule, Severity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod list;

pub(crate) use list::Findings;

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
    /// Problem, for the site's owner.
    pub message: String,
    /// Correction, which begins with a verb: "give the version as a string".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// Text to write at this position, such as `"version": "1.0.0"`; `…` stands for a value that
    /// only the owner knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correction: Option<String>,
    /// Number of positions with this problem, this one included.
    pub count: u32,
    /// The first further positions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Place>,
}

/// A further position of the same problem.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct Place {
    /// JSON Pointer; for text formats the empty string.
    pub pointer: String,
    /// Line, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Column in that line, in characters, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
}

/// Verbs with which a correction begins; [`Finding::new`] separates it from the problem.
const VERBS: [&str; 31] = [
    "add",
    "answer",
    "begin",
    "capitalize",
    "clean",
    "convert",
    "correct",
    "declare",
    "describe",
    "end",
    "give",
    "keep",
    "leave",
    "list",
    "merge",
    "move",
    "name",
    "publish",
    "put",
    "remove",
    "rename",
    "revoke",
    "save",
    "send",
    "serve",
    "shorten",
    "sign",
    "state",
    "today",
    "use",
    "write",
];

impl Finding {
    /// Creates a finding at a JSON pointer. The message is the problem, or the problem, a semicolon
    /// and the correction: "not https; give an https URL".
    pub fn new(
        rule: impl Into<GradedRule>,
        pointer: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        let GradedRule { rule, severity } = rule.into();
        let (message, help) = parts(message.into());
        Self {
            rule,
            severity,
            pointer: pointer.into(),
            line: None,
            column: None,
            excerpt: None,
            message,
            help,
            correction: None,
            count: 1,
            also: Vec::new(),
        }
    }

    /// Sets the text to write.
    pub(crate) fn with_correction(mut self, correction: impl Into<String>) -> Self {
        self.correction = Some(correction.into());
        self
    }

    /// Sets the correction in words.
    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Returns correction and text to write as one text, if there are any.
    pub fn advice(&self) -> Option<String> {
        match (&self.help, &self.correction) {
            (Some(help), Some(correction)) => Some(format!("{help}: {correction}")),
            (Some(one), None) => Some(one.clone()),
            (None, Some(correction)) => Some(format!("write {correction}")),
            (None, None) => None,
        }
    }

    /// Reports whether this finding explains why a document without agents has none: it is an error,
    /// or its rule decides about that.
    pub fn keeps_from_listing(&self) -> bool {
        self.severity == Severity::Error || self.rule.decides_listing()
    }

    /// Iterates over the known positions: JSON pointers, or `line:N` in a text format.
    pub fn places(&self) -> impl Iterator<Item = String> {
        let first = [(self.line, &self.pointer)].into_iter();
        let also = self.also.iter().map(|it| (it.line, &it.pointer));
        first.chain(also).map(|(line, pointer)| match line {
            Some(line) => format!("line:{line}"),
            None => pointer.clone(),
        })
    }

    /// Iterates over the pointers of the known positions.
    pub fn pointers(&self) -> impl Iterator<Item = &str> {
        let also = self.also.iter().map(|it| it.pointer.as_str());
        [self.pointer.as_str()].into_iter().chain(also)
    }

    /// Iterates over the pointers of the known positions, to change them.
    pub(crate) fn pointers_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let also = self.also.iter_mut().map(|it| &mut it.pointer);
        also.chain([&mut self.pointer])
    }

    /// Creates a finding at a position of a fact: a JSON pointer, or `line:N` in a text format.
    pub(crate) fn at(rule: impl Into<GradedRule>, place: &str, message: impl Into<String>) -> Self {
        match place.strip_prefix("line:").map(str::parse) {
            Some(Ok(line)) => Self::at_line(rule, line, message),
            Some(Err(_)) | None => Self::new(rule, place, message),
        }
    }

    /// Creates a finding at a line of a text format, counted from 1.
    pub(crate) fn at_line(
        rule: impl Into<GradedRule>,
        line: u32,
        message: impl Into<String>,
    ) -> Self {
        Self {
            line: Some(line),
            ..Self::new(rule, "", message)
        }
    }
}

/// Separates the correction from the problem, if the message has both.
fn parts(message: String) -> (String, Option<String>) {
    let is_correction = |text: &&str| {
        let verb = text.split(|it: char| !it.is_ascii_alphabetic()).next();
        verb.is_some_and(|verb| VERBS.contains(&verb))
    };
    let mut parts = message.match_indices("; ").map(|(at, mark)| {
        let (problem, correction) = message.split_at(at);
        (problem, &correction[mark.len()..])
    });
    match parts.find(|(_, correction)| is_correction(correction)) {
        Some((problem, correction)) => (problem.to_owned(), Some(correction.to_owned())),
        None => (message, None),
    }
}

/// Creates the finding that `count` more items exist than are kept or shown (DI-03).
pub(crate) fn more(what: &str, count: usize) -> Finding {
    let message = format!("and {count} more {what}, which are not shown");
    Finding::new(DI_03.info(), "", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_correction_is_separated_from_its_problem() {
        for (text, problem, correction) in [
            ("missing; give a name", "missing", Some("give a name")),
            ("a; b; use c", "a; b", Some("use c")),
            ("a; use b; c", "a", Some("use b; c")),
            ("unknown; it is kept", "unknown; it is kept", None),
            ("empty", "empty", None),
        ] {
            let finding = Finding::new(&DI_03, "", text);
            assert_eq!(
                (&*finding.message, finding.help.as_deref()),
                (problem, correction)
            );
        }
    }
}
