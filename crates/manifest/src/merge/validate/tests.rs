//! Assignment of findings to documents; the examples of the catalogue test the rest.

use crate::merge::merge;
use crate::merge::tests::{DOMAIN, documents};
use crate::{Domain, formats};

#[test]
fn a_finding_belongs_to_the_document_that_can_be_corrected() {
    let body = r#"{"name": "Mugs", "description": "Sells mugs.", "services": ["Search"]}"#;
    let documents = documents(&[("/agents.json", body), ("/.well-known/agents.json", body)]);
    let readings: Vec<_> = documents
        .iter()
        .map(|document| (document, formats::read(document)))
        .collect();
    let merged = merge(&Domain::parse(DOMAIN).unwrap(), &readings);
    assert_eq!(merged.findings.len(), 2);
    assert_eq!(merged.findings[0][0].rule, "GP-06");
    assert!(merged.findings[1].is_empty());
    let url = "https://mugs.example/.well-known/agents.json";
    assert!(merged.findings[0][0].message.contains(url));
}
