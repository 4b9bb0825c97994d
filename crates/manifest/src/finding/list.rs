//! Bounded list of findings, in which one cause is one finding.

use super::{Finding, Place, more};
use crate::rule::document::DI_03;
use crate::rule::{GradedRule, Rule, Severity};
use std::collections::{HashMap, HashSet};
use std::fmt::Display;

/// Maximum number of findings that are kept of one document.
const MAX_FINDINGS: usize = 200;
/// Maximum number of further positions that are kept of all findings on a document.
const MAX_PLACES: usize = 200;

/// Bounded list of the findings on one document. Findings of one rule with the same problem and
/// correction are one finding with several positions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings {
    kept: Vec<Finding>,
    /// Index in `kept` by cause.
    known: HashMap<Cause, usize>,
    /// Number of further positions in `kept`.
    places: usize,
    /// Number of findings that did not fit.
    more: usize,
}

/// Rule, severity, problem and correction in words.
type Cause = (&'static Rule, Severity, String, Option<String>);

impl Findings {
    /// Adds a finding at a JSON pointer.
    pub(crate) fn add(
        &mut self,
        rule: impl Into<GradedRule>,
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

    /// Adds a finding, or its positions to the finding with the same cause. If the list is full and
    /// has no error, an error replaces its last finding.
    pub(crate) fn push(&mut self, finding: Finding) {
        let words = (finding.message.clone(), finding.help.clone());
        let cause = (finding.rule, finding.severity, words.0, words.1);
        if let Some(first) = self.known.get(&cause).and_then(|it| self.kept.get_mut(*it)) {
            let free = MAX_PLACES.saturating_sub(self.places);
            self.places += first.join(finding, free);
            return;
        }
        if self.kept.len() >= MAX_FINDINGS {
            self.more += 1;
            let is_error = |it: &Finding| it.severity == Severity::Error;
            if !is_error(&finding) || self.kept.iter().any(is_error) {
                return;
            }
            self.drop_last();
        }
        self.known.insert(cause, self.kept.len());
        self.kept.push(finding);
    }

    fn drop_last(&mut self) {
        self.kept.pop();
        let length = self.kept.len();
        self.known.retain(|_, index| *index < length);
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
        of_rule.flat_map(Finding::places).collect()
    }

    /// Removes the texts to write that must not be shown.
    pub(crate) fn drop_corrections(&mut self, is_hidden: impl Fn(&str) -> bool) {
        for finding in &mut self.kept {
            finding.correction.take_if(|text| is_hidden(text));
        }
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

impl Finding {
    /// Adds at most `most` positions of a finding with the same cause, and returns their number. The
    /// text to write remains that of the first position.
    fn join(&mut self, other: Self, most: usize) -> usize {
        if other.pointer == self.pointer && other.line == self.line && other.column == self.column {
            return 0;
        }
        self.count = self.count.saturating_add(other.count);
        let place = Place {
            pointer: other.pointer,
            line: other.line,
            column: other.column,
        };
        let before = self.also.len();
        self.also
            .extend([place].into_iter().chain(other.also).take(most));
        self.also.len() - before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_cause_is_one_finding_with_a_count() {
        let mut findings = Findings::default();
        for index in 0..40 {
            findings.add(&DI_03, format!("/{index}"), "too long; shorten it");
        }
        findings.add(DI_03.warning(), "/0", "too long; shorten it");
        let findings = findings.into_vec();
        assert_eq!(findings.len(), 2);
        assert_eq!((findings[0].count, findings[0].also.len()), (40, 39));
        assert_eq!(findings[0].also[0].pointer, "/1");
        assert_eq!(findings[1].count, 1);
    }

    #[test]
    fn an_error_has_a_place_in_a_full_list() {
        let mut findings = Findings::default();
        for index in 0..=MAX_FINDINGS {
            findings.add(DI_03.info(), "", format!("remark {index}"));
        }
        findings.add(&DI_03, "", "an error");
        findings.add(&DI_03, "/1", "an error");
        let findings = findings.into_vec();
        assert_eq!(findings.len(), MAX_FINDINGS + 1);
        assert_eq!(findings[MAX_FINDINGS - 1].count, 2);
        assert_eq!(
            findings[MAX_FINDINGS].message,
            "and 2 more findings, which are not shown"
        );
    }
}
