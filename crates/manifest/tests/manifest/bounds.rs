//! Bounds on reading: no list is truncated without a finding (DI-03).

use crate::support::document;
use manifest::formats;
use serde_json::{Value, json};
use std::fmt::Write as _;

fn items(count: usize, item: impl Fn(usize) -> Value) -> Value {
    (0..count).map(item).collect()
}

fn messages(path: &str, body: &str) -> Vec<String> {
    let findings = formats::read(&document(
        &format!("https://shop.example{path}"),
        body.into(),
    ))
    .findings;
    findings.into_iter().map(|it| it.message).collect()
}

#[test]
fn a_truncated_list_is_reported() {
    let tool =
        |number| json!({"name": format!("tool-{number}"), "description": "Does it", "url": "/do"});
    let agent = |number| json!({"name": format!("Agent {number}"), "url": format!("https://shop.example/a/{number}")});
    let documents = [
        (
            "/.well-known/webmcp.json",
            json!({"spec": "webmcp/0.1", "tools": items(300, tool)}),
        ),
        ("/agents.json", json!({"agents": items(300, agent)})),
    ];
    for (path, body) in documents {
        let messages = messages(path, &body.to_string());
        let is_reported = |it: &String| it.contains("300 items; the first 200 are read");
        assert!(
            messages.iter().any(is_reported),
            "{path}: {:?}",
            messages.last()
        );
    }
}

#[test]
fn findings_with_one_cause_are_counted() {
    let twice: String = (0..30).fold(String::new(), |mut body, number| {
        let _ = write!(body, "\"m{number}\": 1, \"m{number}\": 2, ");
        body
    });
    let card = format!("{{{twice}\"name\": \"Clerk\"}}");
    let names: Vec<_> = (0..30).map(|number| format!("Order_{number}")).collect();
    let agents_txt = format!(
        "# agents.txt\nName: Shop\nURL: https://shop.example\nDescription: Sells\nContact: a@shop.example\nAgent-API: https://shop.example/api\nCapabilities: {}\n",
        names.join(", ")
    );
    let documents = [
        ("/.well-known/agent-card.json", card),
        ("/agents.txt", agents_txt),
    ];
    for (path, body) in documents {
        let url = format!("https://shop.example{path}");
        let reading = formats::read(&document(&url, body.into()));
        let counts: Vec<_> = reading.findings.iter().map(|it| it.count).collect();
        assert!(counts.contains(&30), "{path}: {counts:?}");
    }
}
