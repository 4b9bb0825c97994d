//! No reading says what the catalogue of rules does not explain.

use crate::support::{Named, documents};
use manifest::{formats, rules};

#[test]
fn every_finding_is_in_the_catalogue_and_no_graver_than_it_says() {
    for Named { name, document } in documents() {
        for finding in formats::read(&document).findings {
            let rule = rules::find(&finding.rule);
            let is_known = rule.is_some_and(|rule| finding.severity <= rule.severity);
            assert!(is_known, "{name}: {finding:?}");
        }
    }
}
