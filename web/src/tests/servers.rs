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
    let official = &item["_meta"][OFFICIAL];
    let expected = json!({
        "status": "active",
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
        ("search=Clock+of", 0),
        ("version=latest", 1),
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
        ("version=1.0.0", "version"),
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
    let base = "/v0.1/servers?include_deleted=true";
    let first = get(&registry, base).await.json();
    assert_eq!(names(&first), [""; 0]);
    let cursor = first["metadata"]["nextCursor"].as_str().unwrap();
    let second = get(&registry, &format!("{base}&cursor={cursor}"))
        .await
        .json();
    assert_eq!(names(&second), [NAME]);
    assert_eq!(second["servers"][0]["_meta"][OFFICIAL]["status"], "deleted");
    assert_eq!(second["metadata"], json!({"count": 1}));
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
