//! What the programs say to people, made fit for a terminal: nothing that a terminal obeys, and nothing that
//! changes the order in which it shows text, is repeated from an argument, a file or a site.
//!
//! Such characters are escaped, so that they can be seen: `\u{1b}`, `\u{202e}`.

pub mod usage;

use manifest::text::is_hidden;
use std::borrow::Cow;
use std::error::Error;
use std::fmt::Write as _;
use std::io::{self, Write};

/// The text on one line; breaks and tabs are escaped like the rest.
pub fn line(text: &str) -> Cow<'_, str> {
    escaped(text, |_| false)
}

/// The text with its line breaks and tabs.
pub fn lines(text: &str) -> Cow<'_, str> {
    escaped(text, |character| matches!(character, '\n' | '\t'))
}

/// A JSON text with the same meaning: it lets such characters stand in texts only, where each can also be written
/// as `\u`. Line breaks stay, which stand between its members.
pub fn json(text: &str) -> Cow<'_, str> {
    let is_kept = |character: char| !is_obeyed(character) || character == '\n';
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

/// What failed and its causes, on one line.
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

/// Tells the operator something; when standard error is gone there is nothing left to tell it to.
pub fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{}", lines(text));
}

/// A writer of log lines to standard error, whose own colours stay: the log escapes those of others.
pub fn log() -> Log<io::Stderr> {
    Log(io::stderr())
}

/// A writer to which each write is a text of its own.
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
    let is_shown = |character: char| !is_obeyed(character) || is_kept(character);
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

/// Control and format characters, and line separators.
fn is_obeyed(character: char) -> bool {
    is_hidden(character) || matches!(character, '\u{61c}' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const BAD: &str = "a\u{1b}[31mb\u{202e}c\r\nd\u{9b}e\u{2028}é";

    #[test]
    fn what_a_terminal_obeys_is_escaped_and_can_be_seen() {
        assert_eq!(line("a plain é text"), "a plain é text");
        assert_eq!(line(BAD), r"a\u{1b}[31mb\u{202e}c\r\nd\u{9b}e\u{2028}é");
        assert_eq!(lines("a\n\tb\u{7}"), "a\n\tb\\u{7}");
    }

    #[test]
    fn a_json_text_means_the_same() {
        assert_eq!(
            json("{\n\"a\": \"\u{9b}31m\u{202e}\u{7f}\u{e0041} é\"}"),
            "{\n\"a\": \"\\u009b31m\\u202e\\u007f\\udb40\\udc41 é\"}"
        );
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
