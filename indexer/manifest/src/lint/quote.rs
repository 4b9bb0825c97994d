//! The line of a finding, as much of it as may be shown.

use crate::body::Body;
use crate::text::is_hidden;
use crate::{Finding, Severity, place, secret};
use std::collections::HashSet;
use unicode_width::UnicodeWidthChar as _;

/// Most characters of a line that are shown.
const WIDTH: usize = 100;
/// Most of them before the place.
const BEFORE: usize = 60;

/// A piece of a line without control characters and secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Quote {
    /// The piece, with `…` where the line goes on.
    pub(crate) text: String,
    /// Columns of a terminal before the place.
    pub(crate) before: usize,
}

/// The lines of findings that have places and stand in the order of the text.
///
/// A line with a secret is left out: the finding's own excerpt has none.
pub(crate) fn all(findings: &[Finding], body: &Body<'_>) -> Vec<Option<Quote>> {
    let secret_lines = secret_lines(findings, body);
    let mut lines = (1..).zip(body.text.split('\n'));
    let mut current = (0, None);
    let quotes = findings.iter().map(|finding| {
        let number = finding.line?;
        if current.0 != number {
            let line = lines.find(|(it, _)| *it == number).map(|(_, line)| line);
            let may_be_shown = |line: &&str| {
                !line.trim().is_empty()
                    && !secret_lines.contains(&number)
                    && !secret::is_in_line(line)
            };
            current = (number, line.filter(may_be_shown));
        }
        Some(quote(current.1?, finding.column.unwrap_or(1)))
    });
    quotes.collect()
}

/// Where secrets stand, also those for which there was no room among the findings.
fn secret_lines(findings: &[Finding], body: &Body<'_>) -> HashSet<u32> {
    let told = |pointer: &String| Finding::new("DI-10", Severity::Warning, pointer, "");
    let mut secrets: Vec<_> = body.secrets.iter().map(told).collect();
    place::locate(&mut secrets, body.mended.as_deref().unwrap_or(&body.text));
    let reported = findings.iter().filter(|finding| finding.rule == "DI-10");
    let all = secrets.iter().chain(reported);
    all.filter_map(|finding| finding.line).collect()
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

/// A character that does nothing to a terminal but to fill its columns.
fn shown(character: char) -> char {
    match character {
        '\t' => ' ',
        hidden if is_hidden(hidden) => '\u{FFFD}',
        other => other,
    }
}
