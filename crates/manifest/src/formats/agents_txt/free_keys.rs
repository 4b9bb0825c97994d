//! Dialect "free keys": `Key: Value` lines that follow no specification (AT-92).

use super::report::Report;
use crate::Severity::Info;
use crate::formats::agents_txt::examples::INFORMAL;
use crate::rule::{Example, Rule};

pub(super) fn validate(report: &mut Report<'_>) {
    let first = report.directives().iter().next();
    let place = first.map_or_else(|| report.manifest.first_position(), |line| line.at);
    let message =
        "these keys follow no specification; publish an agents.json or an agent card as well";
    report.at(&AT_92, place, message);
}

pub(crate) static AT_92: Rule = Rule {
    id: "AT-92",
    format: INFORMAL,
    severity: Info,
    title: "The keys follow a specification",
    explanation: "We read names, addresses, contacts and pointers under the usual keys, and keep the rest as published. No specification describes such a file: publish an agents.json or an agent card as well.",
    section: "Common practice; there is no specification",
    good: super::examples::GOOD,
    bad: &[Example::at(
        "/agents.txt",
        "# Shop\nOwner: Harbour Books\nWebsite: https://shop.example\nContact: books@shop.example\nAPI: https://shop.example/api\n",
    )],
};

pub(super) const RULES: &[&Rule] = &[&AT_92];
