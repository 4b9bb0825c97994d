//! Precedence among the files of one site.

use crate::merge::tests::{documents, ids, merged};

const INTENTQL: &str = r#"{"name": "Mugs", "description": "Sells mugs and fires them", "version": "2.0.0",
    "base_url": "https://mugs.example", "capabilities": {
    "find": {"description": "Finds mugs", "endpoint": "/api/mugs", "method": "GET"}}}"#;
const OLD: &str = r#"{"name": "Mugs", "description": "Sells mugs", "version": "1.0.0",
    "base_url": "https://mugs.example", "capabilities": {
    "find": {"description": "Finds a mug", "endpoint": "/old/mugs", "method": "GET"}}}"#;
const CARD: &str = r#"{"name": "Mugs", "description": "A card", "version": "0.9.0",
    "url": "https://mugs.example/a2a", "capabilities": {"streaming": false},
    "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
    "skills": [{"id": "ask", "name": "Ask", "description": "Answers", "tags": []}]}"#;
const POINTER: &str = "# Standard: https://agents-txt.com\nMCP: https://mugs.example/mcp\n";
const FULL: &str = "Spec-Version: 1.0\nSite-Name: Mugs\nSite-URL: https://mugs.example\n\
    Site-Description: Sells mugs\n\nCapability: find\n  Endpoint: https://mugs.example/api/mugs\n  \
    Method: GET\n  Protocol: REST\n  Description: Finds mugs\n";

#[test]
fn pr_02_the_document_at_the_root_wins_over_an_old_copy() {
    let listings = merged(&documents(&[
        ("/.well-known/agent.json", OLD),
        ("/agent.json", INTENTQL),
    ]));
    assert_eq!(ids(&listings), ["mugs.example/mugs"]);
    let agent = &listings[0].agent;
    assert_eq!(agent.version.as_deref(), Some("2.0.0"));
    assert_eq!(agent.capabilities.len(), 1);
    assert_eq!(agent.capabilities[0].endpoint.as_deref(), Some("/api/mugs"));
    assert!(listings[0].sources[0].url.ends_with("example/agent.json"));
}

#[test]
fn pr_02_a_card_at_the_older_path_does_not_hide_the_document_at_the_root() {
    let listings = merged(&documents(&[
        ("/.well-known/agent.json", CARD),
        ("/agent.json", INTENTQL),
    ]));
    assert_eq!(ids(&listings), ["mugs.example/mugs"]);
    let agent = &listings[0].agent;
    assert_eq!(
        agent.description.as_deref(),
        Some("Sells mugs and fires them")
    );
    let names: Vec<_> = agent.capabilities.iter().map(|it| &*it.name).collect();
    assert_eq!(names, ["find", "Ask"]);
    let protocols: Vec<_> = agent.interfaces.iter().map(|it| &*it.protocol).collect();
    assert_eq!(protocols, ["rest", "a2a"]);
}

#[test]
fn pr_02_a_pointer_at_the_root_does_not_hide_the_whole_file() {
    let listings = merged(&documents(&[
        ("/agents.txt", POINTER),
        ("/.well-known/agents.txt", FULL),
    ]));
    assert_eq!(ids(&listings), ["mugs.example/mugs"]);
    let agent = &listings[0].agent;
    assert_eq!(agent.description.as_deref(), Some("Sells mugs"));
    assert!(agent.capabilities.iter().any(|it| it.name == "find"));
    assert!(agent.interfaces.iter().any(|it| it.protocol == "mcp"));
}
