//! Text with the numbers of its lines, each marked by the findings on it.

use crate::view;
use crate::view::lines::{Piece, Space};
use manifest::Severity;
use std::collections::{BTreeMap, BTreeSet};

/// Most lines of a text that is shown whole.
const WHOLE: usize = 5_000;
/// Lines that are shown from the beginning of a longer text.
const BEGINNING: usize = 2_000;
/// Lines that are shown before and after each finding on the rest.
const AROUND: u32 = 5;
/// Characters from which a finding leads to its column and not to the line.
const LONG: usize = 200;

/// Text with numbered lines.
#[derive(Debug, Default)]
pub(crate) struct NumberedText {
    pub(crate) rows: Vec<Row>,
    /// Statement on what is not shown.
    pub(crate) limits: Option<String>,
}

/// Row of a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Row {
    Line(NumberedLine),
    /// Lines that are not shown, in words.
    Gap(String),
}

/// Line with its number.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NumberedLine {
    pub(crate) number: u32,
    pub(crate) pieces: Vec<Piece>,
    pub(crate) mark: Option<LineMark>,
}

/// Mark of a line with findings.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LineMark {
    /// Address of the gravest of them.
    pub(crate) href: String,
    pub(crate) severity: &'static str,
    pub(crate) symbol: &'static str,
    /// Findings in words.
    pub(crate) words: String,
}

/// Place of a finding in a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Note {
    pub(crate) line: u32,
    pub(crate) column: u32,
    pub(crate) severity: Severity,
    /// Number of the finding on the page, counted from 1.
    pub(crate) finding: usize,
}

/// Lines of a text.
#[derive(Debug)]
pub(crate) struct Lines<'t>(Vec<&'t str>);

impl<'t> Lines<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        Self(
            text.strip_suffix('\n')
                .unwrap_or(text)
                .split('\n')
                .collect(),
        )
    }

    fn line(&self, number: u32) -> Option<&'t str> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        self.0.get(index).copied()
    }

    fn is_long(line: &str) -> bool {
        line.chars().nth(LONG).is_some()
    }

    /// Returns the address of a place on the page; of a long line that of its column.
    pub(crate) fn href(&self, line: u32, column: u32) -> Option<String> {
        Some(if Self::is_long(self.line(line)?) {
            format!("#{}", column_id(line, column))
        } else {
            format!("#L{line}")
        })
    }

    /// Lays the text out, as far as there is space on a page.
    pub(crate) fn numbered(&self, notes: &[Note]) -> NumberedText {
        let mut by_line: BTreeMap<u32, Vec<&Note>> = BTreeMap::new();
        for note in notes {
            by_line.entry(note.line).or_default().push(note);
        }
        let total = self.0.len();
        let mut beginning = if total <= WHOLE { total } else { BEGINNING };
        let [mut first, mut rest] = [Space::of_page(), Space::of_page()];
        let mut text = NumberedText::default();
        let mut hidden = 0;
        for (number, line) in (1_u32..).zip(&self.0) {
            let index = number as usize;
            let around = number.saturating_sub(AROUND)..=number.saturating_add(AROUND);
            let is_near = index > beginning && by_line.range(around).next().is_some();
            let space = if index <= beginning {
                Some(&mut first)
            } else {
                is_near.then_some(&mut rest)
            };
            let notes = by_line.get(&number).map(Vec::as_slice).unwrap_or_default();
            let shown = space.and_then(|it| it.line(line, &anchors(line, notes)));
            let Some(shown) = shown else {
                beginning = beginning.min(index);
                hidden += 1;
                continue;
            };
            text.gap(std::mem::take(&mut hidden));
            text.rows.push(Row::Line(NumberedLine {
                number,
                pieces: shown.pieces,
                mark: LineMark::of(notes),
            }));
            if shown.is_cut {
                beginning = beginning.min(index);
                let words = format!("The rest of line {number} is not shown");
                text.rows.push(Row::Gap(words));
            }
        }
        text.gap(hidden);
        let is_whole = text.rows.iter().all(|it| matches!(it, Row::Line(_)));
        text.limits = (!is_whole).then(|| {
            "The text is long, so only its beginning and the lines around the findings are shown. All of it was checked.".to_owned()
        });
        text
    }
}

impl NumberedText {
    fn gap(&mut self, lines: u64) {
        if lines > 0 {
            let lines = view::count(lines, "line", "lines");
            self.rows.push(Row::Gap(format!("{lines} not shown")));
        }
    }
}

impl LineMark {
    fn of(notes: &[&Note]) -> Option<Self> {
        let gravest = notes
            .iter()
            .min_by_key(|it| (std::cmp::Reverse(it.severity), it.finding))?;
        let findings: BTreeSet<usize> = notes.iter().map(|it| it.finding).collect();
        let label = gravest.severity.label();
        Some(Self {
            href: format!("#{}", finding_id(gravest.finding)),
            severity: label,
            symbol: match gravest.severity {
                Severity::Error => "✕",
                Severity::Warning => "!",
                Severity::Info => "i",
            },
            words: match findings.len() {
                1 => format!("Line {}: {label}", gravest.line),
                count => format!("Line {}: {count} findings", gravest.line),
            },
        })
    }
}

/// Returns the anchors of a long line.
fn anchors(line: &str, notes: &[&Note]) -> Vec<(u32, String)> {
    if !Lines::is_long(line) {
        return Vec::new();
    }
    let columns: BTreeSet<u32> = notes.iter().map(|it| it.column).collect();
    let of = |notes: &[&Note]| notes.first().map_or(0, |it| it.line);
    let number = of(notes);
    columns
        .into_iter()
        .map(|column| (column, column_id(number, column)))
        .collect()
}

fn column_id(line: u32, column: u32) -> String {
    format!("L{line}C{column}")
}

/// Returns the `id` of a finding.
pub(crate) fn finding_id(number: usize) -> String {
    format!("f{number}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(line: u32, column: u32, severity: Severity, finding: usize) -> Note {
        Note {
            line,
            column,
            severity,
            finding,
        }
    }

    fn shown(text: &NumberedText) -> Vec<u32> {
        let numbers = text.rows.iter().filter_map(|it| match it {
            Row::Line(line) => Some(line.number),
            Row::Gap(_) => None,
        });
        numbers.collect()
    }

    #[test]
    fn a_line_is_marked_by_its_gravest_finding() {
        let lines = Lines::of("{\n  \"a\": 1,\n}\n");
        let notes = [
            note(2, 3, Severity::Info, 1),
            note(2, 8, Severity::Error, 2),
        ];
        let text = lines.numbered(&notes);
        assert_eq!((shown(&text), text.limits), (vec![1, 2, 3], None));
        let Row::Line(line) = &text.rows[1] else {
            panic!("no line");
        };
        let mark = line.mark.as_ref().unwrap();
        assert_eq!((&*mark.href, mark.symbol), ("#f2", "✕"));
        assert_eq!(mark.words, "Line 2: 2 findings");
        assert_eq!(lines.href(2, 8).as_deref(), Some("#L2"));
        assert_eq!(lines.href(4, 1), None);
    }

    #[test]
    fn a_long_text_is_shown_around_its_findings() {
        let text = "x\n".repeat(10_000);
        let lines = Lines::of(&text);
        let text = lines.numbered(&[note(9_000, 1, Severity::Error, 1)]);
        let shown = shown(&text);
        assert_eq!(shown.len(), BEGINNING + 11);
        assert!(shown.contains(&8_995) && shown.contains(&9_005));
        let gaps = text.rows.iter().filter(|it| matches!(it, Row::Gap(_)));
        assert_eq!(gaps.count(), 2);
        assert_eq!(
            text.rows.last(),
            Some(&Row::Gap("995 lines not shown".to_owned()))
        );
        assert!(text.limits.is_some());
        let whole = "x\n".repeat(WHOLE);
        assert_eq!(Lines::of(&whole).numbered(&[]).limits, None);
    }

    #[test]
    fn a_finding_leads_to_its_column_in_a_long_line() {
        let long = format!("[{}]\n\u{202e}", "1, ".repeat(100_000));
        let lines = Lines::of(&long);
        let href = lines.href(1, 30_000).unwrap();
        assert_eq!(href, "#L1C30000");
        let note = note(1, 30_000, Severity::Error, 1);
        let text = lines.numbered(&[note]);
        let Row::Line(line) = &text.rows[0] else {
            panic!("no line");
        };
        let anchor = Piece::Anchor("L1C30000".to_owned());
        assert!(line.pieces.contains(&anchor));
        // What has no space is said.
        assert!(text.limits.is_some());
        assert!(matches!(&text.rows[1], Row::Gap(words) if words.contains("rest of line 1")));
    }
}
