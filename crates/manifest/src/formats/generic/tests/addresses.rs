//! Tests of addresses, and of the authentication that stands beside them.

use super::completion::card;
use super::reading;
use serde_json::json;

#[test]
fn gp_13_members_named_after_a_transport_of_mcp_are_its_endpoints() {
    let agent = &reading(&json!({
        "name": "Mugs", "description": "Sells mugs", "url": "https://mugs.example",
        "transports": {
            "streamable_http": "https://mugs.example/m",
            "sse": {"url": "https://mugs.example/live"},
            "http": "https://mugs.example/h",
            "rest": "https://mugs.example/v1",
        },
    }))
    .agents[0];
    let found = agent.interfaces.iter();
    let found: Vec<_> = found
        .map(|it| (&*it.protocol, &*it.url, it.transport.as_deref()))
        .collect();
    assert_eq!(
        found,
        [
            ("mcp", "https://mugs.example/m", Some("streamable-http")),
            ("mcp", "https://mugs.example/live", Some("sse")),
            ("mcp", "https://mugs.example/h", Some("http")),
            ("rest", "https://mugs.example/v1", None),
        ]
    );
    assert!(!agent.extensions.contains_key("transports"));
}

#[test]
fn gp_12_a_transport_of_any_api_is_no_sign_of_mcp() {
    for (value, expected) in [
        (json!({"transports": {"http": "https://mugs.example/h"}}), 0),
        (
            json!({"transports": {"http": {"url": "https://mugs.example/h"}}}),
            0,
        ),
        (json!({"events": {"sse": "https://mugs.example/live"}}), 0),
        (
            json!({"transports": {"sse": "https://github.com/mugs/live"}}),
            0,
        ),
        (
            json!({"transport": "stdio", "transports": {"http": "https://mugs.example/h"}}),
            1,
        ),
        (
            json!({"mcp": {"transports": {"http": {"url": "https://mugs.example/h"}}}}),
            1,
        ),
        (
            json!({"transports": [{"type": "stdio"},
                                  {"type": "http", "url": "https://mugs.example/h"}]}),
            1,
        ),
    ] {
        let mut document = json!({"name": "Mugs", "description": "Sells mugs",
                                  "url": "https://mugs.example"});
        let members = value.as_object().unwrap().clone();
        document.as_object_mut().unwrap().extend(members);
        let agent = &reading(&document).agents[0];
        let servers = agent.interfaces.iter().filter(|it| it.protocol == "mcp");
        assert_eq!(servers.count(), expected, "{value}");
    }
}

#[test]
fn gp_10_authentication_beside_an_address_or_of_a_capability_is_the_agent_s() {
    let mut with_endpoint = card();
    with_endpoint["endpoints"] = json!({"api": {
        "url": "https://mugs.example/api/v1", "method": "POST", "auth": "api_key"}});
    let mut with_interface = card();
    with_interface["interfaces"] = json!([{"type": "mcp", "url": "https://mugs.example/x",
        "auth": {"type": "oauth2", "token_url": "https://mugs.example/token"}}]);
    let of_capability = json!({
        "schema_version": "1.0", "site": {"name": "Mugs", "url": "https://mugs.example"},
        "capabilities": [{"name": "fire", "description": "Fires", "endpoint": "/fire",
                          "method": "POST", "auth": "bearer"}],
    });
    for (value, scheme, pointer) in [
        (with_endpoint, "api_key", "/endpoints/api/auth"),
        (with_interface, "oauth2", "/interfaces/0/auth"),
        (of_capability, "bearer", "/capabilities/0/auth"),
    ] {
        let agent = &reading(&value).agents[0];
        let schemes: Vec<_> = agent.auth.iter().map(|it| &*it.scheme).collect();
        assert_eq!(schemes, [scheme], "{value}");
        assert_eq!(agent.pointers["auth"], pointer);
        let token = agent.auth[0].token_url.as_deref();
        assert_eq!(token.is_some(), scheme == "oauth2");
    }
}

#[test]
fn gp_13_a_header_that_carries_a_key_is_authentication() {
    for (headers, expected) in [
        (json!({"Authorization": "Bearer ${TOKEN}"}), Some("bearer")),
        (json!({"X-API-Key": "your key"}), Some("api_key")),
        (json!({"X-Kiln": "your kiln"}), None),
        (json!({"Authorization": "${TOKEN}"}), None),
    ] {
        let agent = &reading(&json!({
            "name": "Mugs",
            "mcpServers": {"shop": {"url": "https://mugs.example/sse", "type": "sse",
                                    "headers": headers}},
        }))
        .agents[0];
        let way = agent.auth.first();
        assert_eq!(way.map(|it| &*it.scheme), expected, "{headers}");
        assert!(way.is_none_or(|it| it.location.as_deref() == Some("header")));
    }
}

#[test]
fn gp_14_the_address_of_a_server_is_read_under_a_key_of_any_language() {
    let value = json!({"name": "マグ", "説明": "お茶のマグ", "接続先": "https://mugs.example/mcp"});
    let server = reading(&value);
    assert_eq!(server.format.as_str(), "profile");
    let agent = &server.agents[0];
    assert_eq!(agent.interfaces[0].url, "https://mugs.example/mcp");
    assert_eq!(agent.extensions["説明"], "お茶のマグ");
    let page = json!({"name": "マグ", "接続先": "https://mugs.example/shop"});
    assert_eq!(reading(&page).format.as_str(), "unrecognised");
}
