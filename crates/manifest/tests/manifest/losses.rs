//! Facts that other formats have no place for: each is written or named, and none is turned into
//! another.

use crate::support::document;
use manifest::agent::Interface;
use manifest::convert::{Conversion, Origin, Target};
use manifest::{Agent, Document, convert, formats};
use serde_json::{Value, json};

const HEAD: &str = "Spec-Version: 1.0\nSite-Name: Night Post\nSite-URL: https://post.example\n";

/// Returns an agents.txt with one block of a capability.
fn block(lines: &[&str]) -> Document {
    let lines = lines.join("\n  ");
    let text = format!(
        "{HEAD}Capability: send\n  Endpoint: https://post.example/send\n  Protocol: REST\n  {lines}\n"
    );
    document(
        "https://post.example/.well-known/agents.txt",
        text.into_bytes(),
    )
}

/// Converts `document` after a change of its first agent.
fn changed(document: &Document, target: Target, change: impl Fn(&mut Agent)) -> Conversion {
    let mut reading = formats::read(document);
    let origin = Origin::of(document, &reading);
    change(&mut reading.agents[0]);
    convert(&reading.agents, &origin, target)
}

fn to(document: &Document, target: Target) -> Conversion {
    changed(document, target, |agent| {
        agent.version.get_or_insert_with(|| "1.0.0".to_owned());
    })
}

fn body(conversion: &Conversion) -> Value {
    let body = conversion.body.as_ref();
    let body = body.unwrap_or_else(|| panic!("{:#?}", conversion.findings));
    serde_json::from_str(body).unwrap()
}

fn names(conversion: &Conversion, words: &str) -> bool {
    let mut findings = conversion.findings.iter();
    findings.any(|it| it.message.contains(words))
}

#[test]
fn an_openapi_document_that_a_block_names_is_written_or_named() {
    let address = "https://post.example/api.json";
    let document = block(&["OpenAPI: https://post.example/api.json"]);
    let zervice = to(&document, Target::Zervice);
    assert_eq!(body(&zervice)[0]["openapi_url"], address);
    assert!(!names(&zervice, address), "{:#?}", zervice.findings);
    for target in [
        Target::AgentsJson,
        Target::AgentJson,
        Target::JsonAgents,
        Target::OpenApi,
    ] {
        let conversion = to(&document, target);
        assert!(names(&conversion, address), "{}", target.as_str());
    }
}

#[test]
fn the_address_that_issues_a_token_is_written_or_named() {
    let address = "https://post.example/token";
    let lines = [
        "Auth: bearer-token",
        "Auth-Endpoint: https://post.example/token",
    ];
    for target in [Target::AgentJson, Target::OpenApi] {
        let conversion = to(&block(&lines), target);
        let what = format!("the token URL {address}");
        assert!(names(&conversion, &what), "{}", target.as_str());
    }
    let lines = ["Auth: oauth2", "Auth-Endpoint: https://post.example/token"];
    let conversion = to(&block(&lines), Target::AgentJson);
    assert_eq!(body(&conversion)["auth"]["token_url"], address);
    assert!(!names(&conversion, address), "{:#?}", conversion.findings);
}

#[test]
fn a_parameter_stays_where_its_location_is_lost() {
    let lines = [
        "Method: POST",
        "Param: to (query, string, required) - the receiver",
        "Param: words (body, string)",
        "Param: stamp (header, string)",
    ];
    for (target, place) in [
        (Target::AgentsJson, "/capabilities/0/params"),
        (Target::AgentJson, "/capabilities/send/parameters"),
    ] {
        let conversion = to(&block(&lines), target);
        let body = body(&conversion);
        let params = body.pointer(place).unwrap();
        assert_eq!(params["to"]["required"], true, "{}", target.as_str());
        assert!(params["words"].is_object() && params.get("stamp").is_none());
        for (words, expected) in [
            ("the location of the parameter \"to\"", true),
            ("\"words\"", false),
            ("the header parameter \"stamp\"", true),
        ] {
            assert_eq!(names(&conversion, words), expected, "{words}");
        }
    }
}

#[test]
fn a_rest_interface_is_the_base_url_of_an_agent_at_another_protocol() {
    let card = json!({"name": "Night Post", "description": "Carries letters.", "version": "1.2.0",
        "protocolVersion": "0.3.0", "url": "https://post.example/a2a",
        "preferredTransport": "JSONRPC", "capabilities": {}, "skills": [],
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"]});
    let at = "https://post.example/.well-known/agent-card.json";
    let document = document(at, card.to_string().into_bytes());
    let rest = |url: &str| Interface {
        protocol: "rest".to_owned(),
        url: url.to_owned(),
        ..Interface::default()
    };
    let conversion = changed(&document, Target::AgentJson, |agent| {
        let urls = ["https://post.example/v1", "https://post.example/v0"];
        agent.interfaces.extend(urls.map(rest));
    });
    assert_eq!(body(&conversion)["base_url"], "https://post.example/v1");
    for (words, expected) in [
        ("the a2a interface https://post.example/a2a", true),
        ("the rest interface https://post.example/v0", true),
        ("the rest interface https://post.example/v1", false),
    ] {
        assert_eq!(names(&conversion, words), expected, "{words}");
    }
}

#[test]
fn an_added_fact_keeps_the_blocks_of_capabilities() {
    let document = block(&["Method: PUT", "Param: to (query, string, required)"]);
    let text = String::from_utf8(document.body.clone()).unwrap();
    let blocks = text.strip_prefix(HEAD).unwrap();
    let with = |conversion: Conversion, head: &str| {
        assert_eq!(conversion.body.unwrap(), format!("{head}{blocks}"));
        conversion.findings
    };
    let added = changed(&document, Target::AgentsTxt, |agent| {
        agent.contact = Some("night@post.example".to_owned());
        agent.tags.push("letters".to_owned());
        agent.interfaces.push(Interface {
            protocol: "mcp".to_owned(),
            url: "https://post.example/mcp".to_owned(),
            ..Interface::default()
        });
    });
    let lines = "Site-Contact: night@post.example\nTags: letters\nMCP: https://post.example/mcp\n";
    assert_eq!(with(added, &format!("{HEAD}{lines}")), []);
    let replaced = changed(&document, Target::AgentsTxt, |agent| {
        agent.name = "Day Post".to_owned();
    });
    assert_eq!(with(replaced, &HEAD.replace("Night", "Day")), []);
    // A version has no line, and a line break would begin a line of its own.
    let lost = changed(&document, Target::AgentsTxt, |agent| {
        agent.version = Some("2.0.0".to_owned());
        agent.contact = Some("night@post.example\nDisallow: /".to_owned());
    });
    let findings = with(lost, HEAD);
    let findings: Vec<_> = findings
        .iter()
        .map(|it| (it.rule.id, &*it.message))
        .collect();
    assert_eq!(
        findings,
        [
            (
                "CV-01",
                "an agents.txt cannot express what was added to its file: the agent's version"
            ),
            (
                "CV-01",
                "an agents.txt cannot express what was added to its file: the contact"
            ),
        ]
    );
}

#[test]
fn an_agent_is_open_only_if_every_capability_is() {
    let open = "Capability: ask\n  Endpoint: https://post.example/ask\n  Protocol: REST\n  \
        Auth: none\n";
    for (auth, expected) in [
        ("Auth: bearer-token", Value::Null),
        ("Auth: api-key", json!({"type": "api_key"})),
        ("Auth: none", json!({"type": "none"})),
    ] {
        let mut document = block(&[auth]);
        document.body.extend(open.bytes());
        let conversion = to(&document, Target::Zervice);
        assert_eq!(body(&conversion)[0]["authentication"], expected, "{auth}");
        let is_mixed = auth != "Auth: none";
        for words in [
            "calls without authentication",
            "the need for authentication",
        ] {
            assert_eq!(names(&conversion, words), is_mixed, "{auth}: {words}");
        }
    }
}

#[test]
fn oauth_without_a_known_flow_is_never_written_as_open() {
    let lines = ["Auth: oauth2", "Auth-Endpoint: https://post.example/token"];
    let document = block(&lines);
    let conversion = to(&document, Target::OpenApi);
    let api = body(&conversion);
    let schemes = &api["components"]["securitySchemes"];
    assert_eq!(schemes["oauth2"], json!({"type": "oauth2", "flows": {}}));
    assert_eq!(api["security"], json!([{"oauth2": []}]));
    let why = "OAuth with the token URL https://post.example/token, whose flow is not named";
    assert!(names(&conversion, why), "{:#?}", conversion.findings);
    assert!(!names(&conversion, "the required authentication"));
    for (flow, expected) in [
        (
            "clientCredentials",
            json!({"clientCredentials": {
            "tokenUrl": "https://post.example/token", "scopes": {}}}),
        ),
        ("authorizationCode", json!({})),
    ] {
        let conversion = changed(&document, Target::OpenApi, |agent| {
            agent.version = Some("1.0.0".to_owned());
            agent.auth[0].flows = vec![flow.to_owned()];
        });
        let api = body(&conversion);
        let flows = &api["components"]["securitySchemes"]["oauth2"]["flows"];
        assert_eq!(*flows, expected, "{flow}");
        let is_missing = expected == json!({});
        assert_eq!(names(&conversion, "lacks a URL"), is_missing, "{flow}");
    }
}

#[test]
fn the_version_of_a_card_is_that_of_its_interfaces() {
    let card = json!({"name": "Night Post", "description": "Carries letters.", "version": "1.2.0",
        "protocolVersion": "1.0", "capabilities": {},
        "supportedInterfaces": [
            {"url": "https://post.example/a2a", "protocolBinding": "JSONRPC"},
            {"url": "https://post.example/old", "protocolBinding": "JSONRPC",
                "protocolVersion": "0.3"}],
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "send", "name": "Send", "description": "Sends one.", "tags": ["post"]}]});
    let at = "https://post.example/.well-known/agent-card.json";
    let document = document(at, card.to_string().into_bytes());
    let written = body(&to(&document, Target::A2a));
    let interfaces = written["supportedInterfaces"].as_array().unwrap();
    let versions: Vec<_> = interfaces.iter().map(|it| &it["protocolVersion"]).collect();
    assert_eq!(versions, ["1.0", "0.3"]);
    let written = body(&to(&document, Target::A2a03));
    assert_eq!(written["url"], "https://post.example/old");
}
