//! Tests of A2A: the examples of the card are true.

use super::*;
use serde_json::json;

/// Sends a text, and returns the texts and the data of the answer.
async fn send(registry: &Registry, text: &str, modes: Value) -> Value {
    let message = json!({"messageId": "1", "role": "ROLE_USER", "parts": [{"text": text}]});
    let params = json!({"message": message, "configuration": {"acceptedOutputModes": modes}});
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": params});
    let post = Request::post("/a2a").header(CONTENT_TYPE, "application/json");
    let post = post.header("a2a-version", "1.0");
    let answer = ask(
        registry,
        post.body(Body::from(request.to_string())).unwrap(),
    )
    .await;
    answer.json()["result"]["message"]["parts"].clone()
}

#[tokio::test]
async fn every_example_of_the_card_calls_its_skill() {
    let registry = registry::full().await;
    let card = get(&registry, "/.well-known/agent-card.json").await.json();
    for skill in card["skills"].as_array().unwrap() {
        for example in skill["examples"].as_array().unwrap() {
            let example = example.as_str().unwrap();
            let parts = send(&registry, example, json!([])).await;
            let data = &parts[1]["data"];
            let member = match skill["id"].as_str().unwrap() {
                "search" | "browse" => "results",
                "detail" => "urn",
                "capabilities" => "capabilities",
                "check" => "findings",
                "submit" | "recheck" => "submitted",
                _ => "publish",
            };
            assert!(data.get(member).is_some(), "{example}: {data}");
        }
    }
    // A need that begins with the name of a skill is a need.
    let parts = send(&registry, "check my invoices for errors", json!([])).await;
    assert!(parts[1]["data"]["results"].is_array(), "{parts}");
}

#[tokio::test]
async fn an_answer_in_words_alone_has_what_the_next_step_needs() {
    let registry = registry::full().await;
    let words = json!(["text/plain"]);
    let leave = send(&registry, "leave mesa.example", words.clone()).await;
    let text = leave[0]["text"].as_str().unwrap();
    for needed in [
        "_agentdex.mesa.example",
        "agentdex-leave=",
        "/api/v1/leave/",
    ] {
        assert!(text.contains(needed), "{text}");
    }
    let submitted = send(&registry, "submit new.example", words).await;
    let text = submitted[0]["text"].as_str().unwrap();
    assert!(text.contains("/api/v1/submissions/"), "{text}");
    for answer in [&leave, &submitted] {
        let text = answer[0]["text"].as_str().unwrap();
        assert!(!text.contains("third parties"), "our own words: {text}");
        assert_eq!(answer.as_array().unwrap().len(), 1);
    }
}
