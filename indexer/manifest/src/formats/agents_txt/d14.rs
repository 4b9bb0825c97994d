//! D14: ADP/1.0, with `Engine`, `Spec`, `Policy`, `Index` and `Contact` (AT-93).

use super::report::Report;
use crate::Severity::Info;
use crate::formats::agents_txt::rules::HABIT;
use crate::rules::{Example, Rule};

pub(super) fn validate(report: &mut Report<'_>) {
    let engine = report.directives().first("engine");
    let place = engine.map_or_else(|| report.manifest.first_place(), |line| line.at);
    let message = "ADP/1.0 offers nothing to call; write an agents.json or an agent card as well";
    report.at("AT-93", place, message);
}

pub(super) const RULES: &[Rule] = &[Rule {
    id: "AT-93",
    format: HABIT,
    severity: Info,
    title: "A file for programs says what can be called",
    explanation: "ADP/1.0 names an engine, a policy and an index, and nothing that an agent could call. It is listed by its name: publish an agents.json or an agent card for what the site can do.",
    section: "By habit; FORMATS.md 11.10",
    good: super::rules::GOOD,
    bad: &[Example::at(
        "/agents.txt",
        "# ADP/1.0\nName: Harbour Books\nEngine: shelf\nSpec: https://shop.example/adp\nContact: books@shop.example\n",
    )],
}];
