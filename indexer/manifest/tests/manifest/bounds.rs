//! What is not read is told (DI-03): no list is cut in silence.

use crate::support::document;
use manifest::formats;
use serde_json::{Value, json};
use std::fmt::Write as _;

fn items(count: usize, item: impl Fn(usize) -> Value) -> Value {
    (0..count).map(item).collect()
}

fn said(path: &str, body: &str) -> Vec<String> {
    let findings = formats::read(&document(
        &format!("https://shop.example{path}"),
        body.into(),
    ))
    .findings;
    findings.into_iter().map(|it| it.message).collect()
}

#[test]
fn a_list_that_is_not_read_to_its_end_says_so() {
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
        let said = said(path, &body.to_string());
        let is_told = |it: &String| it.contains("300 items; the first 200 are read");
        assert!(said.iter().any(is_told), "{path}: {:?}", said.last());
    }
}

#[test]
fn faults_beyond_those_that_are_shown_are_counted() {
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
        let said = said(path, &body);
        let is_told = |it: &String| it.contains("10 more");
        assert!(said.iter().any(is_told), "{path}: {:?}", said.last());
    }
}
