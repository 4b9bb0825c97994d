//! Strings, and what is wrong with them.

use super::{Outcome, Scan, is_word};
use crate::json::fault::Fault;
use std::ops::Range;

impl Scan<'_> {
    /// Reads a string, with its quotes.
    pub(super) fn string(&mut self, is_name: bool) -> Outcome<Range<usize>> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut at = start + 1;
        loop {
            match bytes.get(at) {
                None => return Err(self.endless(start, self.text.len(), is_name)),
                Some(b'"') => break,
                Some(b'\\') => at = self.escape(at)?,
                Some(b'\n' | b'\r') => return Err(self.broken(start, at, is_name)),
                Some(b'\t') => {
                    return Err(Fault::new(at, "a control character in a string: a tab")
                        .help("write \\t or a space")
                        .replacing(self.text, at..at + 1, "\\t"));
                }
                Some(byte) if *byte < b' ' => {
                    return Err(Fault::new(
                        at,
                        format!("a control character in a string: U+{byte:04X}"),
                    )
                    .help("remove it")
                    .replacing(self.text, at..at + 1, ""));
                }
                Some(_) => at += 1,
            }
        }
        self.at = at + 1;
        self.last = start..self.at;
        let is_glued = |it: char| it == '"' || is_word(it);
        if self.last.len() == 2 && self.text[self.at..].starts_with(is_glued) {
            return Err(self.doubled(start));
        }
        Ok(self.last.clone())
    }

    /// Returns the offset after the escape at `at`.
    fn escape(&self, at: usize) -> Outcome<usize> {
        let rest = &self.text[at + 1..];
        let Some(kind) = rest.chars().next() else {
            return Ok(self.text.len());
        };
        match kind {
            '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' => Ok(at + 2),
            'u' => {
                let digits = rest.bytes().skip(1).take(4);
                if digits.filter(u8::is_ascii_hexdigit).count() == 4 {
                    return Ok(at + 6);
                }
                Err(Fault::new(at, "\\u without four hexadecimal digits")
                    .help("write it like \\u00e9, or write the character itself"))
            }
            '\'' => Err(Fault::new(at, "JSON has no escape \\'")
                .help("write ' without a backslash")
                .replacing(self.text, at..at + 1, "")),
            _ if kind.is_control() => Err(Fault::new(at, "a backslash at the end of a line")
                .help("write the string on one line, with \\n for a line break")),
            _ => Err(Fault::new(at, format!("JSON has no escape \\{kind}"))
                .help("write a backslash as \\\\")
                .replacing(self.text, at..at, "\\")),
        }
    }

    /// Reports a string with a line break: a quote is missing, or the break belongs to the text.
    fn broken(&self, start: usize, end: usize, is_name: bool) -> Fault {
        let rest = self.text[end..].trim_start();
        let line = self.text[start..end].trim_end();
        let next_is_code = rest.is_empty()
            || rest.starts_with(['}', ']', '{', '['])
            || is_member(rest)
            || (rest.starts_with('"') && line.ends_with(','));
        if next_is_code || is_name {
            return self.endless(start, end, is_name);
        }
        let closing = rest.find('"').map(|it| self.text.len() - rest.len() + it);
        let fault = Fault::new(end, "a line break in a string")
            .help("write the string on one line, with \\n for the break");
        match closing {
            Some(closing) => {
                let lines: Vec<&str> = self.text[end..closing].lines().map(str::trim).collect();
                fault.replacing(self.text, end..closing, lines.join("\\n").as_str())
            }
            None => fault,
        }
    }

    /// Reports a string without a closing quote, whose line ends at `end`.
    fn endless(&self, start: usize, end: usize, is_name: bool) -> Fault {
        let line = self.text[start..end].trim_end();
        let what = if is_name {
            "the name of this member"
        } else {
            "this string"
        };
        let fault = Fault::new(start, format!("{what} has no closing quote"));
        if is_name && let Some(colon) = line.find(':') {
            let at = start + colon;
            return fault
                .help("close it before the colon")
                .replacing(self.text, at..at, "\"");
        }
        let close = line.trim_end_matches([',', '}', ']', ' ']).len().max(1);
        let at = start + close;
        // A comma behind the last member or item would be the next error.
        let after = line[close..].trim_start();
        let comma = start + line.len() - after.len();
        let is_last = after.strip_prefix(',').is_some_and(|_| {
            let next = self.text[comma + 1..].trim_start();
            next.starts_with(['}', ']'])
        });
        let until = if is_last { comma + 1 } else { at };
        fault.help("close it").replacing(self.text, at..until, "\"")
    }

    /// Reports a quote inside of the string before it.
    pub(super) fn inner_quote(&self) -> Fault {
        let start = self.last.start;
        let line_end = self.text[start..].find('\n');
        let line_end = line_end.map_or(self.text.len(), |it| start + it);
        let rest = self.text[start..line_end].trim_end();
        let last = rest.rfind('"').map_or(line_end, |it| start + it);
        let fault = Fault::new(self.last.end - 1, "a quote inside of a string")
            .help("write \\\" for a quote that belongs to the text");
        if last <= self.last.end {
            return fault;
        }
        let inner = &self.text[start + 1..last];
        // With a further member in the line the end of this string is not certain.
        if inner.contains("\":") || inner.contains("\",") {
            return fault;
        }
        let escaped = inner.replace("\\\"", "\"").replace('"', "\\\"");
        fault.replacing(self.text, start + 1..last, &escaped)
    }

    fn doubled(&self, start: usize) -> Fault {
        Fault::new(start, "doubled quotes")
            .help("write one double quote on each side")
            .line(self.text, start, |line| line.replace("\"\"", "\""))
    }
}

/// Returns true if the text begins like a member: `"name":`.
fn is_member(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('"') else {
        return false;
    };
    let name = rest.split(['"', '\n']).next().unwrap_or_default();
    rest[name.len()..]
        .strip_prefix('"')
        .is_some_and(|rest| rest.trim_start().starts_with(':'))
        && name.starts_with(|it| is_word(it) || it == '@')
}
