//! A crawl that is told to stop: what it still does, and what it says of it.

use crate::crawl::Stage;
use crawler::run::{Control, Stop, run};
use crawler::summary::Progress;
use simweb::Simweb;
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
