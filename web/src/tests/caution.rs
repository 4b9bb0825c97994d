//! Tests of what is said of an agent that imitates another one and names private addresses.

use super::mcp::tool;
use super::*;
use axum::http::header::ACCEPT;
use serde_json::{Value, json};

/// Sentences about the agent, on every page and in every answer.
const SENTENCES: [&str; 6] = [
    "letters of several scripts within a word: M\u{435}sa.",
    "looks like that of another agent, but has other letters: mesa.example/reservations.",
    "page is on another site: mesa.example.",
    "Its home page is on another site: mesa.example.",
    "It is called on another site: elsewhere.example.",
    "It names an address that cannot be called from outside, which is left out: interfaces, an IP \
     address outside of the public Internet.",
];
/// Texts of the addresses that are not offered.
const PRIVATE: [&str; 3] = ["169.254.169.254", "2130706433", "backend.internal"];

/// Removes what is kept as the publisher's own words, which is neither a link nor a call: extensions in
/// JSON, and the cells of their table on a page.
fn without_kept(text: &str) -> String {
    fn clear(value: &mut Value) {
        match value {
            Value::Object(members) => {
                members.remove("extensions");
                members.values_mut().for_each(clear);
            }
            Value::Array(items) => items.iter_mut().for_each(clear),
            _ => {}
        }
    }
    if let Ok(mut value) = serde_json::from_str::<Value>(text) {
        clear(&mut value);
        return value.to_string();
    }
    // The same values in Markdown are a block of code.
    let kept = text.split_once("## Extra fields");
    if let Some((before, (_, after))) =
        kept.and_then(|(before, rest)| Some((before, rest.split_once("## Evidence")?)))
    {
        return format!("{before}{after}");
    }
    let mut cells = text.split("<td data-label=\"Value\" dir=\"auto\">");
    let mut rest = cells.next().unwrap_or_default().to_owned();
    for cell in cells {
        let (kept, after) = cell.split_once("</td>").unwrap();
        assert!(!kept.contains('<'), "{kept}");
        rest.push_str(after);
    }
    rest
}

/// Asserts that a text says everything and offers no private address.
fn warns(what: &str, text: &str) {
    let text = without_kept(text).replace("&#39;", "'");
    for sentence in SENTENCES {
        assert!(
            text.contains(sentence),
            "{what}: no {sentence:?} in:\n{text}"
        );
    }
    for address in PRIVATE {
        assert!(!text.contains(address), "{what}: {address} in:\n{text}");
    }
}

#[tokio::test]
async fn an_imitation_is_marked_on_every_page_and_in_every_answer() {
    let registry = registry::imitated().await;
    for address in [
        "/agent/imitation.example/imitation",
        "/agent/imitation.example/imitation/index.md",
        "/agent/imitation.example/imitation/index.json",
        "/search?q=imitations+of+tables",
        "/search/index.md?q=imitations+of+tables",
        "/search/index.json?q=imitations+of+tables",
        "/api/v1/search?q=imitations+of+tables&include=connect",
        "/api/v1/agents/imitation.example/imitation",
        "/ard/agents",
        "/ard/agents/urn:air:imitation.example:agent:imitation",
        "/.well-known/agents/api/search?q=imitations+of+tables",
        "/.well-known/agents/api/detail/imitation.example%2Fimitation",
    ] {
        let answer = get(&registry, address).await;
        assert_eq!(answer.status, StatusCode::OK, "{address}");
        warns(address, &answer.body);
    }
    let body = json!({"query": {"text": "imitations of tables"}}).to_string();
    let request = Request::post("/ard/search").header(CONTENT_TYPE, "application/json");
    let answer = ask(&registry, request.body(body.into()).unwrap()).await;
    warns("ARD", &answer.body);
    for (name, arguments) in [
        ("search_agents", json!({"q": "imitations of tables"})),
        ("get_agent", json!({"id": "imitation.example/imitation"})),
    ] {
        let answer = tool(&registry, name, arguments).await;
        warns(name, &answer["structuredContent"].to_string());
    }
    let data = json!({"data": {"skill": "detail", "id": "imitation.example/imitation"}});
    let [old, new] = a2a::send(&registry, json!([data])).await;
    warns("A2A 0.3", &old.to_string());
    warns("A2A 1.0", &new.to_string());
}

#[tokio::test]
async fn an_agent_that_has_nothing_foreign_is_not_marked() {
    let registry = registry::full().await;
    for address in [
        "/agent/mesa.example/reservations",
        "/ard/agents/urn:air:mesa.example:agent:reservations",
    ] {
        let answer = get(&registry, address).await;
        answer.never_says(&["on another site", "looks like that", "several scripts"]);
    }
    let agent = get(&registry, "/api/v1/agents/mesa.example/reservations").await;
    assert!(agent.json().get("cautions").is_none());
    // The owner of the name learns of the other one.
    let registry = registry::imitated().await;
    get(&registry, "/agent/mesa.example/reservations")
        .await
        .says(&["has other letters: imitation.example/imitation."]);
}

#[tokio::test]
async fn twins_mark_the_words_of_sites() {
    let registry = registry::full().await;
    for page in [
        "/search?q=table",
        "/site/mesa.example",
        "/agent/mesa.example/reservations",
        "/agent/mesa.example/reservations/history",
        "/agent/mesa.example/reservations/raw",
        "/browse/capabilities",
        "/browse/ids",
        "/browse/new",
        "/",
    ] {
        let request = Request::get(page).header(ACCEPT, "text/markdown");
        let twin = ask(&registry, request.body(Body::empty()).unwrap()).await;
        assert_eq!(twin.status, StatusCode::OK, "{page}");
        let is_marked = twin.body.contains("own words: treat ");
        assert!(is_marked, "{page}:\n{}", twin.body);
    }
}
