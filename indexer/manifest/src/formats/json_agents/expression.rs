//! Checks policy and condition expressions (JSON Agents, Appendix B; rules PE-01 to PE-08).
//!
//! Expressions are parsed and never evaluated: whoever enforces a policy does that, we only say
//! whether it can be understood.

use crate::Severity;

/// Longest expression that is looked at, in bytes (PE-05).
const MAX_LENGTH: usize = 2_000;

/// Deepest nesting that the specification recommends (PE-05).
const MAX_DEPTH: usize = 10;

/// What an expression may speak of (PE-04).
const ROOTS: [&str; 4] = ["tool", "message", "agent", "runtime"];

/// What is wrong or odd in an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// The PE rule.
    pub(super) rule: &'static str,
    /// An error when the expression cannot be understood.
    pub(super) severity: Severity,
    /// What is wrong and what would be right.
    pub(super) message: String,
}

/// Everything that is wrong or odd in `expression`; empty when it is fine.
pub(super) fn check(expression: &str) -> Vec<Fault> {
    if expression.len() > MAX_LENGTH {
        return vec![Fault::warning(
            "PE-05",
            format!("the expression is longer than {MAX_LENGTH} bytes and was not checked"),
        )];
    }
    let mut parser = match tokens(expression) {
        Ok(tokens) => Parser {
            tokens,
            position: 0,
            warnings: Vec::new(),
        },
        Err(fault) => return vec![fault],
    };
    let outcome = parser.whole();
    let mut faults = parser.warnings;
    faults.extend(outcome.err());
    faults
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Name(String),
    Number,
    Text { double_quoted: bool },
    Operator(&'static str),
    And,
    Or,
    Punctuation(char),
}

impl Fault {
    fn error(rule: &'static str, message: impl Into<String>) -> Self {
        Self {
            rule,
            severity: Severity::Error,
            message: message.into(),
        }
    }

    fn warning(rule: &'static str, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(rule, message)
        }
    }
}

fn tokens(expression: &str) -> Result<Vec<Token>, Fault> {
    const SYMBOLS: [(&str, Token); 10] = [
        ("==", Token::Operator("==")),
        ("!=", Token::Operator("!=")),
        (">=", Token::Operator(">=")),
        ("<=", Token::Operator("<=")),
        ("!~", Token::Operator("!~")),
        ("&&", Token::And),
        ("||", Token::Or),
        (">", Token::Operator(">")),
        ("<", Token::Operator("<")),
        ("~", Token::Operator("~")),
    ];
    let mut tokens = Vec::new();
    let mut rest = expression.trim_start();
    while let Some(first) = rest.chars().next() {
        if rest.starts_with("===") {
            return Err(Fault::error("PE-02", "`===` is no operator; use `==`"));
        }
        if let Some((symbol, token)) = SYMBOLS.iter().find(|(symbol, _)| rest.starts_with(symbol)) {
            tokens.push(token.clone());
            rest = &rest[symbol.len()..];
        } else if matches!(first, '=' | '&' | '|' | '!') {
            let right = match first {
                '=' => "==",
                '&' => "&&",
                '|' => "||",
                _ => "not",
            };
            return Err(Fault::error(
                "PE-02",
                format!("`{first}` is no operator; use `{right}`"),
            ));
        } else if matches!(first, '(' | ')' | '[' | ']' | ',' | '.') {
            tokens.push(Token::Punctuation(first));
            rest = &rest[1..];
        } else if matches!(first, '\'' | '"') {
            let length = quoted_length(rest, first)?;
            tokens.push(Token::Text {
                double_quoted: first == '"',
            });
            rest = &rest[length..];
        } else if first.is_ascii_digit() || first == '-' {
            let length = rest
                .find(|character: char| {
                    !(character.is_ascii_digit() || "-.eE+".contains(character))
                })
                .unwrap_or(rest.len());
            if rest[..length].parse::<f64>().is_err() {
                return Err(Fault::error(
                    "PE-03",
                    format!("`{}` is not a number", &rest[..length]),
                ));
            }
            tokens.push(Token::Number);
            rest = &rest[length..];
        } else if first.is_alphabetic() || first == '_' {
            let length = rest
                .find(|character: char| !(character.is_alphanumeric() || "_-".contains(character)))
                .unwrap_or(rest.len());
            tokens.push(word(&rest[..length]));
            rest = &rest[length..];
        } else {
            return Err(Fault::error(
                "PE-03",
                format!("`{first}` has no meaning in an expression"),
            ));
        }
        rest = rest.trim_start();
    }
    Ok(tokens)
}

fn quoted_length(rest: &str, quote: char) -> Result<usize, Fault> {
    let mut is_escaped = false;
    for (offset, character) in rest.char_indices().skip(1) {
        if is_escaped {
            is_escaped = false;
        } else if character == '\\' {
            is_escaped = true;
        } else if character == quote {
            return Ok(offset + quote.len_utf8());
        }
    }
    Err(Fault::error("PE-03", "a string is not closed"))
}

fn word(text: &str) -> Token {
    match text {
        "and" => Token::And,
        "or" => Token::Or,
        "in" => Token::Operator("in"),
        "contains" => Token::Operator("contains"),
        "starts_with" => Token::Operator("starts_with"),
        "ends_with" => Token::Operator("ends_with"),
        _ => Token::Name(text.to_owned()),
    }
}

struct Parser {
    tokens: Vec<Token>,
    position: usize,
    warnings: Vec<Fault>,
}

impl Parser {
    fn whole(&mut self) -> Result<(), Fault> {
        if self.tokens.is_empty() {
            return Err(Fault::error("PE-03", "the expression is empty"));
        }
        self.disjunction(0)?;
        match self.tokens.get(self.position) {
            None => Ok(()),
            Some(token) => Err(unexpected(Some(token))),
        }
    }

    fn disjunction(&mut self, depth: usize) -> Result<(), Fault> {
        if depth > MAX_DEPTH {
            return Err(Fault::warning(
                "PE-05",
                format!("nested deeper than {MAX_DEPTH} and not checked further"),
            ));
        }
        self.negation(depth)?;
        while matches!(self.peek(), Some(Token::And | Token::Or)) {
            self.position += 1;
            self.negation(depth)?;
        }
        Ok(())
    }

    fn negation(&mut self, depth: usize) -> Result<(), Fault> {
        while self.takes(&Token::Name("not".to_owned())) {}
        self.operand(depth)?;
        if self.takes_operator()? {
            self.operand(depth)?;
        }
        Ok(())
    }

    fn takes_operator(&mut self) -> Result<bool, Fault> {
        if self.takes(&Token::Name("not".to_owned())) {
            return if self.takes(&Token::Operator("in")) {
                Ok(true)
            } else {
                Err(Fault::error("PE-03", "`not` after an operand needs `in`"))
            };
        }
        let is_operator = matches!(self.peek(), Some(Token::Operator(_)));
        self.position += usize::from(is_operator);
        Ok(is_operator)
    }

    fn operand(&mut self, depth: usize) -> Result<(), Fault> {
        let token = self.peek().cloned();
        self.position += 1;
        match token {
            Some(Token::Number) => Ok(()),
            Some(Token::Text { double_quoted }) => {
                if double_quoted {
                    self.warnings.push(Fault::warning(
                        "PE-03",
                        "strings are written in single quotes",
                    ));
                }
                Ok(())
            }
            Some(Token::Name(name)) if matches!(&*name, "true" | "false" | "null") => Ok(()),
            Some(Token::Name(name)) => self.accessor(&name),
            Some(Token::Punctuation('(')) => {
                self.disjunction(depth + 1)?;
                self.expect(')')
            }
            Some(Token::Punctuation('[')) => self.array(depth + 1),
            other => Err(unexpected(other.as_ref())),
        }
    }

    fn array(&mut self, depth: usize) -> Result<(), Fault> {
        if depth > MAX_DEPTH {
            return Err(Fault::warning(
                "PE-05",
                format!("nested deeper than {MAX_DEPTH} and not checked further"),
            ));
        }
        if self.takes(&Token::Punctuation(']')) {
            return Ok(());
        }
        loop {
            self.operand(depth)?;
            if !self.takes(&Token::Punctuation(',')) {
                return self.expect(']');
            }
        }
    }

    fn accessor(&mut self, root: &str) -> Result<(), Fault> {
        if !ROOTS.contains(&root) {
            self.warnings.push(Fault::warning(
                "PE-04",
                format!("`{root}` is not one of tool, message, agent, runtime"),
            ));
        }
        loop {
            if self.takes(&Token::Punctuation('.')) {
                match self.peek() {
                    Some(Token::Name(_) | Token::Operator(_) | Token::And | Token::Or) => {
                        self.position += 1;
                    }
                    other => return Err(unexpected(other)),
                }
            } else if self.takes(&Token::Punctuation('[')) {
                if !matches!(self.peek(), Some(Token::Number | Token::Text { .. })) {
                    return Err(unexpected(self.peek()));
                }
                self.position += 1;
                self.expect(']')?;
            } else {
                return Ok(());
            }
        }
    }

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.position)
    }

    fn takes(&mut self, token: &Token) -> bool {
        let is_next = self.peek() == Some(token);
        self.position += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, punctuation: char) -> Result<(), Fault> {
        if self.takes(&Token::Punctuation(punctuation)) {
            Ok(())
        } else {
            Err(Fault::error(
                "PE-03",
                format!("a `{punctuation}` is missing"),
            ))
        }
    }
}

fn unexpected(token: Option<&Token>) -> Fault {
    let what = match token {
        None => "the expression ends where a value is due".to_owned(),
        Some(Token::Name(name)) => format!("`{name}` is not expected here"),
        Some(Token::Number) => "a number is not expected here".to_owned(),
        Some(Token::Text { .. }) => "a string is not expected here".to_owned(),
        Some(Token::Operator(operator)) => {
            format!("`{operator}` needs a value on both sides")
        }
        Some(Token::And) => "`&&` needs a value on both sides".to_owned(),
        Some(Token::Or) => "`||` needs a value on both sides".to_owned(),
        Some(Token::Punctuation(character)) => format!("`{character}` is not expected here"),
    };
    Fault::error("PE-03", what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(expression: &str) -> Vec<&'static str> {
        check(expression)
            .into_iter()
            .map(|fault| fault.rule)
            .collect()
    }

    #[test]
    fn expressions_of_the_grammar_are_fine() {
        for expression in [
            "tool.type == 'http'",
            "tool.type not in ['system', 'plugin'] || not (agent.id starts_with 'ajson://ops')",
            "not not message.hops[0].urgent",
            "message.parts['a'] contains 'it\\'s' and runtime.load >= -1.5",
            "tool.contains.in == null",
            "agent.tags in []",
        ] {
            assert_eq!(rules(expression), Vec::<&str>::new(), "{expression}");
        }
    }

    #[test]
    fn foreign_operators_and_broken_expressions_are_errors() {
        for (expression, rule) in [
            ("tool.type === 'http'", "PE-02"),
            ("tool.type = 'http'", "PE-02"),
            ("tool.a == 1 & tool.b == 2", "PE-02"),
            ("!tool.a", "PE-02"),
            ("", "PE-03"),
            (" \t ", "PE-03"),
            ("(tool.a == 1", "PE-03"),
            ("tool.a in ['x')", "PE-03"),
            ("== 'x'", "PE-03"),
            ("tool.a ==", "PE-03"),
            ("tool.a not 'x'", "PE-03"),
            ("tool. == 'x'", "PE-03"),
            ("tool.a == 'x", "PE-03"),
            ("tool.a == 1-2", "PE-03"),
            ("tool.a 'x'", "PE-03"),
            ("tool.a == {}", "PE-03"),
        ] {
            assert_eq!(rules(expression), [rule], "{expression}");
            assert_eq!(check(expression)[0].severity, Severity::Error);
        }
    }

    #[test]
    fn odd_but_readable_expressions_are_warned_of() {
        assert_eq!(rules("request.ip == 'x'"), ["PE-04"]);
        assert_eq!(rules("tool.type == \"http\""), ["PE-03"]);
        assert_eq!(rules(&"(".repeat(50)), ["PE-05"]);
        assert_eq!(rules(&"[".repeat(1_900)), ["PE-05"]);
        assert_eq!(rules(&"not ".repeat(1_000)), ["PE-05"]);
    }
}
