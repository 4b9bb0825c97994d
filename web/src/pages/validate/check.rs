//! Result of a check, as the page shows it.

use super::choices;
use super::numbered::{Lines, Note, NumberedText, finding_id};
use super::publish::Publication;
use crate::view;
use crate::view::document::{FindingAnchors, FindingView};
use manifest::corrected::Edit;
use manifest::lint::Lint;
use manifest::{Document, Domain, Finding, Severity, openapi};

/// Most findings on the page.
const FINDINGS: usize = 100;
/// Maximum number of agents that the page names.
const AGENTS: usize = 20;
/// Most further places of a finding that are linked.
const ALSO: usize = 12;

/// Checked text, before it is shown.
#[derive(Debug)]
pub(crate) struct Checked<'a> {
    pub(crate) document: &'a Document,
    pub(crate) lint: &'a Lint,
    /// Path that is given; empty if none is.
    pub(crate) path: &'a str,
    /// Corrections that can be made.
    pub(crate) possible: &'a [Edit],
}

/// Result of a check.
#[derive(Debug)]
pub(crate) struct CheckView {
    /// Verdict in a sentence.
    pub(crate) verdict: String,
    /// Class of its colour: `good`, `amber` or `bad`.
    pub(crate) class: &'static str,
    /// Explanation of the verdict.
    pub(crate) detail: &'static str,
    /// Level with its meaning, if an agent is listed.
    pub(crate) level: Option<String>,
    /// Counts of findings, in words.
    pub(crate) counts: String,
    pub(crate) agents: Vec<String>,
    /// Error of the grammar, which comes before the other findings.
    pub(crate) syntax: Option<FindingView>,
    pub(crate) findings: Vec<FindingView>,
    pub(crate) more: Option<String>,
    pub(crate) text: NumberedText,
    /// Corrections that can be made, in words.
    pub(crate) possible: Vec<String>,
    /// Place to publish it, if nothing is wrong.
    pub(crate) publication: Option<Publication>,
    /// Formats to convert it to: words and titles.
    pub(crate) targets: Vec<(&'static str, String)>,
}

impl CheckView {
    pub(crate) fn of(checked: &Checked<'_>) -> Self {
        let Checked { document, lint, .. } = checked;
        let reading = &lint.reading;
        let text = manifest::corrected::decoded(document).unwrap_or_default();
        let lines = Lines::of(&text);
        let mut quoted: Vec<_> = lint.quoted().collect();
        quoted.sort_by_key(|(finding, _)| std::cmp::Reverse(finding.severity));
        let is_syntax = |it: &Finding| lint.syntax_error().is_some_and(|error| error == it);
        quoted.sort_by_key(|(finding, _)| !is_syntax(finding));
        let more = quoted.len().saturating_sub(FINDINGS);
        quoted.truncate(FINDINGS);
        let mut notes = Vec::new();
        for (index, (finding, _)) in quoted.iter().enumerate() {
            notes.extend(places(finding, index + 1));
        }
        let mut findings: Vec<FindingView> = quoted
            .iter()
            .enumerate()
            .map(|(index, (finding, quote))| FindingView {
                anchors: Some(anchors(finding, index + 1, &lines)),
                ..FindingView::of(finding, finding.count.into(), quote.as_deref())
            })
            .collect();
        let syntax = quoted
            .first()
            .is_some_and(|(finding, _)| is_syntax(finding))
            .then(|| findings.remove(0));
        let (verdict, class, detail) = verdict(lint, &text);
        let level = reading.level();
        let can_be_converted = reading.is_indexable() || reading.format == openapi::ID;
        Self {
            verdict,
            class,
            detail,
            level: reading
                .is_indexable()
                .then(|| format!("{} · {}", level.as_str(), view::level_words(level))),
            counts: view::document::verdict(reading.findings.iter()),
            agents: agents(lint),
            syntax,
            findings,
            more: (more > 0).then(|| format!("and {} more", view::grouped(more as u64))),
            text: lines.numbered(&notes),
            possible: checked.possible.iter().map(Edit::to_string).collect(),
            publication: publication(checked, &text),
            targets: if can_be_converted {
                choices::targets(reading.format)
            } else {
                Vec::new()
            },
        }
    }
}

/// Returns the verdict, the class of its colour, and its explanation.
fn verdict(lint: &Lint, text: &str) -> (String, &'static str, &'static str) {
    let reading = &lint.reading;
    let title = view::format_title(reading.format.as_str());
    let is_listed = reading.is_indexable();
    if text.trim().is_empty() {
        return ("There is no text.".to_owned(), "bad", "");
    }
    if let Some(error) = lint.syntax_error() {
        let (row, column) = (error.line.unwrap_or(1), error.column.unwrap_or(1));
        let verdict = format!("Not valid JSON: line {row}, column {column}");
        return if is_listed {
            let detail = "We read past the error, and would list what is below. Other readers refuse the whole file.";
            (verdict, "amber", detail)
        } else {
            (verdict, "bad", "It would not be listed.")
        };
    }
    if title == view::UNKNOWN_FORMAT {
        let verdict = "This is no known format. It would not be listed.";
        return (verdict.to_owned(), "bad", "");
    }
    let errors = reading.findings.iter();
    let errors = errors.filter(|it| it.severity == Severity::Error).count();
    let errors = view::count(errors as u64, "error", "errors");
    match (reading.is_valid(), is_listed) {
        (true, true) => (format!("Valid: {title}. It would be listed."), "good", ""),
        (true, false) => (
            format!("Valid: {title}. It describes no agent to list."),
            "good",
            "",
        ),
        (false, true) => (
            format!("{title}: would be listed; fix {errors}"),
            "amber",
            "",
        ),
        (false, false) => (
            format!("{title}: would not be listed; fix {errors}"),
            "bad",
            "",
        ),
    }
}

fn agents(lint: &Lint) -> Vec<String> {
    let agents = lint.reading.agents.iter().take(AGENTS);
    let named = agents.map(|agent| {
        let capabilities = agent.capabilities.len() as u64;
        let count = view::count(capabilities, "capability", "capabilities");
        format!("{}, {count}", view::title(&agent.name))
    });
    named.collect()
}

/// Returns the places of a finding in the text.
fn places(finding: &Finding, number: usize) -> impl Iterator<Item = Note> {
    let also = finding.also.iter().map(|it| (it.line, it.column));
    let all = [(finding.line, finding.column)].into_iter().chain(also);
    all.map(move |(line, column)| Note {
        line: line.unwrap_or(1),
        column: column.unwrap_or(1),
        severity: finding.severity,
        finding: number,
    })
}

fn anchors(finding: &Finding, number: usize, lines: &Lines<'_>) -> FindingAnchors {
    let mut places = places(finding, number);
    let first = places.next();
    FindingAnchors {
        id: finding_id(number),
        href: first.and_then(|it| lines.href(it.line, it.column)),
        also: places
            .filter_map(|it| Some((it.line, lines.href(it.line, it.column)?)))
            .take(ALSO)
            .collect(),
    }
}

/// Returns the place to publish a document that is valid and would be listed.
fn publication(checked: &Checked<'_>, text: &str) -> Option<Publication> {
    let reading = &checked.lint.reading;
    if !reading.is_valid() || !reading.is_indexable() {
        return None;
    }
    let is_json = text.trim_start().starts_with(['{', '[']);
    let domain = Some(&checked.document.domain).filter(|it| is_real(it));
    Some(Publication::of(
        reading.format,
        is_json,
        checked.path,
        domain,
    ))
}

/// Reports whether a domain is that of a site, and not one that stands for it.
pub(crate) fn is_real(domain: &Domain) -> bool {
    domain.has_known_suffix() && !domain.is_special_use()
}
