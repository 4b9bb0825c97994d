//! Tests of readings that the profile completes, and of documents that only resemble a format.

use super::{reading, rules};
use crate::agent::{Interface, Param};
use crate::document::sample;
use crate::formats::read;
use crate::{Agent, Reading, Severity};
use serde_json::{Value, json};

fn at(path: &str, value: &Value) -> Reading {
    read(&sample("mugs.example", path, value.to_string()))
}

/// Returns protocol and URL of each interface.
fn doors(agent: &Agent) -> Vec<(&str, &str)> {
    let doors = agent.interfaces.iter();
    doors.map(|it| (&*it.protocol, &*it.url)).collect()
}

pub(super) fn card() -> Value {
    json!({
        "name": "Mugs", "description": "Sells mugs", "version": "1.0.0",
        "protocolVersion": "0.3.0", "url": "https://mugs.example/a2a",
        "preferredTransport": "JSONRPC", "capabilities": {"streaming": true},
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "fire", "name": "Fire", "description": "Fires a mug", "tags": ["kiln"],
                    "inputSchema": {"type": "object", "properties": {"mug": {"type": "string"}}},
                    "price_usd": 0.5}],
    })
}

#[test]
fn gp_10_a_valid_card_is_completed_with_members_that_it_does_not_define() {
    let mut card = card();
    card["mcp"] = json!({"endpoint": "https://mugs.example/mcp", "transport": "streamable-http"});
    card["contact"] = json!("kiln@mugs.example");
    card["payment"] = json!({"protocol": "x402", "network": "base", "asset": "USDC"});
    let reading = at("/.well-known/agent-card.json", &card);
    assert_eq!(reading.format.as_str(), "a2a-agent-card");
    assert!(reading.is_valid(), "{:?}", reading.findings);
    let agent = &reading.agents[0];
    assert_eq!(
        doors(agent),
        [
            ("a2a", "https://mugs.example/a2a"),
            ("mcp", "https://mugs.example/mcp")
        ]
    );
    assert_eq!(
        agent.interfaces[1].transport.as_deref(),
        Some("streamable-http")
    );
    assert_eq!(agent.contact.as_deref(), Some("kiln@mugs.example"));
    let mut networks = agent.payments.iter().map(|it| it.network.as_deref());
    assert!(
        networks.any(|it| it == Some("base")),
        "{:?}",
        agent.payments
    );
    assert_eq!(agent.pointers["contact"], "/contact");
    let skill = &agent.capabilities[0];
    assert!(skill.input_schema.is_some(), "a tool's input is kept");
    let guesses = reading.findings.iter().find(|it| it.rule.id == "GP-01");
    assert!(guesses.unwrap().message.contains("contact from /contact"));
}

#[test]
fn gp_10_nothing_that_the_reader_found_is_replaced() {
    let mut card = card();
    card["summary"] = json!("Another text");
    card["website"] = json!("https://mugs.example/shop");
    card["openapi"] = json!("/openapi.json");
    card["tools"] = json!([{"name": "fire", "description": "Something else"}, {"name": "glaze"}]);
    let agent = &at("/.well-known/agent-card.json", &card).agents[0];
    assert_eq!(agent.description.as_deref(), Some("Sells mugs"));
    assert_eq!(doors(agent)[0], ("a2a", "https://mugs.example/a2a"));
    let names: Vec<_> = agent.capabilities.iter().map(|it| &*it.name).collect();
    assert_eq!(names, ["Fire", "glaze"]);
    assert_eq!(
        agent.capabilities[0].description.as_deref(),
        Some("Fires a mug")
    );
}

#[test]
fn gp_10_what_a_list_states_for_all_is_given_to_each() {
    let mut other = card();
    other["name"] = json!("Plates");
    other["url"] = json!("https://mugs.example/plates");
    let list = json!({
        "agents": [card(), other],
        "provider": {"name": "Kiln Ltd"},
        "authentication": {"type": "apiKey", "in": "header", "name": "X-Kiln"},
    });
    let reading = reading(&list);
    assert_eq!(reading.agents.len(), 2);
    for agent in &reading.agents {
        assert_eq!(agent.provider.as_ref().unwrap().name, "Kiln Ltd");
        assert_eq!(agent.auth[0].name.as_deref(), Some("X-Kiln"));
    }
}

#[test]
fn gp_11_a_document_that_lacks_what_its_format_requires_is_read_as_it_is() {
    let profile = reading(&json!({
        "name": "Mugs", "description": "Mugs for tea", "url": "https://mugs.example",
        "contact": "kiln@mugs.example", "docs": "https://mugs.example/docs",
        "capabilities": [{"name": "search", "description": "Finds mugs"}],
    }));
    assert_eq!(profile.format.as_str(), "profile");
    let nearest = profile.findings.iter().find(|it| it.rule.id == "GP-02");
    assert!(nearest.unwrap().message.contains("version"), "{nearest:?}");

    let whole = reading(&json!({
        "name": "Mugs", "description": "Sells mugs", "url": "https://mugs.example/api",
        "version": "1.0.0", "capabilities": [{"name": "search", "description": "Finds mugs",
            "input_schema": {"type": "object"}, "output_schema": {"type": "object"}}],
    }));
    assert_eq!(whole.format.as_str(), "zervice-single");
}

#[test]
fn gp_11_a_list_of_calls_under_skills_is_no_agent_card() {
    let calls = json!({
        "name": "Mugs", "description": "Sells mugs", "url": "https://mugs.example",
        "version": "1.0.0",
        "skills": [{"id": "list", "name": "List", "endpoint": "/api/mugs/:shape", "method": "GET"}],
    });
    let reading = reading(&calls);
    assert_eq!(reading.format.as_str(), "profile");
    let agent = &reading.agents[0];
    assert!(agent.interfaces.is_empty(), "no A2A address is made up");
    let list = &agent.capabilities[0];
    assert_eq!(
        list.url.as_deref(),
        Some("https://mugs.example/api/mugs/{shape}")
    );
    let shape = &list.params[0];
    assert_eq!(
        (&*shape.name, shape.location.as_deref()),
        ("shape", Some("path"))
    );
    assert!(shape.required);
    assert!(!rules(&reading, Severity::Error).contains(&"A2-08"));
}

#[test]
fn gp_12_no_address_is_made_up_and_no_page_is_an_interface() {
    let agent = &reading(&json!({
        "name": "Mugs", "description": "Sells mugs", "url": "https://mugs.example/",
        "docs": "https://mugs.example/docs/mcp",
        "mcp": {"endpoint": "https://mugs.example/mcp", "status": "planned"},
        "openapi": "https://mugs.example/openapi.json",
        "ecosystem": {"partner_mcp": "https://plates.example/mcp"},
        "capabilities": ["search"],
    }))
    .agents[0];
    assert_eq!(
        doors(agent),
        [("openapi", "https://mugs.example/openapi.json")]
    );
    assert_eq!(agent.docs.as_deref(), Some("https://mugs.example/docs/mcp"));
}

#[test]
fn gp_13_lists_and_maps_of_servers_give_interfaces_with_what_a_caller_needs() {
    let agent = &reading(&json!({
        "name": "Mugs", "description": "Sells mugs",
        "mcpServers": {
            "shop": {"url": "https://mugs.example/mcp", "type": "streamable-http",
                     "headers": {"X-Kiln": "your key"}},
            "local": {"command": "npx", "args": ["mugs"]},
        },
        "mcp_sse_endpoint": "https://mugs.example/live",
        "discovery": {"openapi": "/openapi.yaml", "agent_card": "/.well-known/agent-card.json"},
        "oauth": "/.well-known/oauth-authorization-server",
    }))
    .agents[0];
    assert_eq!(
        doors(agent),
        [
            ("mcp", "https://mugs.example/mcp"),
            ("mcp", "https://mugs.example/live"),
            ("openapi", "https://mugs.example/openapi.yaml"),
        ]
    );
    let [shop, live, _] = &agent.interfaces[..] else {
        panic!("{:?}", agent.interfaces)
    };
    assert_eq!(shop.transport.as_deref(), Some("streamable-http"));
    let Interface { params, .. } = shop;
    let header = Param {
        name: "X-Kiln".to_owned(),
        location: Some("header".to_owned()),
        description: Some("your key".to_owned()),
        required: true,
        ..Param::default()
    };
    assert_eq!(*params, [header]);
    assert_eq!(live.transport.as_deref(), Some("sse"));
    assert_eq!(agent.auth[0].scheme, "oauth2");
}

#[test]
fn gp_13_calls_keep_method_body_key_and_price_under_any_name() {
    let agent = &reading(&json!({
        "name": "Mugs", "description": "Sells mugs",
        "authentication": "none",
        "currency": "USDC",
        "protocols": ["x402"],
        "operations": [
            {"name": "order", "path": "/orders", "methods": ["POST"], "auth": "X-Operator-Key",
             "body": {"mug": "string (required)", "note": "anything"},
             "price": "0.10", "currency": "USDC"},
            {"name": "list", "route": "GET /mugs", "price": "0", "free": true},
        ],
    }))
    .agents[0];
    let [order, list] = &agent.capabilities[..] else {
        panic!("{:?}", agent.capabilities)
    };
    assert_eq!(order.method.as_deref(), Some("POST"));
    assert_eq!(order.requires_auth, Some(true));
    let mug = &order.params[0];
    assert_eq!(
        (&*mug.name, mug.kind.as_deref(), mug.required),
        ("mug", Some("string"), true)
    );
    assert_eq!(list.url.as_deref(), Some("https://mugs.example/mugs"));
    let keys: Vec<_> = agent.auth.iter().map(|it| it.name.as_deref()).collect();
    assert!(keys.contains(&Some("X-Operator-Key")), "{keys:?}");
    let [price] = &agent.payments[..] else {
        panic!("{:?}", agent.payments)
    };
    assert_eq!(price.protocol, "x402");
    assert_eq!(price.asset.as_deref(), Some("USDC"));
    assert_eq!(
        price.resource.as_deref(),
        Some("https://mugs.example/orders")
    );
}

#[test]
fn gp_16_what_is_known_and_where_pages_are_is_no_capability() {
    let agent = &reading(&json!({
        "@type": ["Person", "Organization"], "name": "Ana", "bio": "Potter", "photo": "/ana.jpg",
        "description": "Glazes mugs", "url": "https://mugs.example",
        "skills": ["Glazing", "Firing"],
        "endpoints": {"sitemap": "/sitemap.xml", "privacy": "/privacy", "orders": "/api/orders"},
    }))
    .agents[0];
    let names: Vec<_> = agent.capabilities.iter().map(|it| &*it.name).collect();
    assert_eq!(names, ["orders"]);
    assert!(agent.tags.contains(&"Glazing".to_owned()));
}

#[test]
fn gp_10_each_agent_of_an_array_is_completed() {
    let value = json!([
        {"name": "Kiln", "description": "Fires", "url": "https://mugs.example/kiln",
         "version": "1.0.0", "authentication": {"type": "none"},
         "capabilities": [{"name": "fire", "description": "Fires a mug", "price": "2 EUR",
                           "glaze": {"matt": true}}]},
        {"name": "Shop", "description": "Sells", "url": "https://mugs.example/mcp",
         "version": "1.0.0", "capabilities": [], "contact": "shop@mugs.example"},
    ]);
    let reading = at("/.well-known/agents.json", &value);
    assert_eq!(reading.format.as_str(), "zervice");
    let [kiln, shop] = reading.agents.as_slice() else {
        panic!("{:?}", reading.agents);
    };
    let fire = &kiln.capabilities[0];
    assert_eq!(fire.pointer, "/0/capabilities/0");
    assert_eq!(fire.extensions["glaze"], json!({"matt": true}));
    assert_eq!(kiln.payments[0].price.as_deref(), Some("2 EUR"));
    assert_eq!(shop.contact.as_deref(), Some("shop@mugs.example"));
    assert_eq!(shop.pointers["contact"], "/1/contact");
    assert_eq!(doors(shop), [("mcp", "https://mugs.example/mcp")]);
}

#[test]
fn gp_11_capabilities_with_calls_are_no_features_of_a2a() {
    let value = json!({
        "name": "Mugs", "description": "Sells mugs", "url": "https://mugs.example",
        "capabilities": {"streaming": false,
                         "search": {"description": "Search", "path": "/search", "method": "GET"}},
    });
    let reading = at("/.well-known/agent.json", &value);
    assert_ne!(reading.format.as_str(), "a2a-agent-card");
    assert!(
        doors(&reading.agents[0])
            .iter()
            .all(|(protocol, _)| *protocol != "a2a")
    );
}

#[test]
fn gp_11_a_flag_of_a2a_among_other_capabilities_makes_no_agent_card() {
    let service = |capabilities: Value| {
        at(
            "/agents.json",
            &json!({"name": "Mugs", "description": "Sells mugs", "url": "https://mugs.example",
                "capabilities": capabilities, "mcp": "https://mugs.example/mcp"}),
        )
    };
    for capabilities in [
        json!({"streaming": false, "tools": [{"name": "find", "url": "/find", "method": "GET"}]}),
        json!({"streaming": true, "search": true}),
    ] {
        let reading = service(capabilities);
        assert_eq!(reading.format.as_str(), "profile");
        assert_eq!(
            doors(&reading.agents[0]),
            [("mcp", "https://mugs.example/mcp")]
        );
    }
    let card = service(json!({"streaming": true, "extensions": []}));
    assert_eq!(card.format.as_str(), "a2a-agent-card");
}

#[test]
fn gp_12_the_version_of_a_card_is_not_that_of_its_mcp_server() {
    let mcp_version = |document: &Value| {
        let reading = at("/.well-known/agent-card.json", document);
        let interfaces = reading.agents[0].interfaces.iter();
        let mut mcp = interfaces.filter(|it| it.protocol == "mcp");
        mcp.next().unwrap().version.clone()
    };
    let mut document = card();
    document["mcpEndpoint"] = json!("https://mugs.example/mcp");
    assert_eq!(mcp_version(&document), None);
    let server = json!({"serverInfo": {"name": "mugs", "version": "3.1"}, "protocolVersion": "2025-06-18",
        "transport": {"type": "streamable-http", "endpoint": "/mcp"}, "tools": []});
    assert_eq!(mcp_version(&server).as_deref(), Some("2025-06-18"));
    let profile = json!({"name": "Mugs", "description": "Sells mugs", "mcp":
        {"url": "https://mugs.example/mcp", "protocolVersion": "2025-03-26"}});
    assert_eq!(mcp_version(&profile).as_deref(), Some("2025-03-26"));
}

#[test]
fn gp_12_what_is_announced_for_later_is_no_interface() {
    let mut card = card();
    card["comingSoon"] = json!({"mcp": "https://mugs.example/soon"});
    card["roadmap"] = json!({"mcp_endpoint": "https://mugs.example/later"});
    let reading = at("/.well-known/agent-card.json", &card);
    assert_eq!(
        doors(&reading.agents[0]),
        [("a2a", "https://mugs.example/a2a")]
    );
}

#[test]
fn gp_14_a_name_in_several_languages_is_a_name() {
    let name = json!({"ja": "湯呑み", "en": "Mugs"});
    let description = json!({"en": "Sells mugs"});
    let documents = [
        json!({"name": name, "description": description, "website": "https://mugs.example"}),
        json!({"name": name, "description": "Sells mugs", "capabilities":
            [{"name": "order", "endpoint": "/order", "method": "POST"}]}),
    ];
    for document in documents {
        let reading = at("/.well-known/agent.json", &document);
        assert_eq!(reading.format.as_str(), "profile", "{document}");
        let agent = &reading.agents[0];
        let other = agent.translations.iter().find(|it| it.language == "ja");
        assert_eq!(
            (agent.name.as_str(), other.unwrap().text.as_str()),
            ("Mugs", "湯呑み")
        );
    }
}

#[test]
fn gp_14_skills_are_read_in_each_language() {
    let mut card = card();
    card["skills"] = json!([
        {"id": "fire", "name": {"en": "Fire", "de": "Brennen"},
         "description": {"de": "Brennt einen Becher", "en": "Fires a mug"}, "tags": ["kiln"]},
        {"id": "glaze", "name": "Glaze", "name_de": "Glasieren", "description": "Glazes",
         "tags": ["kiln"]},
    ]);
    let reading = at("/.well-known/agent-card.json", &card);
    let [fire, glaze] = reading.agents[0].capabilities.as_slice() else {
        panic!("{:?}", reading.agents);
    };
    assert_eq!((&*fire.id, &*fire.name), ("fire", "Fire"));
    assert_eq!(fire.description.as_deref(), Some("Fires a mug"));
    let texts = |capability: &crate::Capability| {
        let texts = capability.translations.iter();
        texts
            .map(|it| format!("{} {} {}", it.field, it.language, it.text))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        texts(fire),
        ["name de Brennen", "description de Brennt einen Becher"]
    );
    assert_eq!(texts(glaze), ["name de Glasieren"]);
}

#[test]
fn gp_15_json_schemas_in_place_of_parameters_are_kept_as_published() {
    let schema = json!({"type": "object", "properties": {"mug": {"type": "string"}},
                        "required": ["mug"]});
    let value = json!({
        "name": "Mugs", "version": "1.0.0", "base_url": "https://mugs.example/api",
        "capabilities": {"fire": {"description": "Fires a mug", "method": "POST",
                                  "endpoint": "/fire", "parameters": schema, "returns": schema}},
    });
    let reading = at("/agent.json", &value);
    assert_eq!(reading.format.as_str(), "intentql");
    let fire = &reading.agents[0].capabilities[0];
    assert_eq!(fire.input_schema.as_ref(), Some(&schema));
    assert_eq!(fire.output_schema.as_ref(), Some(&schema));
    let names: Vec<_> = fire
        .params
        .iter()
        .map(|it| (&*it.name, it.required))
        .collect();
    assert_eq!(names, [("mug", true)]);
    let mut of_rule = reading.findings.iter().filter(|it| it.rule.id == "IQ-09");
    assert!(of_rule.any(|it| it.message.contains("JSON Schema")));
}

#[test]
fn the_server_s_version_is_not_that_of_its_card() {
    let value = json!({
        "version": "1.0", "protocolVersion": "2025-06-18", "description": "Fires mugs",
        "serverInfo": {"name": "kiln", "version": "2.1.0"},
        "transport": {"type": "streamable-http", "endpoint": "/mcp"},
    });
    let reading = at("/.well-known/mcp.json", &value);
    assert_eq!(reading.agents[0].version.as_deref(), Some("2.1.0"));
}

#[test]
fn how_to_install_a_server_and_what_its_headers_hold_is_kept() {
    let value = json!({
        "name": "example.mugs/kiln", "description": "Fires mugs", "version": "2.1.0",
        "remotes": [{"type": "streamable-http", "url": "https://{tenant}.mugs.example/{room}/mcp",
                     "variables": {"tenant": {}, "room": {}},
                     "headers": [{"name": "Authorization", "isSecret": true,
                                  "description": "Bearer token of your account"}]}],
        "packages": [{"registryType": "npm", "identifier": "@mugs/kiln", "version": "2.1.0"}],
    });
    let agent = &at("/.well-known/mcp/server-card.json", &value).agents[0];
    assert_eq!(agent.specified["packages"], value["packages"]);
    assert_eq!(agent.auth[0].scheme, "bearer");
    let params = &agent.interfaces[0].params;
    let places: Vec<_> = params
        .iter()
        .map(|it| (&*it.name, it.location.as_deref()))
        .collect();
    assert_eq!(
        places,
        [
            ("Authorization", Some("header")),
            ("tenant", None),
            ("room", Some("path"))
        ]
    );
}

#[test]
fn when_a_manifest_was_signed_is_kept() {
    let value = json!({
        "manifest_version": "1.0", "profiles": ["core"],
        "agent": {"id": "ajson://mugs.example/agents/kiln", "name": "Kiln"},
        "signatures": [{"alg": "EdDSA", "value": "c2ln", "key_id": "one",
                        "created_at": "2026-01-01T00:00:00Z"}],
    });
    let agent = &at("/.well-known/agents.json", &value).agents[0];
    let made = agent.signatures[0].created_at.as_deref();
    assert_eq!(made, Some("2026-01-01T00:00:00Z"));
}

#[test]
fn the_header_of_a_tool_s_key_is_kept() {
    let value = json!({
        "manifest_version": "1.0", "profiles": ["core"],
        "agent": {"id": "ajson://mugs.example/agents/kiln", "name": "Kiln"},
        "tools": [{"id": "kiln", "name": "Kiln", "type": "mcp", "description": "Fires",
                   "endpoint": "https://mugs.example/mcp",
                   "auth": {"method": "api_key", "header": "X-Kiln"}}],
    });
    let agent = &at("/.well-known/agents.json", &value).agents[0];
    assert_eq!(agent.auth[0].name.as_deref(), Some("X-Kiln"));
    assert_eq!(agent.auth[0].location.as_deref(), Some("header"));
}
