//! Stored documents and their findings.

use super::time::Moment;
use super::{WebLink, foreign, format_title, grouped, level_words, rule_path, size};
use manifest::{Finding, Timestamp};
use store::SiteDocument;

/// Most findings shown of one document; identical ones count once.
const FINDINGS: usize = 50;

/// Document as pages show it.
#[derive(Clone, Debug)]
pub(crate) struct DocumentView {
    pub(crate) link: WebLink,
    /// Requested address, if it was redirected.
    pub(crate) requested: Option<String>,
    pub(crate) status: u16,
    pub(crate) media_type: String,
    pub(crate) size: String,
    pub(crate) hash: String,
    /// Format and generation, in words.
    pub(crate) format: String,
    pub(crate) level: Option<&'static str>,
    pub(crate) level_words: &'static str,
    pub(crate) first_seen: Moment,
    pub(crate) fetched: Moment,
    pub(crate) changed: Moment,
    /// Findings, most severe first.
    pub(crate) findings: Vec<FindingView>,
    /// Number of further findings, in words.
    pub(crate) more_findings: Option<String>,
    /// Path of the page that shows them, if not here.
    pub(crate) findings_at: Option<String>,
    /// Counts of findings: `2 errors, 1 warning`.
    pub(crate) verdict: String,
    /// Address of the check of its stored text, if the page links to it.
    pub(crate) check: Option<String>,
}

/// Finding on a document.
#[derive(Clone, Debug)]
pub(crate) struct FindingView {
    pub(crate) rule: &'static str,
    /// Path of the rule's page, if the rule still exists.
    pub(crate) rule_path: String,
    pub(crate) severity: &'static str,
    /// Line, column and JSON pointer.
    pub(crate) place: String,
    pub(crate) message: String,
    /// Correction in words.
    pub(crate) advice: Option<String>,
    /// Text to write instead.
    pub(crate) snippet: Option<String>,
    /// Text at that position, with its line number and a caret below it.
    pub(crate) excerpt: Option<String>,
    /// Number of positions of the same finding.
    pub(crate) times: u64,
    /// Number of further positions of the same finding, in words.
    pub(crate) again: Option<String>,
    /// Places on the page, if that shows the text.
    pub(crate) anchors: Option<FindingAnchors>,
}

/// Places of a finding on a page that shows the text.
#[derive(Clone, Debug)]
pub(crate) struct FindingAnchors {
    /// Id of the finding.
    pub(crate) id: String,
    /// Address of its place in the text.
    pub(crate) href: Option<String>,
    /// Lines and addresses of further places.
    pub(crate) also: Vec<(u32, String)>,
}

impl FindingAnchors {
    /// Creates the anchor of a finding that leads to no text.
    pub(crate) fn at(id: String) -> Self {
        Self {
            id,
            href: None,
            also: Vec::new(),
        }
    }
}

impl DocumentView {
    /// Converts a document with its findings, each with its line if that may be shown.
    pub(crate) fn of(
        document: &SiteDocument,
        mut findings: Vec<(&Finding, Option<&str>)>,
        now: Timestamp,
    ) -> Self {
        findings.sort_by_key(|(finding, _)| std::cmp::Reverse(finding.severity));
        let folded = folded(&findings);
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
            verdict: verdict(findings.iter().map(|(finding, _)| *finding)),
            more_findings: (folded.len() > FINDINGS)
                .then(|| format!("and {} more", grouped((folded.len() - FINDINGS) as u64))),
            findings: folded
                .into_iter()
                .take(FINDINGS)
                .map(|it| FindingView::of(it.finding, it.times, it.quote))
                .collect(),
            findings_at: None,
            check: None,
        }
    }

    /// Replaces the findings by a link to the page at `path`.
    pub(crate) fn with_findings_at(self, path: &str) -> Self {
        Self {
            findings_at: (!self.findings.is_empty()).then(|| path.to_owned()),
            findings: Vec::new(),
            more_findings: None,
            ..self
        }
    }
}

impl FindingView {
    /// Returns the address of its place on the page.
    pub(crate) fn href(&self) -> Option<&str> {
        self.anchors.as_ref()?.href.as_deref()
    }

    /// Returns the lines and addresses of its further places on the page.
    pub(crate) fn also(&self) -> &[(u32, String)] {
        self.anchors.as_ref().map_or(&[], |it| &it.also)
    }

    /// Converts findings; identical ones are shown once.
    pub(crate) fn folded(findings: &[Finding]) -> Vec<Self> {
        let findings: Vec<_> = findings.iter().map(|it| (it, None)).collect();
        let folded = folded(&findings).into_iter();
        folded
            .map(|it| Self::of(it.finding, it.times, it.quote))
            .collect()
    }

    /// Converts a finding in `times` places, with its line if that may be shown.
    pub(crate) fn of(finding: &Finding, times: u64, line: Option<&str>) -> Self {
        let excerpt = || finding.excerpt.as_deref().map(|it| quote(finding.line, it));
        Self {
            rule: finding.rule.id,
            rule_path: rule_path(finding.rule.id),
            severity: finding.severity.label(),
            place: place(finding),
            message: finding.message.clone(),
            advice: finding.help.clone(),
            snippet: finding.correction.clone(),
            times,
            excerpt: line.map(str::to_owned).or_else(excerpt),
            again: (times > 1).then(|| {
                format!(
                    "and in {}",
                    super::count(times - 1, "other place", "other places")
                )
            }),
            anchors: None,
        }
    }
}

/// Describes the position of a finding: `line 3, column 5, /skills/0`.
fn place(finding: &Finding) -> String {
    let line = finding.line.map(|line| format!("line {line}"));
    let column = finding.column.filter(|_| line.is_some());
    let column = column.map(|column| format!("column {column}"));
    let pointer = (!finding.pointer.is_empty()).then(|| finding.pointer.clone());
    let place: Vec<String> = [line, column, pointer].into_iter().flatten().collect();
    if place.is_empty() {
        "whole document".to_owned()
    } else {
        place.join(", ")
    }
}

/// Returns the text at a position, with its line number and a caret below it.
fn quote(line: Option<u32>, excerpt: &str) -> String {
    match line {
        Some(line) => {
            let number = line.to_string();
            format!("{number} | {excerpt}\n{} | ^", " ".repeat(number.len()))
        }
        None => excerpt.to_owned(),
    }
}

/// Identical findings.
struct FindingGroup<'a> {
    /// The first of them.
    finding: &'a Finding,
    /// Line of the first that has one.
    quote: Option<&'a str>,
    times: u64,
}

/// Groups identical findings.
fn folded<'a>(findings: &[(&'a Finding, Option<&'a str>)]) -> Vec<FindingGroup<'a>> {
    let mut folded: Vec<FindingGroup<'_>> = Vec::new();
    for &(finding, quote) in findings {
        let is_same = |it: &&mut FindingGroup<'_>| {
            let first = it.finding;
            (first.rule.id, first.severity, &first.message)
                == (finding.rule.id, finding.severity, &finding.message)
        };
        let times = u64::from(finding.count);
        match folded.iter_mut().find(is_same) {
            Some(all) => all.times += times,
            None => folded.push(FindingGroup {
                finding,
                quote,
                times,
            }),
        }
    }
    folded
}

/// Counts findings by severity, in words.
pub(crate) fn verdict<'a>(findings: impl Iterator<Item = &'a Finding>) -> String {
    let mut counts = [0_u64; 3];
    for finding in findings {
        counts[finding.severity as usize] += 1;
    }
    let [notes, warnings, errors] = counts;
    let parts: Vec<String> = [
        (errors, "error", "errors"),
        (warnings, "warning", "warnings"),
        (notes, "note", "notes"),
    ]
    .into_iter()
    .filter(|(count, ..)| *count > 0)
    .map(|(count, one, many)| super::count(count, one, many))
    .collect();
    if parts.is_empty() {
        "No problems found".to_owned()
    } else {
        parts.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use manifest::{Severity, rules};

    #[test]
    fn identical_findings_are_shown_once_and_counted() {
        let finding = |rule: &str, index: usize, message: &str| {
            Finding::new(
                rules::find(rule).unwrap().at_most(Severity::Warning),
                format!("/{index}"),
                message,
            )
        };
        let mut findings: Vec<Finding> = (0..199)
            .map(|index| finding("A2-10", index, "no description"))
            .collect();
        findings.push(finding("A2-11", 0, "no description"));
        let findings: Vec<_> = findings.iter().map(|it| (it, None)).collect();
        let folded = folded(&findings);
        let groups: Vec<(&str, &str, u64)> = folded
            .iter()
            .map(|it| (it.finding.rule.id, it.finding.pointer.as_str(), it.times))
            .collect();
        assert_eq!(groups, [("A2-10", "/0", 199), ("A2-11", "/0", 1)]);
        let view = FindingView::of(folded[0].finding, folded[0].times, None);
        assert_eq!(view.again.as_deref(), Some("and in 198 other places"));
    }
}
