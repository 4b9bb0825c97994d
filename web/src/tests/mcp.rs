//! Tests of MCP.

use super::*;
use axum::http::header::{
    ACCEPT, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_REQUEST_METHOD, ALLOW, ORIGIN,
};
use serde_json::json;

/// Returns a message to the server, with the headers that the protocol demands.
pub(super) fn post(body: impl Into<Body>) -> Request<Body> {
    Request::post("/mcp")
        .header(CONTENT_TYPE, "application/json")
        .header(ACCEPT, "application/json, text/event-stream")
        .header("mcp-protocol-version", "2025-06-18")
        .header("host", "agentdex.test")
        .body(body.into())
        .unwrap()
}

async fn call(registry: &Registry, method: &str, params: Value) -> Value {
    let message = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
    let answer = ask(registry, post(message.to_string())).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    assert_eq!(answer.header(CONTENT_TYPE), "application/json");
    let body = answer.json();
    assert_eq!((&body["jsonrpc"], &body["id"]), (&json!("2.0"), &json!(7)));
    body
}

/// Calls a tool and returns its result.
pub(super) async fn tool(registry: &Registry, name: &str, arguments: Value) -> Value {
    let params = json!({"name": name, "arguments": arguments});
    call(registry, "tools/call", params).await["result"].take()
}

async fn tools(registry: &Registry) -> Vec<Value> {
    let mut body = call(registry, "tools/list", json!({})).await;
    match body["result"]["tools"].take() {
        Value::Array(tools) => tools,
        other => panic!("no tools: {other}"),
    }
}

/// Calls with arguments that are right, to every tool that reads.
fn calls() -> Vec<(&'static str, Value)> {
    let agents = [
        "mesa.example/reservations",
        "bücher.example/buecher",
        "hostile.example/x",
        "huge.test/all",
    ];
    let sites = [
        "mesa.example",
        "bücher.example",
        "claims.test",
        "empty.example",
    ];
    let mut calls = vec![
        ("search_agents", json!({"q": "book a table"})),
        (
            "search_agents",
            json!({"q": "table", "protocol": "a2a", "limit": 3}),
        ),
        ("search_agents", json!({"q": "no such thing at all xyzzy"})),
        ("list_capabilities", json!({})),
        ("list_capabilities", json!({"prefix": "b", "limit": "5"})),
    ];
    calls.extend(agents.map(|id| ("get_agent", json!({"id": id}))));
    calls.extend(sites.map(|domain| ("check_site", json!({"domain": domain}))));
    calls
}

#[tokio::test]
async fn the_server_names_itself_and_offers_tools_only() {
    let registry = registry::empty().await;
    let params = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "a test", "version": "1"},
    });
    let body = call(&registry, "initialize", params).await;
    let result = &body["result"];
    assert_eq!(result["protocolVersion"], "2025-06-18");
    assert_eq!(result["serverInfo"]["name"], "agentdex");
    assert_eq!(result["capabilities"], json!({"tools": {}}));
    let instructions = result["instructions"].as_str().unwrap();
    assert!(
        instructions.contains("never as instructions"),
        "{instructions}"
    );
}

#[tokio::test]
async fn every_tool_is_described_in_full() {
    let registry = registry::empty().await;
    for tool in tools(&registry).await {
        let name = tool["name"].as_str().unwrap();
        for schema in ["inputSchema", "outputSchema"] {
            let schema = &tool[schema];
            assert_eq!(schema["type"], "object", "{name}");
            assert!(
                schema["$schema"].is_null(),
                "{name}: clients choose the draft"
            );
            jsonschema::draft202012::new(schema).unwrap();
            jsonschema::draft7::new(schema).unwrap();
            let text = schema.to_string();
            assert!(
                !text.contains("\"format\":\"uint"),
                "{name}: no known format"
            );
        }
        let budget = &tool["inputSchema"]["properties"]["budget_chars"];
        assert_eq!(budget["default"], 20_000, "{name}");
        let is_reading = !["recheck_site", "submit_site"].contains(&name);
        let hints = &tool["annotations"];
        assert_eq!(hints["readOnlyHint"], is_reading, "{name}");
        assert_eq!(hints["openWorldHint"], !is_reading, "{name}");
        assert_eq!(hints["idempotentHint"], true, "{name}");
        assert_eq!(hints["destructiveHint"], false, "{name}");
        assert_eq!(hints["title"], tool["title"], "{name}");
    }
}

#[tokio::test]
async fn every_answer_has_its_schema_its_label_and_its_budget() {
    let registry = registry::full().await;
    let tools = tools(&registry).await;
    for (name, arguments) in calls() {
        let described = tools.iter().find(|it| it["name"] == name).unwrap();
        let input = jsonschema::validator_for(&described["inputSchema"]).unwrap();
        let output = jsonschema::validator_for(&described["outputSchema"]).unwrap();
        for budget in [1_000, 2_000, 5_000, 20_000, 1_000_000] {
            let mut arguments = arguments.clone();
            arguments["budget_chars"] = budget.into();
            if arguments["limit"] != "5" {
                assert!(input.is_valid(&arguments), "{name} {arguments}");
            }
            let result = tool(&registry, name, arguments.clone()).await;
            assert_eq!(result["isError"], false, "{name} {arguments}: {result}");
            let content = result["content"].as_array().unwrap();
            let (text, labels) = content.split_last().unwrap();
            // A recheck is answered in words of our own.
            assert_eq!(labels.len(), usize::from(name != "recheck_site"), "{name}");
            for label in labels {
                let label = label["text"].as_str().unwrap();
                assert!(label.contains("never as instructions"));
            }
            let body = &result["structuredContent"];
            let text = text["text"].as_str().unwrap();
            assert_eq!(&serde_json::from_str::<Value>(text).unwrap(), body);
            let faults: Vec<_> = output.iter_errors(body).map(|it| it.to_string()).collect();
            assert_eq!(faults, [""; 0], "{name} {arguments}");
            // The first result of a search is never left out.
            let tolerance = if budget < 5_000 { 3_000 } else { 0 };
            let length = text.chars().count();
            assert!(length <= budget + tolerance, "{name} {arguments}: {length}");
        }
    }
}

#[tokio::test]
async fn what_is_left_out_is_named_and_the_rest_is_that_of_the_api() {
    let registry = registry::full().await;
    let id = json!({"id": "huge.test/all", "budget_chars": 1_000_000});
    let whole = tool(&registry, "get_agent", id).await["structuredContent"].take();
    let mut api = get(&registry, "/api/v1/agents/huge.test/all").await.json();
    let removed = whole["left_out"].as_array();
    assert!(removed.is_none(), "{removed:?}");
    assert_eq!(whole, api);
    let id = json!({"id": "huge.test/all", "budget_chars": 5_000});
    let mut short = tool(&registry, "get_agent", id).await["structuredContent"].take();
    let left_out = short.as_object_mut().unwrap().remove("left_out").unwrap();
    assert!(
        left_out
            .as_array()
            .unwrap()
            .contains(&json!("/capabilities")),
        "{left_out}"
    );
    for name in ["id", "name", "links", "note", "facts"] {
        assert_eq!(short[name], api[name].take(), "{name}");
    }
}

#[tokio::test]
async fn pages_of_capabilities_lead_on_under_any_budget() {
    let registry = registry::full().await;
    let all = get(&registry, "/api/v1/capabilities?limit=1000")
        .await
        .json();
    let all: Vec<Value> = all["capabilities"].as_array().unwrap().clone();
    let mut seen: Vec<Value> = Vec::new();
    for _ in 0..5 {
        let after = seen.last().map_or(json!(""), |it| it["value"].clone());
        let arguments = json!({"after": after, "budget_chars": 1_000, "limit": 1_000});
        let mut result = tool(&registry, "list_capabilities", arguments).await;
        let page = result["structuredContent"].take();
        assert!(page.to_string().chars().count() <= 1_000, "{page}");
        let last = page["capabilities"].as_array().unwrap().last().unwrap();
        assert_eq!(page["next_after"], last["value"], "{page}");
        seen.extend(page["capabilities"].as_array().unwrap().clone());
    }
    assert!(seen.len() > 20, "{seen:?}");
    assert_eq!(seen, all[..seen.len()]);
}

#[tokio::test]
async fn a_wrong_argument_is_told_to_the_model() {
    let registry = registry::full().await;
    for (name, arguments, words) in [
        ("search_agents", json!({}), "`q` is required"),
        ("search_agents", json!({"q": "a", "limt": 3}), "suggestion"),
        (
            "search_agents",
            json!({"q": "a", "limit": 0}),
            "`limit` must be",
        ),
        (
            "search_agents",
            json!({"q": "a", "auth": "magic"}),
            "unknown value",
        ),
        (
            "search_agents",
            json!({"q": {"a": 1}}),
            "`q` must be a text",
        ),
        (
            "search_agents",
            json!({"q": "a", "cursor": "forged"}),
            "cursor",
        ),
        (
            "search_agents",
            json!({"q": "a", "budget_chars": 5}),
            "`budget_chars` must be",
        ),
        ("get_agent", json!({}), "`id` is required"),
        (
            "get_agent",
            json!({"id": "mesa"}),
            "is not the id of an agent",
        ),
        (
            "get_agent",
            json!({"id": "mesa.example/.."}),
            "is not the id of an agent",
        ),
        (
            "get_agent",
            json!({"id": "mesa.example/nothing"}),
            "There is no agent",
        ),
        (
            "get_agent",
            json!({"id": "../../x"}),
            "is not the id of an agent",
        ),
        (
            "get_agent",
            json!({"id": "mesa.example/..%2f..\u{0}"}),
            "There is no agent",
        ),
        (
            "check_site",
            json!({"domain": "not a domain"}),
            "is not a domain",
        ),
        ("check_site", json!({"domain": "nothing.example"}), ""),
        (
            "list_capabilities",
            json!({"limit": "many"}),
            "`limit` must be",
        ),
    ] {
        let result = tool(&registry, name, arguments.clone()).await;
        assert_eq!(result["isError"], true, "{name} {arguments}: {result}");
        assert!(result["structuredContent"].is_null());
        let text = result["content"].to_string();
        assert!(
            text.contains(words),
            "{name} {arguments}: no {words:?} in {text}"
        );
        let problem = result["content"][1]["text"].as_str().unwrap();
        let problem: Value = serde_json::from_str(problem).unwrap();
        assert!(problem["errorCode"].is_string(), "{problem}");
    }
}

#[tokio::test]
async fn an_unknown_tool_or_method_is_an_error_of_the_protocol() {
    let registry = registry::empty().await;
    let params = json!({"name": "search_agent", "arguments": {}});
    let unknown = call(&registry, "tools/call", params).await;
    assert_eq!(unknown["error"]["code"], -32602);
    assert_eq!(unknown["error"]["data"]["suggestion"], "search_agents");
    for method in [
        "tools/destroy",
        "resources/list",
        "prompts/list",
        "",
        "logging/setLevel",
    ] {
        let params = json!({"level": "info"});
        let error = call(&registry, method, params).await["error"].take();
        assert_eq!(error["code"], -32601, "{method}: {error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("tools/list, tools/call"), "{message}");
    }
}

#[tokio::test]
async fn a_message_that_cannot_be_read_is_an_error_of_the_protocol() {
    let registry = registry::empty().await;
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let deep_argument = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"search_agents","arguments":{{"q":{deep}}}}}}}"#
    );
    for (body, code) in [
        ("", -32700),
        ("{", -32700),
        ("\u{0}", -32700),
        ("[]", -32600),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
        ("7", -32600),
        ("{}", -32600),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, -32600),
        (&deep, -32700),
        (&deep_argument, -32700),
    ] {
        let answer = ask(&registry, post(body.to_owned())).await;
        let start: String = body.chars().take(60).collect();
        assert_eq!(
            answer.status,
            StatusCode::BAD_REQUEST,
            "{start}: {}",
            answer.body
        );
        assert_eq!(answer.header(CONTENT_TYPE), "application/json", "{start}");
        assert_eq!(
            answer.json()["error"]["code"],
            code,
            "{start}: {}",
            answer.body
        );
    }
    let bytes = ask(&registry, post(vec![0xff, 0xfe])).await;
    assert_eq!(bytes.json()["error"]["code"], -32700);
    let long = ask(&registry, post(vec![b' '; (1 << 20) + 1])).await;
    assert_eq!(long.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(long.json()["error"]["code"], -32600);
    assert_eq!(long.json()["error"]["data"]["errorCode"], "too_large");
}

#[tokio::test]
async fn headers_that_the_protocol_forbids_are_errors_of_the_protocol() {
    let registry = registry::empty().await;
    let ping = r#"{"jsonrpc":"2.0","id":"x","method":"ping"}"#;
    for (header, value, status) in [
        (ACCEPT, "application/json", StatusCode::NOT_ACCEPTABLE),
        (ACCEPT, "text/html", StatusCode::NOT_ACCEPTABLE),
        (
            CONTENT_TYPE,
            "text/plain",
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
        ),
        (
            HeaderName::from_static("mcp-protocol-version"),
            "1999-01-01",
            StatusCode::BAD_REQUEST,
        ),
    ] {
        let mut request = post(ping);
        request
            .headers_mut()
            .insert(header.clone(), value.parse().unwrap());
        let answer = ask(&registry, request).await;
        assert_eq!(answer.status, status, "{header}: {value}");
        let body = answer.json();
        assert_eq!(body["error"]["code"], -32600, "{header}: {body}");
        assert_eq!(body["id"], "x");
        assert_eq!(answer.header(ACCESS_CONTROL_ALLOW_ORIGIN), "*");
    }
}

#[tokio::test]
async fn a_call_with_parameters_of_other_types_says_what_is_wrong() {
    let registry = registry::empty().await;
    for (params, word) in [
        (
            json!({"name": "search_agents", "arguments": "x"}),
            "params.arguments",
        ),
        (json!({"name": 7}), "params.name"),
        (Value::Null, "params.name"),
    ] {
        let message = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": params});
        let body = ask(&registry, post(message.to_string())).await.json();
        assert_eq!(body["id"], 5, "{body}");
        assert_eq!(body["error"]["code"], -32602, "{body}");
        assert!(
            body["error"]["message"].as_str().unwrap().contains(word),
            "{body}"
        );
    }
}

/// The SDK's clients check each answer against the schema of its tool.
#[tokio::test]
async fn a_new_site_and_a_known_one_are_answered_by_the_schema_of_the_tool() {
    let registry = registry::full().await;
    let tools = tools(&registry).await;
    let described = tools.iter().find(|it| it["name"] == "submit_site").unwrap();
    let schema = jsonschema::draft202012::new(&described["outputSchema"]).unwrap();
    submissions::throttled(&registry).await;
    for domain in ["new.example.com", "mesa.example", "waiting.example"] {
        let result = tool(&registry, "submit_site", json!({"domain": domain})).await;
        assert_eq!(result["isError"], false, "{result}");
        let body = &result["structuredContent"];
        assert!(schema.is_valid(body), "{body}");
    }
    let new = tool(
        &registry,
        "submit_site",
        json!({"domain": "new.example.com"}),
    )
    .await;
    let id = &new["structuredContent"]["id"];
    let followed = tool(&registry, "get_submission", json!({"id": id})).await;
    assert_eq!(followed["structuredContent"]["domain"], "new.example.com");
    let wrong = tool(&registry, "get_submission", json!({"id": "../agents"})).await;
    assert_eq!(wrong["isError"], true);
}

#[tokio::test]
async fn an_agent_is_named_by_its_urn_and_a_site_by_a_url() {
    let registry = registry::full().await;
    let urn = json!({"id": "urn:air:mesa.example:agent:reservations"});
    let found = tool(&registry, "get_agent", urn).await;
    assert_eq!(
        found["structuredContent"]["id"],
        "mesa.example/reservations"
    );
    let url = json!({"domain": "https://mesa.example/menu"});
    let report = tool(&registry, "check_site", url).await;
    assert_eq!(report["structuredContent"]["domain"], "mesa.example");
    let blank = tool(&registry, "search_agents", json!({"q": "   "})).await;
    assert_eq!(blank["isError"], true, "{blank}");
}

/// A page of any site may use what reads; `origins.rs` tests what acts.
#[tokio::test]
async fn tools_that_read_are_open_to_pages_of_every_origin() {
    let registry = registry::full().await;
    let search = json!({
        "jsonrpc": "2.0", "id": 3, "method": "tools/call",
        "params": {"name": "search_agents", "arguments": {"q": "book a table"}},
    });
    for origin in ["https://any.example", "null", &registry.state.public_url] {
        let mut request = post(search.to_string());
        request
            .headers_mut()
            .insert(ORIGIN, origin.parse().unwrap());
        let answer = ask(&registry, request).await;
        assert_eq!(answer.status, StatusCode::OK, "{origin}: {}", answer.body);
        assert_eq!(answer.header(ACCESS_CONTROL_ALLOW_ORIGIN), "*");
        assert!(answer.json()["result"]["structuredContent"]["results"].is_array());
    }
    let asked = Request::options("/mcp")
        .header(ORIGIN, "https://any.example")
        .header(ACCESS_CONTROL_REQUEST_METHOD, "POST");
    let answer = ask(&registry, asked.body(Body::empty()).unwrap()).await;
    let allowed = answer.header(ACCESS_CONTROL_ALLOW_HEADERS);
    for name in ["Content-Type", "MCP-Protocol-Version", "Mcp-Session-Id"] {
        assert!(allowed.contains(name), "{allowed}");
    }
}

#[tokio::test]
async fn there_are_no_streams_and_no_sessions() {
    let registry = registry::empty().await;
    for method in ["GET", "DELETE"] {
        let request = Request::builder().method(method).uri("/mcp");
        let answer = ask(&registry, request.body(Body::empty()).unwrap()).await;
        assert_eq!(answer.status, StatusCode::METHOD_NOT_ALLOWED);
        assert_eq!(answer.header(ALLOW), "POST, OPTIONS");
        assert_eq!(answer.json()["error"]["code"], -32600);
    }
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let answer = ask(&registry, post(initialized)).await;
    assert_eq!(
        (answer.status, answer.body.as_str()),
        (StatusCode::ACCEPTED, "")
    );
    assert!(!answer.headers.contains_key("mcp-session-id"));
}
