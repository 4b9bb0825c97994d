//! Literals that Python and TypeScript share with JSON.

use super::piece::{Piece, pieces};
use serde_json::Value;
use std::fmt::Write as _;

/// Formats a text as a literal in double quotes.
///
/// The escapes are those that JSON, Python and TypeScript have in common. Whatever could change
/// how the source looks is escaped: line separators and marks of direction.
pub(super) fn text(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            it if it.is_control() || is_invisible(it) => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(it));
            }
            it => quoted.push(it),
        }
    }
    quoted.push('"');
    quoted
}

/// Returns true for marks of direction and separators of lines, all of which have four digits.
fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
    )
}

/// Words of a language that differ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words<'g> {
    pub(super) null: &'static str,
    pub(super) yes: &'static str,
    pub(super) no: &'static str,
    /// Formats the name of a member.
    pub(super) member: fn(&str) -> String,
    /// Expression of a new id.
    pub(super) id: &'static str,
    /// Formats the name of a variable.
    pub(super) variable: fn(&str) -> String,
    /// Placeholders of values that earlier answers give.
    pub(super) given: &'g [&'static str],
}

impl Words<'_> {
    /// Formats a text as an expression: a literal, but for the values that the source makes.
    pub(super) fn text(self, string: &str) -> String {
        let pieces = pieces(string, self.given).into_iter();
        let expressions = pieces.map(|piece| match piece {
            Piece::Text(literal) => text(literal),
            Piece::Id => self.id.to_owned(),
            Piece::Given(name) => (self.variable)(name),
        });
        expressions.collect::<Vec<_>>().join(" + ")
    }
}

/// Formats a value over several lines; `depth` is the indentation of its first line.
pub(super) fn value(value: &Value, words: Words<'_>, depth: usize) -> String {
    let block = |open: char, lines: Vec<String>, close: char| {
        let indent = "    ".repeat(depth);
        let mut block = String::from(open);
        for line in &lines {
            let _ = write!(block, "\n{indent}    {line},");
        }
        if !lines.is_empty() {
            block.push('\n');
            block.push_str(&indent);
        }
        block.push(close);
        block
    };
    match value {
        Value::Null => words.null.to_owned(),
        Value::Bool(true) => words.yes.to_owned(),
        Value::Bool(false) => words.no.to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(string) => words.text(string),
        Value::Array(items) => {
            let items = items.iter().map(|it| self::value(it, words, depth + 1));
            block('[', items.collect(), ']')
        }
        Value::Object(members) => {
            let members = members.iter().map(|(name, it)| {
                let name = (words.member)(name);
                format!("{name}: {}", self::value(it, words, depth + 1))
            });
            block('{', members.collect(), '}')
        }
    }
}
