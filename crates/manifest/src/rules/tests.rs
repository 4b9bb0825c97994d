//! Checks that every rule has documents that break it and documents that do not.

use super::example::{found, found_converting};
use super::{Example, Rule, all, find, shown};
use crate::convert::Target;
use crate::{Finding, Severity, fault};
use std::collections::BTreeSet;

#[test]
fn every_rule_has_documents_that_break_it_and_documents_that_do_not() {
    let faults: Vec<String> = all().flat_map(faults).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn faults(rule: &'static Rule) -> Vec<String> {
    let mut faults = Vec::new();
    let worst = shown(rule).iter().map(|finding| finding.severity).max();
    match worst {
        None => faults.push(format!("{}: its bad example does not break it", rule.id)),
        Some(worst) if worst > rule.severity => {
            faults.push(format!(
                "{}: a finding is more severe than {}",
                rule.id,
                rule.severity.as_str()
            ));
        }
        Some(_) => {}
    }
    let to_itself = found_converting(rule.good, |format, target| {
        format == target.format() && target != Target::A2a03
    });
    let is_broken = |finding: &Finding| finding.rule.id == rule.id;
    if found(rule.good).iter().chain(&to_itself).any(is_broken) {
        faults.push(format!("{}: its good example breaks it", rule.id));
    }
    if rule.good.is_empty() || rule.severity == Severity::Error && has_errors(rule.good) {
        faults.push(format!("{}: its good example is not valid", rule.id));
    }
    for finding in found(rule.bad).iter().chain(&found(rule.good)) {
        let known = find(finding.rule.id);
        if known.is_none_or(|known| known.severity < finding.severity) {
            let severity = finding.severity.as_str();
            faults.push(format!(
                "{} is not in the catalogue as {severity}",
                finding.rule
            ));
        }
    }
    let texts = [rule.format, rule.title, rule.explanation, rule.section];
    if texts.iter().any(|text| text.is_empty()) {
        faults.push(format!("{}: not explained", rule.id));
    }
    faults
}

/// Reports whether the examples have any error.
fn has_errors(examples: &[Example]) -> bool {
    found(examples)
        .iter()
        .any(|finding| finding.severity == Severity::Error)
}

#[test]
fn every_rule_id_is_unique() {
    let mut seen = BTreeSet::new();
    for rule in all() {
        assert!(seen.insert(rule.id), "{} is given twice", rule.id);
    }
}

#[test]
fn an_internal_error_has_the_severity_of_its_rule() {
    let fault = fault::contained::<()>(|| panic!("a reader")).unwrap_err();
    let finding = fault.finding("reading it");
    assert_eq!(finding.rule.severity, finding.severity);
    assert!(finding.rule.bad.is_empty());
}

#[test]
fn a_document_without_agents_has_a_finding_that_explains_it() {
    // Documents of these formats may only name other documents, or terms.
    let may_state_none = BTreeSet::from([
        "agent-permissions",
        "agent-skill",
        "agents-txt/agents-txt-com",
        "ai-catalog",
        "anp-collection",
        "mcp-catalog",
        "rfc9727-linkset",
        "zervice",
    ]);
    let mut unexplained = BTreeSet::new();
    for example in all().flat_map(|rule| rule.bad.iter().chain(rule.good)) {
        let reading = super::example::reading(example);
        let is_explained = reading.findings.iter().any(Finding::keeps_from_listing);
        if !reading.is_indexable() && !is_explained {
            unexplained.insert(reading.format.as_str());
        }
    }
    assert_eq!(unexplained, may_state_none);
}

#[test]
fn rules_on_delivery_and_on_several_documents_need_more_than_the_text() {
    let is_beside = |id: &str| find(id).unwrap().needs_more_than_the_text();
    for id in ["DI-02", "DI-06", "DI-08", "AT-46", "SK-03"] {
        assert!(is_beside(id), "{id}");
    }
    for id in ["DI-07", "A2-06", "SK-02"] {
        assert!(!is_beside(id), "{id}");
    }
}
