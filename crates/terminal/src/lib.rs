//! Safe output for terminals: control characters, and characters that change the order of text, are
//! never repeated from an argument, a file or a site.
//!
//! Such characters are shown as escapes: `\u{1b}`, `\u{202e}`.

pub mod usage;

use manifest::text::is_hidden;
use std::borrow::Cow;
use std::error::Error;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Escapes text for one line, including line breaks and tabs.
pub fn line(text: &str) -> Cow<'_, str> {
    escaped(text, |_| false)
}

/// Escapes text, but keeps its line breaks and tabs.
pub fn lines(text: &str) -> Cow<'_, str> {
    escaped(text, |character| matches!(character, '\n' | '\t'))
}

/// Escapes a JSON text without changing its value: such characters occur only in JSON strings,
/// where each can be written as `\u`. Keeps line breaks, which occur only between tokens.
pub fn json(text: &str) -> Cow<'_, str> {
    let is_kept = |character: char| !is_control_or_format(character) || character == '\n';
    if text.chars().all(is_kept) {
        return Cow::Borrowed(text);
    }
    let mut json = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_kept(character) {
            json.push(character);
        } else {
            for unit in character.encode_utf16(&mut [0; 2]) {
                // Writing to a string does not fail.
                let _ = write!(json, "\\u{unit:04x}");
            }
        }
    }
    Cow::Owned(json)
}

/// Formats an error and its causes on one line.
pub fn failure(error: &dyn Error) -> String {
    let mut text = format!("error: {error}");
    let mut cause = error.source();
    while let Some(current) = cause {
        text.push_str(": ");
        text.push_str(&current.to_string());
        cause = current.source();
    }
    line(&text).into_owned()
}

/// Prints a message to standard error; ignores write errors.
pub fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{}", lines(text));
}

/// Returns the filter of a log: what `RUST_LOG` gives, else `default`.
///
/// The libraries of the protocols write a line for each fault of a client, so that one client could
/// fill the disk: that of HTTP/2 warnings, that of MCP errors too. They are silent unless they are named;
/// what fails within the registry, it logs itself.
pub fn log_filter(given: Option<&str>, default: &str) -> String {
    let given = given.map(str::trim).filter(|it| !it.is_empty());
    format!("h2=error,rmcp=off,{}", given.unwrap_or(default))
}

/// Returns a writer of log lines to standard error. It keeps colours, since the log itself escapes
/// those in third-party text.
pub fn log() -> Log<io::Stderr> {
    Log(io::stderr())
}

/// Writer that escapes the text of each write.
#[derive(Debug)]
pub struct Log<W>(W);

impl<W: Write> Write for Log<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        let text = escaped(&text, |character| {
            matches!(character, '\n' | '\t' | '\u{1b}')
        });
        self.0.write_all(text.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn escaped(text: &str, is_kept: impl Fn(char) -> bool) -> Cow<'_, str> {
    let is_shown = |character: char| !is_control_or_format(character) || is_kept(character);
    if text.chars().all(is_shown) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_shown(character) {
            shown.push(character);
        } else {
            shown.extend(character.escape_default());
        }
    }
    Cow::Owned(shown)
}

/// Reports whether a character is a control or format character, or a line separator.
fn is_control_or_format(character: char) -> bool {
    is_hidden(character) || matches!(character, '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const BAD: &str = "a\u{1b}[31mb\u{202e}c\r\nd\u{9b}e\u{2028}é";

    #[test]
    fn control_characters_are_escaped_visibly() {
        assert_eq!(line("a plain é text"), "a plain é text");
        assert_eq!(line(BAD), r"a\u{1b}[31mb\u{202e}c\r\nd\u{9b}e\u{2028}é");
        assert_eq!(lines("a\n\tb\u{7}"), "a\n\tb\\u{7}");
    }

    #[test]
    fn an_escaped_json_text_has_the_same_value() {
        assert_eq!(
            json("{\n\"a\": \"\u{9b}31m\u{202e}\u{7f}\u{e0041} é\"}"),
            "{\n\"a\": \"\\u009b31m\\u202e\\u007f\\udb40\\udc41 é\"}"
        );
    }

    #[test]
    fn libraries_of_protocols_are_silent_unless_they_are_named() {
        let quiet = "h2=error,rmcp=off";
        assert_eq!(log_filter(None, "info"), format!("{quiet},info"));
        assert_eq!(log_filter(Some(" "), "info"), format!("{quiet},info"));
        let named = format!("{quiet},debug,h2=trace");
        assert_eq!(log_filter(Some("debug,h2=trace"), "info"), named);
    }

    #[test]
    fn a_log_keeps_its_own_colours() {
        let mut log = Log(Vec::new());
        log.write_all("\u{1b}[33mWARN\u{1b}[0m a\u{202e}b\n".as_bytes())
            .unwrap();
        let text = String::from_utf8(log.0).unwrap();
        assert_eq!(text, "\u{1b}[33mWARN\u{1b}[0m a\\u{202e}b\n");
    }
}
