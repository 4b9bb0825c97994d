//! Every finding has a rule in the catalogue.

use crate::support::documents;
use crate::support::samples::Sample;
use manifest::{formats, rules};

#[test]
fn every_finding_is_in_the_catalogue_and_not_more_severe_than_its_rule() {
    for Sample { name, document, .. } in documents() {
        for finding in formats::read(&document).findings {
            let rule = rules::find(finding.rule.id);
            let is_known = rule.is_some_and(|rule| finding.severity <= rule.severity);
            assert!(is_known, "{name}: {finding:?}");
        }
    }
}
