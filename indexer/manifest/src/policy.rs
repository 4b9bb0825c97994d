//! Policy and condition expressions of JSON Agents (Appendix B of its specification, rules PE-01 to PE-08).
//!
//! They are parsed and never evaluated: whoever enforces a policy does that, and a policy that
//! does not parse must then deny. Every part knows where it stands, in bytes of the text:
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
//! assert_eq!(error.rule(), "PE-02");
//! assert_eq!(&text[error.span.clone()], "===");
//! assert_eq!(error.to_string(), "at character 11: `===` is no operator; use `==`");
//! # Ok::<(), policy::PolicyError>(())
//! ```

mod ast;
mod lexer;
mod parser;
mod pattern;
#[cfg(test)]
mod tests;

pub use ast::{Access, Comparison, Expression, Literal, Operator, Step, Term, TermKind};

use std::ops::Range;

/// Longest expression that is read, in bytes (PE-05).
pub const MAX_BYTES: usize = 2_000;

/// Deepest nesting of parentheses, lists and `not` that is read (PE-05).
pub const MAX_DEPTH: usize = 10;

/// What an expression may speak of (PE-04).
pub const ROOTS: [&str; 4] = ["tool", "message", "agent", "runtime"];

/// What is wrong or odd in an expression, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at character {column}: {problem}")]
pub struct PolicyError {
    /// What it is.
    pub problem: Problem,
    /// Where it stands, in bytes of the expression.
    pub span: Range<usize>,
    /// Where it begins, in characters counted from 1.
    pub column: usize,
}

/// The kinds of faults, each with what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// An operator of another language (PE-02).
    #[error("`{found}` is no operator; use `{right}`")]
    ForeignOperator {
        /// The operator found.
        found: &'static str,
        /// Its like in this language.
        right: &'static str,
    },
    /// A string in double quotes, which is read all the same (PE-02).
    #[error("strings are written in single quotes")]
    DoubleQuotes,
    /// Something else than the grammar asks for (PE-03).
    #[error("{found} where {expected} is due")]
    Unexpected {
        /// What stands there.
        found: String,
        /// What may stand there.
        expected: &'static str,
    },
    /// A string without an end (PE-03).
    #[error("this string is not closed; end it with {0}")]
    OpenString(char),
    /// Digits that make no number (PE-03).
    #[error("`{0}` is not a number")]
    Number(String),
    /// A root that the specification does not define, which is read all the same (PE-04).
    #[error("`{0}` is not one of tool, message, agent, runtime")]
    UnknownRoot(String),
    /// More than [`MAX_BYTES`] (PE-05).
    #[error("longer than {MAX_BYTES} bytes, and not read")]
    TooLong,
    /// More than [`MAX_DEPTH`] levels (PE-05).
    #[error("nested deeper than {MAX_DEPTH} levels, and not read further")]
    TooDeep,
    /// A pattern that no engine of linear time runs, which is read all the same (PE-06).
    #[error("a pattern that cannot be run in linear time: {0}")]
    Pattern(String),
}

impl Problem {
    /// The rule that it breaks.
    pub fn rule(&self) -> &'static str {
        match self {
            Self::ForeignOperator { .. } | Self::DoubleQuotes => "PE-02",
            Self::Unexpected { .. } | Self::OpenString(_) | Self::Number(_) => "PE-03",
            Self::UnknownRoot(_) => "PE-04",
            Self::TooLong | Self::TooDeep => "PE-05",
            Self::Pattern(_) => "PE-06",
        }
    }

    /// This problem at a place in `text`.
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
    /// The rule that is broken.
    pub fn rule(&self) -> &'static str {
        self.problem.rule()
    }
}

/// Reads an expression; what is odd but readable is in [`Expression::warnings`].
pub fn parse(text: &str) -> Result<Expression, PolicyError> {
    if text.len() > MAX_BYTES {
        return Err(Problem::TooLong.at(0..text.len(), text));
    }
    parser::parse(text, &lexer::tokens(text)?)
}
