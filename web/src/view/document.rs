//! A document that we hold, and what is wrong with it.

use super::moment::Moment;
use super::rule::rule_path;
use super::{WebLink, foreign, format_title, grouped, level_words, size};
use manifest::{Finding, Severity, Timestamp};
use store::SiteDocument;

/// Most findings shown of one document, identical ones counted once.
const FINDINGS: usize = 50;

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
    /// How many more there are.
    pub(crate) more_findings: Option<String>,
    /// Where they are shown, when that is not here.
    pub(crate) findings_at: Option<String>,
    /// `2 errors, 1 warning`.
    pub(crate) verdict: String,
}

/// One remark on a document.
#[derive(Clone, Debug)]
pub(crate) struct FindingView {
    pub(crate) rule: String,
    /// Its page, when it is a rule of today.
    pub(crate) rule_path: Option<String>,
    pub(crate) severity: &'static str,
    /// JSON pointer or line.
    pub(crate) place: String,
    pub(crate) message: String,
    /// What stands there.
    pub(crate) excerpt: Option<String>,
    /// In how many more places the same was found.
    pub(crate) again: Option<String>,
}

impl DocumentView {
    /// A document, seen at `now`.
    pub(crate) fn of(document: &SiteDocument, now: Timestamp) -> Self {
        let mut findings: Vec<&Finding> = document.findings.iter().collect();
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
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
            verdict: verdict(&findings),
            more_findings: (folded.len() > FINDINGS)
                .then(|| format!("and {} more", grouped((folded.len() - FINDINGS) as u64))),
            findings: folded
                .into_iter()
                .take(FINDINGS)
                .map(|(finding, times)| FindingView::of(finding, times))
                .collect(),
            findings_at: None,
        }
    }

    /// The same with its findings left to the page at `path`.
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
    /// Findings as they are shown, identical ones told once.
    pub(crate) fn folded(findings: &[Finding]) -> Vec<Self> {
        let findings: Vec<_> = findings.iter().collect();
        let folded = folded(&findings).into_iter();
        folded
            .map(|(finding, times)| Self::of(finding, times))
            .collect()
    }

    fn of(finding: &Finding, times: u64) -> Self {
        Self {
            rule: finding.rule.clone(),
            rule_path: manifest::rules::find(&finding.rule).map(|rule| rule_path(rule.id)),
            severity: finding.severity.as_str(),
            place: match finding.line {
                Some(line) => match finding.column {
                    Some(column) => format!("line {line}, column {column}"),
                    None => format!("line {line}"),
                },
                None if finding.pointer.is_empty() => "whole document".to_owned(),
                None => finding.pointer.clone(),
            },
            message: finding.message.clone(),
            excerpt: finding.excerpt.clone(),
            again: (times > 1).then(|| {
                format!(
                    "and in {}",
                    super::count(times - 1, "other place", "other places")
                )
            }),
        }
    }
}

/// Findings that say the same, counted and told at the first place of each.
fn folded<'a>(findings: &[&'a Finding]) -> Vec<(&'a Finding, u64)> {
    let mut folded: Vec<(&Finding, u64)> = Vec::new();
    for finding in findings {
        let is_same = |(told, _): &&mut (&Finding, u64)| {
            (&told.rule, told.severity, &told.message)
                == (&finding.rule, finding.severity, &finding.message)
        };
        match folded.iter_mut().find(is_same) {
            Some((_, times)) => *times += 1,
            None => folded.push((finding, 1)),
        }
    }
    folded
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_that_say_the_same_are_told_once_and_counted() {
        let finding = |rule: &str, index: usize, message: &str| {
            Finding::new(rule, Severity::Warning, format!("/{index}"), message)
        };
        let mut findings: Vec<Finding> = (0..199)
            .map(|index| finding("A2-10", index, "no description"))
            .collect();
        findings.push(finding("A2-11", 0, "no description"));
        let findings: Vec<&Finding> = findings.iter().collect();
        let folded = folded(&findings);
        let told: Vec<(&str, &str, u64)> = folded
            .iter()
            .map(|(finding, times)| (finding.rule.as_str(), finding.pointer.as_str(), *times))
            .collect();
        assert_eq!(told, [("A2-10", "/0", 199), ("A2-11", "/0", 1)]);
        let view = FindingView::of(folded[0].0, folded[0].1);
        assert_eq!(view.again.as_deref(), Some("and in 198 other places"));
    }
}
