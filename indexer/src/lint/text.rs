//! Findings as plain text.

use crate::input::{STDIN, shown};
use crate::report::Marks;
use manifest::lint::Part;
use manifest::{Lint, Rule, Severity};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;

/// Fewest rules of one document that are summed up; a few are seen at a glance.
const MANY: usize = 10;

/// Counts of documents and findings.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    documents: usize,
    /// Number of places by severity.
    places: BTreeMap<Severity, usize>,
    rules: BTreeMap<(Reverse<Severity>, &'static str), OfRule>,
}

/// Counts of the findings of one rule and severity.
#[derive(Debug)]
struct OfRule {
    rule: &'static Rule,
    places: usize,
    documents: usize,
}

/// Formats the findings of a document and its verdicts.
///
/// If `is_quiet`, there are no verdicts.
pub(crate) fn document(file: &str, lint: &Lint, marks: Marks, is_quiet: bool) -> String {
    let file = match file {
        STDIN => "<stdin>".to_owned(),
        file => shown(file),
    };
    let findings = lint.show(&file, |part, text| marks.with(attributes(part), text));
    if is_quiet {
        return findings;
    }
    let name = marks.with(attributes(Part::Strong), &file);
    let missing = lint.reading.reason_below_level_a();
    let missing = missing.map_or_else(String::new, |it| format!("not manifest A: {it}\n"));
    format!("{findings}{name}: {}\n{missing}\n", lint.summary())
}

impl Counts {
    /// Counts a document.
    pub(crate) fn add(&mut self, lint: &Lint) {
        self.documents += 1;
        let mut seen = HashSet::new();
        for finding in &lint.reading.findings {
            let places = usize::try_from(finding.count).unwrap_or(usize::MAX);
            *self.places.entry(finding.severity).or_default() += places;
            let key = (Reverse(finding.severity), finding.rule.id);
            let of_rule = self.rules.entry(key).or_insert(OfRule {
                rule: finding.rule,
                places: 0,
                documents: 0,
            });
            of_rule.places += places;
            of_rule.documents += usize::from(seen.insert(key));
        }
    }

    /// Reports whether no document was read.
    pub(crate) fn is_empty(&self) -> bool {
        self.documents == 0
    }

    /// Formats the totals, after a list of the rules if there were several documents or many rules.
    pub(crate) fn summary(&self) -> String {
        let mut text = String::new();
        if !self.rules.is_empty() && (self.documents > 1 || self.rules.len() >= MANY) {
            let mut rules: Vec<_> = self.rules.iter().collect();
            rules.sort_by_key(|((severity, _), of_rule)| (*severity, Reverse(of_rule.places)));
            text.push_str("By rule:\n");
            for ((Reverse(severity), id), of_rule) in rules {
                let grade = format!("{}[{id}]", severity.label());
                let files = counted(of_rule.documents, "document");
                let places = of_rule.places;
                let title = of_rule.rule.title;
                let _ = writeln!(text, "{places:>6} in {files:<14} {grade:<16} {title}");
            }
            text.push('\n');
        }
        let total =
            |severity, noun| counted(self.places.get(&severity).copied().unwrap_or(0), noun);
        let _ = writeln!(
            text,
            "{}: {}, {}, {}",
            counted(self.documents, "document"),
            total(Severity::Error, "error"),
            total(Severity::Warning, "warning"),
            total(Severity::Info, "note")
        );
        text
    }
}

/// Formats a number with its noun.
fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// Returns the label of a severity in the colours that compilers use.
fn attributes(part: Part) -> &'static str {
    match part {
        Part::Grade(Severity::Error) => "1;31",
        Part::Grade(Severity::Warning) => "1;33",
        Part::Grade(Severity::Info) => "1;32",
        Part::Frame => "1;34",
        Part::Strong => "1",
    }
}
