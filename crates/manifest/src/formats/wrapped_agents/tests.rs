//! Tests of objects that are unwrapped, and of those that are not.

use crate::document::sample;
use crate::formats::read;
use crate::{Finding, Reading, Severity};
use serde_json::{Value, json};

fn reading(path: &str, value: &Value) -> Reading {
    read(&sample("mugs.example", path, value.to_string()))
}

fn names(reading: &Reading) -> Vec<&str> {
    let agents = reading.agents.iter();
    agents.map(|agent| agent.name.as_str()).collect()
}

#[test]
fn one_agent_in_an_envelope_is_read_where_it_stands() {
    let reading = reading(
        "/.well-known/agent.json",
        &json!({
            "v": "2",
            "k": {"alg": "EdDSA"},
            "document": {
                "name": "Glaze",
                "description": "Picks a glaze.",
                "url": "https://mugs.example/glaze",
                "capabilities": ["glaze.pick"],
            },
        }),
    );
    assert_eq!(reading.format.as_str(), "wrapped-agents");
    assert_eq!(names(&reading), ["Glaze"]);
    let agent = &reading.agents[0];
    assert_eq!(agent.pointer, "/document");
    assert_eq!(agent.pointers["name"], "/document/name");
    assert_eq!(agent.capabilities[0].pointer, "/document/capabilities/0");
    assert_eq!(reading.level().as_str(), "C");
}

#[test]
fn an_envelope_around_something_else_is_left_alone() {
    for value in [
        json!({"document": {"title": "Glazes", "url": "https://mugs.example/glazes"}}),
        json!({"subject": {"name": "Ida Holm"}}),
        json!({"a": {"name": "A", "description": "Text"}}),
        json!({"card": {"name": "A", "url": "/"}, "subject": {"name": "B", "url": "/"}}),
        json!({"document": [{"name": "A", "url": "/"}]}),
        json!({"data": {"name": "A", "url": "/"}}),
    ] {
        let reading = reading("/agent.json", &value);
        assert_eq!(reading.format.as_str(), "unrecognised", "{value}");
    }
    let person =
        json!({"agent": {"name": "Ida Holm", "phone": "1", "bio": "Sells.", "url": "/ida"}});
    assert_eq!(reading("/agent.json", &person).agents, []);
}

#[test]
fn a_server_with_an_address_is_listed_and_a_program_is_not() {
    let reading = reading(
        "/.well-known/mcp.json",
        &json!({"mcpServers": {
            "kiln": {"url": "/mcp"},
            "wheel": {"command": "npx", "args": ["wheel"]},
            "neighbour": {"url": "https://clay.example/mcp"},
        }}),
    );
    assert_eq!(names(&reading), ["kiln"]);
    let agent = &reading.agents[0];
    assert_eq!(agent.pointers["name"], "/mcpServers/kiln");
    assert_eq!(agent.pointers["url"], "/mcpServers/kiln/url");
    assert_eq!(agent.interfaces[0].protocol, "mcp");
    assert_eq!(agent.interfaces[0].url, "https://mugs.example/mcp");
    assert_eq!(reading.mentions[0].name, "neighbour");
    let programs = reading.findings.iter().filter(|it| it.rule.id == "GP-05");
    let programs: Vec<_> = programs
        .map(|it| (it.severity, it.pointer.as_str()))
        .collect();
    assert_eq!(programs, [(Severity::Info, "/mcpServers/wheel")]);
}

#[test]
fn settings_of_programs_only_are_not_recognised() {
    for server in [
        json!({"command": "npx", "args": ["wheel"]}),
        json!({"url": "http://localhost:3000/mcp", "description": "Turns."}),
        json!({"url": "http://127.0.0.1/mcp"}),
        json!({"url": "http://192.168.0.2/mcp"}),
        json!({"url": "http://[::1]/mcp"}),
    ] {
        let value = json!({"mcpServers": {"wheel": server}});
        let reading = reading("/.well-known/mcp.json", &value);
        assert_eq!(reading.format.as_str(), "unrecognised", "{value}");
    }
    let template = json!({"mcpServers": {"wheel": {"url": "https://your-domain.com/mcp"}}});
    let reading = reading("/.well-known/mcp.json", &template);
    assert_eq!(reading.agents, []);
    assert!(reading.findings.iter().any(|it| it.rule.id == "GP-03"));
}

#[test]
fn a_card_is_where_to_look_and_not_where_to_call() {
    let reading = reading(
        "/.well-known/mcp.json",
        &json!({"mcp_version": "1.0", "servers": [{
            "name": "kiln",
            "description": "Fires mugs.",
            "url": "/.well-known/mcp/server-card.json",
            "transport": "streamable-http",
        }]}),
    );
    assert_eq!(names(&reading), ["kiln"]);
    assert_eq!(reading.agents[0].interfaces, []);
    assert_eq!(reading.references[0].rel, "mcp-card");
    assert_eq!(reading.references[0].pointer, "/servers/0/url");
}

#[test]
fn a_secret_is_told_of_once_and_where_it_stands() {
    // Assembled here, so that secret scanners do not report this file.
    let secret = ["a1b2c3d4e5f6", "4f9a1c7e2b8d", "0a9b8c7d6e5f"].concat();
    let card = |name: &str, secret: &Value| {
        json!({
            "name": name,
            "url": "https://mugs.example/a2a",
            "skills": [],
            "x": {"api_key": secret},
        })
    };
    let manifest = json!({
        "manifest_version": "1.0",
        "agent": {"id": "ajson://mugs.example/c", "name": "C"},
        "x": {"api_key": secret},
    });
    let none = Value::Null;
    // Ten more, so that one prefix is the beginning of another: `/agents/1` and `/agents/11`.
    let mut agents = vec![card("A", &none), card("B", &json!(secret)), manifest];
    agents.extend((3..11).map(|_| card("D", &none)));
    agents.push(card("E", &json!(secret)));
    let reading = reading("/.well-known/agents.json", &json!({"agents": agents}));
    let pointers = |rules: &[&str]| {
        let findings = reading.findings.iter();
        let pointers = findings.filter(|it| rules.contains(&it.rule.id));
        let pointers: Vec<_> = pointers.flat_map(Finding::pointers).collect();
        pointers
    };
    assert_eq!(
        pointers(&["A2-17"]),
        ["/agents/1/x/api_key", "/agents/11/x/api_key"]
    );
    assert_eq!(pointers(&["JA-12"]), ["/agents/2/x/api_key"]);
    assert_eq!(pointers(&["DI-10"]).len(), 3);
}
