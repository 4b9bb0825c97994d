//! Dialect "ADP": ADP/1.0, with `Engine`, `Spec`, `Policy`, `Index` and `Contact` (AT-93).

use super::report::Report;
use crate::Severity::Info;
use crate::formats::agents_txt::examples::INFORMAL;
use crate::rule::{Example, Rule};

pub(super) fn validate(report: &mut Report<'_>) {
    let engine = report.directives().first("engine");
    let place = engine.map_or_else(|| report.manifest.first_position(), |line| line.at);
    let message = "ADP/1.0 names nothing to call; publish an agents.json or an agent card as well";
    report.at(&AT_93, place, message);
}

pub(crate) static AT_93: Rule = Rule {
    id: "AT-93",
    format: INFORMAL,
    severity: Info,
    title: "A file for programs states what can be called",
    explanation: "ADP/1.0 names an engine, a policy and an index, but nothing that an agent could call. The site is listed by its name only: publish an agents.json or an agent card with what it can do.",
    section: "Common practice; there is no specification",
    good: super::examples::GOOD,
    bad: &[Example::at(
        "/agents.txt",
        "# ADP/1.0\nName: Harbour Books\nEngine: shelf\nSpec: https://shop.example/adp\nContact: books@shop.example\n",
    )],
};

pub(super) const RULES: &[&Rule] = &[&AT_93];
