//! First calls, by format.

use super::*;
use manifest::agent::{Auth, Param, Sessions};
use manifest::{AgentId, Domain, Level};
use std::collections::BTreeMap;

mod callable;
mod client_config;
mod facts;
mod protocols;

/// 27 November 2026.
const NOW: Timestamp = Timestamp(1_795_737_600_000);

fn listing(agent: Agent) -> Listing {
    Listing {
        id: AgentId::new(&Domain::parse("mesa.example").unwrap(), "mesa"),
        format: manifest::formats::find("agents-json/agents-protocol").unwrap(),
        level: Level::A,
        agent,
        sources: Vec::new(),
        provenance: BTreeMap::new(),
        conflicts: Vec::new(),
    }
}

fn interface(protocol: &str, transport: Option<&str>, version: Option<&str>) -> Interface {
    Interface {
        protocol: protocol.to_owned(),
        version: version.map(str::to_owned),
        url: "https://mesa.example/agent".to_owned(),
        transport: transport.map(str::to_owned),
        preferred: true,
        tenant: None,
        ..Interface::default()
    }
}

fn param(name: &str) -> Param {
    Param {
        name: name.to_owned(),
        required: true,
        ..Param::default()
    }
}

#[test]
fn a_get_puts_required_parameters_into_the_query_and_leaves_the_path_as_template() {
    let capability = Capability {
        name: "tables".to_owned(),
        method: Some("GET".to_owned()),
        url: Some("https://mesa.example/tables/{city}".to_owned()),
        params: vec![
            param("city"),
            param("day"),
            Param {
                default: Some(json!(4)),
                ..param("people & pets")
            },
            Param {
                required: false,
                ..param("wishes")
            },
        ],
        ..Capability::default()
    };
    let agent = Agent {
        capabilities: vec![capability],
        ..Agent::default()
    };
    let connect = connect(&listing(agent), None, NOW);
    assert_eq!(
        connect.example.unwrap().url,
        "https://mesa.example/tables/{city}?day={day}&people+%26+pets=4"
    );
    assert_eq!(connect.protocol, None, "the protocol must not be guessed");
    assert_eq!(connect.auth.kind, "unknown");
}

#[test]
fn a_post_puts_them_into_the_body_and_names_the_session() {
    let capability = Capability {
        name: "book".to_owned(),
        method: Some("POST".to_owned()),
        url: Some("https://mesa.example/book".to_owned()),
        params: vec![param("day")],
        requires_session: Some(true),
        human_handoff: Some(true),
        requires_auth: Some(false),
        ..Capability::default()
    };
    let agent = Agent {
        capabilities: vec![Capability::default(), capability],
        interfaces: vec![interface("interaction-api", None, None)],
        sessions: Some(Sessions {
            create: "https://mesa.example/session".to_owned(),
            delete: "https://mesa.example/session".to_owned(),
            ttl_s: 3600,
        }),
        ..Agent::default()
    };
    let connect = connect(&listing(agent), Some("book"), NOW);
    assert_eq!(connect.protocol.as_deref(), Some("interaction-api"));
    assert_eq!(connect.session.unwrap().ttl_s, 3600);
    assert!(connect.human_handoff);
    assert_eq!(connect.auth.kind, "none");
    let call = connect.example.unwrap();
    assert_eq!(call.body, Some(json!({"day": "{day}"})));
    assert_eq!(call.headers["Authorization"], "Bearer {session_token}");
    assert_eq!(
        call.text(),
        "POST https://mesa.example/book\nAuthorization: Bearer {session_token}\nContent-Type: application/json\n\n{\n  \"day\": \"{day}\"\n}"
    );
}

#[test]
fn the_call_that_gives_the_credential_carries_none() {
    let call = |name: &str| Capability {
        name: name.to_owned(),
        method: Some("GET".to_owned()),
        url: Some(format!("https://mesa.example/{name}")),
        ..Capability::default()
    };
    for (instructions, token_url) in [
        (Some("Call `/login` first."), None),
        (None, Some("https://mesa.example/login")),
    ] {
        let agent = Agent {
            capabilities: vec![call("login"), call("log")],
            auth: vec![Auth {
                scheme: "bearer".to_owned(),
                description: instructions.map(str::to_owned),
                token_url: token_url.map(str::to_owned),
                ..Auth::default()
            }],
            ..Agent::default()
        };
        let listing = listing(agent);
        let has_credential = |name: &str| {
            let example = connect(&listing, Some(name), NOW).example.unwrap();
            example.headers.contains_key("Authorization")
        };
        assert!(!has_credential("login"), "{instructions:?}");
        assert!(has_credential("log"), "{instructions:?}");
    }
}

#[test]
fn each_generation_of_a2a_has_its_own_message() {
    for (version, method) in [
        ("1.0", Some("SendMessage")),
        ("0.3.0", Some("message/send")),
        ("0.2", Some("message/send")),
        ("0.1", Some("tasks/send")),
        ("7", None),
    ] {
        let agent = Agent {
            interfaces: vec![interface("a2a", Some("JSONRPC"), Some(version))],
            ..Agent::default()
        };
        let connect = connect(&listing(agent), None, NOW);
        let called = connect.example.and_then(|call| call.body);
        assert_eq!(
            called.as_ref().and_then(|body| body["method"].as_str()),
            method,
            "{version}"
        );
    }
}

#[test]
fn an_endpoint_on_another_domain_is_foreign_and_one_on_the_same_is_not() {
    for (address, owner) in [
        ("https://mesa.example/a2a", None),
        ("https://agents.mesa.example:8443/a2a", None),
        ("mesa.example:443", None),
        ("https://api.other.example/a2a", Some("other.example")),
        ("other.example:443", Some("other.example")),
        ("https://192.0.2.7/a2a", Some("192.0.2.7")),
        ("https://mesa.example.other.test/a2a", Some("other.test")),
    ] {
        let mut interface = interface("a2a", Some("JSONRPC"), Some("0.3"));
        address.clone_into(&mut interface.url);
        let agent = Agent {
            interfaces: vec![interface],
            ..Agent::default()
        };
        let connect = connect(&listing(agent), None, NOW);
        let foreign = connect.foreign.as_ref().map(|stranger| stranger.0.as_str());
        assert_eq!(foreign, owner, "{address}");
        let json = serde_json::to_value(&connect).unwrap();
        assert_eq!(json.get("foreign").is_some(), owner.is_some(), "{address}");
    }
}

#[test]
fn a_capability_on_another_domain_makes_the_call_foreign() {
    let agent = Agent {
        interfaces: vec![interface("rest", None, None)],
        capabilities: vec![Capability {
            method: Some("GET".to_owned()),
            url: Some("https://other.example/tables".to_owned()),
            ..Capability::default()
        }],
        ..Agent::default()
    };
    let connect = connect(&listing(agent), None, NOW);
    assert_eq!(
        connect.foreign,
        Some(ForeignOwner("other.example".to_owned()))
    );
}

#[test]
fn mcp_begins_with_initialize() {
    let agent = Agent {
        interfaces: vec![interface("mcp", Some("streamable-http"), None)],
        ..Agent::default()
    };
    let call = connect(&listing(agent), None, NOW).example.unwrap();
    assert_eq!(call.body.unwrap()["method"], "initialize");
}

#[test]
fn a_plain_call_is_not_shown_as_one_of_another_protocol() {
    let agent = Agent {
        interfaces: vec![interface("mcp", Some("streamable-http"), None)],
        capabilities: vec![Capability {
            method: Some("GET".to_owned()),
            url: Some("https://mesa.example/tables".to_owned()),
            ..Capability::default()
        }],
        ..Agent::default()
    };
    let connect = connect(&listing(agent), None, NOW);
    assert_eq!(connect.protocol, None);
    assert_eq!(
        connect.endpoint.as_deref(),
        Some("https://mesa.example/tables")
    );
}

#[test]
fn an_agent_without_an_address_has_no_call() {
    let nothing = connect(&listing(Agent::default()), None, NOW);
    assert_eq!(
        (nothing.endpoint, nothing.callable),
        (None, Callable::Described)
    );
}

#[test]
fn a_delete_puts_parameters_into_a_body_and_has_none_without_parameters() {
    let cancel = |params| Capability {
        method: Some("DELETE".to_owned()),
        url: Some("https://mesa.example/book/{id}".to_owned()),
        params,
        ..Capability::default()
    };
    for (params, body) in [
        (
            vec![param("id"), param("reason")],
            Some(json!({"reason": "{reason}"})),
        ),
        (vec![param("id")], None),
    ] {
        let agent = Agent {
            capabilities: vec![cancel(params)],
            ..Agent::default()
        };
        let call = connect(&listing(agent), None, NOW).example.unwrap();
        assert_eq!(call.url, "https://mesa.example/book/{id}");
        assert_eq!(call.headers.contains_key("Content-Type"), body.is_some());
        assert_eq!(call.body, body);
    }
}

#[test]
fn a_session_has_the_header_that_the_site_names() {
    let capability = Capability {
        method: Some("GET".to_owned()),
        url: Some("https://mesa.example/cart".to_owned()),
        requires_session: Some(true),
        description: Some("Send the token as x-agent-session.".to_owned()),
        ..Capability::default()
    };
    let agent = Agent {
        capabilities: vec![capability],
        ..Agent::default()
    };
    let call = connect(&listing(agent), None, NOW).example.unwrap();
    assert_eq!(call.headers["X-Agent-Session"], "{session_token}");
    assert!(!call.headers.contains_key("Authorization"));
}

#[test]
fn the_first_message_to_an_mcp_server_has_the_required_headers() {
    let mut server = interface("mcp", Some("streamable-http"), None);
    server.params = vec![
        Param {
            location: Some("header".to_owned()),
            ..param("X-Mesa-Key")
        },
        Param {
            location: Some("header".to_owned()),
            ..param("accept")
        },
    ];
    let agent = Agent {
        interfaces: vec![server],
        ..Agent::default()
    };
    let call = connect(&listing(agent), None, NOW).example.unwrap();
    assert_eq!(call.headers["X-Mesa-Key"], "{X-Mesa-Key}");
    assert!(!call.headers.contains_key("accept"), "{call:?}");
}
