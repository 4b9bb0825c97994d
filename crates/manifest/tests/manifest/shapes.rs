//! Shapes in which sites that follow no specification state the same facts.

use manifest::{Agent, Document, Domain, Reading, formats};
use serde_json::{Value, json};

fn document(path: &str, body: &impl ToString) -> Document {
    let url = format!("https://loom.example{path}").parse().unwrap();
    let domain = Domain::parse("loom.example").unwrap();
    Document::new(domain, url, body.to_string().into_bytes())
}

fn read(path: &str, body: &impl ToString) -> Reading {
    formats::read(&document(path, body))
}

/// Returns the only agent of a document.
fn agent(path: &str, body: &impl ToString) -> Agent {
    let [agent] = <[Agent; 1]>::try_from(read(path, body).agents).unwrap();
    agent
}

/// Returns an unspecified profile with more members.
fn profile(members: &Value) -> Agent {
    let mut body = json!({"name": "Loom", "description": "Weaves cloth.", "homepage": "https://loom.example/"});
    for (name, value) in members.as_object().unwrap() {
        body[name] = value.clone();
    }
    agent("/agent.json", &body)
}

fn names(agent: &Agent) -> Vec<&str> {
    agent
        .capabilities
        .iter()
        .map(|it| it.name.as_str())
        .collect()
}

fn calls(agent: &Agent) -> Vec<(&str, &str)> {
    let called = agent.capabilities.iter();
    let called = called.filter_map(|it| Some((it.method.as_deref()?, it.url.as_deref()?)));
    called.collect()
}

fn interfaces(agent: &Agent) -> Vec<(&str, &str, Option<&str>)> {
    let interfaces = agent.interfaces.iter();
    let interfaces = interfaces.map(|it| {
        (
            it.protocol.as_str(),
            it.url.as_str(),
            it.transport.as_deref(),
        )
    });
    interfaces.collect()
}

#[test]
fn servers_of_mcp_are_read_in_every_arrangement() {
    let by_transport = json!({"server": {"name": "Loom"},
        "mcp": {"endpoints": {"sse": {"url": "https://loom.example/stream"}, "post": {"url": "https://loom.example/post"}}}});
    let by_transport = agent("/.well-known/mcp.json", &by_transport);
    assert_eq!(
        interfaces(&by_transport),
        [("mcp", "https://loom.example/stream", Some("sse"))]
    );
    let map = profile(&json!({"mcpServers": {
        "docs": {"url": "https://docs.loom.example/rpc", "name": "Loom docs", "authentication": "none",
            "tools": [{"name": "pattern", "description": "Finds a pattern."}]},
        "local": {"package": "@loom/server", "transport": "stdio"}}}));
    assert_eq!(
        interfaces(&map),
        [("mcp", "https://docs.loom.example/rpc", None)]
    );
    assert_eq!((names(&map), map.docs.as_deref()), (vec!["pattern"], None));
    assert_eq!(map.auth[0].scheme, "none");
    assert_eq!(
        map.programs[0].command.as_deref(),
        Some("npx -y @loom/server")
    );
    let kinds = json!({"name": "loom", "version": "1.0.0", "description": "Weaves.", "serverUrl": "/rpc",
        "tools": {"read": [{"name": "stock", "description": "Lists yarn."}],
            "write": [{"name": "weave", "description": "Weaves."}], "note": "The tools that are used most."}});
    assert_eq!(
        names(&agent("/.well-known/mcp.json", &kinds)),
        ["stock", "weave"]
    );
}

#[test]
fn calls_are_read_in_every_arrangement() {
    let steps = profile(
        &json!({"api_base": "https://api.loom.example", "first_steps": {
        "one": {"method": "POST", "url": "https://api.loom.example/enter", "body": {"guest": "YOUR_NAME"}},
        "two": {"method": "GET", "path": "/looms"}}}),
    );
    assert_eq!(
        calls(&steps),
        [
            ("POST", "https://api.loom.example/enter"),
            ("GET", "https://api.loom.example/looms")
        ]
    );
    assert_eq!(steps.capabilities[0].params[0].name, "guest");
    let paths = profile(&json!({"runtime_endpoints": ["/api/enter", "/api/leave"]}));
    let urls: Vec<_> = paths
        .capabilities
        .iter()
        .filter_map(|it| it.url.as_deref())
        .collect();
    assert_eq!(
        urls,
        [
            "https://loom.example/api/enter",
            "https://loom.example/api/leave"
        ]
    );
    let object = profile(
        &json!({"skills": [{"id": "find", "name": "Find", "description": "Finds yarn.",
        "endpoint": {"method": "get", "url": "https://loom.example/find", "params": {"colour": "string"}}}]}),
    );
    assert_eq!(calls(&object), [("GET", "https://loom.example/find")]);
    assert_eq!(object.capabilities[0].params[0].name, "colour");
    let words = profile(
        &json!({"capabilities": [{"id": "price", "endpoint": "https://loom.example/price", "method": "POST",
        "schema": {"metres": "integer 1-90", "cloth": "string — a kind of cloth"}, "examplePayload": {"metres": 3}}]}),
    );
    let params: Vec<_> = words.capabilities[0]
        .params
        .iter()
        .map(|it| (it.name.as_str(), it.kind.as_deref()))
        .collect();
    assert_eq!(
        params,
        [("metres", Some("integer")), ("cloth", Some("string"))]
    );
    assert_eq!(words.capabilities[0].examples, [r#"{"metres":3}"#]);
    let files = profile(
        &json!({"skills": {"repository": "https://github.com/loom/skills",
        "install": "npx skills add loom/skills", "count": 3}}),
    );
    assert!(files.capabilities.is_empty(), "{:?}", files.capabilities);
    assert_eq!(
        files.programs[0].command.as_deref(),
        Some("npx skills add loom/skills")
    );
}

#[test]
fn a_name_and_a_description_stand_in_the_object_of_the_service() {
    for member in [
        "app", "identity", "project", "merchant", "business", "store",
    ] {
        let body = json!({member: {"name": "Loom", "description": "Weaves cloth."},
            "mcp": {"endpoint": "https://loom.example/mcp"}});
        let read = agent("/agent.json", &body);
        assert_eq!(
            (read.name.as_str(), read.description.as_deref()),
            ("Loom", Some("Weaves cloth.")),
            "{member}"
        );
    }
    let of_the_file = json!({"name": "Loom", "description": "Discovery manifest for AI agents.",
        "mcp_endpoint": "https://loom.example/mcp"});
    assert!(agent("/agent.json", &of_the_file).description.is_some());
    let server = json!({"serverInfo": {"name": "loom", "version": "1.0.0", "displayName": "The Loom"},
        "transport": {"type": "streamable-http", "endpoint": "https://loom.example/mcp"}});
    assert_eq!(agent("/.well-known/mcp.json", &server).name, "The Loom");
}

#[test]
fn texts_without_markup_are_read_like_those_with_it() {
    let text = "loom — cloth for agents\nhttps://loom.example/\n\nABOUT\n\n  A loom that programs can use over HTTP.\n\n\
        CALLS\n\n  1.  POST /api/weave    weaves a metre\n";
    let read = agent("/agents.txt", &text);
    assert_eq!(
        (read.name.as_str(), read.description.as_deref()),
        (
            "loom — cloth for agents",
            Some("A loom that programs can use over HTTP.")
        )
    );
    assert_eq!(calls(&read), [("POST", "https://loom.example/api/weave")]);
    let comments = "# agents.txt — Loom discovery manifest\n# Authority: Loom Ltd\n# Last updated: 2026-01-01\n\n\
        User-Agent: *\n\n# --- What Loom is ---\n# Loom weaves cloth for agents.\n\nMCP: https://api.loom.example/mcp\n\
        REST: https://api.loom.example/v1\n";
    let read = agent("/.well-known/agents.txt", &comments);
    assert_eq!(
        (read.name.as_str(), read.description.as_deref()),
        ("Loom", Some("Loom weaves cloth for agents."))
    );
    assert_eq!(
        interfaces(&read),
        [
            ("mcp", "https://api.loom.example/mcp", None),
            ("rest", "https://api.loom.example/v1", None)
        ]
    );
}

#[test]
fn kinds_of_documents_are_told_apart_by_place_and_content() {
    let index = json!([{"name": "weaving", "description": "How to weave.", "url": "https://loom.example/weaving.txt"}]);
    let index = read("/.well-known/agent-skills/index.json", &index);
    assert_eq!(
        (index.format.as_str(), names(&index.agents[0])),
        ("agent-skills-index", vec!["weaving"])
    );
    assert!(index.agents[0].interfaces.is_empty());
    let paid = json!({"name": "Loom", "services": [{"endpoint": "/cloth", "method": "GET", "price": "0.02", "asset": "USDC",
        "network": "base"}]});
    let paid = read("/.well-known/x402.json", &paid);
    let way = &paid.agents[0].payments[0];
    assert_eq!(
        (
            paid.format.as_str(),
            way.protocol.as_str(),
            way.network.as_deref()
        ),
        ("x402", "x402", Some("base"))
    );
    let shop = read(
        "/.well-known/ucp",
        &json!({"merchant": {"name": "Loom"}, "capabilities": {"dev.ucp.shopping.order": []}}),
    );
    assert_eq!(
        (shop.format.as_str(), names(&shop.agents[0])),
        ("ucp", vec!["dev.ucp.shopping.order"])
    );
    let intents = json!({"name": "Loom", "description": "Weaves.", "url": "https://loom.example", "intents": ["sell cloth"]});
    assert_eq!(read("/agent.json", &intents).format.as_str(), "profile");
    let catalog = |kind: &str| {
        json!({"specVersion": "1.0", "host": {"displayName": "Loom"}, "entries": [
        {"identifier": "urn:air:loom.example:mcp:cloth", "displayName": "Cloth", "type": kind, "url": "https://loom.example/mcp"}]})
    };
    for kind in [
        "application/json",
        "application/octet-stream",
        "application/ai-skill+md",
        "application/openapi+json",
    ] {
        let findings = read("/.well-known/ard.json", &catalog(kind)).findings;
        assert!(
            findings.iter().any(|it| it.pointer == "/entries/0/type"),
            "{kind}: {findings:?}"
        );
    }
}

#[test]
fn authentication_and_prices_are_those_of_their_own_place() {
    let levels = profile(
        &json!({"authentication": {"reading": "none", "writing": "jwt_bearer",
        "how_to_get_token": "POST /api/enter answers with a token"}}),
    );
    let schemes: Vec<_> = levels
        .auth
        .iter()
        .map(|it| (it.scheme.as_str(), it.description.as_deref()))
        .collect();
    assert_eq!(schemes[0], ("none", Some("reading")));
    assert_eq!(schemes[1].0, "bearer");
    let server = json!({"serverInfo": {"name": "loom", "version": "1.0.0"},
        "transport": {"type": "streamable-http", "endpoint": "https://loom.example/mcp"},
        "authentication": {"type": "oauth2", "authorization_servers": ["https://login.loom.example"],
            "alternative_methods": [{"type": "api_key", "header": "X-Loom-Key"}]}});
    let auth = agent("/.well-known/mcp.json", &server).auth;
    assert_eq!(
        auth[0].authorization_servers,
        ["https://login.loom.example/"]
    );
    assert!(
        auth.iter()
            .any(|it| it.scheme == "api_key" && it.name.as_deref() == Some("X-Loom-Key")),
        "{auth:?}"
    );
    for (words, needed) in [
        ("optional", "none"),
        ("not required", "none"),
        ("Free, no API key needed", "none"),
        ("api key", "api_key"),
    ] {
        assert_eq!(
            profile(&json!({"authentication": words})).auth[0].scheme,
            needed,
            "{words}"
        );
    }
    let services = profile(
        &json!({"services": [{"name": "Mend", "description": "Mends cloth.", "price": "$20"},
        {"name": "Weave", "description": "Weaves cloth.", "price": "$300"}]}),
    );
    let prices: Vec<_> = services
        .payments
        .iter()
        .map(|it| (it.price.as_deref(), it.detail.as_deref()))
        .collect();
    assert_eq!(
        prices,
        [(Some("$20"), Some("Mend")), (Some("$300"), Some("Weave"))]
    );
    let paid = profile(
        &json!({"network": "base", "services": [{"name": "weave", "endpoint": "https://loom.example/weave",
        "method": "POST", "payment_method": "x402", "cost_per_request": "0.01 USDC"}]}),
    );
    let way = &paid.payments[0];
    assert_eq!(
        (
            way.protocol.as_str(),
            way.network.as_deref(),
            way.price.as_deref()
        ),
        ("x402", Some("base"), Some("0.01 USDC"))
    );
    let off = profile(
        &json!({"payments": {"x402": {"enabled": false, "network": "base"}},
        "a2a": {"supported": false, "url": "https://loom.example/a2a"}}),
    );
    assert!(
        off.payments.is_empty() && off.interfaces.is_empty(),
        "{:?} {:?}",
        off.payments,
        off.interfaces
    );
}

#[test]
fn a_stated_protocol_is_that_protocol_and_a_name_is_no_address() {
    let stated = profile(&json!({"protocol": "acp", "endpoint": "https://loom.example/rpc"}));
    assert_eq!(
        interfaces(&stated),
        [("acp", "https://loom.example/rpc", None)]
    );
    let chain = json!({"type": "https://eips.ethereum.org/EIPS/eip-8004#registration-v1", "name": "Loom",
        "description": "Weaves.", "image": "https://loom.example/l.png", "services": [
            {"name": "ENS", "endpoint": "loom.eth"}, {"name": "email", "endpoint": "mail@loom.example"},
            {"name": "MCP", "endpoint": "https://loom.example/mcp"}]});
    let chain = agent("/.well-known/agent-registration.json", &chain);
    assert_eq!(
        interfaces(&chain),
        [("mcp", "https://loom.example/mcp", None)]
    );
    let text = "# Loom\n\nWeaves cloth for agents.\n\n[Source](https://github.com/loom/mcp) and [news](https://news.example/openapi.json).\n";
    assert!(agent("/agents.txt", &text).interfaces.is_empty());
    let host = profile(&json!({"docs": "docs.loom.example/start", "url": "loom.example"}));
    assert_eq!(
        host.docs.as_deref(),
        Some("https://docs.loom.example/start")
    );
    let list = "# agents-txt.com\nMCP: https://mcp.loom.example/, https://loom.example/second\n";
    let urls = agent("/agents.txt", &list);
    let urls: Vec<_> = urls.interfaces.iter().map(|it| it.url.as_str()).collect();
    assert_eq!(
        urls,
        ["https://mcp.loom.example/", "https://loom.example/second"]
    );
    let item = json!({"@type": "CollectionPage", "items": [{"@type": "AgentDescription", "name": "Loom", "description": "Weaves.",
        "url": "/.well-known/agents/loom.json"}]});
    let item = read("/.well-known/agent-descriptions", &item);
    assert_eq!(
        (
            item.agents[0].url.as_deref(),
            item.references[0].url.as_str()
        ),
        (None, "https://loom.example/.well-known/agents/loom.json")
    );
}

#[test]
fn parts_of_a_protocol_are_no_capabilities_and_a_refusal_is_no_way_to_pay() {
    let parts = profile(
        &json!({"capabilities": ["tools", "weaving"], "mcp_endpoint": "https://loom.example/mcp"}),
    );
    assert_eq!(names(&parts), ["weaving"]);
    let map = profile(
        &json!({"capabilities": {"tools": {"listChanged": true}, "prompts": {}},
        "mcp_endpoint": "https://loom.example/mcp"}),
    );
    assert!(map.capabilities.is_empty(), "{:?}", map.capabilities);
    let free = profile(&json!({"payment": {"accepts_payment": false, "protocol": "x402"}}));
    assert!(
        free.payments.iter().all(|it| it.protocol != "x402"),
        "{:?}",
        free.payments
    );
    let old = json!({"name": "example.loom/old", "description": "Weaves.", "version": "1.0.0", "status": "deprecated",
        "remotes": [{"type": "sse", "url": "https://loom.example/old"}]});
    assert_eq!(agent("/.well-known/mcp.json", &old).tags, ["deprecated"]);
}

#[test]
fn how_agents_register_completes_the_agent_of_the_site() {
    let text = "# auth.md\n\nAgents register by themselves.\n\nPOST https://loom.example/agent/register, then POST /token.\n";
    let files = [
        ("/auth.md", text.to_owned()),
        (
            "/agent.json",
            json!({"name": "Loom", "description": "Weaves cloth.",
        "url": "https://loom.example/", "mcp_endpoint": "https://loom.example/mcp"})
            .to_string(),
        ),
    ];
    let domain = Domain::parse("loom.example").unwrap();
    let documents: Vec<Document> = files
        .into_iter()
        .map(|(path, body)| {
            let url = format!("https://loom.example{path}").parse().unwrap();
            Document::new(domain.clone(), url, body.into_bytes())
        })
        .collect();
    let merged = |documents: &[Document]| {
        let readings: Vec<_> = documents.iter().map(|it| (it, formats::read(it))).collect();
        let listings = manifest::merge::merge(&domain, &readings).listings;
        listings
            .into_iter()
            .map(|it| it.agent)
            .collect::<Vec<Agent>>()
    };
    let both = merged(&documents);
    assert_eq!((both.len(), both[0].name.as_str()), (1, "Loom"));
    assert_eq!(
        both[0].auth[0].registration_url.as_deref(),
        Some("https://loom.example/agent/register")
    );
    assert_eq!(
        both[0].auth[0].token_url.as_deref(),
        Some("https://loom.example/token")
    );
    assert!(
        merged(&documents[..1]).is_empty(),
        "how to register is no listing by itself"
    );
}

#[test]
fn what_a_nearest_format_also_requires_makes_a_document_of_it() {
    // The correction of GP-02 is applied by machine, to recorded and shared documents.
    let loom = json!({"name": "Loom", "version": "1.0.0", "description": "Weaves rugs.", "url": "https://loom.example"});
    let samples = crate::support::documents().into_iter();
    let samples = samples.map(|it| (it.name, it.document));
    let mut advised = 0;
    for (name, sample) in
        samples.chain([("loom".into(), document("/.well-known/agents.json", &loom))])
    {
        let Ok(Value::Object(members)) = serde_json::from_slice::<Value>(&sample.body) else {
            continue;
        };
        let reading = formats::read(&sample);
        let advice = reading
            .findings
            .iter()
            .find(|it| it.rule.id == "GP-02" && it.pointer.is_empty());
        let Some(correction) = advice.and_then(|it| it.correction.clone()) else {
            continue;
        };
        advised += 1;
        let more: Value = serde_json::from_str(&format!("{{{correction}}}")).unwrap();
        let mut corrected = members.clone();
        corrected.extend(more.as_object().unwrap().clone());
        let body = serde_json::to_vec(&corrected).unwrap();
        let document = Document::new(sample.domain.clone(), sample.url.clone(), body);
        let format = formats::read(&document).format;
        assert_ne!(format.as_str(), "profile", "{name}: {correction}");
    }
    assert!(advised > 0);
}

#[test]
fn what_the_sites_of_strangers_state_beside_their_calls_is_read() {
    let local = profile(
        &json!({"type": "mcp", "url": "https://loom.example/", "mcp": {"transport": "stdio"}}),
    );
    assert!(local.interfaces.is_empty(), "{:?}", local.interfaces);
    let call = json!({"name": "Loom", "description": "Weaves.", "protocol": "http", "url": "https://loom.example/api/weave",
        "methods": ["POST"], "inputSchema": {"type": "object", "properties": {"metres": {"type": "integer"}}}});
    let call = agent("/agent.json", &call);
    assert_eq!(calls(&call), [("POST", "https://loom.example/api/weave")]);
    assert_eq!(
        interfaces(&call),
        [("rest", "https://loom.example/api/weave", None)]
    );
    let sample = profile(
        &json!({"skills": [{"name": "Audit", "description": "Audits a page.",
        "endpoint": "https://loom.example/audit?url=https://example.com"}]}),
    );
    assert!(sample.capabilities[0].url.is_some());
    let parts = profile(
        &json!({"tools": [{"name": "Shop", "description": "Buys cloth.", "endpoints": [
        {"path": "/carts", "method": "POST"}, {"path": "/carts/{id}", "method": "GET"}]}]}),
    );
    assert_eq!(
        calls(&parts),
        [
            ("POST", "https://loom.example/carts"),
            ("GET", "https://loom.example/carts/{id}")
        ]
    );
    let two = profile(
        &json!({"mcp": {"endpoint": "https://loom.example/mcp", "authentication": "none",
        "runtime_authentication": "X-Loom-Key header"}}),
    );
    let schemes: Vec<_> = two.auth.iter().map(|it| it.scheme.as_str()).collect();
    assert_eq!(schemes, ["none", "api_key"]);
    let needed = profile(
        &json!({"services": [{"name": "Weave", "description": "Weaves.", "endpoint": "/weave", "method": "POST",
        "authentication": {"type": "bearer", "registration": "https://loom.example/join"}}]}),
    );
    assert_eq!(needed.capabilities[0].requires_auth, Some(true));
    assert_eq!(
        needed.auth[0].registration_url.as_deref(),
        Some("https://loom.example/join")
    );
    let limits = profile(&json!({"rate_limits": {"default": "100 requests/minute per IP"}}));
    assert_eq!(
        (limits.rate_limits[0].limit, limits.rate_limits[0].window_s),
        (100, 60)
    );
    let server = agent(
        "/agent.json",
        &json!({"mcp_endpoint": "/mcp", "version": "1.0.0", "description": "Weaves."}),
    );
    assert_eq!(
        (server.name.as_str(), server.interfaces.len()),
        ("loom.example", 1)
    );
}

#[test]
fn each_price_of_a_list_is_a_way_to_pay() {
    let plans = profile(
        &json!({"pricing": {"currency": "USD", "plans": [{"id": "m", "label": "Monthly", "total": 6.99},
        {"id": "y", "label": "Yearly", "total": 39.99}]}}),
    );
    let prices: Vec<_> = plans
        .payments
        .iter()
        .filter_map(|it| it.price.as_deref())
        .collect();
    assert_eq!(prices, ["6.99", "39.99"]);
    let tiers = profile(
        &json!({"paid_tiers": {"currency": "USDC", "network": ["base", "solana"], "protocol": "x402",
        "stamps": {"bronze": {"price": 0.001}, "gold": {"price": 0.01}}}}),
    );
    let ways: Vec<_> = tiers
        .payments
        .iter()
        .map(|it| {
            (
                it.protocol.as_str(),
                it.network.as_deref(),
                it.price.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        ways,
        [
            ("x402", Some("base"), Some("0.001")),
            ("x402", Some("base"), Some("0.01")),
            ("x402", Some("solana"), Some("0.001")),
            ("x402", Some("solana"), Some("0.01"))
        ]
    );
    let tools = profile(
        &json!({"paid_tools": [{"name": "scan", "description": "Scans.", "price_usdc": 0.05},
        {"name": "mend", "description": "Mends.", "price_usdc": 0.1}]}),
    );
    let ways: Vec<_> = tools
        .payments
        .iter()
        .map(|it| {
            (
                it.price.as_deref(),
                it.asset.as_deref(),
                it.detail.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        ways,
        [
            (Some("0.05"), Some("USDC"), Some("scan")),
            (Some("0.1"), Some("USDC"), Some("mend"))
        ]
    );
    let paid = json!({"payment_protocol": {"type": "x402", "network": "eip155:8453"}, "payable_endpoints": [
        {"url": "https://loom.example/report", "method": "GET", "price_usdc": "2.00"}]});
    let paid = &agent("/.well-known/x402", &paid).payments;
    assert!(
        paid.iter().any(|it| it.protocol == "x402"
            && it.network.as_deref() == Some("eip155:8453")
            && it.price.as_deref() == Some("2.00")),
        "{paid:?}"
    );
}

#[test]
fn calls_in_a_text_are_below_its_base_and_templates_stay_templates() {
    let text = "# Loom\n\nWeaves cloth for agents.\n\nAPI-Base: https://api.loom.example/v1\n\nGET /cloth — lists cloth\n\
        POST __ORIGIN__/api/weave — weaves\n";
    let reading = read("/agents.txt", &text);
    let cloth = &reading.agents[0].capabilities;
    assert_eq!(
        cloth[0].url.as_deref(),
        Some("https://api.loom.example/v1/cloth")
    );
    assert_eq!(
        (cloth[1].url.as_deref(), cloth[1].endpoint.as_deref()),
        (None, Some("__ORIGIN__/api/weave"))
    );
    assert!(
        reading.findings.iter().any(|it| it.rule.id == "GP-03"),
        "{:?}",
        reading.findings
    );
    let methods = "Site-Name: Loom\nSite-URL: https://loom.example\nSite-Description: Weaves.\n\nCapability: webhooks\n  \
        Description: Manages webhooks\n  Endpoint: https://loom.example/hooks\n  Method: GET,POST\n";
    assert_eq!(
        calls(&agent("/.well-known/agents.txt", &methods)),
        [
            ("GET", "https://loom.example/hooks"),
            ("POST", "https://loom.example/hooks")
        ]
    );
    let doubled = "Site: Loom\nURL: https://loom.example\nAgents-JSON: /.well-known/.well-known/agents.json\nAllow: weave\n";
    let doubled = read("/.well-known/agents.txt", &doubled);
    assert!(
        doubled
            .references
            .iter()
            .any(|it| it.url == "https://loom.example/.well-known/agents.json"),
        "{:?}",
        doubled.references
    );
}

#[test]
fn nested_lines_of_a_text_are_about_what_stands_above_them() {
    let text = "# Loom\nname: Loom\ndescription: Weaves cloth for agents\nwebsite: https://loom.example\n\n\
        capabilities:\n  - name: weave\n    description: Weaves a metre\n  - mend\n\n\
        api:\n  base_url: https://loom.example/api\n  query: /query\n  health: /health\n\nmcp-server: npx -y loom-mcp\n";
    let read = agent("/.well-known/agents.txt", &text);
    assert_eq!(read.description.as_deref(), Some("Weaves cloth for agents"));
    let weave = &read.capabilities[0];
    assert_eq!(
        (weave.name.as_str(), weave.description.as_deref()),
        ("weave", Some("Weaves a metre"))
    );
    let query = read
        .capabilities
        .iter()
        .find(|it| it.name == "query")
        .unwrap();
    assert_eq!(query.url.as_deref(), Some("https://loom.example/api/query"));
    assert_eq!(read.programs[0].command.as_deref(), Some("npx -y loom-mcp"));
}

#[test]
fn what_belongs_to_one_entry_stays_with_it() {
    let tools = profile(
        &json!({"paid_tools": [{"name": "scan", "price_usdc": 0.05}, {"name": "mend", "price_usdc": 0.05}]}),
    );
    let named: Vec<_> = tools
        .payments
        .iter()
        .filter_map(|it| it.detail.as_deref())
        .collect();
    assert_eq!(named, ["scan", "mend"]);
    let other_host = profile(
        &json!({"services": [{"name": "Purse", "description": "Holds money.",
        "endpoint": "https://purse.example/api/v1", "methods": ["GET"],
        "related_endpoints": {"join": "POST /api/v1/join", "policy": "GET /api/v1/policy"}}]}),
    );
    assert_eq!(
        calls(&other_host)[1..],
        [
            ("POST", "https://purse.example/api/v1/join"),
            ("GET", "https://purse.example/api/v1/policy")
        ]
    );
    let optional = profile(
        &json!({"actions": {"sign": {"method": "POST", "path": "/sign",
        "body": {"name": "string", "homepage": "string?"}}}}),
    );
    let needed: Vec<_> = optional.capabilities[0]
        .params
        .iter()
        .map(|it| (it.name.as_str(), it.required))
        .collect();
    assert_eq!(needed, [("name", true), ("homepage", false)]);
}

#[test]
fn a_mail_address_is_no_host_and_a_part_that_is_optional_is_not_the_key() {
    let mail = profile(&json!({"docs": "mailto:info@loom.com", "url": "info@loom.com"}));
    assert!(
        mail.docs.is_none() && mail.url.as_deref().is_none_or(|it| !it.contains('@')),
        "{mail:?}"
    );
    let key = profile(
        &json!({"authentication": "Send your API key in a header; the scopes are optional"}),
    );
    assert_eq!(key.auth[0].scheme, "api_key");
    let nested = profile(
        &json!({"services": [{"name": "Pay", "description": "Pays.", "endpoint": "https://purse.example/v1/pay",
        "method": "POST", "related_endpoints": {"state": "GET /v1/state"}}]}),
    );
    assert_eq!(calls(&nested)[1], ("GET", "https://purse.example/v1/state"));
}

#[test]
fn an_address_to_fill_in_within_a_sentence_is_a_call() {
    let text = "# Loom Docs\n\nLoom weaves cloth on order, by the yard.\n\n\
        Use https://loom.example/api/search?q=YOUR_QUERY&page=1 for the search of patterns.\n\
        See https://loom.example/patterns?sort=new for new ones.\n";
    let agent = agent("/agents.txt", &text);
    assert_eq!(names(&agent), ["the search of patterns"]);
    let [search] = &agent.capabilities[..] else {
        panic!("{:?}", agent.capabilities);
    };
    let url = "https://loom.example/api/search?q={q}&page=1";
    assert_eq!(search.url.as_deref(), Some(url));
    assert_eq!(search.params[0].location.as_deref(), Some("query"));
    assert_eq!(search.method, None);
    assert_eq!(
        agent.description.as_deref(),
        Some("Loom weaves cloth on order, by the yard.")
    );
}

#[test]
fn a_policy_for_robots_alone_describes_no_agent() {
    let policy = "# ai.txt: policy of the loom\nUser-agent: *\nAllow: /\nTraining-data: allowed\n\
        User-agent: GPTBot\nDisallow: /\nContact: loom@loom.example\n";
    let reading = read("/.well-known/ai.txt", &policy);
    assert_eq!(reading.agents, []);
    assert_eq!(reading.findings[0].rule.id, "DI-16");
    let with_server = format!("{policy}MCP-Server: https://loom.example/mcp\n");
    let agent = agent("/.well-known/ai.txt", &with_server);
    assert_eq!(
        interfaces(&agent),
        [("mcp", "https://loom.example/mcp", None)]
    );
}

#[test]
fn the_base_of_calls_may_stand_in_a_variable_of_the_environment() {
    let agent = profile(&json!({
        "environment_variables": {"LOOM_BASE_URL": {"default": "https://api.loom.example"}, "LOOM_KEY": {"required": true}},
        "capabilities": {"endpoints": {"weave": "POST /v1/weave - Weaves a cloth"}}}));
    assert_eq!(
        calls(&agent),
        [("POST", "https://api.loom.example/v1/weave")]
    );
}

#[test]
fn variables_of_a_query_are_parameters_of_the_query() {
    let agent = profile(
        &json!({"skills": [{"name": "find", "description": "Finds a cloth.",
        "endpoint": "GET /cloths/{colour}?yards={yards}"}]}),
    );
    let params = agent.capabilities[0].params.iter();
    let places: Vec<_> = params
        .map(|it| (it.name.as_str(), it.location.as_deref()))
        .collect();
    assert_eq!(places, [("colour", Some("path")), ("yards", Some("query"))]);
}

#[test]
fn an_interface_of_a_card_on_a_host_of_repositories_has_a_finding() {
    let card = json!({"name": "Loom", "description": "Weaves.", "version": "1", "capabilities": {},
        "url": "https://github.com/loom/loom/issues/new", "protocolVersion": "0.3.0",
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "weave", "name": "Weave", "description": "Weaves.", "tags": ["cloth"]}]});
    let reading = read("/.well-known/agent-card.json", &card);
    assert_eq!(reading.agents[0].interfaces, []);
    let found = reading
        .findings
        .iter()
        .find(|it| it.rule.id == "A2-22")
        .unwrap();
    assert_eq!(found.pointer, "/url");
}

#[test]
fn a_member_that_names_an_endpoint_is_a_call() {
    let agent = profile(&json!({
        "passport_endpoint": "https://loom.example/api/passport/{wallet}",
        "billing": {"balance_endpoint": "/api/balance", "docs": "https://loom.example/docs"},
        "trust": {"receipts": {"listEndpoint": "/api/receipts"}},
        "oauth": {"token_endpoint": "https://loom.example/token"},
        "partners": {"quote_endpoint": "https://loom.example/quote"},
        "mcp_endpoint": "https://loom.example/mcp",
    }));
    assert_eq!(names(&agent), ["passport", "balance", "list"]);
    let passport = &agent.capabilities[0];
    assert_eq!(passport.params[0].name, "wallet");
    let urls: Vec<_> = agent
        .capabilities
        .iter()
        .filter_map(|it| it.url.as_deref())
        .collect();
    assert!(
        urls.contains(&"https://loom.example/api/balance"),
        "{urls:?}"
    );
    assert_eq!(
        interfaces(&agent),
        [("mcp", "https://loom.example/mcp", None)]
    );
}

#[test]
fn keys_and_sentences_of_a_text_state_calls_and_tokens() {
    let text = "# Loom\n\nLoom weaves cloth on order, by the yard.\n\nOrder-Status: /api/v1/orders/[id]\nBlog: /blog\n\
        Guide: /api/guide.md\nDisallow: /api/private\n\n- GET /openapi.json: the description\n- GET /api/cloths: all cloths\n\n\
        Orders use Bearer authentication with the key that registration returns.\n";
    let agent = agent("/agents.txt", &text);
    assert_eq!(names(&agent), ["Order-Status", "GET /api/cloths"]);
    let order = &agent.capabilities[0];
    assert_eq!(
        order.url.as_deref(),
        Some("https://loom.example/api/v1/orders/{id}")
    );
    assert_eq!(agent.auth[0].scheme, "bearer");
    let open = "# Loom\n\nLoom weaves cloth on order, by the yard.\n\nNo bearer token is needed.\n";
    assert_eq!(self::agent("/agents.txt", &open).auth, []);
}

#[test]
fn variables_of_a_query_have_the_names_of_their_parameters() {
    let agent = profile(&json!({"skills": [
        {"name": "find", "description": "Finds a cloth.", "endpoint": "GET /cloths?q={query}&page=1"},
        {"name": "list", "description": "Lists cloths.", "endpoint": "GET /list?c={colour}",
            "parameters": {"colour": {"type": "string"}}}]}));
    let [find, list] = &agent.capabilities[..] else {
        panic!("{:?}", agent.capabilities);
    };
    assert_eq!(
        find.url.as_deref(),
        Some("https://loom.example/cloths?q={q}&page=1")
    );
    assert_eq!(find.params[0].name, "q");
    assert_eq!(
        list.url.as_deref(),
        Some("https://loom.example/list?c={colour}")
    );
}

#[test]
fn a_list_of_other_things_is_no_list_of_agents() {
    let people = json!([{"name": "Ada", "phone": "1"}, {"name": "Bo", "phone": "2"}]);
    let reading = read("/agents.json", &people);
    assert_eq!(reading.format.as_str(), "unrecognised");
    let agents = json!([{"name": "Loom", "capabilities": ["weave"], "description": "Weaves."}, {"name": "Bo"}]);
    assert_eq!(read("/agents.json", &agents).format.as_str(), "zervice");
}

#[test]
fn a_path_of_an_api_under_a_name_is_a_call() {
    let agent = profile(&json!({
        "read": {"identity": "/api/v1/identity.json", "llms": "/llms.txt"},
        "actions_list": "/api/v1/actions.json",
        "base_path": "/api/v1",
    }));
    assert_eq!(names(&agent), ["identity", "actions list"]);
}

#[test]
fn prices_of_x402_are_below_the_base_that_is_stated() {
    let body = json!({"x402Version": 1, "name": "Loom", "public_base_url": "https://pay.loom.example",
        "payable_endpoints": [{"route": "/weave", "price": "0.01"}]});
    let agent = agent("/.well-known/x402", &body);
    assert_eq!(
        agent.capabilities[0].url.as_deref(),
        Some("https://pay.loom.example/weave")
    );
}

#[test]
fn the_proof_of_a_publisher_is_no_broken_manifest() {
    let reading = read(
        "/.well-known/mcp-registry-auth",
        &"v=MCPv1; k=ed25519; p=AAAA",
    );
    assert_eq!(reading.agents, []);
    let [finding] = &reading.findings[..] else {
        panic!("{:?}", reading.findings);
    };
    assert_eq!(finding.rule.id, "GP-05");
    assert_eq!(finding.severity, manifest::Severity::Info);
}
