//! Catalogue of rules: the one table that validators, commands and pages use.
//!
//! Each rule has documents of one site that break it and documents that do not, and a test reads
//! all of them. So each rule of the catalogue is checked by some validator, and each finding has a
//! rule that explains it.
//! One rule has no document that breaks it: DI-11 is for internal errors, and known ones are
//! fixed. Its test is a reader that panics.

use crate::fault::Fault;
use crate::rule::document::DI_11;
use crate::rule::{convert, document, site};
use crate::{Finding, formats};

mod example;
#[cfg(test)]
mod tests;

pub use crate::rule::{Example, Rule};

/// Returns the findings of a rule on its bad example.
///
/// If reading the example gives none, the rule is one on conversions, and the example is converted
/// to every target. For DI-11, which has no example, it is the finding of an internal error.
pub fn shown(rule: &Rule) -> Vec<Finding> {
    if *rule == DI_11 {
        return vec![Fault::default().finding("reading it")];
    }
    let mut found = example::found(rule.bad);
    found.retain(|finding| finding.rule == rule);
    if found.is_empty() {
        found = example::found_converting(rule.bad, |_, _| true);
        found.retain(|finding| finding.rule == rule);
    }
    found
}

/// Returns every rule: those on any document first, then those of each format.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    let of_formats = formats::ALL.iter().map(|entry| entry.rules);
    [document::RULES, site::RULES, convert::RULES]
        .into_iter()
        .chain(of_formats)
        .flatten()
        .copied()
}

/// Returns the rule with this id.
pub fn find(id: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.id == id)
}
