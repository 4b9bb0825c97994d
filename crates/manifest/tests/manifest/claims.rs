//! Claims of the account that a stranger checks first: a value that only resembles a fact is not used
//! for it, and a fact that a document does not state is not in its listing.

use manifest::account::{Account, Part};
use manifest::{Agent, Document, Domain, Reading, formats};
use serde_json::{Value, json};

/// Returns a document of `tide.example` at a path.
fn document(path: &str, body: &impl ToString) -> Document {
    let url = format!("https://tide.example{path}").parse().unwrap();
    let domain = Domain::parse("tide.example").unwrap();
    Document::new(domain, url, body.to_string().into_bytes())
}

fn read(path: &str, body: &impl ToString) -> Reading {
    formats::read(&document(path, body))
}

/// Returns the only agent of a document.
fn agent(path: &str, body: &impl ToString) -> Agent {
    let agents = read(path, body).agents;
    let [agent] = <[Agent; 1]>::try_from(agents).unwrap();
    agent
}

/// Returns what became of the value at a place: `kept`, a rule, or the facts it is used for.
fn part(document: &Document, place: &str) -> String {
    let Account { values, .. } = formats::account(document, None);
    let value = values.into_iter().find(|it| it.place == place);
    match value.unwrap_or_else(|| panic!("no {place}")).part {
        Part::Used { facts } => facts.join(" "),
        Part::Kept => "kept".to_owned(),
        Part::Dropped { rule } => rule,
    }
}

/// Returns an object with more members.
fn with(body: Value, members: Value) -> Value {
    let (Value::Object(mut body), Value::Object(members)) = (body, members) else {
        panic!("no objects");
    };
    body.extend(members);
    Value::Object(body)
}

fn card(members: Value) -> Value {
    let card = json!({"protocolVersion": "0.3.0", "name": "Tide Oracle",
        "description": "Says when the water is high.", "url": "https://tide.example/a2a",
        "version": "1.0.0", "capabilities": {}, "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"], "skills": [{"id": "tide", "name": "Tides of a day",
            "description": "Lists the tides of a day.", "tags": ["sea"]}]});
    with(card, members)
}

fn profile(members: Value) -> Value {
    let body = json!({"name": "Tide Oracle", "description": "Says when the water is high.",
        "api": {"base_url": "https://tide.example/v1"}});
    with(body, members)
}

#[test]
fn a_value_is_used_only_for_a_fact_that_it_gives() {
    const CARD: &str = "/.well-known/agent-card.json";
    const PROFILE: &str = "/agent.json";
    for (path, body, place) in [
        (
            CARD,
            card(json!({"defaultInputModes": "text/plain"})),
            "/defaultInputModes",
        ),
        (CARD, card(json!({"name": ["Tide Oracle"]})), "/name/0"),
        (
            PROFILE,
            profile(
                json!({"skills": [{"id": "rye", "description": "Bakes bread.",
                "params": {"flour": {"enum": ["rye", "spelt"], "hint": "rye is best"}}}]}),
            ),
            "/skills/0/params/flour/hint",
        ),
        (PROFILE, profile(json!({"base_url": 7})), "/base_url"),
        (
            "/.well-known/mcp.json",
            json!({"name": "tide", "description": "Tides.", "serverUrl": 42,
                "tools": [{"name": "tide", "description": "Says it.", "inputSchema": {"type": "object"}}]}),
            "/serverUrl",
        ),
        (
            PROFILE,
            profile(
                json!({"mcpServers": {"tide": {"command": "npx", "args": ["-y", "tide-mcp"]}},
                "deploy": {"args": ["--region", "north"]}}),
            ),
            "/deploy/args/1",
        ),
        (
            CARD,
            card(json!({"provider": {"organization": "Harbour", "url": 9}})),
            "/provider/url",
        ),
    ] {
        assert_eq!(
            part(&document(path, &body), place),
            "kept",
            "{place} of {body}"
        );
    }
}

#[test]
fn a_relative_address_is_joined_to_the_base_that_the_document_states() {
    let mcp = json!({"name": "tide", "description": "Tides.", "base_url": "https://api.tide.example/v1",
        "serverUrl": "/mcp", "tools": [{"name": "tide", "description": "Says it.",
            "inputSchema": {"type": "object"}}]});
    let urls = |agent: &Agent| -> Vec<String> {
        agent.interfaces.iter().map(|it| it.url.clone()).collect()
    };
    let mcp = agent("/.well-known/mcp.json", &mcp);
    assert!(
        !urls(&mcp).contains(&"https://tide.example/mcp".to_owned()),
        "{:?}",
        urls(&mcp)
    );
    assert!(
        urls(&mcp).contains(&"https://api.tide.example/mcp".to_owned()),
        "{:?}",
        urls(&mcp)
    );
    let body = json!({"name": "Tide Oracle", "description": "Says when the water is high.",
        "skills": [{"id": "ship", "description": "Ships a table.",
            "endpoint": "ship", "method": "POST"}], "docs": "docs/"});
    let plain = agent("/.well-known/agent.json", &body);
    let server = json!({"name": "tide", "description": "Tides.", "endpoints": {"mcp": "mcp/"},
        "tools": [{"name": "tide", "description": "Says it.", "inputSchema": {"type": "object"}}]});
    let server = agent("/.well-known/mcp.json", &server);
    assert_eq!(urls(&server), ["https://tide.example/mcp/"]);
    assert_eq!(plain.docs.as_deref(), Some("https://tide.example/docs/"));
    let url = |agent: &Agent| agent.capabilities[0].url.clone();
    assert_eq!(url(&plain).as_deref(), Some("https://tide.example/ship"));
    let mut based = body;
    based["base_url"] = "https://tide.example/api".into();
    let based = agent("/.well-known/agent.json", &based);
    assert_eq!(
        url(&based).as_deref(),
        Some("https://tide.example/api/ship")
    );
}

#[test]
fn what_a_document_states_is_read_as_it_states_it() {
    let profile = |members: Value| agent("/agent.json", &profile(members));
    let limits = profile(
        json!({"rate_limits": {"requests_per_day": 1000, "burst": 5, "search": "30/minute", "max_file_mb": 10}}),
    );
    let read: Vec<_> = limits
        .rate_limits
        .iter()
        .map(|it| (it.scope.as_str(), it.limit, it.window_s))
        .collect();
    assert_eq!(read, [("default", 1000, 86_400), ("search", 30, 60)]);
    let words = profile(json!({"languages": "de, en", "tags": "rail, bus"}));
    assert_eq!(words.languages, ["de", "en"]);
    assert_eq!(words.tags, ["rail", "bus"]);
    let params = profile(
        json!({"skills": [{"name": "ask", "description": "Answers.", "parameters":
        {"day": {"type": "string", "required": "yes"}, "port": {"type": "string", "required": "no"}}}]}),
    );
    let params: Vec<_> = params.capabilities[0]
        .params
        .iter()
        .map(|it| (it.name.as_str(), it.required))
        .collect();
    assert_eq!(params, [("day", true), ("port", false)]);
    let mcp = agent(
        "/.well-known/mcp.json",
        &json!({"name": "example.tide/tides", "description": "Tides.",
        "version": "1.0.0", "remotes": [{"type": "streamable-http", "url": "https://tide.example/mcp",
            "headers": [{"name": "X-Plan", "isRequired": false, "isSecret": true}]}]}),
    );
    assert!(!mcp.interfaces[0].params[0].required);
    let sse = profile(json!({"mcp_endpoint": "https://tide.example/sse"}));
    assert_eq!(
        sse.interfaces
            .iter()
            .find(|it| it.protocol == "mcp")
            .unwrap()
            .transport,
        None
    );
    let paths = profile(json!({"mcp": {"endpoint": {"path": "/mcp", "methods": ["POST"]}}}));
    assert!(
        paths.interfaces.iter().any(|it| it.protocol == "mcp"),
        "{:?}",
        paths.interfaces
    );
}

#[test]
fn an_identity_card_s_endpoints_are_no_capabilities() {
    let kit = json!({"version": "1.0", "agent": {"name": "Tide Oracle", "handle": "@tide@tide.example",
        "description": "Says when the water is high."}, "owner": {"name": "Harbour"},
        "capabilities": ["tides"], "protocols": {"mcp": true},
        "endpoints": {"card": "https://tide.example/.well-known/agent.json", "inbox": "https://tide.example/inbox"}});
    let listed = agent("/.well-known/agent.json", &kit);
    let names: Vec<_> = listed
        .capabilities
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    assert_eq!(names, ["tides"]);
    let kit = document("/.well-known/agent.json", &kit);
    assert_eq!(part(&kit, "/protocols/mcp"), "agents/0/tags/0");
}

#[test]
fn an_address_that_no_stranger_can_reach_is_kept_and_nothing_is_made_of_it() {
    let local = card(json!({"url": "http://localhost:9999/a2a"}));
    let reading = read("/.well-known/agent-card.json", &local);
    assert!(
        reading.agents[0].interfaces.is_empty(),
        "{:?}",
        reading.agents[0].interfaces
    );
    let file = document("/.well-known/agent-card.json", &local);
    assert_eq!(part(&file, "/url"), "kept");
    let of_address = reading.findings.iter().find(|it| it.pointer == "/url");
    assert_eq!(of_address.unwrap().rule.id, "DI-12");
    let template = card(json!({"url": "${HOST}/a2a"}));
    let file = document("/.well-known/agent-card.json", &template);
    assert_eq!(part(&file, "/url"), "kept");
    assert!(formats::read(&file).agents[0].interfaces.is_empty());
    let template = json!({"name": "Tide Oracle", "description": "Says when the water is high.",
        "endpoint": "${HOST}/mcp", "homepage": "https://tide.example/"});
    let file = document("/agent.json", &template);
    assert_eq!(part(&file, "/endpoint"), "kept");
    let findings = formats::read(&file).findings;
    assert!(
        findings.iter().any(|it| it.rule.id == "GP-03"),
        "{findings:?}"
    );
}

#[test]
fn a_secret_is_neither_offered_nor_published_under_any_name() {
    let secret = "sk_live_4eC39HqLyjWDarjtT1zdp7dc";
    for body in [
        json!({"name": "Tide Oracle", "description": "Tides.", "mcp_endpoint": format!("https://user:{secret}@tide.example/mcp")}),
        json!({"name": "Tide Oracle", "description": "Tides.", "mcp_endpoint": format!("https://tide.example/mcp?key={secret}")}),
        json!({"name": "Tide Oracle", "description": "Tides.", "mcp_endpoint": "https://tide.example/mcp", "keys": {secret: "the first"}}),
    ] {
        let reading = read("/agent.json", &body);
        let shown = serde_json::to_string(&reading).unwrap();
        assert!(!shown.contains("4eC39Hq"), "{shown}");
        let account =
            serde_json::to_string(&formats::account(&document("/agent.json", &body), None))
                .unwrap();
        assert!(!account.contains("4eC39Hq"), "{account}");
    }
}

#[test]
fn lines_of_a_text_that_say_something_are_kept() {
    let text = "# Tide Oracle\n# We love the sea\n## Rate limits\n\nName: Tide Oracle\nURL: https://tide.example\n\
        Description: Says when the water is high.\nFlow: search > order\nCapabilities: tides, ports\n- Ask twice\n";
    let file = document("/agents.txt", &text);
    for (place, expected) in [
        ("line:2", "kept"),
        ("line:3", "format"),
        ("line:8", "kept"),
        ("line:10", "kept"),
    ] {
        assert_eq!(part(&file, place), expected, "{place}");
    }
    let blocks = "Site-Name: Tide Oracle\nSite-URL: https://tide.example\n\nCapability: tides\n  Endpoint: https://tide.example/a\n  \
        Method: GET\n\nCapability: ports\n  Endpoint: https://tide.example/b\n  Method: GET\n\nAllow-Training: no\n";
    let blocks = agent("/agents.txt", &blocks);
    let names: Vec<_> = blocks
        .capabilities
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    assert_eq!(names, ["tides", "ports"]);
    for text in [
        "# Tide Oracle agents\n\n[Agent: helper]\nEndpoint: https://tide.example/mcp\n",
        "# Tide Oracle\n\n---yaml\nname: helper\nendpoint: https://tide.example/mcp\n---\n",
    ] {
        let reading = read("/agents.txt", &text);
        assert_eq!(
            (reading.agents.len(), reading.findings[0].rule.id),
            (0, "DI-16"),
            "{text}"
        );
    }
}

#[test]
fn a_value_is_not_used_because_another_resembles_it() {
    let body = profile(
        json!({"skills": [{"id": "get-asset", "description": "Gets one.", "endpoint": "/asset", "method": "GET"}],
        "browserApi": {"methods": [{"name": "getAsset", "returns": "Promise<Asset>"}]}}),
    );
    let file = document("/agent.json", &body);
    assert_eq!(part(&file, "/browserApi/methods/0/name"), "kept");
    let text = "# Tide Oracle\n\nSays when the water is high.\n\n## Licence\n\nThe words of Tide Oracle at \
        https://tide.example/ may be cited by every agent that names its source and links to the page from which it took them.\n\n\
        - MCP: https://tide.example/mcp\n";
    let file = document("/agents.txt", &text);
    assert_eq!(part(&file, "line:7"), "kept");
    assert!(part(&file, "line:9").contains("interfaces"));
}
