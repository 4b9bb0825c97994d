//! Recursive descent parser of expressions:
//!
//! ```text
//! or      = and { ("||" | "or") and }
//! and     = not { ("&&" | "and") not }
//! not     = "not" not | compare
//! compare = operand [ operator operand ]
//! operand = access | literal | "[" [ operand { "," operand } ] "]" | "(" or ")"
//! access  = name { "." name | "[" number-or-string "]" }
//! ```

use super::ast::{Access, Comparison, Expression, Literal, Operator, Step, Term, TermKind};
use super::lexer::{Kind, Token};
use super::{MAX_DEPTH, PolicyError, Problem, ROOTS, pattern};
use crate::text;
use std::ops::Range;

/// Parses `tokens`, which were split from `text`.
pub(super) fn parse(text: &str, tokens: &[Token<'_>]) -> Result<Expression, PolicyError> {
    let mut parser = Parser {
        text,
        tokens,
        next: 0,
        warnings: Vec::new(),
    };
    let term = parser.disjunction(0)?;
    if parser.next < tokens.len() {
        return Err(parser.unexpected("`&&`, `||` or the end"));
    }
    Ok(Expression {
        term,
        warnings: parser.warnings,
    })
}

struct Parser<'t> {
    text: &'t str,
    tokens: &'t [Token<'t>],
    /// Index of the next token.
    next: usize,
    warnings: Vec<PolicyError>,
}

impl<'t> Parser<'t> {
    fn disjunction(&mut self, depth: usize) -> Result<Term, PolicyError> {
        let mut terms = vec![self.conjunction(depth)?];
        while self.takes(&["||", "or"]) {
            terms.push(self.conjunction(depth)?);
        }
        Ok(joined(terms, TermKind::Any))
    }

    fn conjunction(&mut self, depth: usize) -> Result<Term, PolicyError> {
        let mut terms = vec![self.negation(depth)?];
        while self.takes(&["&&", "and"]) {
            terms.push(self.negation(depth)?);
        }
        Ok(joined(terms, TermKind::All))
    }

    fn negation(&mut self, depth: usize) -> Result<Term, PolicyError> {
        let start = self.span().start;
        if !self.takes(&["not"]) {
            return self.comparison(depth);
        }
        let depth = self.deeper(depth)?;
        let inner = self.negation(depth)?;
        Ok(Term {
            span: start..inner.span.end,
            kind: TermKind::Not(Box::new(inner)),
        })
    }

    fn comparison(&mut self, depth: usize) -> Result<Term, PolicyError> {
        let first = self.operand(depth)?;
        let Some(operator) = self.operator()? else {
            return Ok(first);
        };
        let second = self.operand(depth)?;
        if let (Operator::Matches | Operator::NotMatches, TermKind::Literal(Literal::Text(it))) =
            (operator, &second.kind)
            && let Some(fault) = pattern::fault(it)
        {
            self.warn(Problem::Pattern(fault), second.span.clone());
        }
        Ok(Term {
            span: first.span.start..second.span.end,
            kind: TermKind::Compare(Box::new(Comparison {
                operator,
                lhs: first,
                rhs: second,
            })),
        })
    }

    fn operator(&mut self) -> Result<Option<Operator>, PolicyError> {
        if self.takes(&["not"]) {
            return if self.takes(&["in"]) {
                Ok(Some(Operator::NotIn))
            } else {
                Err(self.unexpected("`in` after `not`"))
            };
        }
        let operator = self.peek().and_then(|token| Operator::of(token.text));
        self.next += usize::from(operator.is_some());
        Ok(operator)
    }

    fn operand(&mut self, depth: usize) -> Result<Term, PolicyError> {
        const EXPECTED: &str = "a value";
        let token = self.peek().ok_or_else(|| self.unexpected(EXPECTED))?;
        let start = token.start;
        let kind = match (token.kind, token.text) {
            (Kind::Number | Kind::Text, _) | (Kind::Word, "true" | "false" | "null") => {
                TermKind::Literal(self.literal(token))
            }
            (Kind::Word, word) if !is_operator(word) => TermKind::Access(self.access(word)?),
            (Kind::Symbol, "(") => {
                let depth = self.deeper(depth)?;
                self.next += 1;
                let inner = self.disjunction(depth)?;
                self.close(")", "`)`")?;
                return Ok(inner);
            }
            (Kind::Symbol, "[") => {
                let depth = self.deeper(depth)?;
                self.next += 1;
                TermKind::List(self.list(depth)?)
            }
            (Kind::Word | Kind::Symbol, _) => return Err(self.unexpected(EXPECTED)),
        };
        let last = &self.tokens[self.next - 1];
        Ok(Term {
            span: start..last.span().end,
            kind,
        })
    }

    /// Parses the rest of a list after its opening bracket.
    fn list(&mut self, depth: usize) -> Result<Vec<Term>, PolicyError> {
        let mut items = Vec::new();
        if self.takes(&["]"]) {
            return Ok(items);
        }
        loop {
            items.push(self.operand(depth)?);
            if !self.takes(&[","]) {
                self.close("]", "`,` or `]`")?;
                return Ok(items);
            }
        }
    }

    /// Parses a path whose first name, `root`, is the next token.
    fn access(&mut self, root: &str) -> Result<Access, PolicyError> {
        if !ROOTS.contains(&root) {
            let problem = Problem::UnknownRoot(text::clean(root, 80));
            self.warn(problem, self.span());
        }
        self.next += 1;
        let mut steps = Vec::new();
        loop {
            if self.takes(&["."]) {
                let name = self.peek().filter(|token| token.kind == Kind::Word);
                let name = name.ok_or_else(|| self.unexpected("a member's name"))?;
                steps.push(Step::Member(name.text.to_owned()));
                self.next += 1;
            } else if self.takes(&["["]) {
                let is_index = |token: &&Token<'_>| matches!(token.kind, Kind::Number | Kind::Text);
                let index = self.peek().filter(is_index);
                let index = index.ok_or_else(|| self.unexpected("a number or a string"))?;
                steps.push(Step::Index(self.literal(index)));
                self.close("]", "`]`")?;
            } else {
                let root = root.to_owned();
                return Ok(Access { root, steps });
            }
        }
    }

    /// Parses `token`, the next one, as a literal.
    fn literal(&mut self, token: &Token<'_>) -> Literal {
        self.next += 1;
        match token.text {
            "true" => Literal::Bool(true),
            "false" => Literal::Bool(false),
            "null" => Literal::Null,
            number if token.kind == Kind::Number => {
                // The lexer guarantees that this is a number.
                Literal::Number(number.parse().unwrap_or_default())
            }
            quoted => {
                if quoted.starts_with('"') {
                    self.warn(Problem::DoubleQuotes, token.span());
                }
                Literal::Text(unescaped(&quoted[1..quoted.len() - 1]))
            }
        }
    }

    fn deeper(&self, depth: usize) -> Result<usize, PolicyError> {
        if depth < MAX_DEPTH {
            Ok(depth + 1)
        } else {
            Err(Problem::TooDeep.at(self.span(), self.text))
        }
    }

    fn peek(&self) -> Option<&'t Token<'t>> {
        self.tokens.get(self.next)
    }

    /// Consumes the next token if it is one of these words or symbols.
    fn takes(&mut self, texts: &[&str]) -> bool {
        let is_next = self.peek().is_some_and(|it| texts.contains(&it.text));
        self.next += usize::from(is_next);
        is_next
    }

    fn close(&mut self, bracket: &str, expected: &'static str) -> Result<(), PolicyError> {
        if self.takes(&[bracket]) {
            Ok(())
        } else {
            Err(self.unexpected(expected))
        }
    }

    /// Returns the position of the next token, or of the end.
    fn span(&self) -> Range<usize> {
        let end = self.text.len();
        self.peek().map_or(end..end, Token::span)
    }

    fn unexpected(&self, expected: &'static str) -> PolicyError {
        let found = self.peek().map_or_else(
            || "the end".to_owned(),
            |token| format!("`{}`", text::clean(token.text, 40)),
        );
        Problem::Unexpected { found, expected }.at(self.span(), self.text)
    }

    fn warn(&mut self, problem: Problem, span: Range<usize>) {
        self.warnings.push(problem.at(span, self.text));
    }
}

/// Reports whether a word is an operator.
fn is_operator(word: &str) -> bool {
    matches!(word, "and" | "or" | "not") || Operator::of(word).is_some()
}

/// Returns the only term, or one term that contains all of them.
fn joined(mut terms: Vec<Term>, kind: fn(Vec<Term>) -> TermKind) -> Term {
    match (terms.len(), terms.first(), terms.last()) {
        (2.., Some(first), Some(last)) => Term {
            span: first.span.start..last.span.end,
            kind: kind(terms),
        },
        _ => terms.swap_remove(0),
    }
}

/// Resolves escaped quotes and backslashes; other escapes are kept for patterns.
fn unescaped(text: &str) -> String {
    let mut unescaped = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let escaped = characters.next_if(|it| character == '\\' && matches!(it, '\'' | '"' | '\\'));
        unescaped.push(escaped.unwrap_or(character));
    }
    unescaped
}
