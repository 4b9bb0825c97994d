//! Filter expressions of `GET /ard/agents`, such as
//! `type = 'application/mcp-server-card+json' AND createdAfter > '2026-01-01'`.

use super::filter::{Filter, Member};
use super::request::invalid;
use crate::error::AppError;
use manifest::Timestamp;
use search::AgentHit;

/// Maximum number of bytes of an expression.
const MAX_BYTES: usize = 2_000;

/// Conditions that an entry must meet, all of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Expression {
    /// Conditions on members of the entry.
    pub(super) filter: Filter,
    /// Name that it must have, in any case.
    pub(super) name: Option<String>,
    created_after: Option<Timestamp>,
    updated_after: Option<Timestamp>,
}

impl Expression {
    /// Parses an expression.
    pub(super) fn parse(text: &str) -> Result<Self, AppError> {
        if text.len() > MAX_BYTES {
            return Err(invalid(format!(
                "`filter` may have at most {MAX_BYTES} bytes"
            )));
        }
        let mut expression = Self::default();
        let mut rest = text.trim();
        while !rest.is_empty() {
            let (field, after) = word(rest);
            let (operator, after) = operator(after)?;
            let (value, after) = quoted(after)?;
            expression.add(field, operator, value)?;
            rest = after.trim_start();
            if rest.is_empty() {
                break;
            }
            let (and, after) = word(rest);
            if !and.eq_ignore_ascii_case("and") || after.trim().is_empty() {
                return Err(wrong("expected AND and another condition"));
            }
            rest = after.trim_start();
        }
        Ok(expression)
    }

    fn add(&mut self, field: &str, operator: char, value: &str) -> Result<(), AppError> {
        let time = || {
            Timestamp::parse(value)
                .ok_or_else(|| wrong("expected a time such as '2026-01-01' or RFC 3339"))
        };
        match (field, operator) {
            ("displayName", '=') => self.name = Some(value.to_owned()),
            ("type", '=') => self.filter.add(Member::Type, &alternatives(value)),
            ("publisherId", '=') => self.filter.add(Member::Publisher, &alternatives(value)),
            ("createdAfter", _) => self.created_after = Some(time()?),
            ("updatedAfter", _) => self.updated_after = Some(time()?),
            ("displayName" | "type" | "publisherId", _) => {
                return Err(wrong("a text is compared with `=`"));
            }
            _ => {
                return Err(wrong(
                    "known fields are displayName, type, publisherId, createdAfter, updatedAfter",
                ));
            }
        }
        Ok(())
    }

    /// Reports whether the index decides all conditions alone.
    pub(super) fn is_exact(&self) -> bool {
        let is_timed = self.created_after.is_some() || self.updated_after.is_some();
        self.filter.is_exact() && self.name.is_none() && !is_timed
    }

    /// Reports whether an agent meets the conditions that the index does not decide.
    pub(super) fn accepts(&self, found: &AgentHit) -> bool {
        let agent = &found.agent;
        let folded = agent.listing.agent.name.to_lowercase();
        let is_named = |name: &String| name.to_lowercase() == folded;
        self.filter.accepts(found)
            && self.name.as_ref().is_none_or(is_named)
            && self.created_after.is_none_or(|it| agent.first_seen > it)
            && self.updated_after.is_none_or(|it| agent.changed > it)
    }
}

/// Splits a value into its alternatives, which commas separate.
fn alternatives(value: &str) -> Vec<&str> {
    value.split(',').map(str::trim).collect()
}

fn wrong(what: &str) -> AppError {
    invalid(format!("the filter cannot be read: {what}"))
}

/// Splits a text after its first word.
fn word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let end = text.find(|it: char| !it.is_ascii_alphanumeric());
    text.split_at(end.unwrap_or(text.len()))
}

/// Splits off an operator.
fn operator(text: &str) -> Result<(char, &str), AppError> {
    let text = text.trim_start();
    let mut characters = text.chars();
    match characters.next() {
        Some(operator @ ('=' | '>')) => Ok((operator, characters.as_str())),
        _ => Err(wrong("expected `=` or `>` after the name of a field")),
    }
}

/// Splits off a value in single or double quotes.
fn quoted(text: &str) -> Result<(&str, &str), AppError> {
    let text = text.trim_start();
    let quote = text.chars().next().filter(|it| matches!(it, '\'' | '"'));
    let value = quote.and_then(|quote| text[1..].split_once(quote));
    value.ok_or_else(|| wrong("expected a value in quotes"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use search::Facet;

    fn parse(text: &str) -> Result<Expression, String> {
        Expression::parse(text).map_err(|error| error.to_string())
    }

    #[test]
    fn conditions_are_joined_by_and() {
        let text = "type = 'application/a2a-agent-card+json' AND createdAfter > \"2026-01-01\" \
                    and displayName='A and B'";
        let expression = parse(text).unwrap();
        assert_eq!(
            expression.filter.facets[&Facet::Document],
            ["a2a-agent", "a2a-agent-card"]
        );
        let several = "type = 'application/a2a-agent-card+json, application/ai-catalog+json'";
        let expression = parse(several).unwrap();
        assert_eq!(
            expression.filter.facets[&Facet::Document],
            ["a2a-agent", "a2a-agent-card", "ai-catalog"]
        );
        let expression = parse(text).unwrap();
        assert_eq!(expression.created_after, Timestamp::parse("2026-01-01"));
        assert_eq!(expression.name.as_deref(), Some("A and B"));
        assert!(!expression.is_exact());
        assert_eq!(parse("  "), Ok(Expression::default()));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, word) in [
            ("type", "expected `=`"),
            ("type = MCP", "in quotes"),
            ("type = 'x", "in quotes"),
            ("type > 'x'", "compared with"),
            ("owner = 'x'", "known fields"),
            ("= 'x'", "known fields"),
            ("type = 'x' OR type = 'y'", "expected AND"),
            ("type = 'x' AND", "expected AND"),
            ("createdAfter > 'soon'", "a time"),
            ("žlutý = 'x'", "expected `=`"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(word), "{text}: {error}");
        }
        assert!(parse(&"a".repeat(3_000)).unwrap_err().contains("2000"));
    }
}
