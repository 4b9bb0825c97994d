//! Safe output for terminals: control characters, and characters that change the order of text, are
//! never repeated from an argument, a file or a site.
//!
//! Such characters are shown as escapes: `\u{1b}`, `\u{202e}`. Beside it stands all else that the
//! command lines of the programs have in common.

mod environment;
mod log;
mod manual;
pub mod usage;

pub use log::{LogFormat, announce, start_log};

use manifest::text::is_hidden;
use std::borrow::Cow;
use std::error::Error;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use url::Url;

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

/// Text in the place of what may have a password that cannot be told from the rest.
const HIDDEN: &str = "(hidden: not a valid URL)";

/// Returns a URL, such as that of a database, with its password masked: that of the user, and each
/// value of the query that a name calls one.
pub fn without_password(url: &str) -> String {
    let names_password = |text: &str| text.to_ascii_lowercase().contains("password");
    let Ok(mut parsed) = Url::parse(url) else {
        let may_have_one = names_password(url) || (url.contains("://") && url.contains('@'));
        return if may_have_one { HIDDEN } else { url }.to_owned();
    };
    if !parsed.has_host() && parsed.scheme().starts_with("postgres") && url.contains('@') {
        return HIDDEN.to_owned();
    }
    let has_password = parsed.password().is_some();
    let in_query = parsed.query_pairs().any(|(name, _)| names_password(&name));
    if !has_password && !in_query {
        return url.to_owned();
    }
    if in_query {
        let pairs: Vec<(String, String)> = parsed.query_pairs().into_owned().collect();
        let mut query = parsed.query_pairs_mut();
        query.clear();
        for (name, value) in &pairs {
            query.append_pair(name, if names_password(name) { "***" } else { value });
        }
    }
    if has_password && parsed.set_password(Some("***")).is_err() {
        return HIDDEN.to_owned();
    }
    parsed.into()
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
    fn a_password_is_masked() {
        let masked = |url| without_password(url);
        assert_eq!(
            masked("postgres://me:open-sesame@db/x"),
            "postgres://me:***@db/x"
        );
        assert_eq!(
            masked("postgres://h/x?user=me&password=open-sesame&sslmode=require"),
            "postgres://h/x?user=me&password=***&sslmode=require"
        );
        for odd in [
            "postgres://me:open/sesame@db/x",
            "postgres:/me:sesame@db/x",
            "postgres:me:sesame@db/x",
            "host=db user=me password=sesame",
            "PASSWORD=sesame",
        ] {
            assert!(!masked(odd).contains("sesame"), "{odd}");
        }
        for plain in [
            "AgentdexBot",
            "mailto:me@agentdex.example",
            "data/index",
            "127.0.0.1:80",
        ] {
            assert_eq!(masked(plain), plain);
        }
        assert_eq!(masked("sqlite:data/agentdex.db"), "sqlite:data/agentdex.db");
        assert_eq!(
            masked("https://me@agentdex.example/"),
            "https://me@agentdex.example/"
        );
    }
}
