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
mod token;
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
            let fault = Fault::new(self.at, "a comment, which JSON does not have").read_past();
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
