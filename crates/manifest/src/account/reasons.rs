//! Reasons why a value is neither used nor kept: the findings on its place.

use super::names::around;
use crate::Finding;
use std::collections::HashMap;

/// Rules of findings, by the places that they are about.
#[derive(Default)]
pub(super) struct Reasons {
    by_place: HashMap<String, &'static str>,
    /// Rule of a finding on the whole document that is about several values.
    of_all: Option<&'static str>,
}

impl Reasons {
    /// Collects the rules.
    pub(super) fn of(findings: &[Finding]) -> Self {
        /// Rules whose findings on a whole document or agent are about several values.
        const OF_MANY: [&str; 5] = ["DI-03", "DI-13", "DI-14", "GP-05", "DI-30"];
        /// Notes on what was read, which drop nothing.
        const NOTES: [&str; 3] = ["GP-01", "GP-02", "DI-20"];
        let mut reasons = Self::default();
        for finding in findings.iter().filter(|it| !NOTES.contains(&it.rule.id)) {
            let rule = finding.rule.id;
            for place in finding.places() {
                // What has no room begins at the place of its finding.
                if place.is_empty() || rule == "DI-14" {
                    let is_of_many = OF_MANY.contains(&rule);
                    reasons.of_all = reasons.of_all.or(is_of_many.then_some(rule));
                } else if rule == "DI-12" {
                    // An address that cannot be called is kept, but not offered.
                    reasons.by_place.insert(place, rule);
                } else {
                    reasons.by_place.entry(place).or_insert(rule);
                }
            }
        }
        reasons
    }

    /// Returns the rule of the finding that says why a value is neither used nor kept.
    pub(super) fn rule(&self, place: &str) -> Option<&'static str> {
        let own = around(place).find_map(|outer| self.by_place.get(outer).copied());
        match own {
            Some("DI-12") => None,
            own => own.or(self.of_all),
        }
    }
}
