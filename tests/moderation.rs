//! A moderator's day: what an operator hides, shows and blocks, and what visitors report.

use crate::support::living::Living;
use crate::support::{http, wait};
use serde_json::json;
use std::time::Duration;
use store::Operation;

const FERRY: (&str, &str, &str) = ("ferry.example", "Ferry desk", "Books a ferry crossing");
const SPAM: (&str, &str, &str) = ("pills.example", "Pill shop", "Sells vitamin pills");

fn entry(action: &str, target: &str, reason: &str, source: &str) -> [String; 4] {
    [action, target, reason, source].map(str::to_owned)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_hidden_or_blocked_is_gone_within_ten_seconds_and_in_the_public_log() {
    let living = Living::start(&[FERRY, SPAM], &["--blocklist", "blocklist.txt"]).await;
    let (status, site) = living.api("/sites/pills.example").await;
    assert_eq!(status, 200);
    let id = site["agents"][0]["id"].as_str().unwrap().to_owned();

    // A mistyped one, which is not logged.
    let none = ["hide", "pils.example", "--reason", "x"];
    living
        .command("indexer", &none)
        .fails_with(1, &["pils.example is not a domain of this registry"]);
    let none = ["hide", "pills.example/pil", "--reason", "x"];
    living
        .command("indexer", &none)
        .fails_with(1, &["no agent pills.example/pil", &id]);
    assert_eq!(living.log().await, [] as [[String; 4]; 0]);

    // One agent.
    let hidden = living.command("indexer", &["hide", &id, "--reason", "sells pills"]);
    assert_eq!(hidden.code, Some(0), "{}", hidden.output);
    living.soon(SPAM.2, SPAM.0, false).await;
    let (status, problem) = living.api(&format!("/agents/{id}")).await;
    assert_eq!((status, &problem["errorCode"]), (410, &json!("withdrawn")));
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("sells pills"), "{detail}");
    let page = http::get(&format!("{}/agent/{id}", living.server.url)).await;
    assert_eq!(page.status, 410);
    assert!(page.text.contains("sells pills"), "{}", page.text);
    let page = http::get(&format!("{}/site/pills.example", living.server.url)).await;
    assert_eq!(page.status, 200);
    assert!(page.text.contains("sells pills"), "{}", page.text);
    let change = living.last_change(SPAM.0).await;
    assert_eq!(
        change,
        (Operation::Remove, "hidden: sells pills".to_owned())
    );

    // It stays hidden when everything is read again.
    living.store.mark_all_unread().await.unwrap();
    let read = async || living.store.unread_domains(1).await.unwrap().is_empty();
    wait::until("everything is read again", read).await;
    assert!(!living.finds(SPAM.2, SPAM.0).await);

    let shown = living.command("indexer", &["show", &id, "--reason", "a mistake"]);
    assert_eq!(shown.code, Some(0), "{}", shown.output);
    living.soon(SPAM.2, SPAM.0, true).await;
    let change = living.last_change(SPAM.0).await;
    assert_eq!(change, (Operation::Restore, "a mistake".to_owned()));
    let again = living.command("indexer", &["show", &id, "--reason", "x"]);
    again.fails_with(1, &["is not hidden"]);

    // A whole site, by the blocklist; a bad line does not hold it back.
    let blocklist = living.pipeline.folder.path().join("blocklist.txt");
    std::fs::write(&blocklist, "no domain\n*.pills.example spam\n").unwrap();
    living.soon(SPAM.2, SPAM.0, false).await;
    living.server.wait_for("blocklist.txt:1: 'no' is neither");
    let page = http::get(&format!("{}/site/pills.example", living.server.url)).await;
    assert_eq!(page.status, 410);
    assert!(page.text.contains("spam"), "{}", page.text);
    let change = living.last_change(SPAM.0).await;
    assert_eq!(change, (Operation::Remove, "spam".to_owned()));
    std::fs::remove_file(&blocklist).unwrap();
    living.server.wait_for("1 entries stay in effect");
    assert_eq!(living.store.exclusions().await.unwrap().len(), 1);
    std::fs::write(&blocklist, "").unwrap();
    let ended = async || living.store.exclusions().await.unwrap().is_empty();
    wait::within(Duration::from_secs(10), "the block has ended", ended).await;

    assert!(living.finds(FERRY.2, FERRY.0).await);
    let expected = [
        entry("hide", &id, "sells pills", "operator"),
        entry("show", &id, "a mistake", "operator"),
        entry("block", "*.pills.example", "spam", "blocklist"),
        entry(
            "unblock",
            "*.pills.example",
            "no longer on the blocklist of the operator",
            "blocklist",
        ),
    ];
    assert_eq!(living.log().await, expected);
    let (_, page) = living.api("/moderation?limit=3").await;
    let next = page["next"].as_str().unwrap().replace("/api/v1", "");
    let (_, rest) = living.api(&next).await;
    assert_eq!(rest["entries"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&rest["next"], &rest["entries"][0]["action"]),
        (&json!(null), &json!("hide"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_reaches_the_operator() {
    let living = Living::start(&[FERRY], &[]).await;
    let report = json!({ "target": "ferry.example", "kind": "wrong", "text": "The price is off." });
    let (status, receipt) = living.post("/reports", &report).await;
    assert_eq!(status, 202, "{receipt}");
    let id = receipt["id"].as_str().unwrap();
    let listed = living.command("indexer", &["reports"]);
    for word in [id, "ferry.example", "wrong", "    The price is off."] {
        assert!(listed.output.contains(word), "{word}: {}", listed.output);
    }
    let close = ["reports", "close", id, "--reason", "looked into"];
    let closed = living.command("indexer", &close);
    assert_eq!(closed.code, Some(0), "{}", closed.output);
    living
        .command("indexer", &close)
        .fails_with(1, &["no such report is open"]);
    let listed = living.command("indexer", &["reports", "--json"]);
    assert_eq!(listed.output, "[]\n");
    let expected = [entry(
        "report-closed",
        "ferry.example",
        "looked into",
        "operator",
    )];
    assert_eq!(living.log().await, expected);

    let (status, _) = living.post("/reports", &report).await;
    assert_eq!(status, 202);
    let (status, problem) = living.post("/reports", &report).await;
    assert_eq!((status, &problem["errorCode"]), (429, &json!("limited")));
    let listed = living.command("indexer", &["reports", "--json"]);
    let listed: serde_json::Value = serde_json::from_str(&listed.output).unwrap();
    let network = listed[0]["network"].as_str().unwrap();
    let all = ["reports", "close", "--network", network, "--reason", "spam"];
    let closed = living.command("indexer", &all);
    assert!(closed.output.contains("closed the report on ferry.example"));
    let of_site = [
        "reports",
        "close",
        "--target",
        "ferry.example",
        "--reason",
        "spam",
    ];
    living
        .command("indexer", &of_site)
        .fails_with(1, &["no such report is open"]);
    let (status, _) = living.post("/reports", &report).await;
    assert_eq!(status, 202, "the one before is closed");
}
