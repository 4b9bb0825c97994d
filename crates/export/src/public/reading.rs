//! Readings of documents and their findings.

use manifest::{Domain, FormatId, Level, Mention, Reference, Severity};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// Finding on a document.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Finding<'a> {
    rule: &'static str,
    severity: Severity,
    pointer: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    /// Column in that line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    message: &'a str,
    /// Text at that position.
    #[serde(skip_serializing_if = "Option::is_none")]
    excerpt: Option<&'a str>,
    /// Correction in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
    /// Text to write at that position.
    #[serde(skip_serializing_if = "Option::is_none")]
    correction: Option<&'a str>,
    /// Number of positions with this problem.
    count: u32,
    /// The first further positions.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    also: &'a [manifest::Place],
}

/// Reading of one document: the verdicts, the agents with all that they state, and the findings.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Reading<'a> {
    format: FormatId,
    generation: Option<&'a str>,
    level: Level,
    valid: bool,
    indexable: bool,
    agents: &'a [manifest::Agent],
    references: &'a [Reference],
    mentions: &'a [Mention],
    findings: Vec<Finding<'a>>,
}

impl<'a> Reading<'a> {
    /// Converts a reading.
    pub fn of(reading: &'a manifest::Reading) -> Self {
        Self {
            format: reading.format,
            generation: reading.generation.as_deref(),
            level: reading.level(),
            valid: reading.is_valid(),
            indexable: reading.is_indexable(),
            agents: &reading.agents,
            references: &reading.references,
            mentions: &reading.mentions,
            findings: reading.findings.iter().map(Finding::of).collect(),
        }
    }
}

impl<'a> Finding<'a> {
    /// Converts a finding.
    pub fn of(finding: &'a manifest::Finding) -> Self {
        Self {
            rule: finding.rule.id,
            severity: finding.severity,
            pointer: &finding.pointer,
            line: finding.line,
            column: finding.column,
            message: &finding.message,
            excerpt: finding.excerpt.as_deref(),
            help: finding.help.as_deref(),
            correction: finding.correction.as_deref(),
            count: finding.count,
            also: &finding.also,
        }
    }
}

/// Serializes a value with the addresses on an unknown site made relative, as the document gives
/// them.
pub fn relative(value: &impl Serialize) -> serde_json::Result<Value> {
    let mut value = serde_json::to_value(value)?;
    make_relative(&mut value);
    Ok(value)
}

fn make_relative(value: &mut Value) {
    match value {
        Value::String(text) => {
            let path = text.strip_prefix(Domain::UNKNOWN_ORIGIN);
            if let Some(path) = path.filter(|path| path.starts_with('/')) {
                *text = path.to_owned();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(make_relative),
        Value::Object(members) => members.values_mut().for_each(make_relative),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use manifest::Document;
    use serde_json::json;

    fn linted(name: &str, body: &str) -> Value {
        let lint = manifest::lint(&Document::of_file(name, body));
        serde_json::to_value(Reading::of(&lint.reading)).unwrap()
    }

    #[test]
    fn a_reading_has_verdicts_agents_and_findings_with_the_gravest_first() {
        let body = "{\n  \"name\": \"Ferry\",\n  \"skills\": [{\"id\": \"a\", \"name\": 7}],\n  \"url\": 5\n}";
        let lint = linted("agent-card.json", body);
        let members: Vec<_> = lint.as_object().unwrap().keys().collect();
        let expected = [
            "format",
            "generation",
            "level",
            "valid",
            "indexable",
            "agents",
            "references",
            "mentions",
            "findings",
        ];
        assert_eq!(members, expected);
        assert_eq!(lint["format"], "a2a-agent-card");
        assert_eq!(
            (&lint["valid"], &lint["indexable"]),
            (&json!(false), &json!(true))
        );
        assert_eq!(lint["agents"][0]["name"], "Ferry");
        assert_eq!(lint["agents"][0]["capabilities"][0]["id"], "a");
        let place = |it: &Value| {
            let severity = ["error", "warning", "info"]
                .iter()
                .position(|word| it["severity"] == *word);
            (
                severity.unwrap(),
                it["line"].as_u64().unwrap(),
                it["column"].as_u64().unwrap(),
            )
        };
        let places: Vec<_> = lint["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(place)
            .collect();
        assert!(places.is_sorted(), "{places:?}");
        let of_url = |it: &&Value| it["pointer"] == "/url";
        let finding = lint["findings"]
            .as_array()
            .unwrap()
            .iter()
            .find(of_url)
            .unwrap();
        assert_eq!(
            (&finding["line"], &finding["column"]),
            (&json!(4), &json!(10))
        );
        assert_eq!(finding["excerpt"], "5");
        let members: Vec<_> = finding.as_object().unwrap().keys().collect();
        assert_eq!(
            members,
            [
                "rule",
                "severity",
                "pointer",
                "line",
                "column",
                "message",
                "excerpt",
                "help",
                "correction",
                "count"
            ]
        );
    }
}
