//! Tests of the pages with an agent's documents, their versions, and the changes.

use super::*;
use serde_json::json;

const AGENT: &str = "/agent/mesa.example/reservations";

/// Returns an agent card with these skills.
fn card(version: &str, url: &str, skills: &[&str]) -> String {
    let skills = skills
        .iter()
        .map(|name| json!({"id": name, "name": name, "description": "Does it.", "tags": ["x"]}));
    let card = json!({
        "name": "Mesa reservations",
        "description": "Reserves tables.",
        "url": url,
        "version": version,
        "protocolVersion": "0.3.0",
        "capabilities": {},
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": skills.collect::<Vec<_>>(),
    });
    format!("{card:#}\n")
}

/// Creates a registry whose document has a version with other facts.
async fn revised() -> Registry {
    let registry = registry::full().await;
    for (version, url, skills) in [
        ("1", "https://mesa.example/a2a", ["book", "menu"]),
        ("2", "https://mesa.example/v2", ["book", "<b>wine</b>"]),
    ] {
        let mut page = registry::mesa();
        page.agents[0]["version"] = json!(version);
        registry.revise(page, &card(version, url, &skills)).await;
    }
    registry
}

#[tokio::test]
async fn the_history_states_what_differs_fact_by_fact() {
    let registry = revised().await;
    let page = get(&registry, &format!("{AGENT}/history")).await;
    assert_eq!(page.status, StatusCode::OK);
    page.says(&[
        "<a href=\"/agent/mesa.example/reservations/history\" aria-current=\"page\">History</a>",
        "<h2 id=\"day-2026-11-21\">",
        "<h2 id=\"day-2026-11-20\">",
        "<span class=\"sign\" aria-hidden=\"true\">+</span>",
        "capability <b dir=\"auto\">&#60;b&#62;wine&#60;/b&#62;</b>",
        "<span class=\"sign\" aria-hidden=\"true\">−</span>",
        "capability <b dir=\"auto\">menu</b>",
        "version <del dir=\"auto\">1</del>",
        "https://mesa.example/v2",
        "/agent/mesa.example/reservations/diff?from=",
    ]);
    let twin = get(&registry, &format!("{AGENT}/history/index.md")).await;
    twin.says(&["removed: capability menu", "changed: version 1 is now 2"]);
    let days = page.body.find("day-2026-11-21") < page.body.find("day-2026-11-20");
    assert!(days, "newest first");
}

#[tokio::test]
async fn a_history_without_changes_says_so() {
    let registry = registry::full().await;
    get(&registry, &format!("{AGENT}/history"))
        .await
        .says(&["Nothing has changed since.", "First version"])
        .never_says(&["Compare with"]);
}

#[tokio::test]
async fn lines_of_a_difference_are_marked_by_a_sign() {
    let registry = revised().await;
    let history = get(&registry, &format!("{AGENT}/history")).await;
    let begin = history.body.find("/diff?from=").unwrap();
    let query = history.body[begin..].split('"').next().unwrap();
    let address = format!("{AGENT}{}", query.replace("&#38;", "&"));
    let page = get(&registry, &address).await;
    assert_eq!(page.status, StatusCode::OK);
    page.says(&[
        "<li class=\"removed\"><span class=\"sign\">−</span><code>  &#34;url&#34;: &#34;https://mesa.example/a2a&#34;,</code></li>",
        "<li class=\"added\"><span class=\"sign\">+</span><code>  &#34;url&#34;: &#34;https://mesa.example/v2&#34;,</code></li>",
    ]);
    let twin = address.replace("/diff?", "/diff/index.md?");
    get(&registry, &twin).await.says(&["\n-  \"url\""]);
    let twin = address.replace("/diff?", "/diff/index.json?");
    assert!(get(&registry, &twin).await.json()["diff"].is_string());
    let bad = get(&registry, &format!("{AGENT}/diff?from=abc")).await;
    assert_eq!(bad.status, StatusCode::BAD_REQUEST);
    bad.says(&["Unknown value <code>abc</code>"]);
}

#[tokio::test]
async fn a_fact_links_to_its_line_in_the_raw_document() {
    let registry = revised().await;
    let overview = get(&registry, AGENT).await;
    let href = "/agent/mesa.example/reservations/raw#d0/skills/0";
    overview.says(&[&format!(
        "<a href=\"{href}\">Source: <code>/skills/0</code>"
    )]);
    let raw = get(&registry, &format!("{AGENT}/raw")).await;
    raw.says(&[
        "<a href=\"/agent/mesa.example/reservations/raw\" aria-current=\"page\">Raw</a>",
        "<dt>Content-Type</dt><dd class=\"address\" dir=\"ltr\">application/json; charset=utf-8</dd>",
        "<li id=\"d0L1\"><code>{</code></li>",
        "<span class=\"anchor\" id=\"d0/skills/0\"></span>",
        "&#60;b&#62;wine&#60;/b&#62;",
    ]);
    get(&registry, &format!("{AGENT}/raw/index.md"))
        .await
        .says(&["```\n{\n"]);
    let body = get(&registry, &format!("{AGENT}/raw/index.json"))
        .await
        .json();
    assert!(body["documents"][0]["text"].is_string());
}

#[tokio::test]
async fn invisible_characters_and_long_texts_are_shown_harmlessly() {
    let registry = registry::full().await;
    let hidden = "{\"of\": \"mesa.example\", \"a\": \"\u{202e}<script>\u{2066}\"}";
    registry.revise(registry::mesa(), hidden).await;
    let page = get(&registry, &format!("{AGENT}/raw")).await;
    page.says(&["<span class=\"invisible\">U+202E</span>&#60;script&#62;"])
        .never_says(&["\u{202e}", "\u{2066}"]);
    page.has_only_our_script();
    let twin = get(&registry, &format!("{AGENT}/raw/index.md")).await;
    twin.says(&["[U+202E]"]).never_says(&["\u{202e}"]);
    for (text, expected) in [
        (
            format!("[\n{}0]", "1,\n".repeat(9_999)),
            "further lines not shown here",
        ),
        (
            format!("[\"{}\"]", "x".repeat(300_000)),
            "The rest of this line is not shown here.",
        ),
    ] {
        registry.revise(registry::mesa(), &text).await;
        let page = get(&registry, &format!("{AGENT}/raw")).await;
        page.says(&[expected, ">All of it</a>"]);
        assert!(page.body.len() < 600_000, "{}", page.body.len());
    }
    registry
        .revise(registry::mesa(), "\u{0}\u{1}\u{fffd}PNG")
        .await;
    let page = get(&registry, &format!("{AGENT}/raw")).await;
    assert_eq!(page.status, StatusCode::OK);
}

#[tokio::test]
async fn di_10_a_secret_is_not_shown_and_the_page_says_so() {
    let registry = registry::full().await;
    let secret = concat!("sk_", "live_4eC39HqLyjWDarjtT1zdp7dc");
    let body = format!("{{\"of\": \"mesa.example\", \"api_key\": \"{secret}\"}}");
    registry.revise(registry::mesa(), &body).await;
    for form in ["", "/index.md"] {
        let page = get(&registry, &format!("{AGENT}/raw{form}")).await;
        page.says(&["looks like a secret"]).never_says(&[secret]);
    }
}

#[tokio::test]
async fn views_of_an_agent_that_is_not_listed_are_answered_as_its_page_is() {
    let registry = registry::full().await;
    for below in ["raw", "history", "diff"] {
        let none = get(&registry, &format!("/agent/mesa.example/nothing/{below}")).await;
        assert_eq!(none.status, StatusCode::NOT_FOUND);
        let moved = get(
            &registry,
            &format!("/agent/b%C3%BCcher.example/buecher/{below}"),
        )
        .await;
        assert_eq!(moved.status, StatusCode::PERMANENT_REDIRECT);
        let expected = format!("/agent/xn--bcher-kva.example/buecher/{below}");
        assert_eq!(moved.header(LOCATION), expected);
    }
    let target = store::Target::parse("mesa.example/reservations").unwrap();
    let store = &registry.state.store;
    store
        .hide(&target, "is not its own", registry::now())
        .await
        .unwrap();
    for below in ["raw", "history", "diff"] {
        let hidden = get(&registry, &format!("{AGENT}/{below}")).await;
        assert_eq!(hidden.status, StatusCode::GONE);
        hidden.says(&["is not its own"]);
    }
}
