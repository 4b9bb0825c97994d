//! What an expression is made of.

use super::PolicyError;
use std::ops::Range;

/// A whole expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// What it says.
    pub term: Term,
    /// What is odd in it, in order of place: quotes, roots and patterns.
    pub warnings: Vec<PolicyError>,
}

/// A part of an expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// Where it stands, in bytes of the expression; parentheses around it are not counted.
    pub span: Range<usize>,
    /// What it is.
    pub kind: TermKind,
}

/// The kinds of terms.
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
    /// A value that stands in the expression itself.
    Literal(Literal),
    /// Terms in brackets.
    List(Vec<Term>),
}

/// Two terms that are compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// How they are compared.
    pub operator: Operator,
    /// The term before the operator.
    pub left: Term,
    /// The term after it.
    pub right: Term,
}

/// A path to a value, such as `message.parts[0].kind`.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    /// Its first name.
    pub root: String,
    /// The way from there.
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

/// A value that stands in the expression itself.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// A string, its escaped quotes and backslashes resolved; other escapes stay for patterns.
    Text(String),
    /// A number.
    Number(f64),
    /// `true` or `false`.
    Bool(bool),
    /// `null`
    Null,
}

/// How two values are compared.
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
    /// `~`: the pattern on the right matches.
    Matches,
    /// `!~`: the pattern on the right does not match.
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
    /// The operator that is written so; `not in` is two words and not among them.
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
