//! Choices among capabilities, and between the first messages of a protocol.

use super::*;

/// Returns an agent that speaks a protocol, whose card has these features.
fn speaking(protocol: &str, transport: &str, features: Value) -> Agent {
    Agent {
        interfaces: vec![interface(protocol, Some(transport), None)],
        extensions: [("capabilities".to_owned(), features)]
            .into_iter()
            .collect(),
        ..Agent::default()
    }
}

#[test]
fn a_server_without_tools_is_asked_for_what_it_has() {
    for (features, method) in [
        (json!({"tools": false, "resources": true}), "resources/list"),
        (json!({"prompts": {}}), "prompts/list"),
        (json!({"tools": {}, "resources": {}}), "tools/list"),
        (json!({"logging": {}}), "tools/list"),
        (json!(["chat"]), "tools/list"),
    ] {
        let agent = speaking("mcp", "streamable-http", features.clone());
        let connect = connect(&listing(agent), None, NOW);
        let last = connect.steps.last().unwrap().call.body.clone();
        assert_eq!(last.unwrap()["method"], method, "{features}");
    }
}

#[test]
fn a_capability_that_takes_only_json_gets_the_data_of_an_example() {
    let with = |modes: &[&str], examples: &[&str]| {
        let own = |texts: &[&str]| texts.iter().map(|it| (*it).to_owned()).collect();
        Agent {
            interfaces: vec![interface("a2a", Some("JSONRPC"), Some("0.3"))],
            input_modes: own(modes),
            capabilities: vec![Capability {
                name: "tables".to_owned(),
                examples: own(examples),
                ..Capability::default()
            }],
            ..Agent::default()
        }
    };
    let part = |agent: Agent| {
        let connect = connect(&listing(agent), None, NOW);
        let body = connect.example.and_then(|it| it.body);
        body.map(|it| it["params"]["message"]["parts"][0].clone())
    };
    let data = r#"{"city": "Oslo"}"#;
    let text = json!({"kind": "text", "text": "In Oslo"});
    assert_eq!(part(with(&[], &["In Oslo"])), Some(text.clone()));
    let both = ["application/json", "text/plain"];
    assert_eq!(part(with(&both, &["In Oslo"])), Some(text));
    assert_eq!(
        part(with(&["application/json"], &["In Oslo", data])),
        Some(json!({"kind": "data", "data": {"city": "Oslo"}}))
    );
    let without = with(&["application/json"], &["In Oslo"]);
    let connect = connect(&listing(without), None, NOW);
    assert_eq!(connect.callable, Callable::Connect);
    assert_eq!(connect.missing[0], "params");
}

#[test]
fn a_call_without_a_credential_comes_before_one_with_it() {
    let capability = |name: &str, requires_auth| Capability {
        name: name.to_owned(),
        method: Some("GET".to_owned()),
        url: Some(format!("https://mesa.example/{name}")),
        requires_auth: Some(requires_auth),
        ..Capability::default()
    };
    let agent = Agent {
        auth: vec![Auth {
            scheme: "bearer".to_owned(),
            ..Auth::default()
        }],
        capabilities: vec![capability("book", true), capability("tables", false)],
        ..Agent::default()
    };
    let listing = listing(agent);
    let connected = |wanted| connect(&listing, wanted, NOW).example.unwrap();
    assert_eq!(connected(None).url, "https://mesa.example/tables");
    let wanted = connected(Some("book"));
    assert_eq!(wanted.url, "https://mesa.example/book");
    assert!(wanted.headers.contains_key("Authorization"), "{wanted:?}");
}

#[test]
fn a_capability_is_called_where_it_says_and_is_callable_by_itself() {
    let capability = |name: &str, method: Option<&str>| Capability {
        id: name.to_owned(),
        name: name.to_owned(),
        method: method.map(str::to_owned),
        url: Some(format!("https://mesa.example/{name}")),
        params: vec![param("city")],
        ..Capability::default()
    };
    let tool = Capability {
        url: None,
        ..capability("tool", None)
    };
    let mut skills = interface("a2a", Some("JSONRPC"), Some("0.3"));
    "https://mesa.example/a2a".clone_into(&mut skills.url);
    let agent = Agent {
        interfaces: vec![skills, interface("mcp", Some("streamable-http"), None)],
        capabilities: vec![
            capability("translate", None),
            capability("upload", Some("POST")),
            tool,
        ],
        ..Agent::default()
    };
    let listing = listing(agent);
    let of = |wanted| connect(&listing, Some(wanted), NOW);
    let translate = of("translate");
    assert_eq!(
        (translate.callable, translate.endpoint),
        (Callable::Described, None)
    );
    assert!(
        translate.missing.contains(&"method"),
        "{:?}",
        translate.missing
    );
    let upload = of("upload");
    assert_eq!(upload.callable, Callable::Call);
    assert_eq!(upload.example.unwrap().url, "https://mesa.example/upload");
    let tool = of("tool");
    assert_eq!(tool.protocol.as_deref(), Some("mcp"));
    assert_eq!(tool.steps.last().unwrap().name, "call_tool");
}

#[test]
fn no_authentication_is_the_alternative_of_a_stranger() {
    let way = |scheme: &str| Auth {
        scheme: scheme.to_owned(),
        ..Auth::default()
    };
    let agent = |requires_auth| Agent {
        auth: vec![way("bearer"), way("none")],
        capabilities: vec![Capability {
            name: "tables".to_owned(),
            method: Some("GET".to_owned()),
            url: Some("https://mesa.example/tables".to_owned()),
            requires_auth,
            ..Capability::default()
        }],
        ..Agent::default()
    };
    let kind = |requires_auth| connect(&listing(agent(requires_auth)), None, NOW).auth.kind;
    assert_eq!(kind(None), "none");
    assert_eq!(kind(Some(true)), "bearer");
}
