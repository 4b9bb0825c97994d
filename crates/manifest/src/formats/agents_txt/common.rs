//! Rules on the lines of every dialect.

use super::directives::Directive;
use super::report::Report;
use super::well_known::{self, Block};
use super::{Dialect, keys};
use crate::Severity::{Info, Warning};
use crate::finding::more;
use crate::rule::{Example, Rule};
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
        use Dialect::{
            AgentPolicy, AgentsBrief, AgentsProtocol, AgentsProtocolLegacy, AgentsTxtCom, WellKnown,
        };
        matches!(
            manifest.dialect,
            AgentsProtocolLegacy
                | AgentsProtocol
                | WellKnown
                | AgentsTxtCom
                | AgentPolicy
                | AgentsBrief
        )
    };
    if is_specified {
        let message =
            |_: &_| "not a `Key: Value` line; write one, or begin a comment with #".to_owned();
        report.each(&AT_02, manifest.stray.iter(), |place| **place, message);
        unknown_keys(report);
    }
    let is_long = |line: &&&Directive| {
        line.value.chars().nth(text::MAX_CHARS).is_some() || line.value.contains(char::is_control)
    };
    let message = |_: &_| {
        "the value has control characters or more than 2,000 characters; clean or shorten it"
            .to_owned()
    };
    let long = lines.iter().filter(is_long);
    report.each(&AT_06, long, |line| line.value_at, message);
    let is_comment = |line: &&&Directive| line.had_comment && manifest.dialect != Dialect::Prose;
    let message = |_: &_| "a comment behind a value; put it on a line of its own".to_owned();
    let had_comment = lines.iter().filter(is_comment);
    let place = |line: &&&Directive| line.value_at.after(&line.value);
    report.each(&AT_94, had_comment, place, message);
    if manifest.unread > 0 {
        let rest = more("items and operations", manifest.unread);
        report.findings.push(rest);
    }
}

/// Reports each key that no dialect defines, once (AT-04).
fn unknown_keys(report: &mut Report<'_>) {
    let mut seen = HashSet::new();
    let in_blocks = well_known::specified(report.manifest).flat_map(Block::unknown);
    let lines = report.directives().iter().chain(in_blocks);
    let unknown = lines.filter(|line| !keys::is_known(&line.key));
    let first = unknown.filter(|line| seen.insert(&line.key));
    let message =
        |_: &&Directive| "no specification defines this key; it is kept as published".to_owned();
    report.each(&AT_04, first, |line| line.at, message);
}

pub(crate) static AT_02: Rule = Rule {
    id: "AT-02",
    format: FORMAT,
    severity: Warning,
    title: "Every line is a comment or `Key: Value`",
    explanation: "A line is split at its first colon. A line without a colon is neither a comment nor a value, so readers skip it. Begin comments with #.",
    section: "agents.txt, \"Syntax\"",
    good: super::rules::GOOD,
    bad: &[super::rules::text(
        "Name: Harbour Books\nURL: https://shop.example\nCapabilities: search\nopen every day\n",
    )],
};

pub(crate) static AT_03: Rule = Rule {
    id: "AT-03",
    format: FORMAT,
    severity: Warning,
    title: "Keys are spelled as in the specification",
    explanation: "The keys of agents-txt.com are case-sensitive: `MCP`, not `mcp`. We read both; other readers may not.",
    section: "agents-txt.com, \"Syntax\"",
    good: super::agents_txt_com::rules::GOOD,
    bad: &[super::rules::text("mcp: https://shop.example/mcp\n")],
};

pub(crate) static AT_04: Rule = Rule {
    id: "AT-04",
    format: FORMAT,
    severity: Info,
    title: "A specification defines each key",
    explanation: "A key that no specification defines is kept and shown as published; it is never an error. Check its spelling if programs are supposed to understand it.",
    section: "agents.txt, \"Extensibility\"",
    good: super::rules::GOOD,
    bad: &[super::rules::text(
        "Name: Harbour Books\nURL: https://shop.example\nCapabilities: search\nColour: blue\n",
    )],
};

pub(crate) static AT_06: Rule = Rule {
    id: "AT-06",
    format: FORMAT,
    severity: Warning,
    title: "Values are short and plain",
    explanation: "Control characters can change what people see, and a value of more than 2,000 characters is too long to read. We remove control characters and truncate long values.",
    section: "Common practice; there is no specification",
    good: super::rules::GOOD,
    bad: &[super::rules::text(
        "Name: Harbour \u{7}Books\nURL: https://shop.example\nCapabilities: search\n",
    )],
};

pub(crate) static AT_07: Rule = Rule {
    id: "AT-07",
    format: FORMAT,
    severity: Warning,
    title: "Addresses are absolute URLs",
    explanation: "The specifications show absolute URLs only. We resolve a relative one against the file's own address; other readers may resolve it differently.",
    section: "agents.txt, \"Fields\"",
    good: super::rules::GOOD,
    bad: &[super::rules::text(
        "Name: Harbour Books\nURL: https://shop.example\nCapabilities: search\nDocs: /docs\n",
    )],
};

pub(crate) static AT_94: Rule = Rule {
    id: "AT-94",
    format: FORMAT,
    severity: Warning,
    title: "Comments have lines of their own",
    explanation: "We take a # between spaces for the start of a comment, so the value ends before it. Other readers take it for part of the value.",
    section: "Common practice; there is no specification",
    good: super::rules::GOOD,
    bad: &[Example::at(
        super::rules::PLACE,
        "Name: Harbour Books # since 1932\nURL: https://shop.example\nCapabilities: search\n",
    )],
};

pub(super) const RULES: &[&Rule] = &[&AT_02, &AT_03, &AT_04, &AT_06, &AT_07, &AT_94];
