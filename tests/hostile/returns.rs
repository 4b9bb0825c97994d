//! HS-34, HS-37, HS-38, HS-95, HS-96 and HS-114: hosts that answer the second visit differently.

use super::{CARD, CARD_PATH, ROBOTS, Stage};
use crate::support::pipeline;
use simweb::{Answer, Behaviour, Simweb};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};

#[tokio::test]
async fn hs_38_and_95_documents_outlive_a_bad_second_visit() {
    let tagged = |etag: &str| {
        let answer = Answer {
            body: Some(CARD.to_owned()),
            ..Answer::default()
        };
        let answer = answer.header("content-type", "application/json");
        Behaviour::default().path(CARD_PATH, answer.header("etag", etag))
    };
    let hosts = ["changing.example", "closing.example", "confused.example"];
    let mut web = Simweb::builder();
    for host in hosts {
        web = web
            .site(host)
            .file(ROBOTS, "User-agent: *\nDisallow: /agents.txt\n")
            .behaviour(tagged("\"one\""));
    }
    let stage = Stage::new(web).await;
    assert_eq!(stage.crawl().await.new_documents, 3);
    stage.web.forget();
    stage.let_time_pass(hosts[0]).await;

    let closed = tagged("\"one\"").path(ROBOTS, Answer::status(503));
    let confused = Behaviour::default()
        .path(CARD_PATH, Answer::status(304))
        .path("/.well-known/agent.json", Answer::status(304));
    let behaviours = [tagged("\"two\""), closed, confused];
    for (host, behaviour) in hosts.iter().zip(behaviours) {
        stage.web.behave(host, behaviour).unwrap();
    }
    let summary = stage.crawl().await;
    assert_eq!(summary.visits, 3);
    assert_eq!(summary.new_documents, 0, "HS-38: the bytes are the same");
    let report = stage.report();
    assert_eq!(report["changing.example"]["outcome"], "found", "HS-38");
    assert_eq!(report["closing.example"]["outcome"], "throttled", "HS-95");
    assert_eq!(stage.web.requests_of("closing.example").len(), 1, "HS-95");
    assert_eq!(report["confused.example"]["outcome"], "found", "HS-34");
    let store = stage.store().await;
    for host in hosts {
        let requests = stage.web.requests_of(host);
        let forbidden = requests.iter().find(|it| it.path == "/agents.txt");
        assert!(forbidden.is_none(), "{host}");
        let site = store.site(&pipeline::domain(host)).await.unwrap().unwrap();
        assert_eq!(site.visits.len(), 2, "{host}");
        assert_eq!(site.documents.len(), 1, "{host}");
    }
}

#[tokio::test]
async fn hs_37_a_copy_that_was_lost_is_asked_for_in_full() {
    let web = Simweb::builder().site("mesa.example").file(CARD_PATH, CARD);
    let stage = Stage::new(web).await;
    assert_eq!(stage.crawl().await.new_documents, 1);
    stage.let_time_pass("mesa.example").await;
    // Damage that the file system may do to a database.
    let options = SqliteConnectOptions::new()
        .filename(stage.file("agentdex.db"))
        .foreign_keys(false);
    let mut vandal = options.connect().await.unwrap();
    sqlx::query("DELETE FROM blobs")
        .execute(&mut vandal)
        .await
        .unwrap();
    vandal.close().await.unwrap();
    stage.web.forget();

    stage.crawl().await;
    let store = stage.store().await;
    let domain = pipeline::domain("mesa.example");
    let site = store.site(&domain).await.unwrap().unwrap();
    assert_eq!(site.last_outcome, Some(store::Outcome::Found));
    let requests = stage.web.requests_of("mesa.example");
    let asked: Vec<_> = requests.iter().filter(|it| it.path == CARD_PATH).collect();
    assert_eq!(asked.len(), 1);
    assert_eq!(
        (asked[0].status, asked[0].header("if-none-match")),
        (200, None)
    );
    let documents = store.documents(&domain).await.unwrap();
    assert_eq!(documents[0].document.body, CARD.as_bytes());
    drop(store);

    // With the copy, it is a 304 again.
    stage.let_time_pass("mesa.example").await;
    stage.web.forget();
    stage.crawl().await;
    let requests = stage.web.requests_of("mesa.example");
    let asked = requests.iter().find(|it| it.path == CARD_PATH).unwrap();
    assert_eq!(asked.status, 304);
}

#[tokio::test]
async fn unchanged_documents_are_reported_as_stored() {
    let web = Simweb::builder().site("mesa.example").file(CARD_PATH, CARD);
    let stage = Stage::new(web).await;
    let before = stage.crawl().await;
    let first = stage.report().remove("mesa.example").unwrap();
    // The report needs no indexer, but the counts of an unchanged document are those it stored.
    stage.let_time_pass("mesa.example").await;
    let unread = stage.crawl().await;
    assert_eq!(
        (unread.documents, unread.agents, unread.findings),
        (1, 0, 0)
    );
    let store = stage.store().await;
    let unread = store.unread_domains(1).await.unwrap().remove(0);
    let documents = store.documents(&unread.domain).await.unwrap();
    let readings = indexer::pipeline::read_domain(unread, &documents);
    let now = documents[0].document.fetched;
    store.replace_agents(&readings, now).await.unwrap();
    drop(store);
    stage.let_time_pass("mesa.example").await;
    let after = stage.crawl().await;
    assert_eq!((before.new_documents, after.new_documents), (1, 0));
    assert_eq!((after.documents, after.agents), (1, 1));
    assert_eq!(after.findings, before.findings);
    let mut second = stage.report().remove("mesa.example").unwrap();
    assert_eq!(second["documents"][0]["status"], 304);
    second["documents"][0]["status"] = 200.into();
    for part in ["documents", "agents", "findings"] {
        assert_eq!(second[part], first[part], "{part}");
    }
}

#[tokio::test]
async fn hs_96_the_robots_txt_that_was_fetched_last_rules() {
    let says = |rules: &str| {
        let answer = Answer {
            body: Some(rules.to_owned()),
            ..Answer::default()
        };
        Behaviour::default().path(ROBOTS, answer)
    };
    let open = "User-agent: *\nAllow: /\n";
    let closed = "User-agent: *\nDisallow: /\n";
    let others = "User-agent: GPTBot\nDisallow: /\n";
    let partly = "User-agent: AgentdexBot\nDisallow: /.well-known/\nUser-agent: *\nAllow: /\n";
    let web = Simweb::builder()
        .site("moody.example")
        .file(CARD_PATH, CARD);
    let stage = Stage::new(web).await;
    for (number, (rules, asks, outcome)) in [
        (open, true, "found"),
        (closed, false, "robots_disallow"),
        (others, true, "found"),
        (partly, false, "empty"),
        (open, true, "found"),
    ]
    .into_iter()
    .enumerate()
    {
        stage.web.behave("moody.example", says(rules)).unwrap();
        stage.web.forget();
        stage.crawl().await;
        assert_eq!(
            stage.report()["moody.example"]["outcome"],
            outcome,
            "{number}"
        );
        let requests = stage.web.requests_of("moody.example");
        assert_eq!(requests[0].path, ROBOTS);
        let is_asked = requests.iter().any(|it| it.path == CARD_PATH);
        assert_eq!(is_asked, asks, "{number}: {rules}");
        stage.let_time_pass("moody.example").await;
    }
}

#[tokio::test]
async fn hs_114_a_304_of_another_robots_txt_is_no_permission() {
    let own = || Behaviour::default().path(ROBOTS, tagged_robots());
    let moved = |to: &str| Behaviour::default().path(ROBOTS, Answer::redirect(to));
    let elsewhere = "https://other.example/robots.txt";
    let forms = [
        ("within.example", own(), moved("/moved.txt")),
        ("across.example", own(), moved(elsewhere)),
        (
            "back.example",
            moved("/moved.txt").path("/moved.txt", tagged_robots()),
            Behaviour::default().path(ROBOTS, Answer::status(304)),
        ),
        (
            "onward.example",
            moved("/old.txt").path("/old.txt", tagged_robots()),
            moved("/moved.txt"),
        ),
    ];
    let mut web = Simweb::builder();
    for (host, first, _) in &forms {
        web = web
            .site(host)
            .behaviour(first.clone())
            .file(CARD_PATH, CARD);
    }
    let web = web
        .site("other.example")
        .behaviour(Behaviour::default().path(ROBOTS, Answer::status(304)));
    let stage = Stage::new(web).await;
    stage.crawl().await;
    stage.let_time_pass(forms[0].0).await;
    stage.web.forget();
    for (host, _, second) in &forms {
        let second = second.clone().path("/moved.txt", Answer::status(304));
        stage.web.behave(host, second).unwrap();
    }
    stage.crawl().await;
    for (host, ..) in &forms {
        let outcome = &stage.report()[*host]["outcome"];
        assert_ne!(outcome, "found", "{host}");
        let requests = stage.web.requests_of(host);
        assert!(requests.iter().all(|it| it.path != CARD_PATH), "{host}");
    }
    let asked = stage.web.requests_of("other.example");
    let is_conditional = |it: &simweb::Request| it.header("if-none-match").is_some();
    assert!(!asked.iter().any(is_conditional), "{asked:?}");
}

/// Returns a robots.txt that allows everything, with a validator.
fn tagged_robots() -> Answer {
    let answer = Answer {
        body: Some("User-agent: *\nAllow: /\n".to_owned()),
        ..Answer::default()
    };
    answer.header("etag", "\"open\"")
}
