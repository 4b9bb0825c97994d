//! Facts beside the request: credentials, placeholders, payment, and what is missing.

use super::*;
use manifest::agent::{Auth, Payment, RateLimit};

#[test]
fn bindings_without_a_request_get_no_example_and_say_why() {
    for (transport, version, missing) in [
        (None, "0.3", "transport"),
        (Some("GRPC"), "0.3", "http_binding"),
        (Some("HTTP+JSON"), "0.1", "http_binding"),
        (Some("JSONRPC"), "0.x", "version"),
    ] {
        let agent = Agent {
            interfaces: vec![interface("a2a", transport, Some(version))],
            ..Agent::default()
        };
        let connect = connect(&listing(agent), None, NOW);
        assert_eq!(connect.example, None);
        assert_eq!(connect.missing, [missing, "auth"]);
    }
}

#[test]
fn a_message_over_rest_has_the_path_of_its_version() {
    for (version, tenant, url) in [
        ("0.3", None, "https://mesa.example/agent/v1/message:send"),
        ("1.0", None, "https://mesa.example/agent/message:send"),
        (
            "1.0",
            Some("eu"),
            "https://mesa.example/agent/eu/message:send",
        ),
    ] {
        let interface = Interface {
            tenant: tenant.map(str::to_owned),
            ..interface("a2a", Some("HTTP+JSON"), Some(version))
        };
        let agent = Agent {
            interfaces: vec![interface],
            ..Agent::default()
        };
        let call = connect(&listing(agent), None, NOW).example.unwrap();
        assert_eq!(call.url, url);
        assert!(call.body.unwrap()["message"].is_object());
    }
}

#[test]
fn the_credential_stands_where_the_manifest_says() {
    let auth = |scheme: &str, place: Option<&str>, name: Option<&str>| Auth {
        scheme: scheme.to_owned(),
        location: place.map(str::to_owned),
        name: name.map(str::to_owned),
        ..Auth::default()
    };
    for (auth, header, query) in [
        (
            auth("api_key", Some("header"), Some("X-Key")),
            Some(("X-Key", "{api_key}")),
            "",
        ),
        (
            auth("api_key", Some("query"), Some("k y")),
            None,
            "?k+y={api_key}",
        ),
        (
            auth("api_key", Some("cookie"), Some("key")),
            Some(("Cookie", "key={api_key}")),
            "",
        ),
        (auth("api_key", None, None), None, ""),
        (
            auth("api_key", Some("header"), Some("Bad\nName: x")),
            None,
            "",
        ),
        (
            auth("bearer", None, Some("scheme")),
            Some(("Authorization", "Bearer {access_token}")),
            "",
        ),
        (
            auth("bearer", Some("header"), Some("X-Token")),
            Some(("X-Token", "{access_token}")),
            "",
        ),
        (
            auth("basic", None, None),
            Some(("Authorization", "Basic {credentials}")),
            "",
        ),
    ] {
        let agent = Agent {
            auth: vec![auth.clone()],
            capabilities: vec![Capability {
                method: Some("GET".to_owned()),
                url: Some("https://mesa.example/tables".to_owned()),
                ..Capability::default()
            }],
            ..Agent::default()
        };
        let connect = connect(&listing(agent), None, NOW);
        let call = connect.example.unwrap();
        let headers: Vec<_> = call
            .headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        assert_eq!(headers, header.into_iter().collect::<Vec<_>>(), "{auth:?}");
        assert_eq!(call.url, format!("https://mesa.example/tables{query}"));
        let is_carried = header.is_some() || !query.is_empty();
        assert_eq!(
            connect.placeholders.len(),
            usize::from(is_carried),
            "{auth:?}"
        );
    }
}

#[test]
fn a_scheme_that_can_be_sent_comes_before_one_that_cannot() {
    let scheme = |scheme: &str| Auth {
        scheme: scheme.to_owned(),
        ..Auth::default()
    };
    let agent = Agent {
        url: Some("https://mesa.example/".to_owned()),
        auth: vec![scheme("mtls"), scheme("basic")],
        ..Agent::default()
    };
    assert_eq!(connect(&listing(agent), None, NOW).auth.kind, "basic");
}

#[test]
fn what_no_document_states_is_missing() {
    let capability = |method: Option<&str>, url: Option<&str>| Capability {
        method: method.map(str::to_owned),
        url: url.map(str::to_owned),
        ..Capability::default()
    };
    let url = Some("https://mesa.example/book");
    for (capability, missing) in [
        (
            capability(None, None),
            vec!["protocol", "url", "method", "auth"],
        ),
        (capability(None, url), vec!["protocol", "method", "auth"]),
        (capability(Some("PO ST"), url), vec!["method", "auth"]),
        (capability(Some("POST"), url), vec!["params", "auth"]),
        (capability(Some("GET"), url), vec!["auth"]),
    ] {
        let agent = Agent {
            url: Some("https://mesa.example/".to_owned()),
            capabilities: vec![capability],
            ..Agent::default()
        };
        let connect = connect(&listing(agent), None, NOW);
        assert_eq!(connect.missing, missing);
        assert_eq!(connect.example.is_some(), missing == ["auth"]);
    }
}

#[test]
fn a_capability_that_needs_a_person_is_not_the_first_choice() {
    let call = |name: &str, human_handoff| Capability {
        name: name.to_owned(),
        method: Some("GET".to_owned()),
        url: Some("https://mesa.example/book".to_owned()),
        human_handoff,
        ..Capability::default()
    };
    let agent = Agent {
        capabilities: vec![call("pay", Some(true)), call("find", None)],
        ..Agent::default()
    };
    let listing = listing(agent);
    let chosen = |wanted| connect(&listing, wanted, NOW).capability;
    assert_eq!(chosen(None).as_deref(), Some("find"));
    assert_eq!(chosen(Some("pay")).as_deref(), Some("pay"));
}

#[test]
fn published_and_made_values_come_before_placeholders_and_types_are_told() {
    let capability = Capability {
        method: Some("POST".to_owned()),
        url: Some("https://mesa.example/book".to_owned()),
        params: vec![param("day"), param("guests"), param("code")],
        input_schema: Some(json!({"properties": {
            "day": {"type": "string", "examples": ["2026-12-24"]},
            "guests": {"type": "integer", "minimum": 1},
            "code": {"type": "string", "pattern": "^[A-Z]+$"},
        }})),
        ..Capability::default()
    };
    let agent = Agent {
        capabilities: vec![capability],
        ..Agent::default()
    };
    let connect = connect(&listing(agent), None, NOW);
    let body = connect.example.unwrap().body;
    assert_eq!(
        body,
        Some(json!({"day": "2026-12-24", "guests": 1, "code": "{code}"}))
    );
    assert_eq!(connect.defaulted, ["params.in"]);
    let json = serde_json::to_value(&connect.placeholders).unwrap();
    let schema = json!({"type": "string", "pattern": "^[A-Z]+$"});
    assert_eq!(
        json,
        json!([{"placeholder": "{code}", "in": "body", "type": "string", "schema": schema}])
    );
}

#[test]
fn a_priced_call_is_repeated_with_its_payment() {
    let priced = |resource: &str| Payment {
        protocol: "x402".to_owned(),
        resource: Some(resource.to_owned()),
        ..Payment::default()
    };
    let agent = Agent {
        payments: vec![
            priced("https://mesa.example/other"),
            priced("https://mesa.example/book"),
        ],
        rate_limits: vec![RateLimit::default()],
        capabilities: vec![Capability {
            method: Some("GET".to_owned()),
            url: Some("https://mesa.example/book".to_owned()),
            ..Capability::default()
        }],
        ..Agent::default()
    };
    let connect = connect(&listing(agent), None, NOW);
    assert_eq!(connect.payments, [priced("https://mesa.example/book")]);
    assert_eq!(connect.rate_limits.len(), 1);
    let names: Vec<_> = connect.steps.iter().map(|it| it.name).collect();
    assert_eq!(names, ["call", "pay"]);
    assert_eq!(connect.steps[1].call.headers["X-PAYMENT"], "{payment}");
}

#[test]
fn each_interface_is_judged_by_itself() {
    let mut other = interface("mcp", Some("streamable-http"), None);
    other.url = "https://tools.other.example/mcp".to_owned();
    let agent = Agent {
        interfaces: vec![interface("a2a", Some("JSONRPC"), Some("0.3")), other],
        ..Agent::default()
    };
    let connect = connect(&listing(agent), None, NOW);
    assert_eq!(connect.foreign, None);
    let json = serde_json::to_value(&connect.interfaces).unwrap();
    assert_eq!(json[0].get("foreign"), None);
    assert_eq!(json[1]["foreign"], true);
}

#[test]
fn a_tool_is_called_after_the_first_messages() {
    let agent = Agent {
        interfaces: vec![interface("mcp", Some("streamable-http"), None)],
        capabilities: vec![Capability {
            id: "find".to_owned(),
            params: vec![param("q")],
            ..Capability::default()
        }],
        ..Agent::default()
    };
    let connect = connect(&listing(agent), None, NOW);
    let methods: Vec<_> = connect
        .steps
        .iter()
        .map(|it| it.call.body.as_ref().unwrap()["method"].clone())
        .collect();
    assert_eq!(
        methods,
        ["initialize", "notifications/initialized", "tools/call"]
    );
    let called = connect.steps[2].call.body.as_ref().unwrap();
    assert_eq!(
        called["params"],
        json!({"name": "find", "arguments": {"q": "{q}"}})
    );
}

#[test]
fn variables_of_an_address_are_filled_in() {
    let mut server = interface("mcp", Some("streamable-http"), None);
    server.url = "https://mesa.example/{region}/{tenant}/mcp".to_owned();
    server.params = vec![
        Param {
            location: Some("path".to_owned()),
            default: Some(json!("eu west")),
            ..param("region")
        },
        Param {
            location: Some("path".to_owned()),
            ..param("tenant")
        },
    ];
    let agent = Agent {
        interfaces: vec![server],
        ..Agent::default()
    };
    let connect = connect(&listing(agent), None, NOW);
    let url = connect.example.unwrap().url;
    assert_eq!(url, "https://mesa.example/eu%20west/{tenant}/mcp");
    let tenant = connect.placeholders.iter().find(|it| it.text == "{tenant}");
    assert_eq!(tenant.unwrap().location, "path");
}
