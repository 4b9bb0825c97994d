//! Rows 34, 38 and 95: hosts that are worse on the second visit than on the first.

use super::{CARD, CARD_PATH, ROBOTS, Stage};
use crate::support::line;
use crawler::run::{Control, Stop, run};
use crawler::summary::{Progress, Summary};
use simweb::{Answer, Behaviour, Simweb};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

async fn visit(stage: &Stage) -> Summary {
    let (_sender, stop) = watch::channel(Stop::No);
    let progress = Arc::new(Progress::default());
    let control = Control { stop, progress };
    let config = stage.config();
    run(&config, stage.store().await, control).await.unwrap()
}

/// Makes every host due that will ever be.
async fn let_time_pass(stage: &Stage, host: &str) {
    let store = stage.store().await;
    let site = store.site(&line::domain(host)).await.unwrap().unwrap();
    let now = site.last_visit.unwrap();
    let later = now.after(Duration::from_hours(24 * 365));
    let leases = store.lease_domains(later, later, 100).await.unwrap();
    let due: Vec<_> = leases.into_iter().map(|lease| (lease, now)).collect();
    store.postpone_leases(&due).await.unwrap();
}

#[tokio::test]
async fn rows_38_and_95_what_was_found_outlives_a_bad_second_visit() {
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
    assert_eq!(visit(&stage).await.new_documents, 3);
    stage.web.forget();
    let_time_pass(&stage, hosts[0]).await;

    let closed = tagged("\"one\"").path(ROBOTS, Answer::status(503));
    let confused = Behaviour::default()
        .path(CARD_PATH, Answer::status(304))
        .path("/.well-known/agent.json", Answer::status(304));
    let behaviours = [tagged("\"two\""), closed, confused];
    for (host, behaviour) in hosts.iter().zip(behaviours) {
        stage.web.behave(host, behaviour).unwrap();
    }
    let summary = visit(&stage).await;
    assert_eq!(summary.visits, 3);
    assert_eq!(summary.new_documents, 0, "row 38: the bytes are the same");
    let report = stage.report();
    assert_eq!(report["changing.example"]["outcome"], "found", "row 38");
    assert_eq!(report["closing.example"]["outcome"], "throttled", "row 95");
    assert_eq!(stage.web.requests_of("closing.example").len(), 1, "row 95");
    assert_eq!(report["confused.example"]["outcome"], "found", "row 34");
    let store = stage.store().await;
    for host in hosts {
        let requests = stage.web.requests_of(host);
        let forbidden = requests.iter().find(|it| it.path == "/agents.txt");
        assert!(forbidden.is_none(), "{host}");
        let site = store.site(&line::domain(host)).await.unwrap().unwrap();
        assert_eq!(site.visits.len(), 2, "{host}");
        assert_eq!(site.documents.len(), 1, "{host}");
    }
}
