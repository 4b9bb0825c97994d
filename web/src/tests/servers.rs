//! The MCP Registry API.

use super::*;
use axum::http::Method;
use serde_json::json;

const OFFICIAL: &str = "io.modelcontextprotocol.registry/official";
const NAME: &str = "example.clocks/world-clock";

/// Asserts that an answer is an error in the form of the API.
#[track_caller]
fn refused(answer: &Answer, status: StatusCode, word: &str) {
    assert_eq!(answer.status, status, "{}", answer.body);
    let body = answer.json();
    assert_eq!(body.as_object().unwrap().len(), 1, "{body}");
    let message = body["error"].as_str().unwrap();
    assert!(message.contains(word), "{message}");
}

fn names(list: &Value) -> Vec<&str> {
    let servers = list["servers"].as_array().unwrap().iter();
    servers
        .map(|it| it["server"]["name"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn a_listed_agent_with_mcp_over_http_is_a_server() {
    let registry = registry::servers().await;
    let answer = get(&registry, "/v0.1/servers").await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    assert_eq!(answer.header(ACCESS_CONTROL_ALLOW_ORIGIN), "*");
    let list = answer.json();
    assert_eq!(names(&list), [NAME]);
    assert_eq!(list["metadata"], json!({"count": 1}));
    let item = &list["servers"][0];
    let server = &item["server"];
    assert_eq!(server["version"], "2.0.0");
    assert_eq!(server["websiteUrl"], "https://clocks.example/");
    let description = server["description"].as_str().unwrap();
    assert!(
        description.chars().count() <= 100 && description.ends_with('…'),
        "{description}"
    );
    assert_eq!(
        server["remotes"],
        json!([{
            "type": "streamable-http",
            "url": "https://clocks.example/mcp",
            "headers": [{"isRequired": true, "description": "Your key", "name": "X-Key"}],
        }])
    );
    assert_eq!(
        server["packages"],
        json!([{
            "registryType": "npm",
            "identifier": "@clocks/world",
            "version": "2.0.0",
            "runtimeHint": "npx",
            "transport": {"type": "stdio"},
        }])
    );
    let official = &item["_meta"][OFFICIAL];
    let expected = json!({
        "status": "active",
        "statusChangedAt": "2026-11-20T12:00:00Z",
        "publishedAt": "2026-11-20T12:00:00Z",
        "updatedAt": "2026-11-20T12:00:00Z",
        "isLatest": true,
    });
    assert_eq!(*official, expected);
    assert_eq!(item["_meta"]["example.agentdex/facts"]["level"], "A");
}

#[tokio::test]
async fn a_server_is_found_by_name_and_version() {
    let registry = registry::servers().await;
    let list = get(&registry, "/v0.1/servers").await.json();
    let base = "/v0.1/servers/example.clocks%2Fworld-clock/versions";
    assert_eq!(get(&registry, base).await.json(), list);
    for version in ["latest", "2.0.0"] {
        let one = get(&registry, &format!("{base}/{version}")).await;
        assert_eq!(one.json(), list["servers"][0], "{version}");
    }
    let none = get(&registry, &format!("{base}/1.0.0")).await;
    refused(&none, StatusCode::NOT_FOUND, "no version 1.0.0");
    for unknown in [
        "example.clocks%2Fnone",
        "example.mesa%2Freservations",
        "none",
        "%2F",
    ] {
        let answer = get(&registry, &format!("/v0.1/servers/{unknown}/versions")).await;
        refused(&answer, StatusCode::NOT_FOUND, "There is no server");
    }
}

#[tokio::test]
async fn the_list_is_filtered_by_name_and_time() {
    let registry = registry::servers().await;
    for (query, count) in [
        ("search=WORLD", 1),
        ("search=example.clocks/", 1),
        ("search=no+such+text", 0),
        ("version=latest", 1),
        ("version=2.0.0", 1),
        ("version=1.0.0", 0),
        ("updated_since=2026-11-20T12:00:00Z", 1),
        ("updated_since=2026-11-20T12:00:01Z", 0),
        ("limit=1&search=", 1),
    ] {
        let list = get(&registry, &format!("/v0.1/servers?{query}")).await;
        assert_eq!(list.status, StatusCode::OK, "{}", list.body);
        assert_eq!(names(&list.json()).len(), count, "{query}");
    }
    for (query, word) in [
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("limit=x", "limit"),
        ("updated_since=soon", "updated_since"),
        ("include_deleted=maybe", "include_deleted"),
        ("cursor=AAAA", "cursor"),
        ("cursor=%FF", "cursor"),
        ("colour=red", "colour"),
        ("limit=1&limit=2", "limit"),
    ] {
        let answer = get(&registry, &format!("/v0.1/servers?{query}")).await;
        refused(&answer, StatusCode::BAD_REQUEST, word);
    }
}

#[tokio::test]
async fn what_was_removed_is_listed_as_deleted_on_request() {
    let registry = registry::servers().await;
    let domain = manifest::Domain::parse("clocks.example").unwrap();
    let now = (registry.state.now)();
    let store = &registry.state.store;
    store.forget(&[domain], "asked to", now).await.unwrap();
    registry.reindex().await;
    let plain = get(&registry, "/v0.1/servers").await.json();
    assert_eq!(plain, json!({"servers": [], "metadata": {"count": 0}}));
    for asked in [
        "/v0.1/servers?include_deleted=true",
        "/v0.1/servers?updated_since=2026-01-01T00:00:00Z",
        "/v0/servers?include_deleted=true&search=world",
    ] {
        let all = get(&registry, asked).await.json();
        assert_eq!(names(&all), [NAME], "{asked}");
        let official = &all["servers"][0]["_meta"][OFFICIAL];
        assert_eq!(official["status"], "deleted");
        assert_eq!(official["statusMessage"], "No longer listed here.");
        assert_eq!(official["statusChangedAt"], official["updatedAt"]);
        assert_eq!(all["metadata"], json!({"count": 1}));
    }
}

#[tokio::test]
async fn older_clients_find_the_same_at_their_address() {
    let registry = registry::servers().await;
    for rest in ["", "/example.clocks%2Fworld-clock/versions/latest"] {
        let older = get(&registry, &format!("/v0/servers{rest}")).await;
        let current = get(&registry, &format!("/v0.1/servers{rest}")).await;
        assert_eq!(older.status, StatusCode::OK, "{}", older.body);
        assert_eq!(older.body, current.body);
    }
    let unknown = get(&registry, "/v0/servers/none/versions").await;
    refused(&unknown, StatusCode::NOT_FOUND, "There is no server");
}

#[tokio::test]
async fn there_is_nothing_to_publish_with() {
    let registry = registry::servers().await;
    for (method, path, status) in [
        (Method::POST, "/v0.1/publish", StatusCode::NOT_FOUND),
        (Method::POST, "/v0.1/auth/github-at", StatusCode::NOT_FOUND),
        (
            Method::POST,
            "/v0.1/servers",
            StatusCode::METHOD_NOT_ALLOWED,
        ),
    ] {
        let request = Request::builder().method(method).uri(path);
        let answer = ask(&registry, request.body(Body::empty()).unwrap()).await;
        refused(&answer, status, "");
    }
}

/// Returns the schema of a list, as the description of the API demands it (version 2025-12-01, in our words).
fn schema_of_lists() -> Value {
    let text = |most: u32| json!({"type": "string", "minLength": 1, "maxLength": most});
    let time = json!({"type": "string", "format": "date-time"});
    let address = json!({"type": "string", "pattern": "^(https?://[^\\s]+|\\{[A-Za-z_][A-Za-z0-9_]*\\}[^\\s]*)$"});
    let input = json!({
        "description": {"type": "string"}, "isRequired": {"type": "boolean"},
        "isSecret": {"type": "boolean"}, "value": {"type": "string"}, "default": {"type": "string"},
        "placeholder": {"type": "string"}, "format": {"enum": ["string", "number", "boolean", "filepath"]},
        "choices": {"type": "array", "items": {"type": "string"}},
    });
    let named = json!({"type": "object", "required": ["name"], "properties": input});
    let remote = json!({
        "type": "object",
        "required": ["type", "url"],
        "properties": {
            "type": {"enum": ["streamable-http", "sse"]},
            "url": address,
            "headers": {"type": "array", "items": named},
            "variables": {"type": "object", "additionalProperties": {"type": "object", "properties": input}},
        },
    });
    let argument = json!({
        "type": "object",
        "required": ["type"],
        "properties": {"type": {"enum": ["positional", "named"]}},
        "anyOf": [{"required": ["value"]}, {"required": ["valueHint"]}, {"required": ["name"]}],
    });
    let package = json!({
        "type": "object",
        "required": ["registryType", "identifier", "transport"],
        "properties": {
            "registryType": {"type": "string"},
            "identifier": {"type": "string"},
            "version": {"type": "string", "minLength": 1, "not": {"const": "latest"}},
            "runtimeHint": {"type": "string"},
            "transport": {"type": "object", "required": ["type"], "properties": {"type": {"enum": ["stdio", "streamable-http", "sse"]}}},
            "packageArguments": {"type": "array", "items": argument},
            "environmentVariables": {"type": "array", "items": named},
        },
    });
    let server = json!({
        "type": "object",
        "required": ["name", "description", "version"],
        "properties": {
            "$schema": {"type": "string", "format": "uri"},
            "name": {"type": "string", "minLength": 3, "maxLength": 200, "pattern": "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$"},
            "title": text(100),
            "description": text(100),
            "version": {"type": "string", "maxLength": 255},
            "websiteUrl": {"type": "string", "format": "uri"},
            "remotes": {"type": "array", "items": remote},
            "packages": {"type": "array", "items": package},
        },
    });
    let official = json!({
        "type": "object",
        "properties": {
            "status": {"enum": ["active", "deprecated", "deleted"]},
            "statusMessage": {"type": "string", "maxLength": 500},
            "statusChangedAt": time, "publishedAt": time, "updatedAt": time,
            "isLatest": {"type": "boolean"},
        },
        "additionalProperties": false,
    });
    json!({
        "type": "object",
        "required": ["servers"],
        "properties": {
            "servers": {"type": "array", "items": {
                "type": "object",
                "required": ["server"],
                "properties": {
                    "server": server,
                    "_meta": {"type": "object", "properties": {OFFICIAL: official}},
                },
            }},
            "metadata": {"type": "object", "properties": {
                "nextCursor": {"type": "string"}, "count": {"type": "integer"},
            }},
        },
    })
}

#[tokio::test]
async fn lists_have_the_shape_of_the_api() {
    let schema = schema_of_lists();
    let validator = jsonschema::options().build(&schema).unwrap();
    let registry = registry::servers().await;
    let listed = get(&registry, "/v0.1/servers").await.json();
    let domain = manifest::Domain::parse("clocks.example").unwrap();
    let now = (registry.state.now)();
    let store = &registry.state.store;
    store.forget(&[domain], "asked to", now).await.unwrap();
    registry.reindex().await;
    let removed = get(&registry, "/v0.1/servers?include_deleted=true")
        .await
        .json();
    for list in [listed, removed] {
        assert_eq!(names(&list), [NAME]);
        let faults: Vec<String> = validator
            .iter_errors(&list)
            .map(|it| format!("{}: {it}", it.instance_path()))
            .collect();
        assert!(faults.is_empty(), "{faults:#?}");
    }
}
