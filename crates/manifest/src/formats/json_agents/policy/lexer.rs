//! Tokenizer of expressions: words, numbers, strings and symbols.

use super::{PolicyError, Problem};
use crate::text;
use std::ops::Range;

/// Kind of token, determined by its first character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name, or an operator that is a word.
    Word,
    Number,
    /// A string with its quotes.
    Text,
    /// An operator or a bracket.
    Symbol,
}

/// A token of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind,
    pub(super) text: &'t str,
    /// Its start, in bytes.
    pub(super) start: usize,
}

impl Token<'_> {
    pub(super) fn span(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }
}

/// All symbols; longer ones come before their prefixes.
const SYMBOLS: [&str; 16] = [
    "==", "!=", ">=", "<=", "!~", "&&", "||", ">", "<", "~", "(", ")", "[", "]", ",", ".",
];

/// Operators of other languages, and their equivalents here (PE-02).
const FOREIGN: [(&str, &str); 6] = [
    ("===", "=="),
    ("!==", "!="),
    ("=", "=="),
    ("&", "&&"),
    ("|", "||"),
    ("!", "not"),
];

/// Splits `text` into tokens.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, PolicyError> {
    let mut tokens = Vec::new();
    let mut start = 0;
    while let Some(rest) = text.get(start..).filter(|rest| !rest.is_empty()) {
        let trimmed = rest.trim_start();
        if trimmed.len() < rest.len() {
            start += rest.len() - trimmed.len();
            continue;
        }
        let (kind, length) =
            token(rest).map_err(|(problem, length)| problem.at(start..start + length, text))?;
        tokens.push(Token {
            kind,
            text: &rest[..length],
            start,
        });
        start += length;
    }
    Ok(tokens)
}

/// Returns kind and length in bytes of the token at the start of `rest`, or the problem with its
/// length.
fn token(rest: &str) -> Result<(Kind, usize), (Problem, usize)> {
    let first = rest.chars().next().unwrap_or_default();
    let run = |is_in: fn(char) -> bool| rest.find(|it| !is_in(it)).unwrap_or(rest.len());
    // `===` begins like `==`, and `!==` like `!=`.
    if let Some((found, rhs)) = FOREIGN[..2].iter().find(|(it, _)| rest.starts_with(it)) {
        return Err((Problem::ForeignOperator { found, rhs }, found.len()));
    }
    if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
        return Ok((Kind::Symbol, symbol.len()));
    }
    if let Some((found, rhs)) = FOREIGN.iter().find(|(it, _)| rest.starts_with(it)) {
        return Err((Problem::ForeignOperator { found, rhs }, found.len()));
    }
    match first {
        '\'' | '"' => match quoted(rest, first) {
            Some(length) => Ok((Kind::Text, length)),
            None => Err((Problem::OpenString(first), rest.len())),
        },
        '-' | '0'..='9' => {
            let length = run(|it| it.is_ascii_digit() || "-.eE+".contains(it));
            let digits = &rest[..length];
            match digits.parse::<f64>() {
                Ok(number) if number.is_finite() => Ok((Kind::Number, length)),
                Ok(_) | Err(_) => Err((Problem::Number(text::clean(digits, 40)), length)),
            }
        }
        '_' => Ok((Kind::Word, run(is_of_word))),
        letter if letter.is_alphabetic() => Ok((Kind::Word, run(is_of_word))),
        other => {
            let problem = Problem::Unexpected {
                found: format!("`{}`", text::clean(&other.to_string(), 1)),
                expected: "a name, a value, an operator or a bracket",
            };
            Err((problem, other.len_utf8()))
        }
    }
}

fn is_of_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-')
}

/// Returns the length of the string at the start of `rest`, including quotes; `None` if it is not
/// closed.
fn quoted(rest: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    for (offset, character) in rest.char_indices().skip(1) {
        if is_escaped {
            is_escaped = false;
        } else if character == '\\' {
            is_escaped = true;
        } else if character == quote {
            return Some(offset + quote.len_utf8());
        }
    }
    None
}
