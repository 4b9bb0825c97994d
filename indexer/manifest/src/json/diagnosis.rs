//! Diagnosis of text that is not JSON: the first error, in the words of its author (DI-07).
//!
//! The scanner follows the grammar of RFC 8259 without building a value, keeps the open brackets on
//! a stack of its own, and stops at the first error.

use super::fault::Fault;
use crate::position;
use std::ops::Range;

mod number;
mod string;
#[cfg(test)]
mod tests;
mod word;

/// Returns the first error; `None` if the text is JSON.
pub(super) fn first_fault(text: &str) -> Option<Fault> {
    let mut scan = Scan {
        text,
        at: 0,
        open: Vec::new(),
        last: 0..0,
        name: 0..0,
    };
    let mut expected = Expected::Value;
    loop {
        expected = match scan.next(expected) {
            Ok(Some(expected)) => expected,
            Ok(None) => return None,
            Err(fault) => return Some(fault),
        }
    }
}

/// Token that the grammar requires next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    Value,
    /// The first item of an array, or its end.
    Item,
    /// The name of a member.
    Name,
    /// The first name of an object, or its end.
    FirstName,
    Colon,
    /// A comma, or the end of the array or object.
    Next,
    End,
}

type Outcome<T> = Result<T, Fault>;

/// Scan of a text in progress.
struct Scan<'t> {
    text: &'t str,
    at: usize,
    /// Open brackets with their offsets.
    open: Vec<(u8, usize)>,
    /// The last token.
    last: Range<usize>,
    /// The last name of a member.
    name: Range<usize>,
}

impl Scan<'_> {
    /// Reads one token; returns `None` at the end of the document.
    fn next(&mut self, expected: Expected) -> Outcome<Option<Expected>> {
        let rest = self.text[self.at..].trim_start_matches([' ', '\t', '\n', '\r']);
        self.at = self.text.len() - rest.len();
        let Some(first) = rest.chars().next() else {
            return if expected == Expected::End {
                Ok(None)
            } else {
                Err(self.ends_early(expected))
            };
        };
        if expected != Expected::End || first != '/' {
            self.outside_of_json(first)?;
        }
        let next = match (expected, first) {
            (Expected::End, _) => return Err(self.after_the_end(first)),
            (Expected::Item, ']') | (Expected::FirstName, '}') | (Expected::Next, '}' | ']') => {
                self.close(first)?
            }
            (Expected::Value | Expected::Item, _) => self.value(expected, first)?,
            (Expected::Name | Expected::FirstName, '"') => {
                self.name = self.string(true)?;
                Expected::Colon
            }
            (Expected::Name | Expected::FirstName, _) => return Err(self.no_name(expected, first)),
            (Expected::Colon, ':') => {
                self.take(1);
                Expected::Value
            }
            (Expected::Colon, _) => return Err(self.no_colon(first)),
            (Expected::Next, ',') => {
                self.take(1);
                match self.open.last() {
                    Some((b'{', _)) => Expected::Name,
                    _ => Expected::Value,
                }
            }
            (Expected::Next, _) => return Err(self.no_comma(first)),
        };
        Ok(Some(next))
    }

    fn value(&mut self, expected: Expected, first: char) -> Outcome<Expected> {
        match first {
            '{' | '[' => {
                let is_object = first == '{';
                self.open
                    .push((if is_object { b'{' } else { b'[' }, self.at));
                self.take(1);
                return Ok(if is_object {
                    Expected::FirstName
                } else {
                    Expected::Item
                });
            }
            '"' => {
                self.string(false)?;
            }
            '-' | '+' | '.' | '0'..='9' => self.number()?,
            _ if first.is_alphanumeric() || first == '_' || first == '$' => self.word()?,
            _ => return Err(self.no_value(expected, first)),
        }
        Ok(self.after_value())
    }

    fn after_value(&self) -> Expected {
        if self.open.is_empty() {
            Expected::End
        } else {
            Expected::Next
        }
    }

    fn close(&mut self, bracket: char) -> Outcome<Expected> {
        let (open, start) = self.open.last().copied().unwrap_or_default();
        let right = if open == b'{' { '}' } else { ']' };
        if bracket != right {
            let line = self.line(start);
            let opening = char::from(open);
            return Err(Fault::new(
                self.at,
                format!("`{opening}` in line {line} is not closed before this `{bracket}`"),
            )
            .help(format!("put `{right}` before it"))
            .replacing(self.text, self.at..self.at, &right.to_string()));
        }
        self.open.pop();
        self.take(1);
        Ok(self.after_value())
    }

    /// Reports what is never part of JSON outside of a string.
    fn outside_of_json(&self, first: char) -> Outcome<()> {
        let rest = &self.text[self.at..];
        let comment = ["//", "/*", "#", "<!--"];
        if let Some(mark) = comment.iter().find(|mark| rest.starts_with(**mark)) {
            let ends = if *mark == "/*" {
                rest.find("*/").map(|end| end + 2)
            } else {
                Some(rest.find('\n').unwrap_or(rest.len()))
            };
            let fault = Fault::new(self.at, "a comment, which JSON does not have");
            return Err(match ends {
                Some(length) => {
                    fault
                        .help("remove it")
                        .replacing(self.text, self.at..self.at + length, "")
                }
                None => fault.help("remove it; it has no end either"),
            });
        }
        if ["<<<<<<<", "=======", ">>>>>>>"]
            .iter()
            .any(|it| rest.starts_with(it))
        {
            return Err(
                Fault::new(self.at, "a conflict of a merge that was not resolved")
                    .help("keep one of the two versions, and remove the marks"),
            );
        }
        match first {
            '\u{201C}'..='\u{201F}' | '«' | '»' => Err(Fault::new(self.at, "typographic quotes")
                .help("write plain double quotes")
                .line(self.text, self.at, |line| {
                    line.replace(
                        ['\u{201C}', '\u{201D}', '\u{201E}', '\u{201F}', '«', '»'],
                        "\"",
                    )
                })),
            '\0' => Err(Fault::new(self.at, "a NUL byte").help("remove it")),
            '\u{FEFF}' => Err(Fault::new(self.at, "a byte order mark").help("remove it")),
            _ => Ok(()),
        }
    }

    fn ends_early(&self, expected: Expected) -> Fault {
        if self.open.is_empty() {
            return Fault::new(self.at, "the file has no value").help("write an object");
        }
        let closing: String = self
            .open
            .iter()
            .rev()
            .take(20)
            .map(|(open, _)| if *open == b'{' { '}' } else { ']' })
            .collect();
        let end = self.last.end;
        if expected == Expected::Next {
            let (open, start) = self.open.last().copied().unwrap_or_default();
            let (open, line) = (char::from(open), self.line(start));
            return Fault::new(
                end,
                format!("the file ends, but `{open}` in line {line} is not closed"),
            )
            .help(format!("add `{closing}` at the end"));
        }
        Fault::new(
            end,
            "the file ends in the middle of a member; is it complete",
        )
        .help("save the whole file")
    }

    fn after_the_end(&self, first: char) -> Fault {
        let line = self.line(self.last.start);
        let fault = Fault::new(
            self.at,
            format!("more text after the document, which ends in line {line}"),
        );
        match first {
            '}' | ']' => Fault::new(self.at, format!("`{first}` closes nothing"))
                .help("remove it, or add the opening bracket that is missing")
                .replacing(self.text, self.at..self.at + 1, ""),
            ',' | '"' => fault.help(format!(
                "remove the bracket in line {line} if it closes too early"
            )),
            '{' => fault.help("give one document, or put them into one list: [{…}, {…}]"),
            _ => fault.help("remove it"),
        }
    }

    fn no_name(&self, expected: Expected, first: char) -> Fault {
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

    fn no_colon(&self, first: char) -> Fault {
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

    fn no_comma(&self, first: char) -> Fault {
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

    fn no_value(&self, expected: Expected, first: char) -> Fault {
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

    fn take(&mut self, length: usize) {
        self.last = self.at..self.at + length;
        self.at += length;
    }

    fn line(&self, offset: usize) -> u32 {
        position::at(self.text, offset).0
    }
}

fn is_word(first: char) -> bool {
    first.is_alphanumeric() || first == '_' || first == '$'
}
