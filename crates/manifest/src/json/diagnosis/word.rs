//! Words outside of strings: `true`, `false`, `null`, and what is none of them.

use super::{Outcome, Scan, is_word};
use crate::json::fault::Fault;

impl Scan<'_> {
    /// Reads a word.
    pub(super) fn word(&mut self) -> Outcome<()> {
        let end = self.word_end();
        let word = &self.text[self.at..end];
        if matches!(word, "true" | "false" | "null") {
            self.take(word.len());
            return Ok(());
        }
        let right = match word.to_ascii_lowercase().as_str() {
            "true" | "yes" => "true",
            "false" | "no" => "false",
            "null" | "none" | "nil" | "undefined" | "nan" | "infinity" => "null",
            _ => return Err(self.bare_text()),
        };
        let problem = match right {
            "null" => format!("{word}, which JSON does not have"),
            _ => format!("{word} is not how JSON writes it"),
        };
        Err(Fault::new(self.at, problem)
            .help(format!("write {right}"))
            .replacing(self.text, self.at..end, right))
    }

    /// Reports a text without quotes, or with only a closing one.
    fn bare_text(&self) -> Fault {
        let line = self.text[self.at..].split('\n').next().unwrap_or_default();
        if let Some(quote) = line.find('"')
            && !line[..quote].contains([',', '{', '}', '[', ']', ':'])
        {
            return Fault::new(self.at, "this string has no opening quote")
                .help("add it")
                .replacing(self.text, self.at..self.at, "\"");
        }
        let text = line.trim_end().trim_end_matches([',', '}', ']', ' ']);
        let text = text
            .split([',', '}', ']'])
            .next()
            .unwrap_or_default()
            .trim_end();
        let end = self.at + text.len();
        let quoted = format!("\"{}\"", text.replace('"', "\\\""));
        Fault::new(self.at, "a text without quotes")
            .help("write it in double quotes")
            .replacing(self.text, self.at..end, &quoted)
    }

    /// Returns the end of the word or number at the current position.
    pub(super) fn word_end(&self) -> usize {
        let rest = &self.text[self.at..];
        let is_part = |it: char| is_word(it) || matches!(it, '-' | '+' | '.');
        self.at + rest.find(|it| !is_part(it)).unwrap_or(rest.len())
    }
}
