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

/// Returns protocol, URL and transport of each interface of the agent that `value` describes.
fn interfaces(value: &serde_json::Value) -> Vec<(String, String, Option<String>)> {
    let agents = reading(value).agents;
    let found = agents[0].interfaces.iter();
    found
        .map(|it| (it.protocol.clone(), it.url.clone(), it.transport.clone()))
        .collect()
}

#[test]
fn gp_12_a_name_that_contains_a_protocol_is_no_address() {
    let named = json!({
        "name": "mesa/mcp", "description": "Sets tables.", "skills": ["Set a table"],
        "npm": "@mesa/mcp", "image": "ghcr.io/mesa/a2a", "tags": ["tools/mcp"], "category": "table/a2a",
        "modules": [{"name": "integration/mcp"}], "websiteUrl": "https://mugs.example/mcp",
        "repository": {"url": "https://code.example/mesa/mcp"},
    });
    assert_eq!(interfaces(&named), []);
}

#[test]
fn gp_12_a_path_is_below_the_base_that_the_document_states() {
    let stated = json!({
        "name": "Mesa", "description": "Sets tables.", "base_url": "https://api.mugs.example",
        "mcp_endpoint": "/mcp", "openapi_url": "/openapi.json",
    });
    let urls: Vec<_> = interfaces(&stated)
        .into_iter()
        .map(|(_, url, _)| url)
        .collect();
    assert!(
        urls.contains(&"https://api.mugs.example/mcp".to_owned()),
        "{urls:?}"
    );
    assert!(
        urls.contains(&"https://api.mugs.example/openapi.json".to_owned()),
        "{urls:?}"
    );
    let of_a_server = json!({
        "name": "Mesa", "description": "Sets tables.",
        "server": {"url": "https://mcp.mugs.example/mcp"}, "a2a_endpoint": "/a2a",
    });
    let urls: Vec<_> = interfaces(&of_a_server)
        .into_iter()
        .map(|(_, url, _)| url)
        .collect();
    assert!(
        urls.contains(&"https://mugs.example/a2a".to_owned()),
        "{urls:?}"
    );
}

#[test]
fn gp_12_a_well_known_path_is_not_doubled() {
    let value = json!({
        "name": "Mesa", "description": "Sets tables.", "discovery": {"openapi": ".well-known/openapi.yaml"},
    });
    assert_eq!(
        interfaces(&value)[0].1,
        "https://mugs.example/.well-known/openapi.yaml"
    );
}

#[test]
fn gp_12_an_address_that_begins_with_a_variable_is_a_finding() {
    for address in ["{base_url}/mcp", "<host>/mcp"] {
        let read = reading(&json!({
            "name": "Mesa", "description": "Sets tables.", "url": "https://mugs.example",
            "servers": [{"type": "mcp", "url": address}],
        }));
        assert!(
            read.agents[0]
                .interfaces
                .iter()
                .all(|it| it.protocol != "mcp"),
            "{address}"
        );
        let mut findings = read.findings.iter();
        let finding = findings.find(|it| it.pointer == "/servers/0/url");
        assert_eq!(finding.map(|it| it.rule.id), Some("GP-03"), "{address}");
        assert!(read.agents[0].extensions.contains_key("servers") || address.starts_with('<'));
    }
}

#[test]
fn gp_12_the_protocol_beside_the_only_address_counts() {
    let value = json!({
        "name": "Mesa", "description": "Sets tables.", "endpoint": "https://mugs.example/run",
        "protocol": "a2a",
    });
    assert_eq!(interfaces(&value)[0].0, "a2a");
}

#[test]
fn gp_13_another_place_completes_the_transport_of_an_interface() {
    let value = json!({
        "name": "Mesa", "description": "Sets tables.", "mcp_endpoint": "https://mugs.example/mcp",
        "connection": {"url": "https://mugs.example/mcp/", "transport": "Streamable_HTTP"},
        "remote": {"mcp_endpoint": "https://mugs.example/live", "mcp_transport": {"type": "HTTP+SSE"}},
    });
    let mcp =
        |url: &str, transport: &str| ("mcp".to_owned(), url.to_owned(), Some(transport.to_owned()));
    assert_eq!(
        interfaces(&value),
        [
            mcp("https://mugs.example/mcp", "streamable-http"),
            mcp("https://mugs.example/live", "sse")
        ]
    );
}

#[test]
fn gp_13_a_transport_of_another_protocol_is_not_taken() {
    let value = json!({
        "name": "Mesa", "description": "Sets tables.", "preferredTransport": "JSONRPC",
        "mcp": "https://mugs.example/mcp",
    });
    let found = interfaces(&value);
    assert!(
        found.iter().all(|(_, _, transport)| transport.is_none()),
        "{found:?}"
    );
}

#[test]
fn gp_19_a_local_program_has_a_command_and_no_address() {
    let value = json!({
        "name": "Mesa", "description": "Sets tables.",
        "mcpServers": {"mesa": {"command": "npx", "args": ["-y", "@mesa/mcp"]}},
    });
    let agent = &reading(&value).agents[0];
    assert!(agent.interfaces.is_empty());
    assert_eq!(
        agent.programs[0].command.as_deref(),
        Some("npx -y @mesa/mcp")
    );
}

#[test]
fn gp_13_an_entry_of_a_list_speaks_the_protocol_that_it_states() {
    let agent = &reading(&json!({
        "name": "Mugs", "description": "Sells mugs", "url": "https://mugs.example",
        "interfaces": [
            {"protocol": "NLWeb", "url": "https://mugs.example/ask"},
            {"protocol": "x402", "url": "https://mugs.example/pay"},
            {"protocol": "Bearer", "url": "https://mugs.example/token"},
            {"protocol": "https", "url": "https://mugs.example/page"},
            {"protocol": "our own words", "url": "https://mugs.example/words"},
        ],
        "partner": {"protocol": "NLWeb", "url": "https://cups.example/ask"},
    }))
    .agents[0];
    let found = agent.interfaces.iter();
    let found: Vec<_> = found.map(|it| (&*it.protocol, &*it.url)).collect();
    assert_eq!(found, [("nlweb", "https://mugs.example/ask")]);
}

#[test]
fn the_call_that_gives_a_credential_stands_in_its_instructions() {
    let agent = &reading(&json!({
        "name": "Mugs", "description": "Sells mugs", "url": "https://mugs.example",
        "auth": {"scheme": "Bearer", "issuance": "POST /api/token returns a token for a day."},
    }))
    .agents[0];
    let instructions = agent.auth[0].description.as_deref();
    assert_eq!(
        instructions,
        Some("POST /api/token returns a token for a day.")
    );
}
