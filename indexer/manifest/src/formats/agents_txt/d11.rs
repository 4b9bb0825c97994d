//! D11: Markdown in the manner of llms.txt, the most common agents.txt of all (AT-90).
//!
//! The first heading is the name and the first paragraph the description. Links that end in the
//! name of a manifest or of an interface are read as such; a line that begins with an HTTP method
//! and a path, and a list below a heading such as "Tools", are capabilities.

use super::lines::Place;
use super::report::Report;
use super::{Dialect, Manifest};
use crate::Severity::Info;
use crate::formats::agents_txt::rules::HABIT;
use crate::rules::{Example, Rule};
use crate::{Capability, Document};

pub(super) mod list;
mod operation;
mod paragraph;
pub(super) mod prose;
mod title;

pub(super) use operation::Operation;

pub(super) fn validate(report: &mut Report<'_>) {
    let title = report.manifest.prose.title(Dialect::D11);
    let place = title.map_or_else(|| report.manifest.first_place(), |(place, _)| place);
    let message = "prose; write an agents.json or an agent card for programs";
    report.at("AT-90", place, message);
}

/// What lists and lines with a method say, here and wherever else people write them.
pub(super) fn capabilities<'m>(
    manifest: &'m Manifest,
    document: &'m Document,
) -> impl Iterator<Item = (Place, Capability)> {
    let listed = manifest.listed.iter();
    let listed = listed.filter_map(|item| Some((item.at, item.capability(document)?)));
    let operations = manifest.operations.iter();
    listed.chain(operations.map(|operation| (operation.at, operation.capability(document))))
}

pub(super) const RULES: &[Rule] = &[Rule {
    id: "AT-90",
    format: HABIT,
    severity: Info,
    title: "Programs get data, not prose",
    explanation: "The heading, the first paragraph and the links of a text are read, and listed with what little they say. Programs cannot rely on prose: publish an agents.json or an agent card as well.",
    section: "By habit; FORMATS.md 11.10",
    good: super::rules::GOOD,
    bad: &[Example::at(
        "/agents.txt",
        "# Harbour Books\n\nSecond-hand books, shipped from the harbour.\n\n- [Agent card](/.well-known/agent-card.json)\n",
    )],
}];
