//! Tests of the generic profile.

use crate::document::sample;
use crate::formats::read;
use crate::{Level, Reading, Severity};
use serde_json::{Value, json};

mod addresses;
mod completion;

fn reading(value: &Value) -> Reading {
    read(&sample(
        "mugs.example",
        "/.well-known/agents.json",
        value.to_string(),
    ))
}

fn rules(reading: &Reading, severity: Severity) -> Vec<&str> {
    let of_severity = reading
        .findings
        .iter()
        .filter(|finding| finding.severity == severity);
    of_severity.map(|finding| finding.rule.id).collect()
}

#[test]
fn each_field_comes_from_the_first_member_that_is_usable() {
    let reading = reading(&json!({
        "displayName": "Mugs",
        "tagline": "Mugs for tea",
        "homepage": "mugs.example",
        "api_base": "/api/v2",
        "version": 2,
        "contact": {"email": "mailto:shop@mugs.example"},
        "publisher": {"name": "Kiln Ltd", "url": "https://kiln.example"},
        "documentation": "/docs",
        "keywords": ["mugs", "tea", "Mugs"],
        "language": "en",
        "auth": {"type": "api-key"},
        "payment": {"protocol": "x402", "asset": "USDC"},
        "rate_limits": {"search": "60/minute", "order": "soon"},
        "mcp": {"url": "/mcp"},
        "endpoints": {"openapi": "/openapi.json", "orders": "/orders"},
        "actions": [
            {"name": "search", "description": "Finds mugs", "endpoint": "GET /search/:shape"},
            "order",
            {"description": "nameless"},
        ],
        "colour": "blue",
    }));
    assert_eq!(reading.format.as_str(), "profile");
    let agent = &reading.agents[0];
    assert_eq!(agent.name, "Mugs");
    assert_eq!(agent.description.as_deref(), Some("Mugs for tea"));
    assert_eq!(agent.version.as_deref(), Some("2"));
    assert_eq!(agent.contact.as_deref(), Some("shop@mugs.example"));
    assert_eq!(agent.provider.as_ref().unwrap().name, "Kiln Ltd");
    assert_eq!(agent.docs.as_deref(), Some("https://mugs.example/docs"));
    assert_eq!(agent.tags, ["mugs", "tea"]);
    assert_eq!(agent.auth[0].scheme, "api_key");
    assert_eq!(agent.payments[0].protocol, "x402");
    assert_eq!(agent.rate_limits.len(), 1);
    assert_eq!(agent.rate_limits[0].scope, "search");
    assert_eq!(agent.rate_limits[0].limit, 60);
    let names: Vec<_> = agent
        .capabilities
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    assert_eq!(names, ["search", "order", "orders"]);
    let search = &agent.capabilities[0];
    assert_eq!(search.method.as_deref(), Some("GET"));
    assert_eq!(
        search.url.as_deref(),
        Some("https://mugs.example/api/v2/search/{shape}")
    );
    assert_eq!(search.pointer, "/actions/0");
    let interfaces: Vec<_> = agent
        .interfaces
        .iter()
        .map(|interface| (interface.protocol.as_str(), interface.url.as_str()))
        .collect();
    assert_eq!(
        interfaces,
        [
            ("rest", "https://mugs.example/api/v2"),
            ("mcp", "https://mugs.example/mcp"),
            ("openapi", "https://mugs.example/openapi.json"),
        ]
    );
    assert_eq!(
        reading.references[0].url,
        "https://mugs.example/openapi.json"
    );
    assert_eq!(agent.extensions["colour"], "blue");
    assert_eq!(reading.level().as_str(), "C");
    assert!(rules(&reading, Severity::Info).contains(&"GP-01"));
}

#[test]
fn maps_give_capabilities_and_booleans_give_tags() {
    let of_map = |capabilities: Value| {
        let value = json!({"name": "Mugs", "url": "/", "services": capabilities});
        reading(&value).agents.remove(0)
    };
    let agent = of_map(json!({"find": {"path": "/f"}, "buy": "/b", "gift": true, "old": false}));
    let names: Vec<_> = agent
        .capabilities
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    assert_eq!(
        (names, agent.tags),
        (vec!["find", "buy"], vec!["gift".to_owned()])
    );
}

#[test]
fn placeholders_are_reported_and_not_used() {
    let reading = reading(&json!({
        "name": "__AGENT_NAME__",
        "title": "Mugs",
        "description": "TODO",
        "url": "https://example.com/",
        "mcp": null,
        "services": ["search"],
    }));
    let agent = &reading.agents[0];
    assert_eq!(
        (agent.name.as_str(), &agent.description, &agent.url),
        ("Mugs", &None, &None)
    );
    let warnings = rules(&reading, Severity::Warning);
    assert_eq!(warnings.iter().filter(|rule| **rule == "GP-03").count(), 3);
    assert!(warnings.contains(&"GP-04"));
}

#[test]
fn documents_about_something_else_are_not_listed() {
    for value in [
        json!({"name": "Ann Agent", "photo": "a.jpg", "phone": "1", "description": "Sells houses."}),
        json!({"title": "What are agents?", "slug": "agents", "sections": [], "author": "A"}),
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "title": "S", "description": "d", "type": "object"}),
        json!({"name": "Worker", "description": "d", "command": "run", "port": 9999}),
        json!({"name": "Thing", "language": "en"}),
    ] {
        let reading = reading(&value);
        assert_eq!(reading.agents, [], "{value}");
        assert_eq!(rules(&reading, Severity::Error), ["GP-05"], "{value}");
    }
}

#[test]
fn a_list_of_agents_is_unwrapped_and_mentions_are_not_listed() {
    let reading = reading(&json!({"agents": [
        {"name": "Finder", "description": "Finds mugs", "url": "https://mugs.example/find"},
        {"name": "Other", "url": "https://other.example/.well-known/agent-card.json"},
        {"name": "Nested", "url": "/", "agents": [{"name": "x", "url": "/", "description": "d"}]},
    ]}));
    assert_eq!(reading.format.as_str(), "wrapped-agents");
    let names: Vec<_> = reading
        .agents
        .iter()
        .map(|agent| agent.name.as_str())
        .collect();
    assert_eq!(names, ["Finder"]);
    assert_eq!(reading.references[0].rel, "agent-card");
    assert_eq!(reading.references[0].pointer, "/agents/1");
    assert!(
        reading
            .findings
            .iter()
            .any(|finding| finding.pointer.starts_with("/agents/0"))
    );
}

#[test]
fn a_map_of_agents_is_unwrapped_and_its_keys_are_names() {
    let reading = reading(&json!({"agents": {
        "finder": {"description": "Finds mugs"},
        "seller": {"display_name": "Seller", "description": "Sells mugs"},
    }}));
    assert_eq!(reading.format.as_str(), "agents-wrapper");
    let names: Vec<_> = reading
        .agents
        .iter()
        .map(|agent| agent.name.as_str())
        .collect();
    assert_eq!(names, ["finder", "seller"]);
}

#[test]
fn a_recognised_format_without_a_reader_is_listed_at_level_c() {
    let plugin = reading(&json!({
        "schema_version": "v1",
        "name_for_human": "Mugs",
        "name_for_model": "mugs",
        "description_for_model": "Finds mugs for tea.",
        "auth": {"type": "none"},
        "api": {"type": "openapi", "url": "/openapi.json"},
        "tools": [{"tool_name": "search", "description": "Finds mugs by shape"}],
    }));
    assert_eq!(plugin.format.as_str(), "ai-plugin");
    assert_eq!(plugin.level(), Level::C);
    assert_eq!(plugin.agents[0].name, "Mugs");
    assert_eq!(plugin.agents[0].auth[0].scheme, "none");
    assert_eq!(plugin.agents[0].capabilities[0].name, "search");
}

#[test]
fn the_services_of_a_registration_are_addresses_and_its_skills_are_skills() {
    let reading = reading(&json!({
        "type": "https://eips.ethereum.org/EIPS/eip-8004#registration-v1",
        "name": "Kiln keeper",
        "description": "Watches a kiln.",
        "services": [
            {"name": "web", "endpoint": "https://mugs.example/"},
            {"name": "MCP", "endpoint": "https://mugs.example/mcp"},
            {"name": "A2A", "endpoint": "https://mugs.example/.well-known/agent-card.json"},
        ],
    }));
    let agent = &reading.agents[0];
    assert_eq!(agent.capabilities, []);
    assert_eq!(agent.interfaces.len(), 1);
    assert_eq!(agent.interfaces[0].protocol, "mcp");
    assert_eq!(reading.references[1].rel, "agent-card");
}

#[test]
fn documents_that_declare_another_subject_are_not_listed() {
    for value in [
        json!({"@context": "https://schema.org", "@type": "NewsArticle", "name": "Mugs are back",
            "description": "Clay sells.", "url": "https://mugs.example/1", "author": {"name": "Ida"}}),
        json!({"@type": ["Person"], "name": "Ida Holm", "description": "Potter", "url": "https://mugs.example/ida"}),
        json!({"name": "NotFoundError", "message": "Cannot GET /agents.json", "description": "No such file"}),
        json!({"error": "not_found", "message": "No such page", "status": 404}),
        json!({"name": "mug-tools", "version": "1.0.0", "description": "tools", "main": "index.js",
            "scripts": {"build": "x"}, "dependencies": {"a": "1"}}),
        json!({"name": "Mugs", "description": "Our shop", "start_url": "/", "display": "standalone"}),
    ] {
        let reading = reading(&value);
        assert_eq!(rules(&reading, Severity::Error), ["GP-05"], "{value}");
        assert!(!reading.is_indexable());
    }
    for value in [
        json!({"@type": "WebSite", "name": "Mugs", "description": "Our shop", "url": "https://mugs.example"}),
        json!({"@type": ["Person", "Service"], "name": "Ida", "description": "Pots", "url": "https://mugs.example"}),
        json!({"name": "Mugs", "description": "Our shop", "status": "active", "message": "Hello"}),
        json!({"name": "Mugs", "description": "Our shop", "main": "x", "mcp": "https://mugs.example/mcp", "bin": 1}),
    ] {
        assert!(reading(&value).is_indexable(), "{value}");
    }
}

#[test]
fn a_list_of_people_or_characters_is_about_something_else() {
    for agents in [
        json!([{"name": "Ida", "title": "Potter", "phone": "+47 55 00 00 00", "photo": "/i.jpg"},
            {"name": "Jo", "phone": "1"}]),
        json!([{"name": "Jett", "role": "Duelist", "abilities": ["Dash"]}]),
    ] {
        let reading = reading(&json!({"agents": agents}));
        let findings: Vec<_> = reading
            .findings
            .iter()
            .map(|it| (it.rule.id, &*it.pointer))
            .collect();
        assert!(findings.contains(&("GP-05", "/agents")), "{findings:?}");
        assert!(
            !findings.iter().any(|(rule, _)| *rule == "DI-30"),
            "{findings:?}"
        );
    }
    let reading =
        reading(&json!({"agents": [{"id": "a", "role": "builder", "mcp_endpoint": "/mcp"}]}));
    assert!(reading.is_valid(), "{:?}", reading.findings);
}
