//! Tests of the checks and conversions of manifests, over a socket.

use super::*;
use crate::error::MAX_BODY;
use crate::tests::served::{Served, problem};
use export::public::{self, Reading};
use manifest::Document;
use serde_json::json;

/// A site with one call over HTTP, no version, and a comma too many.
const FERRY: &str = r#"{"schema_version": "1.0",
    "site": {"name": "Island Ferry", "url": "https://ferry.example/"},
    "capabilities": [{"name": "timetable", "description": "Sailings of a day.",
        "endpoint": "/api/sailings", "method": "GET",
        "params": {"day": {"type": "string", "required": true}},}]}"#;

async fn served() -> (Registry, Served) {
    let registry = registry::empty().await;
    let served = Served::start(&registry).await;
    (registry, served)
}

async fn send(served: &Served, path: &str, body: &str) -> Answer {
    let path = format!("/api/v1/{path}");
    served.ask("POST", &path, "", body.as_bytes()).await
}

#[tokio::test]
async fn the_findings_are_those_of_the_command_line_with_their_positions() {
    let (_registry, served) = served().await;
    let answer = send(&served, "validate?path=/.well-known/agents.json", FERRY).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    assert_eq!(answer.header(CACHE_CONTROL), "no-store");
    let lint = manifest::lint(&Document::of_file("/.well-known/agents.json", FERRY));
    let body = answer.json();
    assert_eq!(body, public::relative(&Reading::of(&lint.reading)).unwrap());
    let comma = body["findings"].as_array().unwrap().iter();
    let comma = comma.clone().find(|it| it["rule"] == "DI-07").unwrap();
    assert_eq!((&comma["line"], &comma["column"]), (&json!(5), &json!(64)));
    assert!(comma["help"].is_string(), "{comma}");
    assert_eq!(
        (&body["valid"], &body["indexable"]),
        (&json!(false), &json!(true))
    );
}

#[tokio::test]
async fn the_format_and_the_site_can_be_given() {
    let (_registry, served) = served().await;
    let card = r#"{"name": "Ferry desk", "url": "/a2a"}"#;
    let body = send(&served, "validate?as=a2a-agent-card", card)
        .await
        .json();
    assert_eq!(body["format"], "a2a-agent-card");
    let path = "validate?as=a2a-agent-card&origin=https://ferry.example&path=/agent.json";
    let body = send(&served, path, card).await.json();
    assert_eq!(body["agents"][0]["url"], "https://ferry.example/a2a");
    // Of an unknown site the addresses are those of the document.
    let text = "# Ferry\n\n- [API](/api)\n";
    send(&served, "validate?path=/agents.txt", text)
        .await
        .never_says(&["manifest.invalid"]);
}

#[tokio::test]
async fn a_conversion_is_that_of_the_library_and_names_what_is_lost() {
    let (_registry, served) = served().await;
    let answer = send(&served, "convert?to=agents-txt", FERRY).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    assert_eq!(answer.header(CACHE_CONTROL), "no-store");
    let body = answer.json();
    let document = body["document"].as_str().unwrap();
    assert!(document.contains("Allow: timetable"), "{document}");
    assert_eq!(body["format"], "agents-json/agents-protocol");
    assert_eq!(
        (&body["to"], &body["place"]),
        (&json!("agents-txt"), &json!("/.well-known/agents.txt"))
    );
    let lost = body["findings"].as_array().unwrap().iter();
    let lost = lost.clone().find(|it| it["rule"] == "CV-01").unwrap();
    assert!(
        lost["message"].as_str().unwrap().contains("cannot express"),
        "{lost}"
    );
    // A version is required, and nothing is invented.
    let refused = send(&served, "convert?to=openapi", FERRY).await.json();
    assert_eq!(refused["document"], json!(null));
    let missing = refused["findings"].as_array().unwrap().iter();
    assert!(missing.clone().any(|it| it["rule"] == "CV-02"), "{refused}");
}

#[tokio::test]
async fn a_manifest_that_cannot_be_converted_is_refused_with_the_reason() {
    let (_registry, served) = served().await;
    let nameless = r#"{"schema_version": "1.0", "site": {"name": "Ferry"}, "capabilities": []}"#;
    let refused = problem(&send(&served, "convert?to=ard", nameless).await, 400);
    assert_eq!(refused["errors"][0]["pointer"], "origin");
    assert_eq!(refused["errors"][0]["code"], "required");
    let path = "convert?to=ard&origin=https://ferry.example";
    let refused = problem(&send(&served, path, "[1, 2]").await, 422);
    assert_eq!(refused["errorCode"], "unprocessable");
    assert!(
        refused["detail"]
            .as_str()
            .unwrap()
            .contains("describes no agent")
    );
}

#[tokio::test]
async fn wrong_parameters_are_named_with_the_valid_ones() {
    let (_registry, served) = served().await;
    for (path, pointer, code, suggestion) in [
        ("validate?pth=/a", "pth", "unknown_parameter", Some("path")),
        ("validate?path=agents.json", "path", "bad_path", None),
        (
            "validate?as=zervise",
            "as",
            "unknown_value",
            Some("zervice"),
        ),
        ("validate?origin=ferry", "origin", "bad_origin", None),
        (
            "validate?origin=https://127.0.0.1",
            "origin",
            "bad_origin",
            None,
        ),
        ("validate?as=zervice&as=zervice", "as", "repeated", None),
        ("validate?to=ard", "to", "unknown_parameter", None),
        ("convert", "to", "required", None),
        (
            "convert?to=agent-txt",
            "to",
            "unknown_value",
            Some("agents-txt"),
        ),
        ("convert?to=ard&path=a", "path", "bad_path", None),
    ] {
        let fault = problem(&send(&served, path, FERRY).await, 400);
        let fault = &fault["errors"][0];
        assert_eq!(
            (&fault["pointer"], &fault["code"]),
            (&json!(pointer), &json!(code)),
            "{path}"
        );
        if suggestion.is_some() {
            assert_eq!(fault["suggestion"].as_str(), suggestion, "{path}");
        }
    }
    let both = problem(
        &send(&served, "validate?path=a&as=b&origin=c", FERRY).await,
        400,
    );
    assert_eq!(both["errors"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn bodies_of_every_kind_are_answered() {
    let (_registry, served) = served().await;
    let limit = "a".repeat(MAX_BODY);
    let answer = send(&served, "validate", &limit).await;
    assert_eq!(answer.status, StatusCode::OK);
    let over = format!("{limit}a");
    for path in ["validate", "convert?to=ard"] {
        let refused = problem(&send(&served, path, &over).await, 413);
        assert_eq!(refused["errorCode"], "too_large");
        assert!(
            refused["detail"].as_str().unwrap().contains("1048576"),
            "{refused}"
        );
    }
    let deep = "[".repeat(100_000);
    for body in ["", "\0\u{1}", &deep] {
        let answer = send(&served, "validate", body).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
        assert_eq!(answer.json()["valid"], false);
    }
    let invalid = served
        .ask("POST", "/api/v1/validate", "", b"{\"a\": \"\xff\xfe\"}")
        .await;
    assert_eq!(invalid.status, StatusCode::OK);
    for name in ["validate", "convert"] {
        let wrong = served.get(&format!("/api/v1/{name}")).await;
        problem(&wrong, 405);
        let allowed = HeaderName::from_static("allow");
        assert_eq!(wrong.header(allowed), "POST, OPTIONS", "{name}");
    }
}

#[tokio::test]
async fn nothing_of_a_manifest_is_stored() {
    let (registry, served) = served().await;
    send(&served, "validate", FERRY).await;
    send(&served, "convert?to=ard", FERRY).await;
    let stats = registry.state.store.stats(registry::now()).await.unwrap();
    assert_eq!((stats.domains, stats.agents, stats.last_change), (0, 0, 0));
}
