//! Excerpts of lines for findings.

use crate::body::Body;
use crate::rule::document::DI_10;
use crate::text::is_hidden;
use crate::{Finding, json, secret};
use std::collections::{HashMap, HashSet};
use unicode_width::UnicodeWidthChar as _;

/// Maximum number of characters of a line that are shown.
const WIDTH: usize = 100;
/// Maximum number of these characters before the position.
const BEFORE: usize = 60;

/// An excerpt of a line without control characters and secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Quote {
    /// The excerpt, with `…` where the line continues.
    pub(crate) text: String,
    /// Number of terminal columns before the position.
    pub(crate) before: usize,
}

/// Returns the lines of findings that have positions.
///
/// A line with a secret is omitted; the finding's own excerpt contains none.
pub(crate) fn all(findings: &[Finding], body: &Body<'_>) -> Vec<Option<Quote>> {
    let secret_lines = secret_lines(findings, body);
    let wanted: HashSet<u32> = findings.iter().filter_map(|finding| finding.line).collect();
    let may_be_shown = |(number, line): &(u32, &str)| {
        wanted.contains(number)
            && !line.trim().is_empty()
            && !secret_lines.contains(number)
            && !secret::is_in_line(line)
    };
    let lines = (1..).zip(body.text.split('\n')).filter(may_be_shown);
    let lines: HashMap<u32, &str> = lines.collect();
    let quotes = findings.iter().map(|finding| {
        let line = lines.get(&finding.line?)?;
        Some(quote(line, finding.column.unwrap_or(1)))
    });
    quotes.collect()
}

/// Returns the lines of all secrets, including those without a finding.
fn secret_lines(findings: &[Finding], body: &Body<'_>) -> HashSet<u32> {
    let secret = |pointer: &String| Finding::new(&DI_10, pointer, "");
    let mut secrets: Vec<_> = body.secrets.iter().map(secret).collect();
    json::locate::locate(&mut secrets, body.mended.as_deref().unwrap_or(&body.text));
    let reported = findings.iter().filter(|finding| finding.rule == &DI_10);
    let lines = |finding: &Finding| {
        let also = finding.also.iter().filter_map(|it| it.line);
        also.chain(finding.line).collect::<Vec<_>>()
    };
    let all = secrets.iter().chain(reported);
    all.flat_map(lines).collect()
}

fn quote(line: &str, column: u32) -> Quote {
    let column = usize::try_from(column).unwrap_or(1).saturating_sub(1);
    let start = column.saturating_sub(BEFORE);
    let mut rest = line.trim_end().chars().skip(start);
    let mut text = String::new();
    if start > 0 {
        text.push('…');
    }
    text.extend(rest.by_ref().take(WIDTH).map(shown));
    if rest.next().is_some() {
        text.push('…');
    }
    let marked = column - start + usize::from(start > 0);
    let before = text.chars().chain(std::iter::repeat(' ')).take(marked);
    Quote {
        before: before.map(|it| it.width().unwrap_or(0)).sum(),
        text,
    }
}

/// Replaces a character that a terminal would not show as itself.
fn shown(character: char) -> char {
    match character {
        '\t' => ' ',
        hidden if is_hidden(hidden) => '\u{FFFD}',
        other => other,
    }
}
