//! Rules on the lines of every dialect (FORMATS.md 4.3).

use super::directives::Directive;
use super::report::{Report, quoted};
use super::{Dialect, keys};
use crate::Severity::{Info, Warning};
use crate::finding::more;
use crate::rules::{Example, Rule};
use crate::text;
use std::collections::HashSet;

const FORMAT: &str = "agents.txt";

pub(super) fn validate(report: &mut Report<'_>) {
    let manifest = report.manifest;
    let in_blocks = manifest
        .blocks
        .iter()
        .flat_map(|block| block.directives.iter());
    let lines: Vec<&Directive> = manifest.directives.iter().chain(in_blocks).collect();
    let is_specified = {
        use Dialect::{D1, D2, D3, D4, D6, D7};
        matches!(manifest.dialect, D1 | D2 | D3 | D4 | D6 | D7)
    };
    if is_specified {
        let message = |_: &_| "not a line of Key: Value; begin a comment with #".to_owned();
        report.alike("AT-02", manifest.stray.iter(), |place| **place, message);
        unknown_keys(report);
    }
    let is_long = |line: &&&Directive| {
        line.value.chars().nth(text::MAX_CHARS).is_some() || line.value.contains(char::is_control)
    };
    let message = |_: &_| "control characters, or longer than 2,000 characters".to_owned();
    let long = lines.iter().filter(is_long);
    report.alike("AT-06", long, |line| line.value_at, message);
    let is_comment = |line: &&&Directive| line.had_comment && manifest.dialect != Dialect::D11;
    let message = |_: &_| "put the comment on a line of its own".to_owned();
    let had_comment = lines.iter().filter(is_comment);
    let place = |line: &&&Directive| line.value_at.after(&line.value);
    report.alike("AT-94", had_comment, place, message);
    if manifest.unread > 0 {
        let rest = more("items and operations", manifest.unread);
        report.findings.push(rest);
    }
}

/// AT-04: each key that no dialect knows, once.
fn unknown_keys(report: &mut Report<'_>) {
    let mut seen = HashSet::new();
    let unknown = report
        .directives()
        .iter()
        .filter(|line| !keys::is_known(&line.key));
    let first = unknown.filter(|line| seen.insert(&line.key));
    let message = |line: &&Directive| {
        let key = quoted(&line.written);
        format!("{key} is in no specification; kept as it is")
    };
    report.alike("AT-04", first, |line| line.at, message);
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "AT-02",
        format: FORMAT,
        severity: Warning,
        title: "Every line is Key: Value",
        explanation: "A line is split at its first colon. One without a colon is no comment and no value, so readers skip it. Begin comments with #.",
        section: "agents.txt, \"Syntax\"",
        good: super::rules::GOOD,
        bad: &[super::rules::text(
            "Name: Harbour Books\nURL: https://shop.example\nCapabilities: search\nopen every day\n",
        )],
    },
    Rule {
        id: "AT-03",
        format: FORMAT,
        severity: Warning,
        title: "Keys are written as the specification writes them",
        explanation: "The keys of agents-txt.com are case-sensitive: `MCP`, not `mcp`. We read both; other readers may not.",
        section: "agents-txt.com, \"Syntax\"",
        good: super::d4::rules::GOOD,
        bad: &[super::rules::text("mcp: https://shop.example/mcp\n")],
    },
    Rule {
        id: "AT-04",
        format: FORMAT,
        severity: Info,
        title: "Keys are known",
        explanation: "A key that no specification knows is kept and shown as it is, and never an error. Check its spelling if it was meant to say something to programs.",
        section: "agents.txt, \"Extensibility\"",
        good: super::rules::GOOD,
        bad: &[super::rules::text(
            "Name: Harbour Books\nURL: https://shop.example\nCapabilities: search\nColour: blue\n",
        )],
    },
    Rule {
        id: "AT-06",
        format: FORMAT,
        severity: Warning,
        title: "Values are short and plain",
        explanation: "Control characters can change what people see, and nobody reads 2,000 characters in one value. We remove the former and cut the latter.",
        section: "FORMATS.md 4.3",
        good: super::rules::GOOD,
        bad: &[super::rules::text(
            "Name: Harbour \u{7}Books\nURL: https://shop.example\nCapabilities: search\n",
        )],
    },
    Rule {
        id: "AT-07",
        format: FORMAT,
        severity: Warning,
        title: "Addresses are whole",
        explanation: "The specifications show absolute URLs only. A relative one is resolved against the file's own address, which other readers may do differently.",
        section: "agents.txt, \"Fields\"",
        good: super::rules::GOOD,
        bad: &[super::rules::text(
            "Name: Harbour Books\nURL: https://shop.example\nCapabilities: search\nDocs: /docs\n",
        )],
    },
    Rule {
        id: "AT-94",
        format: FORMAT,
        severity: Warning,
        title: "Comments have lines of their own",
        explanation: "A # between spaces after a value is taken for a comment, and the value ends before it. Other readers take it for part of the value.",
        section: "By habit; FORMATS.md 11.10",
        good: super::rules::GOOD,
        bad: &[Example::at(
            super::rules::PLACE,
            "Name: Harbour Books # since 1932\nURL: https://shop.example\nCapabilities: search\n",
        )],
    },
];
