//! Text of `indexer lint --explain`.

use manifest::rules::{Example, Rule};
use std::fmt::Write as _;

/// Formats a rule with its reason, its source and its examples.
pub(crate) fn rule(rule: &Rule) -> String {
    let mut text = format!(
        "{} ({}, {}): {}\n\n{}\n\nFrom: {}\n",
        rule.id,
        rule.format,
        rule.severity.label(),
        rule.title,
        rule.explanation,
        rule.section
    );
    for (heading, documents) in [
        ("Follows the rule", rule.good),
        ("Breaks the rule", rule.bad),
    ] {
        for document in documents {
            example(&mut text, heading, document);
        }
    }
    text
}

/// Appends an example. Some contain control characters on purpose, which must not reach a terminal.
fn example(text: &mut String, heading: &str, example: &Example) {
    let _ = writeln!(text, "\n{heading}: {}", example.path);
    for line in example.text().lines() {
        let line: String = line
            .chars()
            .map(|it| if it.is_control() { '\u{FFFD}' } else { it })
            .collect();
        let _ = writeln!(text, "    {line}");
    }
}
