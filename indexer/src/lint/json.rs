//! Findings for programs.

use manifest::Lint;
use manifest::text::is_hidden;
use serde::Serialize;
use std::fmt::Write as _;

/// A document's object, with the file's name first.
pub(crate) fn document(file: &str, lint: &Lint) -> anyhow::Result<String> {
    #[derive(Serialize)]
    struct Line<'a> {
        file: &'a str,
        #[serde(flatten)]
        lint: &'a Lint,
    }
    Ok(printable(&serde_json::to_string(&Line { file, lint })?))
}

/// A JSON text on one line with the same meaning, in which nothing is left that a terminal obeys.
///
/// JSON lets such characters stand in texts only, where each can also be written as `\u`.
pub(crate) fn printable(json: &str) -> String {
    let mut line = String::with_capacity(json.len() + 1);
    for character in json.chars() {
        if is_hidden(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(line, "\\u{unit:04x}");
            }
        } else {
            line.push(character);
        }
    }
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn what_a_terminal_obeys_is_escaped_and_means_the_same() {
        let value = json!({"a": "\u{9b}31m\u{202e}\u{7f}\u{e0041} é"});
        let line = printable(&value.to_string());
        assert!(
            line.contains(r"\u009b31m\u202e\u007f\udb40\udc41 é"),
            "{line}"
        );
        assert_eq!(serde_json::from_str::<Value>(&line).unwrap(), value);
    }
}
