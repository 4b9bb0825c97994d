//! Syntax tree of an expression.

use super::PolicyError;
use std::ops::Range;

/// A whole expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// The root of the tree.
    pub term: Term,
    /// Problems that were accepted, in order of position: quotes, roots and patterns.
    pub warnings: Vec<PolicyError>,
}

/// A part of an expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// Its position, in bytes of the expression, without parentheses around it.
    pub span: Range<usize>,
    /// Its kind and content.
    pub kind: TermKind,
}

/// Kind of term.
#[derive(Clone, Debug, PartialEq)]
pub enum TermKind {
    /// Two or more terms with `||` between them.
    Any(Vec<Term>),
    /// Two or more terms with `&&` between them.
    All(Vec<Term>),
    /// `not` before a term.
    Not(Box<Term>),
    /// Two terms with an operator between them.
    Compare(Box<Comparison>),
    /// A value of the call that the policy is about.
    Access(Access),
    /// A literal value.
    Literal(Literal),
    /// Terms in brackets.
    List(Vec<Term>),
}

/// A comparison of two terms.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The operator.
    pub operator: Operator,
    /// The term before the operator.
    pub lhs: Term,
    /// The term after it.
    pub rhs: Term,
}

/// A path to a value, such as `message.parts[0].kind`.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    /// Its first name.
    pub root: String,
    /// The steps after the first name.
    pub steps: Vec<Step>,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// `.name`
    Member(String),
    /// `[0]` or `['name']`
    Index(Literal),
}

/// A literal value.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// A string with escaped quotes and backslashes resolved; other escapes stay for patterns.
    Text(String),
    /// A number.
    Number(f64),
    /// `true` or `false`.
    Bool(bool),
    /// `null`
    Null,
}

/// Comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `>`
    Greater,
    /// `<`
    Less,
    /// `>=`
    GreaterOrEqual,
    /// `<=`
    LessOrEqual,
    /// `~`: the pattern on the rhs matches.
    Matches,
    /// `!~`: the pattern on the rhs does not match.
    NotMatches,
    /// `in`
    In,
    /// `not in`
    NotIn,
    /// `contains`
    Contains,
    /// `starts_with`
    StartsWith,
    /// `ends_with`
    EndsWith,
}

impl Operator {
    /// Returns the operator for `text`; `not in` is two words and not among them.
    pub(super) fn of(text: &str) -> Option<Self> {
        Some(match text {
            "==" => Self::Equal,
            "!=" => Self::NotEqual,
            ">" => Self::Greater,
            "<" => Self::Less,
            ">=" => Self::GreaterOrEqual,
            "<=" => Self::LessOrEqual,
            "~" => Self::Matches,
            "!~" => Self::NotMatches,
            "in" => Self::In,
            "contains" => Self::Contains,
            "starts_with" => Self::StartsWith,
            "ends_with" => Self::EndsWith,
            _ => return None,
        })
    }
}
