//! Findings as plain text.

use crate::input::{STDIN, shown};
use crate::report::Marks;
use manifest::lint::Part;
use manifest::{Lint, Severity};

/// Counts of documents and findings.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    documents: usize,
    errors: usize,
    warnings: usize,
    notes: usize,
}

/// Formats the findings of a document and its verdicts.
pub(crate) fn document(file: &str, lint: &Lint, marks: Marks) -> String {
    let file = match file {
        STDIN => "<stdin>".to_owned(),
        file => shown(file),
    };
    let findings = lint.show(&file, |part, text| marks.with(attributes(part), text));
    let name = marks.with(attributes(Part::Strong), &file);
    let missing = lint.reading.reason_below_level_a();
    let missing = missing.map_or_else(String::new, |it| format!("not level A: {it}\n"));
    format!("{findings}{name}: {}\n{missing}\n", lint.summary())
}

impl Counts {
    /// Counts a document.
    pub(crate) fn add(&mut self, lint: &Lint) {
        self.documents += 1;
        for finding in &lint.reading.findings {
            match finding.severity {
                Severity::Error => self.errors += 1,
                Severity::Warning => self.warnings += 1,
                Severity::Info => self.notes += 1,
            }
        }
    }

    /// Formats the totals.
    pub(crate) fn line(&self) -> String {
        let counted = |count: usize, noun| {
            let plural = if count == 1 { "" } else { "s" };
            format!("{count} {noun}{plural}")
        };
        format!(
            "{}: {}, {}, {}\n",
            counted(self.documents, "document"),
            counted(self.errors, "error"),
            counted(self.warnings, "warning"),
            counted(self.notes, "note")
        )
    }
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
