//! Tests that check cards against the schema of each generation.

use crate::document::sample;
use crate::formats::read;
use crate::{Finding, Reading, Severity};
use serde_json::{Value, json};

/// Reads a valid card of 0.3 with the members of `patch` put over it; null removes one.
fn read_with(patch: &Value) -> Reading {
    let mut card = json!({
        "protocolVersion": "0.3.0",
        "name": "Ferry",
        "description": "Books crossings.",
        "version": "1.0.0",
        "url": "https://ferry.example/a2a",
        "capabilities": {},
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "book", "name": "Book", "description": "Books one.", "tags": ["sea"]}],
    });
    let members = card.as_object_mut().unwrap();
    for (name, value) in patch.as_object().unwrap() {
        if value.is_null() {
            members.remove(name);
        } else {
            members.insert(name.clone(), value.clone());
        }
    }
    read(&sample(
        "ferry.example",
        "/.well-known/agent-card.json",
        card.to_string(),
    ))
}

/// Returns rule and pointer of each error.
fn errors(reading: &Reading) -> Vec<(&str, &str)> {
    let errors = reading.findings.iter();
    errors
        .filter(|finding| finding.severity == Severity::Error)
        .map(|finding| (finding.rule.id, &*finding.pointer))
        .collect()
}

#[test]
fn a_url_that_is_also_a_page_is_no_interface_unless_its_transport_is_stated() {
    let interfaces = |patch: Value| {
        let [agent] = &read_with(&patch).agents[..] else {
            panic!("no agent");
        };
        agent.interfaces.len()
    };
    let page = "https://ferry.example/a2a/";
    let provider = json!({"organization": "Isles", "url": page});
    assert_eq!(interfaces(json!({"documentationUrl": page})), 0);
    assert_eq!(interfaces(json!({"provider": provider})), 0);
    let home = "https://ferry.example/";
    let links = json!({"dashboard": "https://ferry.example"});
    assert_eq!(interfaces(json!({"url": home, "links": links})), 0);
    assert_eq!(interfaces(json!({"url": home})), 1);
    let stated = json!({"provider": provider, "preferredTransport": "JSONRPC"});
    assert_eq!(interfaces(stated), 1);
    let other = json!({"documentationUrl": "https://ferry.example/a2a/docs"});
    assert_eq!(interfaces(other), 1);
}

#[test]
fn a_missing_member_is_an_error_only_in_generations_that_require_it() {
    let bare_skill = json!([{"id": "book", "name": "Book"}]);
    let of_01 = json!({"protocolVersion": null, "authentication": {"schemes": []}});
    let of_02 = json!({"protocolVersion": null, "securitySchemes": {}});
    for (generation, base, patch, expected) in [
        (
            "0.1",
            &of_01,
            json!({"description": null, "skills": bare_skill}),
            vec![],
        ),
        (
            "0.1",
            &of_01,
            json!({"provider": {"organization": "Isles"}}),
            vec![],
        ),
        ("0.1", &of_01, json!({"defaultInputModes": null}), vec![]),
        (
            "0.2",
            &of_02,
            json!({"description": null}),
            vec![("A2-03", "/description")],
        ),
        (
            "0.2",
            &of_02,
            json!({"skills": bare_skill}),
            vec![
                ("A2-10", "/skills/0/description"),
                ("A2-10", "/skills/0/tags"),
            ],
        ),
        (
            "0.2",
            &of_02,
            json!({"provider": {"organization": "Isles"}}),
            vec![("A2-12", "/provider/url")],
        ),
        (
            "0.2",
            &of_02,
            json!({"iconUrl": 7, "signatures": 7}),
            vec![],
        ),
        (
            "0.3",
            &json!({}),
            json!({"iconUrl": 7, "signatures": 7}),
            vec![("A2-01", "/iconUrl"), ("A2S-01", "/signatures")],
        ),
        (
            "0.3",
            &json!({"preferredTransport": "GRPC"}),
            json!({"protocolVersion": null}),
            vec![("A2-05", "/protocolVersion")],
        ),
    ] {
        let mut members = base.clone();
        for (name, value) in patch.as_object().unwrap() {
            members[name] = value.clone();
        }
        let reading = read_with(&members);
        assert_eq!(reading.generation.as_deref(), Some(generation), "{members}");
        assert_eq!(errors(&reading), expected, "{members}");
    }
}

#[test]
fn a_card_of_unknown_generation_may_follow_either_of_the_first_two() {
    let as_02 = read_with(&json!({"protocolVersion": null}));
    assert_eq!(as_02.generation.as_deref(), Some("0.x"));
    assert!(as_02.is_valid());
    let as_01 = read_with(&json!({"protocolVersion": null, "description": null}));
    assert!(as_01.is_valid());
    let neither = read_with(&json!({"protocolVersion": null, "name": null}));
    assert_eq!(errors(&neither), [("A2-03", "/name")]);
}

#[test]
fn a_hybrid_is_valid_if_one_of_its_generations_is() {
    let interface = |binding: Value| {
        json!([{
            "url": "https://ferry.example/a2a",
            "protocolBinding": binding,
            "protocolVersion": "1.0",
        }])
    };
    let broken = interface(json!(7));
    let whole = interface(json!("JSONRPC"));
    for (patch, expected, is_half) in [
        (json!({"supportedInterfaces": whole}), true, false),
        (
            json!({"supportedInterfaces": whole, "protocolVersion": null}),
            true,
            true,
        ),
        (json!({"supportedInterfaces": broken}), true, true),
        (
            json!({"supportedInterfaces": broken, "protocolVersion": null}),
            false,
            false,
        ),
        (
            json!({"supportedInterfaces": broken, "url": null}),
            false,
            false,
        ),
    ] {
        let reading = read_with(&patch);
        assert_eq!(reading.generation.as_deref(), Some("1.0"));
        assert_eq!(reading.is_valid(), expected, "{patch}");
        let mut findings = reading.findings.iter();
        assert_eq!(findings.any(|it| it.rule.id == "A2-20"), is_half, "{patch}");
    }
}

#[test]
fn a_card_is_not_told_to_add_members_of_another_generation() {
    let interface = json!([{
        "url": "https://ferry.example/a2a",
        "protocolBinding": "JSONRPC",
        "protocolVersion": "1.0",
    }]);
    let reading = read_with(&json!({"supportedInterfaces": interface, "protocolVersion": null}));
    let findings = reading.findings.iter();
    assert!(!findings.clone().any(|it| it.pointer == "/protocolVersion"));
    let advice: Vec<_> = findings.filter_map(Finding::advice).collect();
    assert!(!advice.concat().contains("protocolVersion"), "{advice:?}");
}

#[test]
fn security_schemes_must_have_the_form_of_their_generation() {
    let at_key = |scheme: Value| json!({"securitySchemes": {"key": scheme}});
    let of_1 = |scheme: Value| {
        json!({
            "url": null,
            "protocolVersion": null,
            "supportedInterfaces": [{
                "url": "https://ferry.example/a2a", "protocolBinding": "GRPC", "protocolVersion": "1.0",
            }],
            "securitySchemes": {"key": scheme},
        })
    };
    let wrapped = json!({"apiKeySecurityScheme": {"location": "header", "name": "X-Key"}});
    let flat = json!({"type": "apiKey", "in": "header", "name": "X-Key"});
    for (patch, expected) in [
        (at_key(flat.clone()), true),
        (at_key(wrapped.clone()), false),
        (of_1(wrapped), true),
        (of_1(flat), false),
        (
            at_key(json!({"type": "apiKey", "in": "body", "name": "X-Key"})),
            false,
        ),
        (at_key(json!({"type": "mutualTLS"})), true),
        (at_key(json!({"type": "none"})), false),
        (
            at_key(json!({"type": "oauth2", "flows": {"password": {"scopes": {}}}})),
            false,
        ),
        (
            at_key(json!({"type": "oauth2", "flows": {"ciba": 7}})),
            true,
        ),
        (
            of_1(json!({"mtlsSecurityScheme": {}, "httpAuthSecurityScheme": {"scheme": "Basic"}})),
            false,
        ),
    ] {
        let reading = read_with(&patch);
        assert_eq!(reading.is_valid(), expected, "{patch}");
        assert!(errors(&reading).iter().all(|(rule, _)| *rule == "A2-13"));
    }
}

#[test]
fn features_that_the_protocol_does_not_define_become_tags() {
    let features = json!({"streaming": true, "push_notifications": true, "booking": true,
        "invoice_lookup": true, "refunds": false, "limit": 3});
    let bare = read_with(&json!({"skills": null, "capabilities": features}));
    let agent = &bare.agents[0];
    assert_eq!(agent.tags, ["booking", "invoice_lookup"]);
    assert_eq!(agent.pointers["tags"], "/capabilities");
    assert_eq!(agent.capabilities, []);
    let skilled = read_with(&json!({"capabilities": {"sea": true, "night": true}}));
    let agent = &skilled.agents[0];
    assert_eq!(agent.tags, ["sea", "night"]);
    assert_eq!(agent.pointers["tags"], "/skills");
    let plain = read_with(&json!({"skills": [], "capabilities": {"streaming": true}}));
    assert!(!plain.agents[0].pointers.contains_key("tags"));
}

#[test]
fn a_short_credential_is_reported_and_not_shown() {
    let authentication = json!({"schemes": ["basic"], "credentials": "swordfish"});
    let patch = json!({"protocolVersion": null, "authentication": authentication});
    let reading = read_with(&patch);
    let pointer = "/authentication/credentials";
    assert!(errors(&reading).contains(&("A2-17", pointer)));
    let count = |rule: &str| {
        reading
            .findings
            .iter()
            .filter(|it| it.rule.id == rule)
            .count()
    };
    assert_eq!((count("A2-17"), count("DI-10")), (1, 1));
    let body = json!({"name": "Ferry", "skills": [], "authentication": authentication});
    let linted = crate::lint(&sample("ferry.example", "/agent.json", body.to_string()));
    for shown in [format!("{reading:?}"), format!("{linted:?}")] {
        assert!(!shown.contains("swordfish"), "{shown}");
    }
}

#[test]
fn an_address_beside_the_interfaces_of_1_0_is_kept() {
    for (url, kept) in [
        ("https://ferry.example/old", true),
        ("https://ferry.example/a2a", false),
    ] {
        let interface = json!([{"url": "https://ferry.example/a2a", "protocolBinding": "JSONRPC",
            "protocolVersion": "1.0"}]);
        let patch = json!({"protocolVersion": null, "supportedInterfaces": interface, "url": url});
        let agent = &read_with(&patch).agents[0];
        let found = agent.extensions.get("url").and_then(Value::as_str);
        assert_eq!(found, Some(url).filter(|_| kept));
        assert_eq!(agent.interfaces.len(), 1);
        assert_eq!(agent.url.as_deref(), Some("https://ferry.example/a2a"));
    }
}

#[test]
fn a2_07_an_entry_of_another_protocol_is_none_of_a2a() {
    let read = read_with(&json!({
        "protocolVersion": null, "url": null,
        "supportedInterfaces": [
            {"url": "https://ferry.example/mcp", "protocolBinding": "mcp"},
            {"url": "https://ferry.example/v1", "protocol": "rest"},
            {"url": "nats://ferry.example:4222", "protocolBinding": "nats"},
            {"url": "local://ferry", "protocolBinding": "stdio"},
        ],
    }));
    let agent = &read.agents[0];
    let protocols: Vec<_> = agent.interfaces.iter().map(|it| &*it.protocol).collect();
    assert_eq!(protocols, ["mcp", "rest", "nats"]);
    assert_eq!(agent.programs[0].transport, "stdio");
}

#[test]
fn a2_07_another_spelling_of_a_transport_is_read_and_reported() {
    for (word, meant) in [
        ("jsonrpc", "JSONRPC"),
        ("REST", "HTTP+JSON"),
        ("grpc", "GRPC"),
    ] {
        let read = read_with(&json!({ "preferredTransport": word }));
        assert_eq!(
            read.agents[0].interfaces[0].transport.as_deref(),
            Some(meant)
        );
        let finding = read
            .findings
            .iter()
            .find(|it| it.pointer == "/preferredTransport");
        let correction = finding.and_then(|it| it.correction.clone());
        assert_eq!(correction, Some(format!("{meant:?}")), "{word}");
    }
}

#[test]
fn a2_23_a_card_in_snake_case_is_read_with_one_finding() {
    let card = json!({
        "name": "Ferry", "description": "Books crossings.", "version": "1.0.0",
        "url": "https://ferry.example/a2a", "protocol_version": "0.3.0", "preferred_transport": "GRPC",
        "capabilities": {}, "default_input_modes": ["text/plain"], "default_output_modes": ["text/plain"],
        "skills": [{"id": "book", "name": "Book", "description": "Books one.", "tags": ["sea"]}],
        "security_schemes": {"key": {"api_key_security_scheme": {"location": "header", "name": "X-Key"}}},
        "security": [{"key": []}],
    });
    let read = read(&sample(
        "ferry.example",
        "/.well-known/agent-card.json",
        card.to_string(),
    ));
    assert_eq!(errors(&read), []);
    let agent = &read.agents[0];
    assert_eq!(agent.interfaces[0].transport.as_deref(), Some("GRPC"));
    assert_eq!(agent.auth[0].name.as_deref(), Some("X-Key"));
    let of_rule = read.findings.iter().filter(|it| it.rule.id == "A2-23");
    assert_eq!(of_rule.count(), 1);
}

#[test]
fn the_tenant_of_an_entry_without_an_address_is_not_that_of_another() {
    let read = read_with(&json!({
        "protocolVersion": null, "url": null,
        "supportedInterfaces": [
            {"url": "https://ferry.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
            {"protocolBinding": "GRPC", "protocolVersion": "1.0", "tenant": "harbour"},
        ],
    }));
    let interfaces = &read.agents[0].interfaces;
    assert_eq!((interfaces.len(), &interfaces[0].tenant), (1, &None));
}
