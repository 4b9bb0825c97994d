//! Lenient text as strict JSON, with its layout kept (DI-07).
//!
//! Only what the lenient parser reads is rewritten, token by token, and the result is returned only
//! if it is strict JSON with the same values.

use super::{lenient, repair, strict, value_of};
use crate::correction::Correction;
use crate::finding::Findings;
use jsonc_parser::ast;
use jsonc_parser::common::Range;
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use serde::Deserialize as _;
use serde_json::Value;

#[cfg(test)]
mod tests;

/// Strict JSON, and the position of each correction in the original, in bytes.
pub(crate) struct Rewritten {
    pub(crate) text: String,
    pub(crate) edits: Vec<(usize, Correction)>,
}

/// Rewrites `text`, of which the lenient parser reads `read` with the same length; `None` if a
/// correction is not certain.
pub(crate) fn rewritten(text: &str, read: &str) -> Option<Rewritten> {
    // Halves of characters have no certain correction.
    if repair::surrogates(text).is_some() {
        return None;
    }
    let collect = CollectOptions {
        comments: CommentCollectionStrategy::AsTokens,
        tokens: true,
    };
    let parsed = parse_to_ast(read, &collect, &ParseOptions::default()).ok()?;
    let tokens = parsed.tokens?;
    let mut writer = Writer {
        text,
        read,
        done: 0,
        written: String::with_capacity(text.len()),
        value_end: None,
        edits: Vec::new(),
    };
    for (index, token) in tokens.iter().enumerate() {
        if is_comment(&token.token) {
            writer.remove_comment(token.range);
            continue;
        }
        let mut later = tokens[index + 1..].iter().map(|it| &it.token);
        writer.token(token, later.find(|it| !is_comment(it)))?;
    }
    writer.gap(text.len());
    let Writer { written, edits, .. } = writer;
    is_same(&written, read).then_some(Rewritten {
        text: written,
        edits,
    })
}

fn is_comment(token: &Token<'_>) -> bool {
    matches!(token, Token::CommentLine(_) | Token::CommentBlock(_))
}

/// Reports whether `written` is strict JSON that is read like `read`.
fn is_same(written: &str, read: &str) -> bool {
    // One parser reads both, because two may round a number differently.
    let value = |text: &str| value_of(&lenient::parse(text)?, &mut Findings::default());
    let is_strict = strict(written, &mut Findings::default()).is_ok();
    is_strict && value(written).is_some_and(|it| value(read) == Some(it))
}

/// Strict JSON in the making.
struct Writer<'t> {
    text: &'t str,
    read: &'t str,
    /// Offset in both texts up to which they are rewritten.
    done: usize,
    written: String,
    /// Offset in `written` after a value that no comma has followed yet.
    value_end: Option<usize>,
    edits: Vec<(usize, Correction)>,
}

impl Writer<'_> {
    /// Writes a token that is not a comment, before `next`.
    fn token(&mut self, token: &TokenAndRange<'_>, next: Option<&Token<'_>>) -> Option<()> {
        let Range { start, end } = token.range;
        self.gap(start);
        let is_name = next == Some(&Token::Colon);
        match &token.token {
            Token::Comma if matches!(next, Some(Token::CloseBrace | Token::CloseBracket)) => {
                self.edits.push((start, Correction::TrailingComma));
                self.done = end;
                return Some(());
            }
            Token::Comma
            | Token::Colon
            | Token::CloseBrace
            | Token::CloseBracket
            | Token::CommentLine(_)
            | Token::CommentBlock(_) => self.write(&self.read[start..end]),
            Token::String(value) => {
                self.separate(start);
                self.string(start, end, value)?;
            }
            Token::Word(name) => {
                self.separate(start);
                self.quote(start, name, Correction::Name)?;
            }
            Token::Boolean(_) | Token::Null | Token::Number(_) if is_name => {
                self.separate(start);
                self.quote(start, &self.read[start..end], Correction::Name)?;
            }
            Token::OpenBrace | Token::OpenBracket | Token::Boolean(_) | Token::Null => {
                self.separate(start);
                self.write(&self.read[start..end]);
            }
            Token::Number(number) => {
                self.separate(start);
                self.number(start, number)?;
            }
        }
        self.done = end;
        let ends_value = !matches!(
            token.token,
            Token::Comma | Token::Colon | Token::OpenBrace | Token::OpenBracket
        );
        self.value_end = (ends_value && !is_name).then_some(self.written.len());
        Some(())
    }

    fn write(&mut self, token: &str) {
        self.written.push_str(token);
    }

    /// Adds the comma that is missing after the value before.
    fn separate(&mut self, start: usize) {
        if let Some(end) = self.value_end.take() {
            self.written.insert(end, ',');
            self.edits.push((start, Correction::MissingComma));
        }
    }

    /// Writes the space up to `end`, without what the parser saw as space only because it was
    /// repaired.
    fn gap(&mut self, end: usize) {
        let start = std::mem::replace(&mut self.done, end);
        for (offset, character) in self.read[start..end].char_indices() {
            let at = start + offset;
            match self.text.as_bytes()[at] {
                0 => self.edits.push((at, Correction::Nul)),
                b' ' | b'\t' | b'\n' | b'\r' => self.written.push(character),
                // Part of a quote or of a fence.
                _ if character == ' ' => {}
                _ => {
                    self.edits.push((at, Correction::Space));
                    self.written.push(' ');
                }
            }
        }
    }

    /// Removes a comment, with its line if nothing else is in it.
    fn remove_comment(&mut self, Range { start, end }: Range) {
        self.gap(start);
        self.edits.push((start, Correction::Comment));
        let end = end - usize::from(self.read[start..end].ends_with('\r'));
        self.done = end;
        let rest = &self.read[end..];
        let after = rest.trim_start_matches([' ', '\t', '\r']);
        if !after.is_empty() && !after.starts_with('\n') {
            return;
        }
        let kept = self.written.trim_end_matches([' ', '\t']).len();
        self.written.truncate(kept);
        if kept == 0 || self.written.ends_with('\n') {
            let after = after.strip_prefix('\n').unwrap_or(after);
            self.done = self.read.len() - after.len();
        }
    }

    /// Writes a string, with its quotes and escapes as JSON has them.
    fn string(&mut self, start: usize, end: usize, value: &str) -> Option<()> {
        let before = |it: &str| it.as_bytes()[..start].last().copied();
        if (before(self.text), before(self.read)) == (Some(b'"'), Some(b' ')) {
            self.edits.push((start, Correction::Quotes));
        }
        let original = self.text.get(start..end);
        let original = original.filter(|it| *it == &self.read[start..end]);
        match original {
            Some(original) if serde_json::from_str::<String>(original).is_ok() => {
                self.write(original);
                Some(())
            }
            Some(original) if original.starts_with('"') => {
                self.quote(start, value, Correction::Escape)
            }
            _ => self.quote(start, value, Correction::Quotes),
        }
    }

    fn quote(&mut self, start: usize, value: &str, correction: Correction) -> Option<()> {
        let quoted = serde_json::to_string(value).ok()?;
        self.write(&quoted);
        self.edits.push((start, correction));
        Some(())
    }

    fn number(&mut self, start: usize, number: &str) -> Option<()> {
        if serde_json::from_str::<serde_json::Number>(number).is_ok() {
            self.write(number);
            return Some(());
        }
        // Neither `NaN` nor what is beyond the range of a double is a number of JSON.
        if number.parse().is_ok_and(|it: f64| !it.is_finite()) {
            return None;
        }
        let literal = ast::Value::NumberLit(ast::NumberLit {
            range: Range::new(0, number.len()),
            value: number,
        });
        let value = Value::deserialize(lenient::Node(&literal)).ok()?;
        value.is_number().then(|| {
            self.write(&value.to_string());
            self.edits.push((start, Correction::Number));
        })
    }
}
