//! Findings as annotations of GitHub Actions: workflow commands on standard output.

use manifest::text::is_hidden;
use manifest::{Finding, Lint, Severity};

/// Formats one command per finding.
pub(crate) fn document(file: &str, lint: &Lint) -> String {
    let findings = lint.reading.findings.iter();
    findings.map(|finding| annotation(file, finding)).collect()
}

/// Formats the command for a file that cannot be read.
pub(crate) fn failure(message: &str) -> String {
    format!("::error::{}\n", escaped(message, ""))
}

fn annotation(file: &str, finding: &Finding) -> String {
    let command = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "notice",
    };
    format!(
        "::{command} file={},line={},col={},title={}::{}\n",
        escaped(file, ":,"),
        finding.line.unwrap_or(1),
        finding.column.unwrap_or(1),
        escaped(&format!("{}: {}", finding.rule, finding.rule.title), ":,"),
        escaped(&message(finding), "")
    )
}

/// Returns the message with its position in the document, for which annotations have no property.
fn message(finding: &Finding) -> String {
    let text = super::sentence(finding);
    match finding.pointer.as_str() {
        "" => text,
        pointer => format!("{text} (at {pointer})"),
    }
}

/// Escapes the characters that end a command, and those of `also`, which end its properties.
///
/// Among the control characters only line breaks have an escape; the others are removed.
fn escaped(text: &str, also: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '%' => escaped.push_str("%25"),
            '\r' => escaped.push_str("%0D"),
            '\n' => escaped.push_str("%0A"),
            ':' if also.contains(':') => escaped.push_str("%3A"),
            ',' if also.contains(',') => escaped.push_str("%2C"),
            '\u{2028}' | '\u{2029}' => {}
            hidden if is_hidden(hidden) => {}
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use manifest::rules;

    #[test]
    fn a_text_cannot_end_its_command() {
        let finding = Finding::new(
            rules::find("DI-10").unwrap().at_most(Severity::Warning),
            "",
            "50% of\n::error::a, b\u{1b}[2J\u{2028}",
        );
        let line = annotation("a,b:c.json", &finding);
        let start = "::warning file=a%2Cb%3Ac.json,line=1,col=1,title=DI-10%3A ";
        assert!(line.starts_with(start), "{line}");
        assert!(line.ends_with("::50%25 of%0A::error::a, b[2J\n"), "{line}");
        let finding = Finding::new(
            rules::find("A2-06").unwrap().at_most(Severity::Error),
            "/skills/0/a%b",
            "give it",
        );
        let line = annotation("a.json", &finding);
        assert!(line.ends_with("::give it (at /skills/0/a%25b)\n"), "{line}");
    }
}
