//! Conformance: our verdicts against the vectors in the shared test data, and real A2A cards.

use crate::support;
use manifest::formats;
use manifest::{Document, Domain, Severity, ajson, policy};
use serde_json::Value;

/// Folders of vectors with the path at which their documents are read.
const PLACES: &[(&str, &str)] = &[
    ("a2a", "/.well-known/agent-card.json"),
    ("agent-identity-kit", "/.well-known/agent.json"),
    ("agent-policy", "/.well-known/agent-policy.json"),
    ("agents-protocol", "/.well-known/agents.json"),
    ("agents-txt", "/.well-known/agents.txt"),
    ("agents-txt-1.0-json", "/.well-known/agents.json"),
    ("agents-txt-com", "/agents.json"),
    ("ai-catalog", "/.well-known/ai-catalog.json"),
    ("ai-plugin", "/.well-known/ai-plugin.json"),
    ("anp", "/agents/ad.json"),
    ("api-catalog", "/.well-known/api-catalog"),
    ("intentql", "/agent.json"),
    ("json-agents", "/.well-known/agents.json"),
    ("wildcard", "/.well-known/agents.json"),
    ("mcp-registry", "/.well-known/mcp.json"),
    ("mcp-server-card", "/.well-known/mcp/server-card.json"),
    ("zervice", "/.well-known/agents.json"),
];

#[test]
fn the_vectors_agree() {
    let Some(folder) = support::shared("formats/vectors") else {
        return;
    };
    let index = std::fs::read_to_string(folder.join("index.jsonl")).unwrap();
    let mut differences = Vec::new();
    let mut count = 0;
    for vector in index
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
    {
        let file = vector["file"].as_str().unwrap();
        let place = PLACES
            .iter()
            .find(|(folder, _)| file.split('/').next() == Some(folder));
        let Some((_, path)) = place.filter(|_| vector["expect"] != "mixed") else {
            continue;
        };
        count += 1;
        let reading = formats::read(&document(path, std::fs::read(folder.join(file)).unwrap()));
        let has_warning = reading
            .findings
            .iter()
            .any(|it| it.severity == Severity::Warning);
        let rules: Vec<_> = reading
            .findings
            .iter()
            .map(|it| (&*it.rule, it.severity.as_str()))
            .collect();
        let mut differ = |what: &str| differences.push(format!("{file}: {what}; {rules:?}"));
        // AT-96 is the case of DI-05 for notes to coding agents.
        let is_rule =
            |found: &str, rule: &str| found == rule || (rule, found) == ("DI-05", "AT-96");
        let promised = vector["rules"].as_array().map_or(&[][..], Vec::as_slice);
        if let [Value::String(rule)] = promised
            && vector["kind"] == "derived"
            && vector["expect"] == "invalid"
            && !rules.iter().any(|(found, _)| is_rule(found, rule))
        {
            differ(&format!("expected {rule}"));
        }
        if reading.is_valid() != (vector["expect"] == "valid") {
            differ(&format!("expected {}", vector["expect"]));
        }
        if vector["warn"] == true && !has_warning {
            differ("expected a warning");
        }
        if vector["indexable"]
            .as_bool()
            .is_some_and(|it| it != reading.is_indexable())
        {
            differ(&format!("expected indexable {}", vector["indexable"]));
        }
    }
    assert!(count > 60, "only {count} vectors");
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn expressions_and_agent_uris_agree_with_their_vectors() {
    let Some(folder) = support::shared("formats/vectors/json-agents") else {
        return;
    };
    let lines = |name: &str| {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        let values = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        values.collect::<Vec<_>>()
    };
    for vector in lines("policy-expression-vectors.jsonl") {
        let expression = vector["expression"].as_str().unwrap();
        if let Some(valid) = vector["valid"].as_bool() {
            assert_eq!(policy::parse(expression).is_ok(), valid, "{expression}");
        }
    }
    for vector in lines("ajson-uri-vectors.jsonl") {
        let uri = vector["uri"].as_str().unwrap();
        let candidates = ajson::candidates(uri);
        // AU-02 refuses what the vector's source accepts.
        let is_valid = vector["valid"] == true && !uri.contains('@');
        assert_eq!(candidates.is_ok(), is_valid, "{uri}");
        let candidates = candidates.unwrap_or_default();
        assert!(candidates.len() <= 2, "{uri}: {candidates:?}");
        if let Some(place) = vector["https_by_python_validator"].as_str() {
            let place = place.split('#').next().unwrap();
            let is_there = candidates.iter().any(|it| it.as_str() == place);
            assert!(is_there, "{uri}: {candidates:?}");
        }
        let note = vector["note"].as_str().unwrap();
        if [
            "never resolve",
            "not resolve",
            "identifier only",
            "refuse to resolve",
        ]
        .iter()
        .any(|words| note.contains(words))
        {
            assert!(candidates.is_empty(), "{uri}: {candidates:?}");
        }
    }
}

#[test]
fn every_real_agent_card_yields_its_agent_and_every_skill() {
    let Some(folder) = support::shared("corpus") else {
        return;
    };
    let index = std::fs::read_to_string(folder.join("index.jsonl")).unwrap();
    let entries = index
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut count = 0;
    for entry in entries.filter(|entry| entry["guess"] == "a2a-agent-card") {
        count += 1;
        let id = entry["id"].as_str().unwrap();
        let body = std::fs::read(folder.join("files").join(id)).unwrap();
        let card: Value = serde_json::from_slice(&body).unwrap();
        let path = match entry["kind"].as_str() {
            Some("agent.json") => "/.well-known/agent.json",
            _ => "/.well-known/agent-card.json",
        };
        let reading = formats::read(&document(path, body));
        assert_eq!(reading.format.as_str(), "a2a-agent-card", "{id}");
        let [agent] = &reading.agents[..] else {
            panic!("{id}: {} agents", reading.agents.len());
        };
        assert_eq!(agent.name, card["name"].as_str().unwrap(), "{id}");
        let skills = card["skills"].as_array().map_or(&[][..], Vec::as_slice);
        let expected: Vec<_> = skills
            .iter()
            .map(|skill| skill["name"].as_str().unwrap())
            .collect();
        let found: Vec<_> = agent.capabilities.iter().map(|it| &*it.name).collect();
        assert_eq!(found, expected, "{id}");
    }
    assert!(count > 30, "only {count} cards");
}

fn document(path: &str, body: Vec<u8>) -> Document {
    let url: url::Url = format!("https://vectors.example{path}").parse().unwrap();
    Document {
        media_type: Some("application/json; charset=utf-8".to_owned()),
        ..Document::new(Domain::parse("vectors.example").unwrap(), url, body)
    }
}
