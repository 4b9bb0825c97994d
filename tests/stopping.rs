//! A crawl that is told to stop: what it still does, and what it says of it.

use crate::crawl::Stage;
use crate::support;
use crate::support::line::Line;
use crawler::run::{Control, Stop, run};
use crawler::summary::Progress;
use manifest::Timestamp;
use simweb::Simweb;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

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
    let (sender, stop) = watch::channel(Stop::No);
    let progress = Arc::new(Progress::default());
    let control = Control {
        stop,
        progress: Arc::clone(&progress),
    };
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
    let mut child = Command::new(support::binary("crawler"))
        .args(line.crawl_arguments())
        .args(["--delay", "0", "--report", "-"])
        .current_dir(line.folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let ended = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(0), "{told}");
    assert_eq!(told, "");
    let target = format!("site0.example:{}", line.web.https_port());
    let nameserver = line.web.dns_address().to_string();
    let mut child = Command::new(support::binary("crawler"))
        .args(["check", &target, "--nameserver", &nameserver])
        .args(["--root-ca", "ca.pem", "--allow-address", "127.0.0.0/8"])
        .args(["--delay", "0", "--address-delay", "0"])
        .current_dir(line.folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let ended = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&ended.stderr);
    assert_eq!((ended.status.code(), &*told), (Some(0), ""));

    let frontier = line.store().await.frontier(Timestamp(i64::MAX)).await;
    assert!(frontier.unwrap().unvisited < 5);
}
