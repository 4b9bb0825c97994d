//! Reasons why a value is neither used nor kept: the findings on its place that say that it is left out.

use super::names::around;
use crate::Finding;
use crate::body::is_of_encoding;
use std::collections::HashMap;

/// Rules of findings, by the places that they are about.
#[derive(Default)]
pub(super) struct Reasons {
    by_place: HashMap<String, &'static str>,
    /// Rule of a finding on the whole document that is about several values.
    of_all: Option<&'static str>,
}

impl Reasons {
    /// Collects the rules of what is left out: secrets, placeholders, and what is over a limit. Findings of
    /// other rules say what is wrong with a value, which is kept as published all the same.
    pub(super) fn of(findings: &[Finding]) -> Self {
        const DROPS: [&str; 5] = ["DI-03", "DI-10", "DI-13", "DI-14", "GP-03"];
        let mut reasons = Self::default();
        // A text in another encoding is read whole.
        let drops = |it: &&Finding| DROPS.contains(&it.rule.id) && !is_of_encoding(it);
        for finding in findings.iter().filter(drops) {
            let rule = finding.rule.id;
            for place in finding.places() {
                // What has no room begins at the place of its finding.
                if place.is_empty() || rule == "DI-14" {
                    reasons.of_all = reasons.of_all.or(Some(rule));
                } else {
                    reasons.by_place.entry(place).or_insert(rule);
                }
            }
        }
        reasons
    }

    /// Returns the rule by which a value is left out if nothing uses it.
    pub(super) fn rule(&self, place: &str) -> Option<&'static str> {
        if self.by_place.is_empty() {
            return self.of_all;
        }
        let own = around(place).find_map(|outer| self.by_place.get(outer).copied());
        own.or(self.of_all)
    }
}
