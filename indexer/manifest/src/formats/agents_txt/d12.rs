//! D12: a robots.txt with pointers to services in it (AT-91).

use super::agent::named;
use super::lines::Place;
use super::report::Report;
use super::{Manifest, keys};
use crate::Capability;
use crate::Severity::Info;
use crate::formats::agents_txt::rules::HABIT;
use crate::rules::{Example, Rule};

pub(super) fn validate(report: &mut Report<'_>) {
    let mut lines = report.directives().iter();
    let pointer = lines.find(|line| keys::is_pointer(&line.key) || is_action(&line.key));
    let place = pointer.map_or_else(|| report.manifest.first_place(), |line| line.at);
    let message = "robots.txt with pointers; write an agents.json or an agent card for programs";
    report.at("AT-91", place, message);
}

fn is_action(key: &str) -> bool {
    matches!(key, "allow-action" | "tool")
}

/// The names in `Allow-action` and `Tool`.
pub(super) fn capabilities(manifest: &Manifest) -> impl Iterator<Item = (Place, Capability)> {
    let lines = ["allow-action", "tool"].map(|key| manifest.directives.all(key));
    let lines = lines.into_iter().flatten();
    lines.filter_map(|line| Some((line.value_at, named(&line.value)?)))
}

pub(super) const RULES: &[Rule] = &[Rule {
    id: "AT-91",
    format: HABIT,
    severity: Info,
    title: "A file for programs follows a specification",
    explanation: "Groups of User-agent say who may come, and the pointers beside them are read as interfaces and capabilities. No specification describes such a file, so few programs will find what is in it: publish an agents.json or an agent card as well.",
    section: "By habit; FORMATS.md 11.10",
    good: super::rules::GOOD,
    bad: &[Example::at(
        "/agents.txt",
        "# Shop\nUser-agent: *\nAllow: /\nMCP-Server: https://shop.example/mcp\nAllow-action: find_book\n",
    )],
}];
