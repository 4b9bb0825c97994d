//! Tests of a crawler with the usual delays that is killed repeatedly: each run makes progress.

use crate::derived;
use crate::support::judge::log::Log;
use crate::support::judge::{Terms, judge, summary};
use crate::support::pipeline::{self, Pipeline};
use crate::support::{self, running::Running};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Time from the start of each run to its kill.
const LIFE: Duration = Duration::from_secs(18);
const LIVES: usize = 10;
const SEED: u64 = 13;

/// By hand: `cargo test -p tests --test integration killed_ten_times -- --ignored --nocapture`.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes three minutes; the loop's own test does the same in simulated time"]
async fn killed_ten_times_in_a_row_every_run_records_visits() {
    lives(800, 0).await;
}

/// Kills a crawl with the usual gap over and over, and looks at what each life recorded.
#[expect(clippy::print_stdout, reason = "the figures are part of the answer")]
#[expect(
    clippy::disallowed_methods,
    reason = "the judge compares the last death with the moments of a log"
)]
async fn lives(hosts: u32, address_delay_ms: u64) {
    let web = simweb::Simweb::builder().derived(hosts, SEED);
    let pipeline = Pipeline {
        address_delay_ms,
        ..Pipeline::new(web.start().await.unwrap())
    };
    println!(
        "{hosts} hosts at {} addresses, {} s each life\nlife  visits  all  requests",
        pipeline.web.addresses().len(),
        LIFE.as_secs()
    );
    let (mut recorded, mut requests) = (0, 0);
    let mut idle = Vec::new();
    let mut killed = 0;
    for life in 1..=LIVES {
        let log = std::fs::File::create(pipeline.folder.path().join("killed.log")).unwrap();
        let child = Command::new(support::binary("crawler"))
            .args(pipeline.crawl_arguments())
            .current_dir(pipeline.folder.path())
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn();
        let crawler = Running(child.unwrap());
        tokio::time::sleep(LIFE).await;
        drop(crawler);
        let since_1970 = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        killed = u64::try_from(since_1970.unwrap().as_millis()).unwrap();
        let visited = visited(&pipeline).await;
        let asked = pipeline.web.requests().len();
        println!(
            "{life:>4}  {:>6}  {visited:>3}  {:>8}",
            visited - recorded,
            asked - requests
        );
        if visited == recorded && visited < hosts as usize {
            idle.push(life);
        }
        (recorded, requests) = (visited, asked);
    }
    let terms = Terms {
        killed: Some(killed),
        ..derived::terms(1_000, address_delay_ms)
    };
    let violations = judge(&Log::of(&pipeline.web), &terms);
    assert!(violations.is_empty(), "{}", summary(&violations));
    assert!(idle.is_empty(), "lives {idle:?} recorded nothing");
}

/// Counts the hosts with a recorded visit.
async fn visited(pipeline: &Pipeline) -> usize {
    let store = pipeline.store().await;
    let mut visited = 0;
    for host in pipeline.web.hosts() {
        let site = store.site(&pipeline::domain(&host)).await.unwrap();
        visited += usize::from(site.is_some_and(|site| !site.visits.is_empty()));
    }
    visited
}
