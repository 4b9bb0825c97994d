//! Rules on the lines of every dialect.

use super::directives::Directive;
use super::report::Report;
use super::well_known::{self, Block};
use super::{Dialect, keys};
use crate::finding::more;
use crate::formats::agents_txt::common::rules::{AT_02, AT_04, AT_06, AT_94};
use crate::text;
use std::collections::HashSet;

pub(super) mod rules;

pub(super) fn validate(report: &mut Report<'_>) {
    let manifest = report.manifest;
    let in_blocks = manifest
        .blocks
        .iter()
        .flat_map(|block| block.directives.iter());
    let lines: Vec<&Directive> = manifest.directives.iter().chain(in_blocks).collect();
    let is_specified = matches!(
        manifest.dialect,
        Dialect::AGENTS_PROTOCOL_LEGACY
            | Dialect::AGENTS_PROTOCOL
            | Dialect::WELL_KNOWN
            | Dialect::AGENTS_TXT_COM
            | Dialect::AGENT_POLICY
            | Dialect::AGENTS_BRIEF
    );
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
    let is_comment = |line: &&&Directive| line.had_comment && manifest.dialect != Dialect::PROSE;
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
