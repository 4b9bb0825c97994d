//! The catalogue of rules: one table from which validators, command lines and pages speak.
//!
//! Each rule carries documents of one site that break it and documents that do not, and a test
//! reads all of them. So the catalogue cannot promise what no validator does, and no validator can
//! report what the catalogue does not explain.
//! One rule has no document that breaks it: DI-11 is for faults of ours, and those that are known
//! are repaired. Its proof is a reader that panics, in the tests.

use crate::fault::{self, Fault};
use crate::{Finding, Severity, formats};

mod convert;
mod document;
mod example;
mod site;
#[cfg(test)]
mod tests;

pub use example::Example;

/// A numbered rule of FORMATS.md; its findings carry its id.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Stable id, such as `A2-06`.
    pub id: &'static str,
    /// What it is about, for people: "A2A agent card", "Any document".
    pub format: &'static str,
    /// The gravest finding that it gives; a finding may be milder where the specification is.
    pub severity: Severity,
    /// What holds in a document that follows it, in a few words.
    pub title: &'static str,
    /// Why it matters and what to do, in a sentence or three.
    pub explanation: &'static str,
    /// Where it comes from: the specification and its section.
    pub section: &'static str,
    /// Documents of one site that follow it.
    pub good: &'static [Example],
    /// Documents of one site that break it; none for a fault of ours (DI-11).
    pub bad: &'static [Example],
}

impl Rule {
    /// What is found of this rule when its bad example is read.
    ///
    /// A rule that reading does not break is one on conversions: its bad example is then converted
    /// to every target. For a fault of ours, of which no example is known, it is what would be found.
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

/// Every rule, those on any document first, then format by format.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    let of_formats = formats::ALL.iter().map(|entry| entry.rules);
    [document::RULES, site::RULES, convert::RULES]
        .into_iter()
        .chain(of_formats)
        .flatten()
}

/// The rule with this id.
pub fn find(id: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.id == id)
}
