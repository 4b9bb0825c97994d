//! A crawl that is told to stop: what it still does, and what it says of it.

use crate::crawl::{Stage, control};
use crate::support;
use crate::support::line::Line;
use crawler::run::{Stop, run};
use manifest::Timestamp;
use simweb::Simweb;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Two hosts of one site, which are visited one after the other with a long rest between.
const HOSTS: [&str; 2] = ["a.shop.example", "b.shop.example"];

#[tokio::test(flavor = "multi_thread")]
async fn a_visit_that_only_waits_for_its_turn_is_neither_counted_nor_finished() {
    let nothing = "User-agent: *\nDisallow: /\n";
    let web = HOSTS.iter().fold(Simweb::builder(), |web, host| {
        web.site(host).file("/robots.txt", nothing)
    });
    let mut stage = Stage::new(web).await;
    stage.delay = 30_000;
    let (sender, progress, control) = control();
    let (config, store) = (stage.config(), stage.store().await);
    let crawl = tokio::spawn(async move { run(&config, store, control).await });
    let one_is_done = async {
        loop {
            let summary = progress.snapshot();
            if summary.visits == 1 && summary.in_line == 1 {
                return summary;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let summary = tokio::time::timeout(Duration::from_secs(20), one_is_done).await;
    assert_eq!(summary.unwrap().in_flight, 0);
    sender.send_replace(Stop::Finish);
    let summary = crawl.await.unwrap().unwrap();
    assert!(summary.interrupted);
    assert_eq!(summary.visits, 1);
    assert_eq!(stage.web.requests().len(), 1);
}

/// A reader that has seen enough ends the crawl as it ends any filter: quietly, with what was visited recorded.
#[tokio::test(flavor = "multi_thread")]
async fn a_reader_of_the_report_that_goes_away_is_no_failure() {
    let mut web = Simweb::builder();
    for number in 0..5 {
        web = web.site(&format!("site{number}.example"));
    }
    let line = Line::new(web.start().await.unwrap());
    let crawl = line.crawl_arguments();
    let crawl = crawl.iter().map(String::as_str);
    let told = unread(&line, crawl.chain(["--delay", "0", "--report", "-"]));
    assert_eq!(told, (Some(0), String::new()));
    let target = format!("site0.example:{}", line.web.https_port());
    let nameserver = line.web.dns_address().to_string();
    let check = ["check", &target, "--nameserver", &nameserver];
    let check = check.into_iter().chain(["--root-ca", "ca.pem"]);
    let check = check.chain(["--allow-address", "127.0.0.0/8", "--delay", "0"]);
    let told = unread(&line, check.chain(["--address-delay", "0"]));
    assert_eq!(told, (Some(0), String::new()));

    let frontier = line.store().await.frontier(Timestamp(i64::MAX)).await;
    assert!(frontier.unwrap().unvisited < 5);
}

/// Runs a crawler whose output nobody reads: how it ends, and what it says of that.
fn unread<'a>(line: &Line, arguments: impl Iterator<Item = &'a str>) -> (Option<i32>, String) {
    let mut child = Command::new(support::binary("crawler"))
        .args(arguments)
        .current_dir(line.folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let ended = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&ended.stderr).into_owned();
    (ended.status.code(), told)
}
