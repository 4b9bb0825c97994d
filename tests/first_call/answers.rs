//! The agents of the demo answer with what their sites configure, in the form of their protocols.

use super::client::http_client;
use super::demo;
use crate::{demo_sites, support};
use serde_json::{Value, json};
use simweb::{Behaviour, Simweb};

/// Calls a method of JSON-RPC; returns the text of the answer.
#[expect(clippy::disallowed_methods, reason = "our own server is not hostile")]
async fn call(web: &Simweb, url: &str, version: &str, method: &str, params: Value) -> String {
    let body = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
    let request = http_client(web)
        .post(url)
        .header("content-type", "application/json")
        .header("a2a-version", version)
        .body(body.to_string());
    request.send().await.unwrap().text().await.unwrap()
}

/// Returns the parameters with a message in the form of a version.
fn message(version: &str, words: &str) -> Value {
    let mut message = if version == "1.0" {
        json!({"role": "ROLE_USER", "parts": [{"text": words}]})
    } else {
        json!({"kind": "message", "role": "user", "parts": [{"kind": "text", "text": words}]})
    };
    message["messageId"] = json!("5b1f8a5c-0c38-4d0a-9d0e-9f5a7a7f1c11");
    json!({"message": message})
}

#[tokio::test]
async fn an_agent_answers_with_a_task_that_it_returns_again() {
    let web = demo().await;
    let url = "https://mesa-do-tejo.example/a2a";
    let params = message("0.3", "Book a table for four in Lisbon tomorrow at 20:00");
    let answer = call(&web, url, "0.3", "message/send", params).await;
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let task = &answer["result"];
    assert_eq!(task["status"]["state"], "completed", "{answer}");
    let text = task["artifacts"][0]["parts"][0]["text"].as_str().unwrap();
    assert!(text.contains("MT-5107"), "{answer}");

    let again = call(&web, url, "0.3", "tasks/get", json!({"id": task["id"]})).await;
    let again: Value = serde_json::from_str(&again).unwrap();
    assert_eq!(again["result"], *task);
}

#[tokio::test]
async fn an_agent_streams_in_the_form_of_each_version() {
    let web = demo().await;
    let url = "https://kamome-toshokan.example/a2a";
    for (version, method, last) in [
        ("0.3", "message/stream", "\"final\":true"),
        ("1.0", "SendStreamingMessage", "TASK_STATE_COMPLETED"),
    ] {
        let params = message(version, "この本を中央館で受け取りたい");
        let answer = call(&web, url, version, method, params).await;
        let events: Vec<_> = answer
            .lines()
            .filter_map(|it| it.strip_prefix("data: "))
            .collect();
        assert_eq!(events.len(), 3, "{version}: {answer}");
        assert!(events[1].contains("artifact"), "{version}: {answer}");
        assert!(events[2].contains(last), "{version}: {answer}");
    }
}

#[test]
fn every_answer_belongs_to_a_tool_or_skill_of_its_site() {
    let sites = support::workspace().join("seeds/demo");
    let mut answers = 0;
    for site in std::fs::read_dir(sites).unwrap() {
        let folder = site.unwrap().path();
        let Ok(text) = std::fs::read_to_string(folder.join(".simweb.toml")) else {
            continue;
        };
        let texts: Vec<_> = demo_sites::files(&folder)
            .iter()
            .map(|it| std::fs::read_to_string(folder.join(&it[1..])).unwrap())
            .collect();
        for id in Behaviour::parse(&text).unwrap().answers.keys() {
            answers += 1;
            let is_stated = |it: &String| {
                it.contains(&format!("\"{id}\"")) || it.contains(&format!("Capability: {id}"))
            };
            // A server of which no tool is stated has one of this name.
            let is_default = id == "ask" && texts.iter().any(|it| it.contains("\nMCP: "));
            assert!(
                is_default || texts.iter().any(is_stated),
                "{}: {id}",
                folder.display()
            );
        }
    }
    assert!(answers >= 60, "{answers}");
}
