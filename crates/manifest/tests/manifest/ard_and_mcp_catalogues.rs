//! Catalogues: ARD, AI Catalog and the catalogue of MCP servers.

use manifest::{Document, Domain, Reading, formats};
use serde_json::{Value, json};

fn read(path: &str, body: &Value) -> Reading {
    let url = format!("https://quay.example{path}").parse().unwrap();
    let domain = Domain::parse("quay.example").unwrap();
    formats::read(&Document::new(domain, url, body.to_string().into_bytes()))
}

#[test]
fn a_manifest_of_ard_needs_only_its_entries() {
    let entry = json!({"identifier": "urn:air:quay.example:cranes", "displayName": "Cranes",
        "type": "application/mcp-server-card+json", "url": "https://quay.example/cranes.json",
        "description": "Books a crane.", "representativeQueries": ["a crane at noon", "lift a boat"]});
    let reading = read("/.well-known/ard.json", &json!({"entries": [entry]}));
    assert_eq!(reading.format.as_str(), "ai-catalog");
    assert_eq!(reading.findings, []);
    assert_eq!(reading.agents[0].name, "Cranes");
    // The specification of AI Catalog still requires the version.
    let plain = json!({"identifier": "urn:x:1", "displayName": "Cranes", "type": "application/mcp-server-card+json",
        "url": "https://quay.example/cranes.json"});
    let reading = read("/.well-known/ai-catalog.json", &json!({"entries": [plain]}));
    assert_eq!(reading.findings[0].rule.id, "CAT-01");
    let empty = read("/.well-known/ard.json", &json!({"entries": []}));
    assert_eq!(empty.format.as_str(), "ai-catalog");
    assert!(empty.is_valid(), "{:?}", empty.findings);
}

#[test]
fn an_inline_card_is_read_whatever_its_urn_and_type_are_called() {
    let card = json!({"name": "Cranes", "description": "Books cranes.", "version": "1",
        "url": "https://quay.example/a2a", "protocolVersion": "0.3.0", "capabilities": {},
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "book", "name": "Book a crane", "description": "Books it.", "tags": ["crane"]}]});
    for (identifier, media_type) in [
        ("urn:quay:agent:cranes", "application/vnd.quay.agent+json"),
        ("did:web:quay.example:cranes", "application/json"),
        ("cranes", "agent"),
    ] {
        let entry = json!({"identifier": identifier, "displayName": "Cranes", "type": media_type, "data": card});
        let reading = read("/.well-known/ard.json", &json!({"entries": [entry]}));
        let [agent] = &reading.agents[..] else {
            panic!("{identifier}: {:?}", reading.findings);
        };
        assert_eq!(agent.interfaces[0].protocol, "a2a", "{identifier}");
        assert_eq!(agent.interfaces[0].url, "https://quay.example/a2a");
    }
}

#[test]
fn a_catalogue_of_mcp_is_links_to_cards() {
    let path = "/.well-known/mcp/catalog.json";
    let entry = |publisher: &str, url: &str| {
        json!({"identifier": format!("urn:air:{publisher}:cranes"), "displayName": "Cranes",
            "type": "application/mcp-server-card+json", "url": url})
    };
    let own = entry("quay.example", "https://quay.example/mcp/server-card");
    let foreign = entry("dock.example", "https://dock.example/mcp/server-card");
    let draft = json!({"specVersion": "draft", "entries": [own, foreign]});
    let reading = read(path, &draft);
    assert_eq!(reading.format.as_str(), "mcp-catalog");
    assert!(reading.agents.is_empty());
    assert_eq!(reading.findings, []);
    let [reference] = &reading.references[..] else {
        panic!("{:?}", reading.references);
    };
    assert_eq!(reference.rel, "mcp-card");
    assert_eq!(reference.url, "https://quay.example/mcp/server-card");
    assert_eq!(
        reading.mentions[0].publisher.as_deref(),
        Some("dock.example")
    );

    let unversioned = read(path, &json!({"entries": [own]}));
    assert_eq!(unversioned.format.as_str(), "mcp-catalog");
    assert_eq!(unversioned.references.len(), 1);
    let of_agents = json!({"specVersion": "1.0", "entries": [{"identifier": "urn:air:quay.example:x",
        "displayName": "X", "type": "application/a2a-agent-card+json", "url": "https://quay.example/x.json"}]});
    assert_eq!(read(path, &of_agents).format.as_str(), "ai-catalog");
    // A card of one server at this place is that card.
    let card = json!({"name": "example.quay/cranes", "description": "Books cranes.", "version": "1.0.0",
        "remotes": [{"type": "streamable-http", "url": "https://quay.example/mcp"}]});
    assert_eq!(read(path, &card).format.as_str(), "mcp-server-card");
}
