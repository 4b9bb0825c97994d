//! Tests of the addresses below an agent and a site, over a socket.

use super::*;
use crate::tests::served::Served;
use serde_json::json;

const AGENT: &str = "/api/v1/agents/mesa.example/reservations";
const BOOKS: &str = "/api/v1/agents/xn--bcher-kva.example/buecher";

/// Bytes of the second version of a document.
const SECOND: &str = "{\n  \"of\": \"mesa.example\",\n  \"more\": \"<script>alert(1)</script>\"\n}";

/// Creates a registry in which one document has two versions.
async fn revised() -> Registry {
    let registry = registry::full().await;
    let mut page = registry::mesa();
    page.agents[0]["description"] = json!("Reserves tables.");
    registry.revise(page, SECOND).await;
    registry
}

#[tokio::test]
async fn the_history_names_each_change_and_each_version() {
    let registry = revised().await;
    let served = Served::start(&registry).await;
    let body = served.read(&format!("{AGENT}/history")).await.json();
    let operations: Vec<_> = body["changes"].as_array().unwrap().iter().collect();
    let operations: Vec<_> = operations.iter().map(|it| (&it["op"], &it["at"])).collect();
    assert_eq!(
        operations,
        [
            (&json!("update"), &json!("2026-11-21T12:00:00Z")),
            (&json!("add"), &json!("2026-11-20T12:00:00Z")),
        ]
    );
    assert_eq!(
        body["changes"][0]["previous_hash"],
        body["changes"][1]["hash"]
    );
    assert_eq!(body["has_earlier_changes"], false);
    let document = &body["documents"][0];
    assert_eq!(
        document["url"],
        "https://mesa.example/.well-known/agent-card.json"
    );
    let versions = document["versions"].as_array().unwrap();
    assert_eq!(versions.len(), 2);
    assert_eq!(versions[0]["last_seen"], json!(null));
    assert_eq!(versions[0]["bytes"], SECOND.len());
    assert_eq!(versions[1]["last_seen"], "2026-11-20T12:00:00Z");
    for link in [&versions[0]["links"]["diff"], &versions[1]["links"]["raw"]] {
        let answer = served.read(link.as_str().unwrap()).await;
        assert!(answer.body.contains("mesa.example"), "{link}");
    }
    assert_eq!(versions[1]["links"].get("diff"), None);
}

#[tokio::test]
async fn the_difference_of_two_versions_is_shown_in_both_directions() {
    let registry = revised().await;
    let served = Served::start(&registry).await;
    let body = served.read(&format!("{AGENT}/diff")).await.json();
    let diff = body["diff"].as_str().unwrap();
    let expected = "-  \"of\": \"mesa.example\"\n+  \"of\": \"mesa.example\",\n+  \"more\": \"<script>alert(1)</script>\"\n";
    assert!(diff.contains(expected), "{diff}");
    assert_eq!(body["is_cut"], false);
    let (from, to) = (&body["from"]["hash"], &body["to"]["hash"]);
    let (from, to) = (from.as_str().unwrap(), to.as_str().unwrap());
    let same = served
        .read(&format!("{AGENT}/diff?from={to}&to={to}"))
        .await;
    assert_eq!(same.json()["diff"], "");
    let back = served
        .read(&format!("{AGENT}/diff?from={to}&to={from}"))
        .await;
    let back = back.json();
    assert!(
        back["diff"].as_str().unwrap().contains("\n-  \"more\""),
        "{back}"
    );
    // The first version has none before it.
    let first = served.read(&format!("{AGENT}/diff?to={from}")).await.json();
    assert_eq!(
        (&first["from"], &first["diff"]),
        (&json!(null), &json!(null))
    );
    let problem = served.refused(&format!("{AGENT}/diff?from=abc"), 400).await;
    assert_eq!(problem["errors"][0]["pointer"], "from");
    let message = problem["errors"][0]["message"].as_str().unwrap();
    assert!(message.contains(from) && message.contains(to), "{message}");
}

#[tokio::test]
async fn documents_are_shown_as_served_and_no_browser_runs_them() {
    let registry = revised().await;
    let served = Served::start(&registry).await;
    let body = served.read(&format!("{AGENT}/raw")).await.json();
    let document = &body["documents"][0];
    assert_eq!(document["text"], SECOND);
    assert_eq!(
        (&document["redacted"], document.get("left_out")),
        (&json!(false), None)
    );
    let bytes = served
        .read(document["links"]["bytes"].as_str().unwrap())
        .await;
    assert_eq!(bytes.body, SECOND);
    assert_eq!(bytes.header(CONTENT_TYPE), "text/plain; charset=utf-8");
    assert_eq!(
        bytes.header(CONTENT_SECURITY_POLICY),
        "default-src 'none'; sandbox"
    );
    let page = "<!doctype html><script>alert(1)</script>";
    registry.revise(registry::mesa(), page).await;
    let body = served.read(&format!("{AGENT}/raw")).await.json();
    let bytes = body["documents"][0]["links"]["bytes"].as_str().unwrap();
    let bytes = served.read(bytes).await;
    assert_eq!(bytes.body, page);
    assert_eq!(bytes.header(CONTENT_TYPE), "text/plain; charset=utf-8");
    // An earlier version stays readable.
    let old = served
        .read(document["links"]["bytes"].as_str().unwrap())
        .await;
    assert_eq!(old.body, SECOND);
    // Those of another agent are no documents of this one.
    let hash = served.get(&format!("{BOOKS}/raw")).await.json();
    let hash = hash["documents"][0]["hash"].as_str().unwrap().to_owned();
    let problem = served
        .refused(&format!("{AGENT}/raw?document={hash}"), 400)
        .await;
    assert_eq!(problem["errors"][0]["code"], "unknown_value");
}

#[tokio::test]
async fn hidden_characters_of_documents_are_escapes_in_every_answer_in_json() {
    let registry = registry::full().await;
    let text = "{\n  \"of\": \"mesa.example\",\n  \"more\": \"a\u{9b}31m\u{202e}b\u{7f}\u{61c}\u{2028}c\"\n}";
    registry.revise(registry::mesa(), text).await;
    registry.reindex().await;
    let served = Served::start(&registry).await;
    let raw = served.read(&format!("{AGENT}/raw")).await;
    assert_eq!(raw.json()["documents"][0]["text"], text);
    raw.says(&["\\u009b31m\\u202eb\\u007f\\u061c\\u2028c"]);
    let twin = "/agent/mesa.example/reservations/raw/index.json";
    let validate = async |body: &str| {
        let address = "/api/v1/validate?origin=https://mesa.example";
        served.ask("POST", address, "", body.as_bytes()).await
    };
    let name = "{\"protocolVersion\": \"0.3.0\", \"name\": 1, \"\u{9b}\u{202e}\": 1, \"url\": \"x\u{61c}y\u{9b}\"}";
    for answer in [
        raw,
        served.read(twin).await,
        served.read(&format!("{AGENT}/diff")).await,
        served
            .get("/api/v1/search?q=site:mesa.example&include=raw")
            .await,
        validate(name).await,
        served
            .get("/api/v1/search?q=%C2%9B%E2%80%AE%D8%9C&x%D8%9C=1")
            .await,
        served.get("/api/v1/rules/%C2%9B%E2%80%AE%D8%9C").await,
        served.get("/ard/agents/%D8%9C").await,
        served.get("/.well-known/agents/api/check/%D8%9C").await,
    ] {
        answer.json();
        answer.never_says(&["\u{9b}", "\u{202e}", "\u{7f}", "\u{61c}", "\u{2028}"]);
    }
}

#[tokio::test]
async fn di_10_a_published_secret_is_not_shown() {
    let registry = registry::full().await;
    let secret = concat!("sk_", "live_4eC39HqLyjWDarjtT1zdp7dc");
    let body = format!("{{\"of\": \"mesa.example\", \"api_key\": \"{secret}\"}}");
    registry.revise(registry::mesa(), &body).await;
    let served = Served::start(&registry).await;
    let raw = served.read(&format!("{AGENT}/raw")).await;
    raw.never_says(&[secret]).says(&["[redacted]"]);
    let raw = raw.json();
    assert_eq!(raw["documents"][0]["redacted"], true);
    let bytes = raw["documents"][0]["links"]["bytes"].as_str().unwrap();
    served
        .read(bytes)
        .await
        .never_says(&[secret])
        .says(&["[redacted]"]);
    served
        .read(&format!("{AGENT}/diff"))
        .await
        .never_says(&[secret])
        .says(&["[redacted]"]);
}

#[tokio::test]
async fn the_evidence_is_that_of_the_agent() {
    let registry = registry::full().await;
    let served = Served::start(&registry).await;
    let agent = served.get(BOOKS).await.json();
    let body = served.read(&format!("{BOOKS}/evidence")).await.json();
    assert_eq!(body["id"], "xn--bcher-kva.example/buecher");
    assert_eq!(body["sources"], agent["evidence"]["sources"]);
    assert_eq!(body["provenance"], agent["evidence"]["provenance"]);
    assert_eq!(body["sources"][0]["findings"][0]["rule"], "AJ-18");
    assert_eq!(body["conflicts"], json!([]));
    for link in ["raw", "evidence", "history", "similar"] {
        served.read(agent["links"][link].as_str().unwrap()).await;
    }
}

#[tokio::test]
async fn similar_agents_are_those_of_other_sites() {
    let registry = registry::branches().await;
    let served = Served::start(&registry).await;
    let agent = served.get(AGENT).await.json();
    assert_eq!(agent["category"], "food");
    let body = served
        .read(agent["links"]["similar"].as_str().unwrap())
        .await;
    let body = body.json();
    assert_eq!(body["category"], agent["category"]);
    let similar = body["similar"].as_array().unwrap();
    let ids: Vec<_> = similar.iter().map(|it| &it["id"]).collect();
    assert_eq!(ids, ["sopa.example/reservations"]);
    let page = served.get("/agent/mesa.example/reservations").await;
    page.says(&[
        "Similar agents",
        "href=\"/agent/sopa.example/reservations\"",
        "href=\"/search?category=food\"",
        "Food and drink",
    ]);
    let twin = served
        .get("/agent/mesa.example/reservations/index.md")
        .await;
    twin.says(&[
        "## Similar agents",
        "](</agent/sopa.example/reservations>) at sopa.example",
    ]);
    let alone = served.get("/agent/clocks.example/world-clock").await;
    alone.never_says(&["Similar agents"]);
}

#[tokio::test]
async fn the_report_of_a_site_has_its_findings_and_the_crawl_log_its_requests() {
    let registry = registry::full().await;
    let served = Served::start(&registry).await;
    let site = served
        .get("/api/v1/sites/xn--bcher-kva.example")
        .await
        .json();
    let report = served
        .read(site["links"]["report"].as_str().unwrap())
        .await
        .json();
    assert_eq!(report["documents"], site["documents"]);
    assert_eq!(
        report["findings"],
        json!({"error": 0, "warning": 1, "info": 0})
    );
    assert_eq!(report["agents"], 1);
    assert_eq!(report.get("visits"), None);
    let crawl = served
        .read(site["links"]["crawl"].as_str().unwrap())
        .await
        .json();
    assert_eq!(crawl["visits"], site["visits"]);
    assert_eq!(crawl["robots"], site["robots"]);
    assert_eq!(crawl["next_visit"], site["next_visit"]);
    let unlisted = served
        .read("/api/v1/sites/unreadable.example/report")
        .await
        .json();
    assert_eq!(unlisted["agents"], 0);
    assert!(unlisted["not_listed_because"].is_string());
    let waiting = served
        .read("/api/v1/sites/waiting.example/crawl")
        .await
        .json();
    assert_eq!(
        (&waiting["last_visit"], &waiting["visits"]),
        (&json!(null), &json!([]))
    );
}

#[tokio::test]
async fn a_name_that_is_unknown_or_no_name_is_refused() {
    let registry = registry::full().await;
    let served = Served::start(&registry).await;
    for below in ["history", "diff", "raw", "evidence", "similar"] {
        let path = |agent: &str| format!("/api/v1/agents/{agent}/{below}");
        let problem = served.refused(&path("mesa.example/nothing"), 404).await;
        assert_eq!(problem["errorCode"], "not_found");
        served.refused(&path("nothing.example/a"), 404).await;
        let problem = served.refused(&path("no_domain/a"), 400).await;
        assert_eq!(problem["errors"][0]["code"], "bad_domain");
        let problem = served
            .refused(&format!("{AGENT}/{below}?form=1"), 400)
            .await;
        assert_eq!(problem["errors"][0]["code"], "unknown_parameter");
        let path = format!("/api/v1/agents/b%C3%BCcher.example/buecher/{below}");
        let moved = served.get(&path).await;
        assert_eq!(moved.status, StatusCode::PERMANENT_REDIRECT);
        assert_eq!(moved.header(LOCATION), format!("{BOOKS}/{below}"));
        let wrong = served
            .ask("POST", &format!("{AGENT}/{below}"), "", b"a")
            .await;
        served::problem(&wrong, 405);
    }
    for below in ["report", "crawl"] {
        served
            .refused(&format!("/api/v1/sites/nothing.example/{below}"), 404)
            .await;
        served
            .refused(&format!("/api/v1/sites/no_domain/{below}"), 400)
            .await;
        let path = format!("/api/v1/sites/mesa.example/{below}?limit=1");
        let problem = served.refused(&path, 400).await;
        let message = problem["errors"][0]["message"].as_str().unwrap();
        assert!(message.contains("no parameters"), "{message}");
    }
}

#[tokio::test]
async fn an_agent_is_called_by_the_capability_that_is_asked_for() {
    let registry = registry::full().await;
    let served = Served::start(&registry).await;
    for (query, capability, is_handoff) in [
        ("", "books.search", false),
        ("?capability=books.search", "books.search", false),
        ("?capability=books.buy", "books.buy", true),
        ("?capability=", "books.search", false),
    ] {
        let agent = served.read(&format!("{BOOKS}{query}")).await.json();
        let connect = &agent["connect"];
        assert_eq!(connect["capability"], capability, "{query}");
        assert_eq!(connect["human_handoff"] == true, is_handoff, "{query}");
        let url = connect["example"]["url"].as_str().unwrap();
        assert!(url.contains("/api/"), "{query}: {url}");
    }
    // By its id, which is another text than its name.
    let table = served.read(&format!("{AGENT}?capability=book_table")).await;
    assert_eq!(table.json()["connect"]["capability"], "Book a table");
    let refused = format!("{AGENT}?capability=menu+of+the+day");
    let problem = served.get(&refused).await.json();
    assert_eq!(problem["status"], 400);
    let fault = &problem["errors"][0];
    assert_eq!(
        (&fault["pointer"], &fault["code"], &fault["suggestion"]),
        (
            &json!("capability"),
            &json!("unknown_value"),
            &json!("Menu of the day")
        )
    );
    let message = fault["message"].as_str().unwrap();
    assert!(message.contains("accepted values: Book a table, Menu of the day"));
    let moved = served.get("/api/v1/agents/MESA.example/reservations?capability=menu");
    assert_eq!(
        moved.await.header(LOCATION),
        "/api/v1/agents/mesa.example/reservations?capability=menu"
    );
}

#[tokio::test]
async fn the_page_of_an_agent_leads_to_the_first_call_of_each_capability() {
    let registry = registry::full().await;
    let page = get(&registry, "/agent/mesa.example/reservations").await;
    for name in ["Book a table", "Menu of the day"] {
        let address = format!("{AGENT}?capability={}", name.replace(' ', "+"));
        page.says(&[&format!(
            "<a href=\"{address}\">First call of it, as JSON</a>"
        )]);
        let agent = get(&registry, &address).await.json();
        assert_eq!(agent["connect"]["capability"], name);
    }
}
