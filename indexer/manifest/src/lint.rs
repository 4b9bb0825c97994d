//! A reading for the eyes of a document's author: every finding with its place in the text.

use crate::body::{self, Body};
use crate::fault::{self, Fault};
use crate::text::{MAX_CHARS, clean};
use crate::{Agent, Document, Finding, FormatId, Level, Mention, Reading, Reference, Severity};
use crate::{formats, place};
use quote::Quote;
use serde::{Serialize, Serializer};

mod quote;
mod show;
#[cfg(test)]
mod tests;

pub use show::Part;

/// What is wrong in one document, and where.
///
/// It serializes as the object that `indexer lint --format json` prints, but for the file's name:
/// the verdicts, the agents with everything that was read of them, what the document points at and
/// whom it speaks of, and the findings.
#[derive(Clone, Debug, PartialEq)]
pub struct Lint {
    /// The reading; its findings all have a line and a column, and stand in the order of the text.
    pub reading: Reading,
    /// The line of each finding, where it may be shown.
    quotes: Vec<Option<Quote>>,
}

/// Reads a document and finds the place of every finding.
///
/// ```
/// let body = "{\n  \"name\": \"Ferry\",\n  \"description\": \"Crossings\",\n}";
/// let document = manifest::Document::of_file("agents.json", body);
/// let lint = manifest::lint(&document);
/// assert!(!lint.reading.is_valid() && lint.reading.is_indexable());
/// let comma = lint.reading.findings.iter().find(|it| it.rule == "DI-07").unwrap();
/// assert_eq!((comma.line, comma.column), (Some(3), Some(29)));
/// ```
pub fn lint(document: &Document) -> Lint {
    let linted = fault::contained(|| {
        let body = body::open(document);
        lint_body(document, formats::detect_body(document, &body), &body)
    });
    linted.unwrap_or_else(|fault| without_places(formats::read(document), &fault))
}

/// Like [`lint()`], as `format`, whatever the document looks like.
pub fn lint_as(document: &Document, format: FormatId) -> Lint {
    let linted = fault::contained(|| lint_body(document, format, &body::open(document)));
    linted.unwrap_or_else(|fault| without_places(formats::read_as(document, format), &fault))
}

/// Finds the places of the findings that an earlier reading of the document gave.
pub fn of_reading(document: &Document, reading: Reading) -> Lint {
    let located = fault::contained(|| located(reading.clone(), &body::open(document)));
    located.unwrap_or_else(|fault| without_places(reading, &fault))
}

/// What can be told without looking for places, as that met a fault of ours (DI-11).
fn without_places(mut reading: Reading, fault: &Fault) -> Lint {
    if reading.fault().is_none() {
        reading
            .findings
            .push(fault.finding("looking for the places of findings"));
    }
    for finding in &mut reading.findings {
        finding.line.get_or_insert(1);
        finding.column.get_or_insert(1);
    }
    reading
        .findings
        .sort_by_key(|finding| (finding.line, finding.column));
    Lint {
        quotes: vec![None; reading.findings.len()],
        reading,
    }
}

/// To an author it is a fault that a file is no manifest, while a reader only passes it by (DI-30).
fn lint_body(document: &Document, format: FormatId, body: &Body<'_>) -> Lint {
    let mut reading = formats::read_body(document, format, body);
    let is_unknown = |it: &&mut Finding| it.rule == "DI-30" && it.pointer.is_empty();
    for finding in reading.findings.iter_mut().filter(is_unknown) {
        finding.severity = Severity::Error;
        "no known format: this is no manifest".clone_into(&mut finding.message);
    }
    located(reading, body)
}

fn located(mut reading: Reading, body: &Body<'_>) -> Lint {
    let read = body.mended.as_deref().unwrap_or(&body.text);
    place::locate(&mut reading.findings, read);
    for finding in &mut reading.findings {
        finding.message = clean(&finding.message, MAX_CHARS);
    }
    Lint {
        quotes: quote::all(&reading.findings, body),
        reading,
    }
}

impl Serialize for Lint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let reading = &self.reading;
        Answer {
            format: reading.format,
            generation: reading.generation.as_deref(),
            level: reading.level(),
            valid: reading.is_valid(),
            indexable: reading.is_indexable(),
            agents: &reading.agents,
            references: &reading.references,
            mentions: &reading.mentions,
            findings: reading.findings.iter().map(Remark::of).collect(),
        }
        .serialize(serializer)
    }
}

#[derive(Serialize)]
struct Answer<'a> {
    format: FormatId,
    generation: Option<&'a str>,
    level: Level,
    valid: bool,
    indexable: bool,
    agents: &'a [Agent],
    references: &'a [Reference],
    mentions: &'a [Mention],
    findings: Vec<Remark<'a>>,
}

/// A [`Finding`] with every member, in the order in which people read them.
#[derive(Serialize)]
struct Remark<'a> {
    rule: &'a str,
    severity: Severity,
    pointer: &'a str,
    line: Option<u32>,
    column: Option<u32>,
    message: &'a str,
    excerpt: Option<&'a str>,
}

impl<'a> Remark<'a> {
    fn of(finding: &'a Finding) -> Self {
        Self {
            rule: &finding.rule,
            severity: finding.severity,
            pointer: &finding.pointer,
            line: finding.line,
            column: finding.column,
            message: &finding.message,
            excerpt: finding.excerpt.as_deref(),
        }
    }
}
