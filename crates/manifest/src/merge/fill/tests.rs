//! Facts that several documents give about one agent.

use crate::merge::tests::{documents, ids, merged};

#[test]
fn the_same_call_under_two_names_is_one_capability() {
    let listings = merged(&documents(&[
        (
            "/.well-known/agents.json",
            r#"{"name": "Mugs", "description": "Sells mugs", "actions": [
                {"name": "find_mug", "description": "Finds a mug", "method": "GET", "url": "/mugs/{id}"},
                {"name": "order", "method": "POST", "url": "/orders"},
                {"name": "cancel", "method": "POST", "url": "/orders"}]}"#,
        ),
        (
            "/agents.json",
            r#"{"name": "Mugs", "description": "Sells mugs", "actions": [
                {"name": "One mug", "method": "GET", "url": "/mugs/{mug}", "auth": "bearer"},
                {"name": "Buy", "method": "POST", "url": "/orders"}]}"#,
        ),
    ]));
    assert_eq!(ids(&listings), ["mugs.example/mugs"]);
    let capabilities = &listings[0].agent.capabilities;
    let names: Vec<_> = capabilities.iter().map(|it| &*it.name).collect();
    assert_eq!(
        names,
        ["find_mug", "order", "cancel", "Buy"],
        "two calls share an address"
    );
    assert_eq!(capabilities[0].requires_auth, Some(true));
}

#[test]
fn payments_and_members_of_all_documents_are_kept_with_their_source() {
    let listings = merged(&documents(&[
        (
            "/.well-known/agents.json",
            r#"{"name": "Mugs", "description": "Sells mugs", "url": "https://mugs.example",
                "payment": {"protocol": "x402"}, "colour": "blue", "shape": "round"}"#,
        ),
        (
            "/agents.json",
            r#"{"name": "Mugs", "description": "Sells mugs", "url": "https://mugs.example",
                "payments": [{"protocol": "x402", "network": "base", "price": "2"}, {"protocol": "stripe"}],
                "colour": "red", "kiln": 3}"#,
        ),
    ]));
    let [listing] = &listings[..] else {
        panic!("{:?}", ids(&listings))
    };
    let agent = &listing.agent;
    let ways: Vec<_> = agent
        .payments
        .iter()
        .map(|it| (&*it.protocol, it.price.as_deref()))
        .collect();
    assert_eq!(ways, [("x402", Some("2")), ("stripe", None)]);
    assert_eq!(listing.provenance["payments/0"].source, 1);
    assert_eq!(agent.extensions["colour"], "blue");
    assert_eq!(agent.extensions["kiln"], 3);
    assert_eq!(listing.provenance["extensions/kiln"].source, 1);
}

#[test]
fn a_parameter_that_is_null_by_default_stays_so_when_another_document_adds_a_fact() {
    let call = r#""name": "find_mug", "method": "GET", "url": "/mugs""#;
    let first = format!(
        r#"{{"name": "Mugs", "description": "Sells mugs", "actions": [{{{call},
            "parameters": [{{"name": "glaze", "type": "string", "default": null}}]}}]}}"#
    );
    let second = format!(
        r#"{{"name": "Mugs", "description": "Sells mugs", "actions": [{{{call}, "auth": "bearer"}}]}}"#
    );
    let listings = merged(&documents(&[
        ("/.well-known/agents.json", &first),
        ("/agents.json", &second),
    ]));
    let capability = &listings[0].agent.capabilities[0];
    assert_eq!(capability.requires_auth, Some(true));
    assert_eq!(capability.params[0].default, Some(serde_json::Value::Null));
}

#[test]
fn an_identifier_of_ard_is_kept_if_another_document_leads() {
    let card = r#"{"protocolVersion": "0.3.0", "name": "Kiln", "description": "Fires mugs", "version": "1",
        "url": "https://mugs.example/a2a", "preferredTransport": "JSONRPC", "capabilities": {},
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "fire", "name": "Fire", "description": "Fires a mug", "tags": ["mug"]}]}"#;
    let manifest = r#"{"entries": [{"identifier": "urn:air:mugs.example:agent:oven",
        "displayName": "Kiln", "type": "application/a2a-agent-card+json",
        "url": "https://mugs.example/.well-known/agent-card.json",
        "representativeQueries": ["fire a mug", "glaze a mug"]}]}"#;
    let listings = merged(&documents(&[
        ("/.well-known/agent-card.json", card),
        ("/.well-known/ard.json", manifest),
    ]));
    assert_eq!(ids(&listings), ["mugs.example/kiln"]);
    assert_eq!(listings[0].format.as_str(), "a2a-agent-card");
    assert_eq!(listings[0].agent.key, "urn:air:mugs.example:agent:oven");
}
