//! Conversion of a document to its own format: nothing is lost without a finding.

use crate::support::{document, documents};
use manifest::convert::{Conversion, Origin, Target};
use manifest::{Document, Finding, Reading, convert, formats};
use serde_json::{Value, json};
use std::collections::HashSet;

fn to(document: &Document, target: Target) -> (Reading, Conversion) {
    let reading = formats::read(document);
    let origin = Origin::of(document, &reading);
    let conversion = convert(&reading.agents, &origin, target);
    (reading, conversion)
}

fn served(target: Target, value: &Value) -> Document {
    let url = format!("https://quay.example{}", target.place());
    document(&url, value.to_string().into_bytes())
}

/// Collects every value that is neither null nor empty, with its pointer and the name of its
/// member.
fn leaves(value: &Value, name: &str, pointer: &str, found: &mut Vec<(String, String, Value)>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let name_of_pointer = name.replace('~', "~0").replace('/', "~1");
                leaves(value, name, &format!("{pointer}/{name_of_pointer}"), found);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                leaves(value, name, &format!("{pointer}/{index}"), found);
            }
        }
        Value::Null => {}
        Value::String(text) if text.trim().is_empty() => {}
        leaf => found.push((pointer.to_owned(), name.to_owned(), leaf.clone())),
    }
}

/// Normalizes texts for comparison; other values get the name of their member.
fn words(name: &str, leaf: &Value) -> String {
    match leaf {
        Value::String(text) => {
            let text = manifest::text::clean(text, usize::MAX).to_lowercase();
            text.trim_end_matches('/').to_owned()
        }
        other => format!("{name} = {other}"),
    }
}

/// Reports whether the other generation of A2A has another name for a member (tested in
/// `cards.rs`).
fn has_other_name(pointer: &str) -> bool {
    pointer.starts_with("/securitySchemes/") && pointer.ends_with("/type")
        || pointer == "/supportsAuthenticatedExtendedCard"
        || pointer == "/capabilities/extendedAgentCard"
}

#[test]
fn every_value_of_the_source_is_in_the_result_or_in_a_finding() {
    let mut count = 0;
    for named in documents() {
        let Ok(source) = serde_json::from_slice::<Value>(&named.document.body) else {
            continue;
        };
        for target in Target::ALL {
            let (reading, conversion) = to(&named.document, target);
            let Some(body) = conversion.body.as_ref() else {
                continue;
            };
            if reading.format != target.format() || conversion.findings.len() >= 100 {
                continue;
            }
            count += 1;
            let (mut of_source, mut of_result) = (Vec::new(), Vec::new());
            leaves(&source, "", "", &mut of_source);
            leaves(&serde_json::from_str(body).unwrap(), "", "", &mut of_result);
            let written: HashSet<_> = of_result
                .iter()
                .map(|(_, name, it)| words(name, it))
                .collect();
            for (pointer, name, leaf) in &of_source {
                if has_other_name(pointer) {
                    continue;
                }
                let findings = conversion.findings.iter();
                let is_reported = findings.flat_map(Finding::pointers).any(|place| {
                    let rest = pointer.strip_prefix(place);
                    let is_here = rest.is_some_and(|it| it.is_empty() || it.starts_with('/'));
                    is_here && !place.is_empty()
                });
                assert!(
                    is_reported || written.contains(&words(name, leaf)),
                    "{} to {}: {pointer} is gone\n{body}{:#?}",
                    named.name,
                    target.as_str(),
                    conversion.findings
                );
            }
        }
    }
    assert!(count > 20, "{count}");
}

#[test]
fn a_valid_document_is_converted_unchanged() {
    for (target, source) in [
        (Target::JsonAgents, json_agents()),
        (Target::Ard, catalogue()),
        (Target::AgentJson, intentql()),
        (Target::Zervice, zervice()),
        (Target::AgentsJson, agents_json()),
    ] {
        let document = served(target, &source);
        let (reading, conversion) = to(&document, target);
        assert!(reading.is_valid(), "{:#?}", reading.findings);
        assert_eq!(conversion.findings, [], "{}", target.as_str());
        let body = conversion.body.unwrap();
        assert_eq!(serde_json::from_str::<Value>(&body).unwrap(), source);
    }
}

#[test]
fn an_added_fact_removes_nothing_from_the_document() {
    let mut source = intentql();
    source.as_object_mut().unwrap().remove("version");
    let document = served(Target::AgentJson, &source);
    let mut reading = formats::read(&document);
    let origin = Origin::of(&document, &reading);
    reading.agents[0].version = Some("2.0.0".to_owned());
    let conversion = convert(&reading.agents, &origin, Target::AgentJson);
    let body: Value = serde_json::from_str(&conversion.body.unwrap()).unwrap();
    assert_eq!(body["version"], "2.0.0");
    assert_eq!(body["auth"]["scopes"]["read"], "Read the timetable");
    assert_eq!(body["rate_limits"]["reset_header"], "X-Reset");
    assert_eq!(body["metadata"], source["metadata"]);
}

#[test]
fn an_invalid_member_is_reported_with_its_name() {
    let mut source = json_agents();
    source["colour"] = json!("blue");
    let (_, conversion) = to(&served(Target::JsonAgents, &source), Target::JsonAgents);
    let body: Value = serde_json::from_str(conversion.body.as_ref().unwrap()).unwrap();
    assert_eq!(body["agent"]["authors"], source["agent"]["authors"]);
    assert_eq!(body["tools"], source["tools"]);
    let findings: Vec<_> = conversion
        .findings
        .iter()
        .map(|it| (it.rule.id, &*it.pointer))
        .collect();
    assert_eq!(findings, [("CV-01", "/colour")]);
}

#[test]
fn a_signature_is_kept_only_on_the_signed_bytes() {
    let mut card = json!({"name": "Pilot", "description": "Brings ships in.", "version": "1.0.0",
        "supportedInterfaces": [{"url": "https://quay.example/a2a", "protocolBinding": "JSONRPC",
            "protocolVersion": "1.0"}],
        "capabilities": {}, "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "in", "name": "In", "description": "Brings one in.", "tags": ["sea"]}],
        "signatures": [{"protected": "eyJhbGciOiJFUzI1NiIsImtpZCI6ImsxIn0", "signature": "AAAA"}]});
    let (_, conversion) = to(&served(Target::A2a, &card), Target::A2a);
    let body: Value = serde_json::from_str(&conversion.body.unwrap()).unwrap();
    assert_eq!((body, conversion.findings), (card.clone(), Vec::new()));
    card["description"] = json!("Brings ships in.\u{202e}");
    let (_, conversion) = to(&served(Target::A2a, &card), Target::A2a);
    let body: Value = serde_json::from_str(&conversion.body.unwrap()).unwrap();
    assert_eq!(body.get("signatures"), None);
    assert_eq!(conversion.findings[0].pointer, "/signatures");
}

#[test]
fn a_text_is_converted_line_by_line() {
    let at = "https://quay.example/.well-known/agents.txt";
    let text = "# Ours\nSite: Quay\nURL: https://quay.example\nAllow: find\nColour: blue\n";
    let (_, conversion) = to(&document(at, text.into()), Target::AgentsTxt);
    assert_eq!(conversion.body.as_deref(), Some(text));
    let old = "Name: Quay\nURL: https://quay.example\nCapabilities: find\nColour: blue\n";
    let (_, conversion) = to(&document(at, old.into()), Target::AgentsTxt);
    let lines: Vec<_> = conversion.findings.iter().map(|it| it.line).collect();
    assert_eq!(lines, [Some(4)], "{:#?}", conversion.findings);
}

fn json_agents() -> Value {
    json!({"manifest_version": "1.0", "profiles": ["core", "gov", "graph"],
        "agent": {"id": "ajson://quay.example/agents/pilot", "name": "Pilot", "version": "1.0.0",
            "description": "Brings ships in.", "homepage": "https://quay.example",
            "authors": [{"name": "Ann", "organization": "Quay", "email": "ann@quay.example"},
                {"name": "Ben"}]},
        "capabilities": [{"id": "routing", "description": "Finds a way.",
            "schema": "https://quay.example/routing.json"}],
        "tools": [{"id": "tide", "name": "Tide", "type": "http",
            "endpoint": "https://quay.example/tide",
            "auth": {"method": "bearer", "ref": "env:TIDE"}, "metadata": {"area": "north"}}],
        "policies": [{"id": "calm", "effect": "deny", "action": "tool.call",
            "description": "Not in a storm", "where": "tool.type == 'http'"}],
        "graph": {"nodes": [
                {"id": "a", "ref": "ajson://quay.example/agents/tug", "metadata": {"horns": 2}},
                {"id": "b", "ref": "ajson://quay.example/agents/crane"}],
            "edges": [{"from": "a", "to": "b"}],
            "message_envelope": {"schema": "https://quay.example/envelope.json"}}})
}

fn catalogue() -> Value {
    json!({"specVersion": "1.0",
        "host": {"displayName": "Quay", "identifier": "quay.example",
            "logoUrl": "https://quay.example/logo.png"},
        "entries": [{"identifier": "urn:air:quay.example:agent:pilot", "displayName": "Pilot",
                "type": "application/a2a-agent-card+json",
                "url": "https://quay.example/.well-known/agent-card.json",
                "description": "Brings ships in.", "updatedAt": "2026-01-01T00:00:00Z",
                "representativeQueries": ["who brings me in", "is it deep enough"],
                "trustManifest": {"identity": "spiffe://quay.example/pilot"}},
            {"identifier": "urn:air:quay.example:mcp:tide", "displayName": "Tide",
                "type": "application/mcp-server-card+json", "data": {"name": "example.quay/tide"},
                "representativeQueries": ["when is high tide", "how high"]}]})
}

fn intentql() -> Value {
    json!({"name": "Timetable", "version": "1.0.0", "base_url": "https://quay.example/api",
        "auth": {"type": "oauth2", "authorization_url": "https://quay.example/authorize",
            "token_url": "https://quay.example/token", "description": "Ask the harbour master",
            "scopes": {"read": "Read the timetable"}},
        "capabilities": {"sailings": {"description": "The sailings of a day", "method": "GET",
            "endpoint": "/sailings", "parameters": {"day": {"type": "date"}}}},
        "rate_limits": {"default": "100/hour", "reset_header": "X-Reset",
            "remaining_header": "X-Left"},
        "metadata": {"contact": "ann@quay.example", "security": {"require_https": true}}})
}

fn zervice() -> Value {
    json!([{"name": "Crane", "description": "Lifts boxes.", "url": "https://quay.example/crane",
            "version": "1.0.0", "capabilities": [{"name": "lift", "description": "Lifts one."}],
            "authentication": {"type": "api_key", "header": "X-Crane", "description": "Ask us"}},
        {"name": "Tug", "description": "Pulls ships.", "url": "https://quay.example/tug",
            "version": "1.0.0", "capabilities": [{"name": "pull", "description": "Pulls one."}],
            "authentication": {"type": "oauth", "scopes": ["pull"],
                "authorization_url": "https://quay.example/authorize",
                "token_url": "https://quay.example/token"}}])
}

fn agents_json() -> Value {
    json!({"schema_version": "1.0", "site": {"name": "Quay", "url": "https://quay.example"},
        "capabilities": [{"name": "berth.find", "description": "Finds a berth.",
            "endpoint": "/berths/:day", "method": "GET",
            "params": {"day": {"type": "string", "required": true}}}],
        "audit": {"enabled": true, "endpoint": "/audit/:session_id", "description": "All calls"}})
}
