//! Findings as text for people, in the layout that compilers use.

use super::{Lint, Quote};
use crate::text::{MAX_CHARS, clean};
use crate::{Finding, Place, Reading, Severity};
use std::fmt::Write as _;

/// A part of the text that may be highlighted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Severity and rule of a finding, and the mark below its position.
    Grade(Severity),
    /// Message of a finding, or the name of a file.
    Strong,
    /// Line numbers and the frame of a quoted line.
    Frame,
}

impl Lint {
    /// Formats every finding with its position, line and rule; `file` is the document's name.
    ///
    /// `paint` may highlight parts, for instance with colour. The text contains nothing of the
    /// document that a terminal would interpret: no control character, no change of writing
    /// direction, no secret.
    ///
    /// ```
    /// let document = manifest::Document::of_file("agents.json", r#"{"name": "Ferry",}"#);
    /// let text = manifest::lint(&document).show("agents.json", |_, text| text.to_owned());
    /// assert!(text.contains(" --> agents.json:1:17\n"));
    /// ```
    pub fn show(&self, file: &str, paint: impl Fn(Part, &str) -> String) -> String {
        let file = clean(file, MAX_CHARS);
        let mut text = String::new();
        for (finding, quote) in self.reading.findings.iter().zip(&self.quotes) {
            show(&mut text, &file, finding, quote.as_ref(), &paint);
        }
        text
    }

    /// Returns every finding with its line, which has a caret below the position, if the line may be
    /// shown.
    ///
    /// ```
    /// let document = manifest::Document::of_file("agents.json", r#"{"name": "Ferry",}"#);
    /// let lint = manifest::lint(&document);
    /// let (_, quote) = lint.quoted().find(|(it, _)| it.rule.id == "DI-07").unwrap();
    /// assert_eq!(quote.unwrap(), "1 | {\"name\": \"Ferry\",}\n  |                 ^");
    /// ```
    pub fn quoted(&self) -> impl Iterator<Item = (&Finding, Option<String>)> {
        let findings = self.reading.findings.iter();
        findings.zip(&self.quotes).map(|(finding, quote)| {
            let quote = quote.as_ref().map(|quote| {
                let number = finding.line.unwrap_or(1).to_string();
                let margin = " ".repeat(number.len());
                let before = " ".repeat(quote.before);
                format!("{number} | {}\n{margin} | {before}^", quote.text)
            });
            (finding, quote)
        })
    }

    /// Formats the verdicts as one line: format, generation, level, agents.
    pub fn summary(&self) -> String {
        let Reading {
            format,
            generation,
            agents,
            ..
        } = &self.reading;
        let generation = generation.as_ref().map(|it| format!(" {}", clean(it, 40)));
        let verdict = |is_so, word| if is_so { word } else { "" };
        let named = agents.iter().take(5).map(|agent| {
            let capabilities = counted(agent.capabilities.len(), "capability", "capabilities");
            format!("{} ({capabilities})", clean(&agent.name, 80))
        });
        let mut named: Vec<_> = named.collect();
        if agents.len() > named.len() {
            named.push("…".to_owned());
        }
        let colon = verdict(!named.is_empty(), ": ");
        format!(
            "{format}{}, manifest {}, {}valid, {}indexable, {}{colon}{}",
            generation.unwrap_or_default(),
            self.reading.level().as_str(),
            verdict(!self.reading.is_valid(), "not "),
            verdict(!self.reading.is_indexable(), "not "),
            counted(agents.len(), "agent", "agents"),
            named.join(", ")
        )
    }
}

fn show(
    text: &mut String,
    file: &str,
    finding: &Finding,
    quote: Option<&Quote>,
    paint: &impl Fn(Part, &str) -> String,
) {
    let grade = Part::Grade(finding.severity);
    let head = paint(
        grade,
        &format!("{}[{}]", finding.severity.label(), finding.rule),
    );
    let others = match finding.count {
        0 | 1 => String::new(),
        2 => ", here and in one more place".to_owned(),
        count => format!(", here and in {} more places", count - 1),
    };
    let message = paint(Part::Strong, &format!(": {}{others}", finding.message));
    let line = finding.line.unwrap_or(1);
    let column = finding.column.unwrap_or(1);
    let number = line.to_string();
    let margin = " ".repeat(number.len());
    let frame = |mark: &str| paint(Part::Frame, mark);
    let mut place = format!("{file}:{line}:{column}");
    if !finding.pointer.is_empty() {
        let _ = write!(place, " ({})", clean(&finding.pointer, 200));
    }
    let _ = writeln!(text, "{head}{message}");
    let _ = writeln!(text, "{margin}{} {place}", frame("-->"));
    if let Some(Quote {
        text: piece,
        before,
    }) = quote
    {
        let caret = paint(grade, "^");
        let _ = writeln!(text, "{margin} {}", frame("|"));
        let _ = writeln!(text, "{} {piece}", frame(&format!("{number} |")));
        let _ = writeln!(
            text,
            "{margin} {} {}{caret}",
            frame("|"),
            " ".repeat(*before)
        );
    } else if let Some(excerpt) = finding.excerpt.as_ref().filter(|it| !it.is_empty()) {
        let _ = writeln!(text, "{margin} {} here: {excerpt}", frame("="));
    }
    for (label, line) in [
        ("also", also(finding)),
        ("help", finding.advice()),
        ("rule", Some(finding.rule.title.to_owned())),
    ] {
        if let Some(line) = line {
            let label = paint(Part::Strong, label);
            let _ = writeln!(text, "{margin} {} {label}: {line}", frame("="));
        }
    }
    text.push('\n');
}

/// Lists the first further positions of a finding.
fn also(finding: &Finding) -> Option<String> {
    const SHOWN: usize = 4;
    let place = |place: &Place| {
        let line = place.line.unwrap_or(1);
        let column = place.column.unwrap_or(1);
        let pointer = clean(&place.pointer, 200);
        let space = if pointer.is_empty() { "" } else { " " };
        format!("{line}:{column}{space}{pointer}")
    };
    let mut places: Vec<_> = finding.also.iter().take(SHOWN).map(place).collect();
    let all = usize::try_from(finding.count).unwrap_or(usize::MAX);
    let more = all.saturating_sub(1 + places.len());
    if more > 0 {
        places.push(format!("and {more} more"));
    }
    (!places.is_empty()).then(|| places.join(", "))
}

/// Formats a number with its noun.
fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
