//! Readings for a document's author: every finding has its position in the text.

use crate::body::{self, Body};
use crate::fault::{self, Fault};
use crate::rule::document::{DI_12, DI_15, DI_30};
use crate::text::{MAX_CHARS, clean};
use crate::{Document, Finding, FormatId, Reading, Severity};
use crate::{formats, json};
use quote::Quote;
use std::cmp::Reverse;

mod quote;
mod show;
#[cfg(test)]
mod tests;

pub use show::Part;

/// Findings on one document, with their positions.
#[derive(Clone, Debug, PartialEq)]
pub struct Lint {
    /// The reading; its findings all have a line and a column. The gravest is the first, and those of
    /// the same severity are in the order of the text.
    pub reading: Reading,
    /// For each finding its line, if that may be shown.
    quotes: Vec<Option<Quote>>,
}

impl Lint {
    /// Returns the first error of the grammar of JSON, which other readers do not read past.
    pub fn syntax_error(&self) -> Option<&Finding> {
        let mut findings = self.reading.findings.iter();
        findings.find(|it| json::locate::is_syntax(it))
    }

    /// Removes all findings but errors.
    pub fn keep_errors(&mut self) {
        let is_error = |finding: &Finding| finding.severity == Severity::Error;
        let mut findings = self.reading.findings.iter();
        self.quotes.retain(|_| findings.next().is_none_or(is_error));
        self.reading.findings.retain(is_error);
    }
}

/// Reads a document and determines the position of every finding.
///
/// ```
/// let body = "{\n  \"name\": \"Ferry\",\n  \"description\": \"Crossings\",\n}";
/// let document = manifest::Document::of_file("agents.json", body);
/// let lint = manifest::lint(&document);
/// assert!(!lint.reading.is_valid() && lint.reading.is_indexable());
/// let comma = lint.reading.findings.iter().find(|it| it.rule.id == "DI-07").unwrap();
/// assert_eq!((comma.line, comma.column), (Some(3), Some(29)));
/// ```
pub fn lint(document: &Document) -> Lint {
    let linted = fault::contained(|| {
        let body = body::open(document);
        lint_body(document, formats::detect_body(document, &body), &body)
    });
    linted.unwrap_or_else(|fault| without_places(formats::read(document), &fault))
}

/// Works like [`lint()`], but reads the document as `format` without detection.
pub fn lint_as(document: &Document, format: FormatId) -> Lint {
    let linted = fault::contained(|| lint_body(document, format, &body::open(document)));
    linted.unwrap_or_else(|fault| without_places(formats::read_as(document, format), &fault))
}

/// Determines the positions of the findings of an earlier reading.
pub fn of_reading(document: &Document, reading: Reading) -> Lint {
    let located = fault::contained(|| located(reading.clone(), &body::open(document)));
    located.unwrap_or_else(|fault| without_places(reading, &fault))
}

/// Returns line and column of the fact at each pointer in the text of a document, as
/// [`Evidence`](crate::listing::Evidence) has them: `line:N`, or a JSON pointer, which leads to its
/// nearest existing parent. `None` where the text has no such place.
///
/// ```
/// let text = "{\n  \"name\": \"Ferry\"\n}";
/// let places = manifest::lint::positions(text, &["/name", "line:2", "line:9"]);
/// assert_eq!(places, [Some((2, 11)), Some((2, 1)), None]);
/// ```
pub fn positions(text: &str, pointers: &[&str]) -> Vec<Option<(u32, u32)>> {
    let lines = text.split('\n').count();
    let line_of = |pointer: &str| {
        let line: u32 = pointer.strip_prefix("line:")?.parse().ok()?;
        Some((1..=lines).contains(&(line as usize)).then_some((line, 1)))
    };
    let in_json = fault::contained(|| json::locate::positions(text, pointers));
    let in_json = in_json.unwrap_or_else(|_| vec![None; pointers.len()]);
    let places = pointers.iter().zip(in_json);
    places
        .map(|(pointer, found)| line_of(pointer).unwrap_or(found))
        .collect()
}

/// Returns a key that sorts findings with the gravest first: an error of the grammar of JSON, which
/// keeps the rest from being read; errors, warnings and notes; and among equals, that there is no
/// address to call, or none that others reach. Otherwise their order stays that of the text.
fn gravity(finding: &Finding) -> (bool, Reverse<Severity>, bool) {
    (
        !json::locate::is_syntax(finding),
        Reverse(finding.severity),
        ![&DI_12, &DI_15].contains(&finding.rule),
    )
}

/// Returns the reading without positions, because determining them failed with an internal error
/// (DI-11).
fn without_places(mut reading: Reading, fault: &Fault) -> Lint {
    if reading.fault().is_none() {
        reading
            .findings
            .push(fault.finding("locating the findings"));
    }
    for finding in &mut reading.findings {
        finding.line.get_or_insert(1);
        finding.column.get_or_insert(1);
    }
    reading.findings.sort_by_key(gravity);
    Lint {
        quotes: vec![None; reading.findings.len()],
        reading,
    }
}

/// Reads the document; for its author, an unknown format is an error, not just information (DI-30).
fn lint_body(document: &Document, format: FormatId, body: &Body<'_>) -> Lint {
    let mut reading = formats::read_body(document, format, body);
    let is_unknown = |it: &&mut Finding| it.rule == &DI_30 && it.pointer.is_empty();
    for finding in reading.findings.iter_mut().filter(is_unknown) {
        finding.severity = Severity::Error;
    }
    located(reading, body)
}

fn located(mut reading: Reading, body: &Body<'_>) -> Lint {
    let read = body.mended.as_deref().unwrap_or(&body.text);
    json::locate::locate(&mut reading.findings, read);
    reading.findings.sort_by_key(gravity);
    for finding in &mut reading.findings {
        let advice = [&mut finding.help, &mut finding.correction];
        for text in advice.into_iter().flatten().chain([&mut finding.message]) {
            *text = clean(text, MAX_CHARS);
        }
    }
    Lint {
        quotes: quote::all(&reading.findings, body),
        reading,
    }
}
