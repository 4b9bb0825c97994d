//! The description of the API: it is kept, and true of the answers.

use super::*;
use serde_json::json;

/// Addresses whose answers are compared with the description.
const ADDRESSES: [&str; 71] = [
    "/api/v1/search?q=table&facets=format,auth&include=connect,evidence",
    "/api/v1/search?q=nothing+of+the+kind",
    "/api/v1/search?format=a2a-agent-card",
    "/api/v1/search?limit=0",
    "/api/v1/search?colour=red",
    "/api/v1/agents?limit=1",
    "/api/v1/agents?id=mesa.example/reservations&id=none&include=agent",
    "/api/v1/agents?after=none",
    "/api/v1/sites?limit=1",
    "/api/v1/sites?limit=1&after=mesa.example",
    "/api/v1/sites?limit=0",
    "/api/v1/agents/mesa.example/reservations",
    "/api/v1/agents/mesa.example/none",
    "/api/v1/sites/mesa.example",
    "/api/v1/sites/unknown.example",
    "/api/v1/search?q=table&include=raw&budget_chars=2000&checked_within=30d",
    "/api/v1/agents/mesa.example/reservations/history",
    "/api/v1/agents/mesa.example/reservations/diff",
    "/api/v1/agents/mesa.example/reservations/diff?from=x",
    "/api/v1/agents/mesa.example/none/diff",
    "/api/v1/agents/mesa.example/reservations/raw",
    "/api/v1/agents/xn--bcher-kva.example/buecher/evidence",
    "/api/v1/agents/xn--bcher-kva.example/buecher/similar",
    "/api/v1/sites/xn--bcher-kva.example/report",
    "/api/v1/sites/unreadable.example/report",
    "/api/v1/sites/mesa.example/crawl",
    "/api/v1/sites/waiting.example/crawl",
    "/api/v1/capabilities?limit=2",
    "/api/v1/capabilities?limit=0",
    "/api/v1/changes?limit=2&include=agent",
    "/api/v1/changes?since=9999",
    "/api/v1/changes/stream?wait=0",
    "/api/v1/changes/stream?wait=x",
    "/api/v1/export/latest.json",
    "/api/v1/export/agents-2026-11-20.jsonl.zst",
    "/api/v1/facets",
    "/api/v1/info",
    "/api/v1/stats",
    "/api/v1/suggest?q=me",
    "/api/v1/suggest?limit=x",
    "/api/v1/rules",
    "/api/v1/rules/A2-06",
    "/api/v1/rules/none",
    "/api/v1/sites/MESA.example",
    "/api/v1/rules/A2-01",
    "/api/v1/moderation",
    "/api/v1/moderation?limit=0",
    "/api/v1/leave/none",
    "/api/v1/own/none",
    "/api/v1/return/none",
    "/.well-known/agents/api/search?q=table",
    "/.well-known/agents/api/search",
    "/.well-known/agents/api/browse?sort=name&limit=1",
    "/.well-known/agents/api/submission?id=none",
    "/.well-known/agents/api/submission/none",
    "/.well-known/agents/api/detail?id=mesa.example/reservations",
    "/.well-known/agents/api/detail/mesa.example%2Freservations",
    "/.well-known/agents/api/detail/mesa.example%2Fnone",
    "/.well-known/agents/api/capabilities?limit=1",
    "/.well-known/agents/api/check?domain=mesa.example",
    "/.well-known/agents/api/check/none.example",
    "/.well-known/agents/api/audit/none",
    "/ard/agents?pageSize=1&filter=publisherId%20%3D%20%27mesa.example%27",
    "/ard/agents?orderBy=colour",
    "/ard/agents/urn:air:mesa.example:agent:reservations",
    "/ard/agents/urn:air:mesa.example:agent:none",
    "/ard/agents/none",
    "/v0.1/servers?limit=1&version=latest",
    "/v0.1/servers?limit=0",
    "/v0.1/servers/example.mesa%2Freservations/versions",
    "/v0.1/servers/example.mesa%2Freservations/versions/latest",
];

/// Addresses to which a body is sent, with the body.
const BODIES: [(&str, &str); 21] = [
    ("/api/v1/validate", "{\"name\": \"Ferry\",}"),
    ("/api/v1/validate?path=x", ""),
    (
        "/api/v1/convert?to=ard&origin=https://ferry.example",
        "{\"name\": \"Ferry\"}",
    ),
    (
        "/api/v1/convert?to=agents-txt&as=zervice&origin=https://a.example",
        "[1]",
    ),
    ("/api/v1/convert?to=ard&origin=https://ferry.example", "[1]"),
    ("/api/v1/convert", "{}"),
    ("/api/v1/leave", "{\"domain\": \"mesa.example\"}"),
    ("/api/v1/leave", "{}"),
    ("/api/v1/own", "{\"domain\": \"mesa.example\"}"),
    ("/api/v1/return", "{\"domain\": \"mesa.example\"}"),
    (
        "/api/v1/reports",
        "{\"target\": \"mesa.example\", \"kind\": \"spam\", \"text\": \"It sells.\"}",
    ),
    (
        "/api/v1/reports",
        "{\"target\": \"none.example\", \"kind\": \"spam\", \"text\": \"It sells.\"}",
    ),
    ("/.well-known/agents/api/session", ""),
    ("/.well-known/agents/api/session", "{}"),
    ("/.well-known/agents/api/submit", ""),
    ("/.well-known/agents/api/recheck", ""),
    ("/.well-known/agents/api/leave", ""),
    ("/ard/search", "{\"query\": {\"text\": \"table\"}}"),
    ("/ard/search", "{\"query\": {}}"),
    (
        "/ard/explore",
        "{\"query\": {\"text\": \"table\"}, \"resultType\": {\"facets\": [{\"field\": \"type\"}]}}",
    ),
    ("/ard/explore", "{}"),
];

/// Addresses to which requests for visits are sent, with their bodies.
const VISITS: [(&str, &str); 9] = [
    ("/api/v1/submit", "{\"domain\": \"new.example\"}"),
    ("/api/v1/submit", "{\"domain\": \"mesa.example\"}"),
    ("/api/v1/submit", "{\"domain\": \"waiting.example\"}"),
    ("/api/v1/submit", "{\"domain\": \"localhost\"}"),
    ("/api/v1/submit", "{\"colour\": \"red\"}"),
    ("/api/v1/sites/mesa.example/recheck", ""),
    ("/api/v1/sites/none.example/recheck", ""),
    ("/api/v1/sites/MESA.example/recheck", ""),
    ("/api/v1/sites/mesa.example/recheck?colour=red", ""),
];

pub(super) async fn description(registry: &Registry) -> Value {
    let answer = get(registry, "/openapi.json").await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.header(CONTENT_TYPE), "application/json");
    assert_eq!(answer.header(ACCESS_CONTROL_ALLOW_ORIGIN), "*");
    answer.json()
}

#[tokio::test]
async fn the_description_is_kept() {
    let kept = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/src/tests/snapshots/web__tests__openapi__openapi.snap"
    );
    let kept = std::fs::read_to_string(kept).unwrap();
    let (_, kept) = kept
        .trim_start_matches("---\n")
        .split_once("---\n")
        .unwrap();
    let kept: Value = serde_json::from_str(kept).unwrap();
    let document = description(&registry::empty().await).await;
    // Before the snapshot is compared, so that it cannot be updated to a change that breaks callers.
    let broken = compatibility::breaks(&kept, &document);
    assert!(
        broken.is_empty(),
        "this breaks callers: raise the version, or deprecate the operation first (docs/http.md):\n{}",
        broken.join("\n")
    );
    insta::assert_json_snapshot!("openapi", document);
}

#[tokio::test]
async fn every_answer_is_as_described() {
    let registry = registry::full().await;
    let document = description(&registry).await;
    let mut operations = std::collections::BTreeSet::new();
    let read = ADDRESSES.map(|it| ("get", it, ""));
    let sent = BODIES.into_iter().chain(VISITS);
    let sent = sent.map(|(address, body)| ("post", address, body));
    let mut ids = Vec::new();
    for (method, address, body) in read.into_iter().chain(sent) {
        let (path, answer) = checked(&registry, &document, method, address, body).await;
        operations.insert(path);
        if answer.status == StatusCode::ACCEPTED && !address.ends_with("/reports") {
            ids.push(answer.header(LOCATION).to_owned());
        }
    }
    assert_eq!(ids.len(), 6, "{ids:?}");
    for address in ids
        .iter()
        .map(String::as_str)
        .chain(["/api/v1/submissions/none"])
    {
        operations.insert(checked(&registry, &document, "get", address, "").await.0);
    }
    let described = document["paths"].as_object().unwrap().keys();
    assert_eq!(operations, described.cloned().collect());
}

/// Sends a request, and asserts that the answer is as described; returns its described path too.
async fn checked(
    registry: &Registry,
    document: &Value,
    method: &str,
    address: &str,
    body: &'static str,
) -> (String, Answer) {
    let request = Request::builder()
        .method(&*method.to_uppercase())
        .header(CONTENT_TYPE, "application/json")
        .uri(address);
    let answer = ask(registry, request.body(Body::from(body)).unwrap()).await;
    let path = conforms(document, method, address, &answer);
    (path, answer)
}

/// Asserts that an answer is as described; returns the described path of its address.
pub(super) fn conforms(document: &Value, method: &str, address: &str, answer: &Answer) -> String {
    let (path, operation) = operation(document, method, address);
    let status = answer.status.as_str();
    let response = &operation["responses"][status];
    assert!(response.is_object(), "{address}: {status} is not described");
    for (name, header) in response["headers"].as_object().into_iter().flatten() {
        let name: HeaderName = name.to_lowercase().parse().unwrap();
        let is_there = answer.headers.contains_key(&name);
        assert!(is_there || header["required"] != true, "{address}: {name}");
    }
    let Some(content) = response["content"].as_object() else {
        assert_eq!(answer.body, "", "{address}");
        return path;
    };
    let media_type = answer.header(CONTENT_TYPE);
    let schema = &content[media_type]["schema"];
    assert!(schema.is_object(), "{address}: {media_type}");
    if !media_type.contains("json") {
        return path;
    }
    if media_type == "application/problem+json" {
        has_its_section(&answer.json());
    }
    let root = json!({ "components": document["components"], "allOf": [schema] });
    let validator = jsonschema::draft202012::new(&root).unwrap();
    let body = answer.json();
    let faults = validator
        .iter_errors(&body)
        .map(|it| format!("{}: {it}", it.instance_path()));
    assert_eq!(
        faults.collect::<Vec<_>>(),
        Vec::<String>::new(),
        "{address}"
    );
    path
}

/// Asserts that the type of a problem is a section of the documentation.
fn has_its_section(problem: &Value) {
    let code = problem["errorCode"].as_str().unwrap();
    assert_eq!(problem["type"], format!("/docs/errors#{code}"));
    let sections = include_str!("../../../docs/errors.md");
    assert!(sections.contains(&format!("\n## {code}\n")), "{code}");
}

/// Returns the described path of an address, and its operation.
fn operation<'a>(document: &'a Value, method: &str, address: &str) -> (String, &'a Value) {
    let path = address.split('?').next().unwrap();
    let is_like = |template: &str| {
        let (left, right) = (template.split('/'), path.split('/'));
        template.matches('/').count() == path.matches('/').count()
            && left
                .zip(right)
                .all(|(left, right)| left.starts_with('{') || left == right)
    };
    let paths = document["paths"].as_object().unwrap();
    let found = paths.iter().find(|(template, _)| is_like(template));
    let (template, item) = found.unwrap_or_else(|| panic!("{address} is not described"));
    (template.clone(), &item[method])
}
