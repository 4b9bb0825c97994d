//! Ties between documents, and facts without a name.

use crate::merge::tests::{documents, ids, merged};

const CATALOG: &str = r#"{"specVersion": "1.0", "host": {"displayName": "Mugs"}, "entries": [
    {"identifier": "urn:air:mugs.example:mcp:shelf", "displayName": "The shelf",
     "type": "application/mcp-server-card+json", "description": "Finds mugs",
     "capabilities": ["find"], "url": "/mcp/server-card.json"},
    {"identifier": "urn:air:mugs.example:mcp:kiln", "displayName": "The kiln",
     "type": "application/mcp-server-card+json", "description": "Fires mugs",
     "capabilities": ["fire"], "url": "/kiln/server-card.json"}]}"#;
const CARD: &str = r#"{"$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
    "name": "example.mugs/shelf", "version": "1.0.0", "description": "Finds mugs on the shelf",
    "remotes": [{"type": "streamable-http", "url": "https://mugs.example/mcp"}]}"#;
const POINTERS: &str = "# Standard: https://agents-txt.com\nMCP: https://mugs.example/mcp\n";

#[test]
fn gp_17_the_entry_of_a_catalogue_and_its_card_are_one_listing() {
    let listings = merged(&documents(&[
        ("/.well-known/ai-catalog.json", CATALOG),
        ("/mcp/server-card.json", CARD),
    ]));
    assert_eq!(listings.len(), 2, "{:?}", ids(&listings));
    let shelf = listings.iter().find(|it| it.sources.len() == 2).unwrap();
    assert_eq!(shelf.agent.interfaces[0].url, "https://mugs.example/mcp");
    assert_eq!(shelf.agent.other_names, ["The shelf"]);
}

#[test]
fn gp_17_facts_without_a_name_join_the_agent_that_represents_the_site() {
    let site = r#"{"name": "Mugs", "description": "Sells mugs", "homepage": "https://mugs.example/", "skills": ["Search"]}"#;
    let other = r#"{"name": "Cups", "description": "Sells cups", "homepage": "https://mugs.example/cups", "skills": ["Pour"]}"#;
    let listings = merged(&documents(&[
        ("/.well-known/agents.json", other),
        ("/agent.json", site),
        ("/agents.txt", POINTERS),
    ]));
    assert_eq!(ids(&listings), ["mugs.example/cups", "mugs.example/mugs"]);
    assert_eq!(listings[1].agent.interfaces[0].protocol, "mcp");
    assert!(listings[0].agent.interfaces.is_empty());
}

#[test]
fn gp_17_facts_without_a_name_join_the_agent_with_the_same_endpoint() {
    let site = r#"{"name": "Mugs", "description": "Sells mugs", "homepage": "https://mugs.example/", "skills": ["Search"]}"#;
    let listings = merged(&documents(&[
        ("/agent.json", site),
        ("/mcp/server-card.json", CARD),
        ("/agents.txt", POINTERS),
    ]));
    assert_eq!(listings.len(), 2);
    let card = listings
        .iter()
        .find(|it| it.agent.name == "example.mugs/shelf");
    assert_eq!(card.unwrap().sources.len(), 2);
}
