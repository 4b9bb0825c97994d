//! D13: lines of `Key: Value` by nobody's specification (AT-92).

use super::report::Report;
use crate::Severity::Info;
use crate::formats::agents_txt::rules::HABIT;
use crate::rules::{Example, Rule};

pub(super) fn validate(report: &mut Report<'_>) {
    let first = report.directives().iter().next();
    let place = first.map_or_else(|| report.manifest.first_place(), |line| line.at);
    let message = "free keys; write an agents.json or an agent card for programs";
    report.at("AT-92", place, message);
}

pub(super) const RULES: &[Rule] = &[Rule {
    id: "AT-92",
    format: HABIT,
    severity: Info,
    title: "Keys are those of a specification",
    explanation: "Names, addresses, contacts and pointers are read under whatever key is usual for them, and the rest is kept as it is. No specification describes such a file: publish an agents.json or an agent card as well.",
    section: "By habit; FORMATS.md 11.10",
    good: super::rules::GOOD,
    bad: &[Example::at(
        "/agents.txt",
        "# Shop\nOwner: Harbour Books\nWebsite: https://shop.example\nContact: books@shop.example\nAPI: https://shop.example/api\n",
    )],
}];
