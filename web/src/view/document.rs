//! A document that we hold, and what is wrong with it.

use super::moment::Moment;
use super::{WebLink, foreign, format_title, level_words, size};
use manifest::{Finding, Severity, Timestamp};
use store::SiteDocument;

/// A document as pages show it.
#[derive(Clone, Debug)]
pub(crate) struct DocumentView {
    pub(crate) link: WebLink,
    /// The address asked for, when a redirect led elsewhere.
    pub(crate) requested: Option<String>,
    pub(crate) status: u16,
    pub(crate) media_type: String,
    pub(crate) size: String,
    pub(crate) hash: String,
    /// Format and generation for people.
    pub(crate) format: String,
    pub(crate) level: Option<&'static str>,
    pub(crate) level_words: &'static str,
    pub(crate) first_seen: Moment,
    pub(crate) fetched: Moment,
    pub(crate) changed: Moment,
    /// Gravest first.
    pub(crate) findings: Vec<FindingView>,
    /// `2 errors, 1 warning`.
    pub(crate) verdict: String,
}

/// One remark on a document.
#[derive(Clone, Debug)]
pub(crate) struct FindingView {
    pub(crate) rule: String,
    pub(crate) severity: &'static str,
    /// JSON pointer or line.
    pub(crate) place: String,
    pub(crate) message: String,
}

impl DocumentView {
    /// A document, seen at `now`.
    pub(crate) fn of(document: &SiteDocument, now: Timestamp) -> Self {
        let mut findings: Vec<&Finding> = document.findings.iter().collect();
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        Self {
            link: WebLink::of(&document.url),
            requested: (document.requested != document.url).then(|| foreign(&document.requested)),
            status: document.status,
            media_type: document
                .media_type
                .as_deref()
                .map_or_else(|| "no media type".to_owned(), foreign),
            size: size(document.bytes),
            hash: document.hash.clone(),
            format: match (&document.format, &document.generation) {
                (None, _) => "not read yet".to_owned(),
                (Some(format), None) => format_title(format),
                (Some(format), Some(generation)) => {
                    format!("{} {generation}", format_title(format))
                }
            },
            level: document.level.map(manifest::Level::as_str),
            level_words: document.level.map_or("not read yet", level_words),
            first_seen: Moment::of(document.first_seen, now),
            fetched: Moment::of(document.fetched, now),
            changed: Moment::of(document.changed, now),
            verdict: verdict(&findings),
            findings: findings.into_iter().map(FindingView::of).collect(),
        }
    }
}

impl FindingView {
    fn of(finding: &Finding) -> Self {
        Self {
            rule: finding.rule.clone(),
            severity: finding.severity.as_str(),
            place: match finding.line {
                Some(line) => format!("line {line}"),
                None if finding.pointer.is_empty() => "whole document".to_owned(),
                None => finding.pointer.clone(),
            },
            message: finding.message.clone(),
        }
    }
}

fn verdict(findings: &[&Finding]) -> String {
    let count = |severity| {
        findings
            .iter()
            .filter(|finding| finding.severity == severity)
            .count() as u64
    };
    let parts: Vec<String> = [
        (Severity::Error, "error", "errors"),
        (Severity::Warning, "warning", "warnings"),
        (Severity::Info, "remark", "remarks"),
    ]
    .into_iter()
    .filter(|(severity, ..)| count(*severity) > 0)
    .map(|(severity, one, many)| super::count(count(severity), one, many))
    .collect();
    if parts.is_empty() {
        "nothing to mend".to_owned()
    } else {
        parts.join(", ")
    }
}
