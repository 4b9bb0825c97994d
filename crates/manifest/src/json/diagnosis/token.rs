//! Errors on tokens that the grammar does not expect at their place.

use super::{Expected, Scan, is_word};
use crate::json::fault::Fault;

impl Scan<'_> {
    pub(super) fn no_name(&self, expected: Expected, first: char) -> Fault {
        let comma = self.last.clone();
        match first {
            '}' | ']' if expected == Expected::Name => self.trailing_comma(),
            '\'' | '`' => self.other_quotes(first),
            ',' => Fault::new(self.at, "a comma with no member before it")
                .help("remove it")
                .replacing(self.text, self.at..self.at + 1, ""),
            '{' if expected == Expected::Name && self.is_in_array() => {
                let (_, start) = self.open.last().copied().unwrap_or_default();
                let line = self.line(start);
                Fault::new(
                    comma.start,
                    format!("`{{` in line {line} is not closed before the next item"),
                )
                .help("put `}` before the comma")
                .replacing(self.text, comma.start..comma.start, "}")
            }
            '{' | '[' if expected == Expected::Name && self.closed_list().is_some() => {
                let bracket = self.closed_list().unwrap_or_default();
                let line = self.line(self.at);
                Fault::new(
                    bracket,
                    format!("this `]` closes the list, but an item follows in line {line}"),
                )
                .help("remove it, and close the list after its last item")
                .replacing(self.text, bracket..bracket + 1, "")
            }
            _ if is_word(first) => {
                let end = self.word_end();
                let name = &self.text[self.at..end];
                Fault::new(self.at, "the name of a member without quotes")
                    .help("write it in double quotes")
                    .replacing(self.text, self.at..end, &format!("\"{name}\""))
            }
            _ => Fault::new(
                self.at,
                format!("`{first}` where the name of a member belongs"),
            )
            .help("give each value a name, as in \"name\": \"…\""),
        }
    }

    pub(super) fn no_colon(&self, first: char) -> Fault {
        let name = &self.text[self.name.clone()];
        let end = self.name.end;
        match first {
            '=' => Fault::new(self.at, "`=` after the name of a member")
                .help("write a colon")
                .replacing(self.text, self.at..self.at + 1, ":"),
            ',' | '}' => Fault::new(end, "a member without a value")
                .help("give a value")
                .replacing(self.text, end..end, ": \"…\""),
            _ if is_word(first) && self.at == end && name.contains(':') => {
                let colon = self.name.start + name.rfind(':').unwrap_or_default();
                Fault::new(
                    self.name.start,
                    "the name of this member has no closing quote",
                )
                .help("close it before the colon")
                .replacing(self.text, colon..colon, "\"")
            }
            _ if is_word(first) && self.at == end => self.inner_quote(),
            _ => Fault::new(end, "a colon is missing after the name of a member")
                .help("add it")
                .replacing(self.text, end..end, ":"),
        }
    }

    pub(super) fn no_comma(&self, first: char) -> Fault {
        let end = self.last.end;
        let is_string = self.text[self.last.clone()].starts_with('"');
        match first {
            ';' => Fault::new(self.at, "a semicolon")
                .help("write a comma")
                .replacing(self.text, self.at..self.at + 1, ","),
            ':' if !is_string || self.open.last().is_some_and(|(open, _)| *open == b'[') => {
                Fault::new(self.at, "a colon in a list, whose items have no names")
                    .help("put the members into an object: {\"name\": \"…\"}")
            }
            _ if is_string && self.at == end && is_word(first) => self.inner_quote(),
            '"' | '{' | '[' | '\'' | '-' => self.comma_missing(),
            _ if is_word(first) => self.comma_missing(),
            _ => Fault::new(
                self.at,
                format!("`{first}` where a comma or a closing bracket belongs"),
            )
            .help("remove it")
            .replacing(self.text, self.at..self.at + first.len_utf8(), ""),
        }
    }

    fn comma_missing(&self) -> Fault {
        let end = self.last.end;
        Fault::new(end, "a comma is missing")
            .help("add it")
            .replacing(self.text, end..end, ",")
    }

    pub(super) fn no_value(&self, expected: Expected, first: char) -> Fault {
        let is_member = self.open.last().is_some_and(|(open, _)| *open == b'{');
        match first {
            '\'' | '`' => self.other_quotes(first),
            ']' | '}' if !is_member && expected == Expected::Value => self.trailing_comma(),
            ',' | '}' | ']' if is_member => {
                let end = self.last.end;
                Fault::new(end, "a member without a value")
                    .help("give a value, or remove the member")
                    .replacing(self.text, end..end, " \"…\"")
            }
            ',' => Fault::new(self.at, "a comma with no item before it")
                .help("remove it")
                .replacing(self.text, self.at..self.at + 1, ""),
            _ => Fault::new(self.at, format!("`{first}` where a value belongs")).help(
                "write a string in double quotes, a number, true, false, null, a list or an object",
            ),
        }
    }

    fn trailing_comma(&self) -> Fault {
        Fault::new(self.last.start, "a comma with nothing after it")
            .help("remove it")
            .replacing(self.text, self.last.clone(), "")
            .read_past()
    }

    /// Reports single quotes and backticks; all of the line are replaced if it has no double ones.
    fn other_quotes(&self, quote: char) -> Fault {
        let what = if quote == '\'' {
            "single quotes"
        } else {
            "backticks"
        };
        Fault::new(self.at, what)
            .help("write double quotes")
            .line(self.text, self.at, |line| {
                if line.contains('"') {
                    String::new()
                } else {
                    line.replace(quote, "\"")
                }
            })
    }

    fn is_in_array(&self) -> bool {
        let above = self.open.iter().rev().nth(1);
        above.is_some_and(|(open, _)| *open == b'[')
    }

    /// Returns the bracket of a list that ends before the last comma.
    fn closed_list(&self) -> Option<usize> {
        let before = self.text[..self.last.start].trim_end();
        before.ends_with(']').then(|| before.len() - 1)
    }
}
