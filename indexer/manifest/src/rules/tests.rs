//! The catalogue keeps its word: every rule has documents that break it and documents that do not.

use super::{Example, Rule, all};
use crate::convert::{Origin, Target, convert};
use crate::{Document, Domain, Finding, FormatId, Severity, formats, merge};
use std::collections::BTreeSet;
use url::Url;

/// Everything that is found when one site serves these documents.
fn findings(examples: &[Example]) -> Vec<Finding> {
    let documents: Vec<_> = examples.iter().map(document).collect();
    let readings: Vec<_> = documents
        .iter()
        .zip(examples)
        .map(|(document, example)| match example.format {
            Some(format) => (document, formats::read_as(document, format)),
            None => (document, formats::read(document)),
        })
        .collect();
    let domain = Domain::parse("shop.example").unwrap();
    let merged = merge::merge(&domain, &readings);
    readings
        .into_iter()
        .flat_map(|(_, reading)| reading.findings)
        .chain(merged.findings.into_iter().flatten())
        .collect()
}

fn document(example: &Example) -> Document {
    let url = match example.path.strip_prefix('/') {
        Some(path) => format!("https://shop.example/{path}"),
        None => format!("https://{}", example.path),
    };
    Document {
        media_type: example.media_type.map(str::to_owned),
        ..Document::new(
            Domain::parse("shop.example").unwrap(),
            Url::parse(&url).unwrap(),
            example.body,
        )
    }
}

#[test]
fn every_rule_has_documents_that_break_it_and_documents_that_do_not() {
    let faults: Vec<String> = all().flat_map(faults).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn faults(rule: &Rule) -> Vec<String> {
    let mut faults = Vec::new();
    let of_rule = |examples| {
        let mut found = findings(examples);
        found.retain(|finding| finding.rule == rule.id);
        found
    };
    let mut broken = of_rule(rule.bad);
    broken.extend(conversions(rule.bad, |_, _| true));
    broken.retain(|finding| finding.rule == rule.id);
    match broken.iter().map(|finding| finding.severity).max() {
        None => faults.push(format!("{}: its bad example does not break it", rule.id)),
        Some(worst) if worst > rule.severity => {
            faults.push(format!(
                "{}: graver than {}",
                rule.id,
                rule.severity.as_str()
            ));
        }
        Some(_) => {}
    }
    let to_itself = conversions(rule.good, |format, target| {
        format == target.format() && target != Target::A2a03
    });
    let is_broken = |finding: &Finding| finding.rule == rule.id;
    if !of_rule(rule.good).is_empty() || to_itself.iter().any(is_broken) {
        faults.push(format!("{}: its good example breaks it", rule.id));
    }
    if rule.good.is_empty() || rule.severity == Severity::Error && of_errors(rule.good) {
        faults.push(format!("{}: its good example is not valid", rule.id));
    }
    let texts = [rule.format, rule.title, rule.explanation, rule.section];
    if texts.iter().any(|text| text.is_empty()) {
        faults.push(format!("{}: not explained", rule.id));
    }
    faults
}

/// Everything that is found when each document is converted to the targets that are `wanted`.
fn conversions(examples: &[Example], wanted: fn(FormatId, Target) -> bool) -> Vec<Finding> {
    let of_example = |example| {
        let document = document(example);
        let reading = formats::read(&document);
        let origin = Origin::of(&document, &reading);
        let targets = Target::ALL.into_iter();
        let targets = targets.filter(|target| wanted(reading.format, *target));
        let found = targets.flat_map(|target| convert(&reading.agents, &origin, target).findings);
        found.collect::<Vec<_>>()
    };
    examples.iter().flat_map(of_example).collect()
}

/// True when the examples have any error.
fn of_errors(examples: &[Example]) -> bool {
    findings(examples)
        .iter()
        .any(|finding| finding.severity == Severity::Error)
}

#[test]
fn every_id_is_given_once() {
    let mut seen = BTreeSet::new();
    for rule in all() {
        assert!(seen.insert(rule.id), "{} is given twice", rule.id);
    }
}
