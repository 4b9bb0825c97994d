//! Policy and condition expressions of JSON Agents (Appendix B of its specification, rules PE-01 to
//! PE-08).
//!
//! They are parsed and never evaluated. That is the task of the program that enforces a policy; it
//! must deny if the policy cannot be parsed. Every part has its position in the text, in bytes:
//!
//! ```
//! use manifest::policy::{self, Operator, TermKind};
//!
//! let text = "tool.type == 'http' && not (tool.endpoint ends_with '.shop.example')";
//! let expression = policy::parse(text)?;
//! let TermKind::All(terms) = &expression.term.kind else {
//!     panic!("two terms with `&&` between them");
//! };
//! let TermKind::Compare(comparison) = &terms[0].kind else {
//!     panic!("a comparison");
//! };
//! assert_eq!(comparison.operator, Operator::Equal);
//! assert_eq!(&text[terms[0].span.clone()], "tool.type == 'http'");
//!
//! let text = "tool.type === 'http'";
//! let error = policy::parse(text).unwrap_err();
//! assert_eq!(error.rule().id, "PE-02");
//! assert_eq!(&text[error.span.clone()], "===");
//! assert_eq!(error.to_string(), "at character 11: `===` is not an operator; use `==`");
//! # Ok::<(), policy::PolicyError>(())
//! ```

mod ast;
mod lexer;
mod parser;
mod pattern;
#[cfg(test)]
mod tests;

pub use ast::{Access, Comparison, Expression, Literal, Operator, Step, Term, TermKind};

use super::rules::{PE_02, PE_03, PE_04, PE_05, PE_06};
use crate::rule::Rule;
use std::ops::Range;

/// Maximum length of an expression, in bytes (PE-05).
pub const MAX_BYTES: usize = 2_000;

/// Maximum nesting of parentheses, lists and `not` (PE-05).
pub const MAX_DEPTH: usize = 10;

/// First names of the paths that the specification defines (PE-04).
pub const ROOTS: [&str; 4] = ["tool", "message", "agent", "runtime"];

/// An error or warning about an expression, with its position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at character {column}: {problem}")]
pub struct PolicyError {
    /// The problem.
    pub problem: Problem,
    /// Its position, in bytes of the expression.
    pub span: Range<usize>,
    /// The start of its position, in characters counted from 1.
    pub column: usize,
}

/// Kind of problem; its message says what would be rhs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// An operator of another language (PE-02).
    #[error("`{found}` is not an operator; use `{rhs}`")]
    ForeignOperator {
        /// The operator found.
        found: &'static str,
        /// The equivalent in this language.
        rhs: &'static str,
    },
    /// A string in double quotes, which is accepted with a warning (PE-02).
    #[error("strings are written in single quotes")]
    DoubleQuotes,
    /// A token that the grammar does not permit here (PE-03).
    #[error("expected {expected}, found {found}")]
    Unexpected {
        /// The token.
        found: String,
        /// The tokens that the grammar permits.
        expected: &'static str,
    },
    /// A string without an end (PE-03).
    #[error("this string is not closed; end it with {0}")]
    OpenString(char),
    /// Digits that are not a number (PE-03).
    #[error("`{0}` is not a number")]
    Number(String),
    /// A first name that the specification does not define, accepted with a warning (PE-04).
    #[error("`{0}` is not one of tool, message, agent, runtime")]
    UnknownRoot(String),
    /// More than [`MAX_BYTES`] (PE-05).
    #[error("longer than {MAX_BYTES} bytes, so it is not read")]
    TooLong,
    /// More than [`MAX_DEPTH`] levels (PE-05).
    #[error("nested deeper than {MAX_DEPTH} levels, so it is not read")]
    TooDeep,
    /// A pattern that cannot be matched in linear time, accepted with a warning (PE-06).
    #[error("a pattern that cannot be matched in linear time: {0}")]
    Pattern(String),
}

impl Problem {
    /// Returns the id of the broken rule.
    pub fn rule(&self) -> &'static Rule {
        match self {
            Self::ForeignOperator { .. } | Self::DoubleQuotes => &PE_02,
            Self::Unexpected { .. } | Self::OpenString(_) | Self::Number(_) => &PE_03,
            Self::UnknownRoot(_) => &PE_04,
            Self::TooLong | Self::TooDeep => &PE_05,
            Self::Pattern(_) => &PE_06,
        }
    }

    /// Adds a position in `text` to this problem.
    fn at(self, span: Range<usize>, text: &str) -> PolicyError {
        let before = text.get(..span.start).unwrap_or_default();
        PolicyError {
            problem: self,
            column: before.chars().count() + 1,
            span,
        }
    }
}

impl PolicyError {
    /// Returns the id of the broken rule.
    pub fn rule(&self) -> &'static Rule {
        self.problem.rule()
    }
}

/// Parses an expression; accepted problems are in [`Expression::warnings`].
pub fn parse(text: &str) -> Result<Expression, PolicyError> {
    if text.len() > MAX_BYTES {
        return Err(Problem::TooLong.at(0..text.len(), text));
    }
    parser::parse(text, &lexer::tokens(text)?)
}
