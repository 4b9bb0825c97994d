//! Catalogue of rules: the one table that validators, commands and pages use.
//!
//! Each rule has documents of one site that break it and documents that do not, and a test reads
//! all of them. So each rule of the catalogue is checked by some validator, and each finding has a
//! rule that explains it.
//! One rule has no document that breaks it: DI-11 is for internal errors, and known ones are
//! fixed. Its test is a reader that panics.

use crate::fault::{self, Fault};
use crate::{Finding, Severity, formats};

mod convert;
mod document;
mod example;
mod site;
#[cfg(test)]
mod tests;

pub use example::Example;

/// A numbered rule of the catalogue; its findings carry its id.
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

impl Rule {
    /// Returns the findings of this rule on its bad example.
    ///
    /// If reading the example gives none, the rule is one on conversions, and the example is
    /// converted to every target. For DI-11, which has no example, it is the finding of an internal
    /// error.
    pub fn shown(&self) -> Vec<Finding> {
        if self.id == fault::RULE {
            return vec![Fault::default().finding("reading it")];
        }
        let mut found = example::found(self.bad);
        found.retain(|finding| finding.rule == self.id);
        if found.is_empty() {
            found = example::found_converting(self.bad, |_, _| true);
            found.retain(|finding| finding.rule == self.id);
        }
        found
    }
}

/// Returns every rule: those on any document first, then those of each format.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    let of_formats = formats::ALL.iter().map(|entry| entry.rules);
    [document::RULES, site::RULES, convert::RULES]
        .into_iter()
        .chain(of_formats)
        .flatten()
}

/// Returns the rule with this id.
pub fn find(id: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.id == id)
}
