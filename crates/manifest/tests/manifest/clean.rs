//! Cleaning of every text that is shown: no control and no bidirectional characters.

use crate::support::documents;
use crate::support::samples::Sample;
use manifest::{Agent, formats, text};
use serde_json::Value;

#[test]
fn every_text_of_every_reading_is_clean() {
    let mut seen = 0;
    for Sample { name, document, .. } in documents() {
        let reading = formats::read(&document);
        for finding in &reading.findings {
            let texts = [Some(&finding.message), finding.excerpt.as_ref()];
            for text in texts.into_iter().flatten() {
                assert_eq!(
                    text,
                    &text::clean(text, usize::MAX),
                    "{name}: {}",
                    finding.rule
                );
            }
        }
        for mut agent in reading.agents {
            let agent = without_raw_values(&mut agent);
            check(&serde_json::to_value(agent).unwrap(), &name, &mut seen);
        }
    }
    assert!(seen > 2_000, "only {seen} texts");
}

/// Removes the values that are kept as published, which may contain line breaks.
fn without_raw_values(agent: &mut Agent) -> &Agent {
    agent.extensions.clear();
    for capability in &mut agent.capabilities {
        capability.input_schema = None;
        capability.output_schema = None;
        for param in &mut capability.params {
            param.default = None;
            param.choices.clear();
        }
    }
    agent
}

fn check(value: &Value, name: &str, seen: &mut usize) {
    match value {
        Value::String(text) => {
            assert_eq!(text, &text::clean(text, usize::MAX), "{name}");
            *seen += 1;
        }
        Value::Array(items) => items.iter().for_each(|item| check(item, name, seen)),
        Value::Object(members) => members.values().for_each(|item| check(item, name, seen)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[test]
fn hidden_characters_are_removed_from_values_kept_as_published() {
    let body = "{\"name\": \"A\", \"mcp\": \"https://a.example/mcp\", \"x-note\": {\"k\\u202ey\": \"a\\u0007b\\nc\"}}";
    let document = crate::support::document("https://a.example/agent.json", body.into());
    let agent = &formats::read(&document).agents[0];
    assert_eq!(
        agent.extensions["x-note"],
        serde_json::json!({"ky": "ab\nc"})
    );
}
