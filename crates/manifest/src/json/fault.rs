//! The first error of a text that is not JSON.

use crate::finding::Findings;
use crate::rule::document::DI_07;
use crate::{Finding, position, text};
use std::ops::Range;

/// Most characters of a corrected line.
const MAX_LINE: usize = 160;

/// An error with its correction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// Position, in bytes.
    pub(super) offset: usize,
    problem: String,
    help: Option<String>,
    /// The corrected line.
    corrected: Option<String>,
    /// True if the lenient parser reads past it.
    pub(super) is_read_past: bool,
}

impl Fault {
    /// Creates an error at a position, without a correction.
    pub(super) fn new(offset: usize, problem: impl Into<String>) -> Self {
        Self {
            offset,
            problem: problem.into(),
            help: None,
            corrected: None,
            is_read_past: false,
        }
    }

    /// Marks an error that the lenient parser reads past.
    pub(super) fn read_past(mut self) -> Self {
        self.is_read_past = true;
        self
    }

    /// Sets the correction in words.
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Sets the corrected line: the text of `range` is replaced.
    pub(super) fn replacing(self, text: &str, range: Range<usize>, with: &str) -> Self {
        let start = text[..range.start].rfind('\n').map_or(0, |it| it + 1);
        let end = text[range.end..].find('\n');
        let end = end.map_or(text.len(), |it| range.end + it);
        let line = format!(
            "{}{with}{}",
            &text[start..range.start],
            &text[range.end..end]
        );
        self.corrected(&line, &text[start..end])
    }

    /// Sets the corrected line: `correct` is called with the line of an offset, and returns an empty
    /// text if the correction is not certain.
    pub(super) fn line(self, text: &str, at: usize, correct: impl FnOnce(&str) -> String) -> Self {
        let start = text[..at].rfind('\n').map_or(0, |it| it + 1);
        let end = text[at..].find('\n').map_or(text.len(), |it| at + it);
        let line = &text[start..end];
        self.corrected(&correct(line), line)
    }

    /// Keeps a corrected line that is short.
    fn corrected(mut self, line: &str, original: &str) -> Self {
        let is_short = line.len() <= 4 * MAX_LINE && original.len() <= 8 * MAX_LINE;
        if is_short {
            let line = text::clean(line, 4 * MAX_LINE);
            let says_something = line.contains(char::is_alphanumeric);
            let fits = says_something && line.chars().count() <= MAX_LINE;
            self.corrected = fits.then_some(line);
        }
        self
    }

    /// Reports the error.
    pub(super) fn report(self, text: &str, findings: &mut Findings) {
        let (line, column) = position::at(text, self.offset);
        findings.push(Finding {
            column: Some(column),
            help: self.help,
            correction: self.corrected,
            ..Finding::at_line(&DI_07, line, format!("invalid JSON: {}", self.problem))
        });
    }
}
