//! Pages for the owners of sites.

use super::*;
use manifest::{Finding, Severity, rules};
use store::{Census, Day};

#[tokio::test]
async fn the_line_of_robots_txt_is_named_and_lines_that_allow_are_offered() {
    let registry = registry::full().await;
    get(&registry, "/site/closed.example")
        .await
        .says(&[
            "Line 7 of robots.txt, “Disallow: /”, does not let us read \
             /.well-known/agent-card.json, /agents.txt.",
            "Allow: /.well-known/agent-card.json\nAllow: /agents.txt",
            "line 7: “Disallow: /” forbids 2 paths",
        ])
        .never_says(&["Publish a manifest"]);
    let body = get(&registry, "/api/v1/sites/closed.example").await.json();
    assert_eq!(body["robots"]["forbidden"][1]["path"], "/agents.txt");
    assert_eq!(body["robots"]["forbidden"][1]["line"], 7);
    let text = get(&registry, "/site/closed.example/index.md").await;
    text.says(&["```text\nAllow: /.well-known/agent-card.json\n"]);
}

#[tokio::test]
async fn a_finding_on_a_stored_document_has_its_line_with_a_caret() {
    let registry = registry::full().await;
    let mut page = registry::mesa();
    let rule = |id: &str| rules::find(id).unwrap().at_most(Severity::Warning);
    page.findings = vec![
        Finding::new(rule("DI-08"), "", "served without a validator"),
        Finding::new(rule("A2-10"), "/skills/0/name", "not a text; write a text"),
    ];
    registry
        .revise(page, "{\n  \"skills\": [\n    {\"name\": 5}\n  ]\n}")
        .await;
    let page = get(&registry, "/site/mesa.example").await;
    page.says(&[
        "<code>line 3, column 14, /skills/0/name</code>",
        "3 |     {&#34;name&#34;: 5}\n  |              ^",
        "<code>whole document</code>",
    ]);
}

#[tokio::test]
async fn a_site_that_is_not_listed_has_answers_that_agree() {
    let registry = registry::full().await;
    get(&registry, "/site/broken.example")
        .await
        .says(&[
            "Not listed",
            "we found a document, but no agent in it to list",
            "this is in no format that we know",
            "A name and a description are enough to be listed.",
        ])
        .never_says(&["known format</small>"]);
}

#[tokio::test]
async fn the_page_of_the_crawler_names_a_contact_or_says_where_one_is() {
    let mut registry = registry::full().await;
    for path in ["/bot", "/bot/index.md"] {
        let page = get(&registry, path).await;
        page.says(&[
            "registry@agentdex.example",
            "https://agentdex.example/api/v1/leave",
        ]);
    }
    let body = get(&registry, "/bot/index.json").await.json();
    assert_eq!(body["contact"], "registry@agentdex.example");
    registry.state.contact = None;
    get(&registry, "/bot")
        .await
        .says(&["None is configured here", "--contact"]);
}

#[tokio::test]
async fn earlier_days_are_lines_a_table_and_csv() {
    let registry = registry::full().await;
    get(&registry, "/stats").await.says(&[
        "2026-11-20 is the first day",
        "<td>2026-11-20</td><td class=\"number\">11</td>",
        "As of <time datetime=\"2026-11-20T",
        "of 11 agents (",
        "Cite these numbers",
    ]);
    let store = &registry.state.store;
    let today = Day::of(registry::now());
    let count = async |days: u32, agents: u64| {
        let counts = Census {
            agents,
            outcomes: [("found".to_owned(), 9), ("dns_error".to_owned(), 4)].into(),
            formats: [("a2a-agent-card".to_owned(), agents)].into(),
            ..Census::default()
        };
        let at = today.before(days).start();
        assert!(store.record_census(&counts, at).await.unwrap());
    };
    count(0, 1_200).await;
    get(&registry, "/stats")
        .await
        .says(&["<td>2026-11-20</td><td class=\"number\">11</td>"])
        .never_says(&["<polyline", "1,200"]);
    get(&registry, "/stats").await.says(&[
        "Sites by last attempt",
        "A site counts as visited if our last visit reached it",
    ]);
    count(2, 800).await;
    get(&registry, "/stats").await.says(&[
        "2026-11-18 to 2026-11-20",
        "aria-label=\"Agents: from 800 to 11\"><polyline points=\"0,0 300,79\"/>",
        "Agents, A2A agent card",
        "<td>2026-11-18</td><td class=\"number\">800</td><td class=\"number\">0</td><td class=\"number\">9</td>",
    ]);
    get(&registry, "/stats/quality/index.csv")
        .await
        .says(&["format,A,B,C,D\r\n", "\"A2A agent card\",2,0,1,0\r\n"]);
    let csv = get(&registry, "/stats/history/index.csv").await;
    csv.says(&[
        "day,count,value,number\r\n2026-11-18,agents,,800\r\n",
        "2026-11-20,sites_visited,,9\r\n",
        "2026-11-20,sites_by_outcome,\"dns_error\",4\r\n",
    ]);
}

#[tokio::test]
async fn backticks_in_messages_are_code_on_pages_and_stay_for_programs() {
    let registry = registry::full().await;
    let mut page = registry::mesa();
    let rule = rules::find("A2-10").unwrap().at_most(Severity::Warning);
    page.findings = vec![Finding::new(rule, "/skills/0", "`<name>` is no text")];
    registry.revise(page, "{\"skills\": [{}]}").await;
    for path in ["/site/mesa.example", "/agent/mesa.example/reservations/raw"] {
        get(&registry, path)
            .await
            .says(&["<code>&#60;name&#62;</code> is no text"])
            .never_says(&["`&#60;name"]);
    }
    let text = get(&registry, "/site/mesa.example/index.md").await;
    text.says(&["\\`\\<name\\>\\` is no text"]);
    let body = get(&registry, "/api/v1/sites/mesa.example/report").await;
    body.says(&["`<name>` is no text"]);
}

#[tokio::test]
async fn the_pages_of_leaving_and_returning_have_twins() {
    let registry = registry::full().await;
    let request = Request::post("/api/v1/leave").header(CONTENT_TYPE, "application/json");
    let request = request.body(Body::from(r#"{"domain": "mesa.example"}"#));
    let begun = ask(&registry, request.unwrap()).await.json();
    let page = begun["links"]["page"].as_str().unwrap();
    let (path, query) = page.split_once('?').unwrap();
    let value = begun["publish"]["dns"]["value"].as_str().unwrap();
    let with_token = get(&registry, &format!("{path}/index.json?{query}")).await;
    assert_eq!(with_token.json()["publish"], begun["publish"]);
    let without = get(&registry, &format!("{path}/index.json")).await.json();
    assert_eq!(without["state"], "waiting");
    assert_eq!(without["publish"]["dns"]["value"], "agentdex-leave=<token>");
    let text = get(&registry, &format!("{path}/index.md?{query}")).await;
    text.says(&["# Remove mesa.example", value, "_agentdex.mesa.example"]);
    get(&registry, &format!("{path}/index.md"))
        .await
        .never_says(&[value]);
    get(&registry, page)
        .await
        .says(&[&format!("href=\"{path}/index.json?{query}\"")]);
    for (action, published) in [
        ("leave", "the token"),
        ("return", "the token"),
        ("own", "the fingerprint of the token"),
    ] {
        let body = get(&registry, &format!("/{action}/index.json")).await;
        assert_eq!(body.json()["address"], format!("/api/v1/{action}"));
        let text = get(&registry, &format!("/{action}/index.md")).await;
        assert_eq!(text.header(CONTENT_TYPE), "text/markdown; charset=utf-8");
        text.says(&[
            &format!("/api/v1/{action}"),
            &format!("Publish {published}"),
        ]);
        let none = get(&registry, &format!("/{action}/none/index.json")).await;
        assert_eq!(none.status, StatusCode::NOT_FOUND);
        assert_eq!(none.header(CONTENT_TYPE), "application/problem+json");
    }
}
