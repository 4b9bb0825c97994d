//! Contradictions between documents.

use crate::listing::Conflict;
use crate::merge::tests::{documents, merged};

/// Returns the conflicts of the one agent that these files describe.
fn conflicts(files: &[(&str, &str)]) -> Vec<Conflict> {
    let mut listings = merged(&documents(files));
    assert_eq!(listings.len(), 1);
    listings.remove(0).conflicts
}

fn card(rest: &str) -> String {
    format!(r#"{{"name": "Mugs", "description": "Sells mugs.", {rest}}}"#)
}

#[test]
fn documents_that_state_the_same_or_less_agree() {
    let full =
        card(r#""url": "https://mugs.example/api", "version": "1.0", "services": ["Search"]"#);
    let bare = card(r#""contact": "shop@mugs.example""#);
    let files = [
        ("/.well-known/agents.json", full.as_str()),
        ("/agent.json", &bare),
    ];
    assert_eq!(conflicts(&files), []);
    let listing = merged(&documents(&files)).remove(0);
    assert_eq!(listing.is_consistent(), Some(true));
    let alone = merged(&documents(&files[..1])).remove(0);
    assert_eq!(alone.is_consistent(), None);
}

#[test]
fn each_contradiction_has_the_claim_and_position_of_each_document() {
    let one = card(
        r#""mcp": "https://mugs.example/mcp", "version": "1.0", "services": ["Search", "Glaze"]"#,
    );
    let other = card(
        r#""mcp": "https://mugs.example/v2", "version": "2.0", "services": ["search", "Ship"]"#,
    );
    let found = conflicts(&[("/.well-known/agents.json", &one), ("/agent.json", &other)]);
    let fields: Vec<_> = found.iter().map(|it| it.field.as_str()).collect();
    assert_eq!(fields, ["version", "endpoint/mcp", "capabilities"]);
    let claims = |index: usize| -> Vec<_> {
        let claims = found[index].claims.iter();
        claims
            .map(|it| {
                (
                    it.evidence.source,
                    it.evidence.pointer.as_str(),
                    it.values.join(" "),
                )
            })
            .collect()
    };
    assert_eq!(
        claims(0),
        [
            (0, "/version", "1.0".to_owned()),
            (1, "/version", "2.0".to_owned())
        ]
    );
    assert_eq!(
        claims(2),
        [
            (0, "/services", "Glaze".to_owned()),
            (1, "/services", "Ship".to_owned())
        ]
    );
}

#[test]
fn another_name_for_the_same_endpoint_is_a_contradiction() {
    let one = card(r#""url": "https://mugs.example/api""#);
    let other = one.replace("Mugs", "Cups");
    let found = conflicts(&[("/.well-known/agents.json", &one), ("/agent.json", &other)]);
    assert_eq!(found[0].field, "name");
    assert_eq!(found[0].claims[1].values, ["Cups"]);
}

#[test]
fn skills_over_a2a_and_tools_over_mcp_complement_each_other() {
    let a2a = card(
        r#""version": "1.0", "protocolVersion": "0.3.0", "url": "https://mugs.example/a2a",
            "capabilities": {}, "defaultInputModes": ["text/plain"],
            "defaultOutputModes": ["text/plain"],
            "skills": [{"id": "fire", "name": "Fire", "description": "Fires", "tags": ["kiln"]}]"#,
    );
    let mcp = card(
        r#""version": "1.0", "serverInfo": {"name": "mugs"},
            "transport": {"type": "streamable-http", "endpoint": "/mcp"},
            "tools": [{"name": "glaze", "description": "Glazes"}]"#,
    );
    let found = conflicts(&[
        ("/.well-known/agent-card.json", &a2a),
        ("/.well-known/mcp.json", &mcp),
    ]);
    assert_eq!(found, []);
}
