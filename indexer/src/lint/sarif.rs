//! Findings as SARIF 2.1.0, the format of code hosts and editors.

use manifest::Rule;
use manifest::{Finding, Lint};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::MAIN_SEPARATOR;

/// SARIF log of one run.
#[derive(Debug, Default)]
pub(crate) struct Log {
    /// Rules of the findings, without duplicates.
    rules: Vec<&'static Rule>,
    results: Vec<Value>,
    failures: Vec<Value>,
}

impl Log {
    /// Adds the findings of a document.
    pub(crate) fn add(&mut self, file: &str, lint: &Lint) {
        let uri = uri(file);
        for finding in &lint.reading.findings {
            let index = self.index_of(finding.rule);
            self.results.push(result(&uri, finding, index));
        }
    }

    /// Adds that a file cannot be read.
    pub(crate) fn fail(&mut self, message: &str) {
        let notification = json!({"level": "error", "message": {"text": message}});
        self.failures.push(notification);
    }

    /// Returns the log as JSON.
    pub(crate) fn finish(self) -> String {
        let rules = self.rules.iter().copied();
        let log = json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": {"driver": {
                    "name": "agentdex",
                    "version": env!("CARGO_PKG_VERSION"),
                    "rules": rules.map(described).collect::<Vec<_>>(),
                }},
                "columnKind": "unicodeCodePoints",
                "invocations": [{
                    "executionSuccessful": self.failures.is_empty(),
                    "toolExecutionNotifications": self.failures,
                }],
                "results": self.results,
            }],
        });
        format!("{}\n", terminal::json(&log.to_string()))
    }

    fn index_of(&mut self, rule: &'static Rule) -> usize {
        let known = self.rules.iter().position(|it| *it == rule);
        known.unwrap_or_else(|| {
            self.rules.push(rule);
            self.rules.len() - 1
        })
    }
}

fn result(uri: &str, finding: &Finding, rule_index: usize) -> Value {
    let also = finding.also.iter();
    let also = also.map(|it| location(uri, &it.pointer, it.line, it.column));
    let mut result = json!({
        "ruleId": finding.rule,
        "ruleIndex": rule_index,
        "level": finding.severity.label(),
        "message": {"text": super::sentence(finding)},
        "locations": [location(uri, &finding.pointer, finding.line, finding.column)],
        "occurrenceCount": finding.count,
    });
    if !finding.also.is_empty() {
        result["relatedLocations"] = also.collect();
    }
    result
}

fn location(uri: &str, pointer: &str, line: Option<u32>, column: Option<u32>) -> Value {
    let mut location = json!({"physicalLocation": {
        "artifactLocation": {"uri": uri},
        "region": {
            "startLine": line.unwrap_or(1),
            "startColumn": column.unwrap_or(1),
        },
    }});
    if !pointer.is_empty() {
        location["logicalLocations"] = json!([{"fullyQualifiedName": pointer}]);
    }
    location
}

fn described(rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.explanation},
        "help": {"text": format!("{}\n\nFrom: {}", rule.explanation, rule.section)},
        "defaultConfiguration": {"level": rule.severity.label()},
        "properties": {"tags": [rule.format]},
    })
}

/// Returns the path as a URI reference (RFC 3986).
fn uri(file: &str) -> String {
    let mut uri = String::with_capacity(file.len());
    for byte in file.replace(MAIN_SEPARATOR, "/").bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_a_uri() {
        assert_eq!(uri("a b/ü%:.json"), "a%20b/%C3%BC%25%3A.json");
    }
}
