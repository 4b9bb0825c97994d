//! What the owner of a site reads on its page.

use super::*;
use manifest::{Finding, Severity, rules};

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
    for path in ["/site/mesa.example", "/agent/mesa.example/reservations"] {
        let page = get(&registry, path).await;
        page.says(&[
            "<code>line 3, column 14, /skills/0/name</code>",
            "3 |     {&#34;name&#34;: 5}\n  |              ^",
            "<code>whole document</code>",
        ]);
    }
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
        .never_says(&["we found a manifest</small>"]);
}
