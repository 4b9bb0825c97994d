//! The API answers about a manifest what the command line prints.

use crate::support::server::Server;
use crate::support::{self, http};
use serde_json::Value;
use std::process::Command;

/// Manifests of several formats, with and without faults.
const MANIFESTS: [(&str, &str); 5] = [
    (
        "agents.json",
        r#"{"schema_version": "1.0",
            "site": {"name": "Island Ferry", "url": "https://ferry.example/"},
            "capabilities": [{"name": "timetable", "description": "Sailings of a day.",
                "endpoint": "/api/sailings", "method": "GET",
                "params": {"day": {"type": "string", "required": true}}}]}"#,
    ),
    (
        "agent-card.json",
        "{\n  \"name\": \"Ferry\",\n  \"description\": \"Crossings.\",\n  \"version\": 1,\n  \
         \"url\": \"https://ferry.example/a2a\",\n  \"skills\": [],\n}\n",
    ),
    (
        "agents.txt",
        "Site: Ferry\nURL: https://ferry.example/\nAllow: timetable\nContact: \u{202e}x\n",
    ),
    ("agent.json", "{\"name\": \"No site\", \"url\": \"/a2a\"}"),
    ("other.json", "[1, 2]"),
];

#[tokio::test(flavor = "multi_thread")]
async fn findings_and_conversions_are_the_same_in_both_places() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(support::binary("web"));
    command
        .args(["--database", "sqlite:a.db", "--index", "index"])
        .current_dir(folder.path());
    let server = Server::start(&mut command);
    let mut converted = 0;
    for (name, body) in MANIFESTS {
        std::fs::write(folder.path().join(name), body).unwrap();
        let path = format!("/.well-known/{name}");
        let run = |arguments: &[&str]| {
            support::run(
                "indexer",
                folder.path(),
                &[arguments, &[name, "--path", &path]].concat(),
            )
        };
        let printed = run(&["lint", "--format", "json"]);
        let mut printed: Value = serde_json::from_str(printed.output.trim_end()).unwrap();
        printed.as_object_mut().unwrap().remove("file");
        let url = format!("{}/api/v1/validate?path={path}", server.url);
        let answer = http::post(&url, body).await;
        assert_eq!(answer.status, 200, "{name}: {}", answer.text);
        let answer: Value = serde_json::from_str(&answer.text).unwrap();
        assert_eq!(answer, printed, "{name}");
        for to in ["agents-txt", "ard", "openapi"] {
            let ran = run(&["convert", "--to", to]);
            let url = format!("{}/api/v1/convert?to={to}&path={path}", server.url);
            let answer = http::post(&url, body).await;
            let body: Value = serde_json::from_str(&answer.text).unwrap();
            let is_written = body["document"].is_string();
            assert_eq!(
                ran.code == Some(0),
                is_written,
                "{name} to {to}: {}",
                ran.output
            );
            if let Some(document) = body["document"].as_str() {
                converted += 1;
                assert!(ran.output.contains(document), "{name} to {to}: {document}");
            }
            for finding in body["findings"].as_array().into_iter().flatten() {
                let message = finding["message"].as_str().unwrap();
                assert!(ran.output.contains(message), "{name} to {to}: {message}");
            }
        }
    }
    assert!(converted >= 3, "{converted}");
}

#[tokio::test(flavor = "multi_thread")]
async fn facts_are_added_alike_in_both_places() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(support::binary("web"));
    command
        .args(["--database", "sqlite:a.db", "--index", "index"])
        .current_dir(folder.path());
    let server = Server::start(&mut command);
    let (name, body) = MANIFESTS[0];
    std::fs::write(folder.path().join(name), body).unwrap();
    let mut written = 0;
    let added = ["version=1.0.0", "tags=[\"sea\", \"isles\"]"];
    for (to, facts) in [
        ("openapi", &added[..]),
        ("a2a", &added),
        ("openapi", &[]),
        ("openapi", &["colour=red"]),
        ("openapi", &["version"]),
        ("openapi", &["tags=[1"]),
        ("openapi", &["tags=sea"]),
    ] {
        let mut arguments = vec!["convert", name, "--to", to];
        let mut url = format!("{}/api/v1/convert?to={to}", server.url);
        for fact in facts {
            arguments.extend(["--set", fact]);
            let fact: String = url::form_urlencoded::byte_serialize(fact.as_bytes()).collect();
            url = format!("{url}&set={fact}");
        }
        let ran = support::run("indexer", folder.path(), &arguments);
        let answer = http::post(&url, body).await;
        let answered: Value = serde_json::from_str(&answer.text).unwrap();
        let context = format!("{to} {facts:?}: {} {}", answer.text, ran.output);
        if let Some(fault) = answered["errors"][0]["message"].as_str() {
            assert_eq!((answer.status, ran.code), (400, Some(2)), "{context}");
            assert_eq!(answered["errors"][0]["pointer"], "set", "{context}");
            assert!(ran.output.contains(fault), "{context}");
            continue;
        }
        assert_eq!(answer.status, 200, "{context}");
        let Some(document) = answered["document"].as_str() else {
            assert_ne!(ran.code, Some(0), "{context}");
            continue;
        };
        assert!(ran.output.contains(document), "{context}");
        assert!(document.contains("1.0.0"), "{context}");
        assert!(document.contains("isles"), "{context}");
        written += 1;
    }
    assert_eq!(written, 1, "only the facts make the manifest convertible");
    let many = "&set=version=1".repeat(21);
    let url = format!("{}/api/v1/convert?to=ard{many}", server.url);
    let refused = http::post(&url, body).await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    assert!(refused.text.contains("at most 20"), "{}", refused.text);
}
