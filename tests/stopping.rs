//! Tests of a crawl that is stopped: the visits that it completes, and its output.

use crate::crawl::{Stage, control};
use crate::support;
use crate::support::pipeline::Pipeline;
use crate::support::wait::until;
use crawler::run::run;
use manifest::Timestamp;
use simweb::Simweb;
use std::process::{Command, Stdio};

/// Two hosts of one site, visited one after the other with a long delay between them.
const HOSTS: [&str; 2] = ["a.shop.example", "b.shop.example"];

#[tokio::test(flavor = "multi_thread")]
async fn a_visit_that_only_waits_for_its_turn_is_neither_counted_nor_finished() {
    let nothing = "User-agent: *\nDisallow: /\n";
    let web = HOSTS.iter().fold(Simweb::builder(), |web, host| {
        web.site(host).file("/robots.txt", nothing)
    });
    let mut stage = Stage::new(web).await;
    stage.delay = 30_000;
    let (progress, control) = control();
    let stop = control.stop.clone();
    let (config, store) = (stage.config(), stage.store().await);
    let crawl = tokio::spawn(async move { run(&config, store, control).await });
    until("one visit is done and the other waits", async || {
        let summary = progress.snapshot();
        summary.visits == 1 && summary.in_line == 1
    })
    .await;
    assert_eq!(progress.snapshot().in_flight, 0);
    stop.cancel();
    let summary = crawl.await.unwrap().unwrap();
    assert!(summary.interrupted);
    assert_eq!(summary.visits, 1);
    assert_eq!(stage.web.requests().len(), 1);
}

/// A closed report ends the crawl without a message, and its visits are recorded.
#[tokio::test(flavor = "multi_thread")]
async fn a_closed_report_is_no_failure() {
    let mut web = Simweb::builder();
    for number in 0..5 {
        web = web.site(&format!("site{number}.example"));
    }
    let pipeline = Pipeline::new(web.start().await.unwrap());
    let crawl = pipeline.crawl_arguments();
    let crawl = crawl.iter().map(String::as_str);
    let output = unread(&pipeline, crawl.chain(["--delay", "0", "--report", "-"]));
    assert_eq!(output, (Some(0), String::new()));
    let target = format!("site0.example:{}", pipeline.web.https_port());
    let nameserver = pipeline.web.dns_address().to_string();
    let check = ["check", &target, "--nameserver", &nameserver];
    let check = check.into_iter().chain(["--root-ca", "ca.pem"]);
    let check = check.chain(["--allow-address", "127.0.0.0/8", "--delay", "0"]);
    let output = unread(&pipeline, check.chain(["--address-delay", "0"]));
    assert_eq!(output, (Some(0), String::new()));

    let frontier = pipeline
        .store()
        .await
        .frontier_stats(Timestamp(i64::MAX))
        .await;
    assert!(frontier.unwrap().unvisited < 5);
}

/// Runs a crawler with a closed standard output; returns its exit code and standard error.
fn unread<'a>(
    pipeline: &Pipeline,
    arguments: impl Iterator<Item = &'a str>,
) -> (Option<i32>, String) {
    let mut child = Command::new(support::binary("crawler"))
        .args(arguments)
        .current_dir(pipeline.folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let ended = child.wait_with_output().unwrap();
    let output = String::from_utf8_lossy(&ended.stderr).into_owned();
    (ended.status.code(), output)
}
