//! A whole registry that is killed at random while its visits wait for slow hosts: no host has two
//! requests to answer at once, and a recorded visit is not repeated (P16, P37).

use crate::support::kill_seed;
use crate::support::pipeline::{self, Pipeline};
use crate::support::wait::until;
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use simweb::{Answer, Behaviour, Simweb};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

const KILLS: usize = 15;

/// Hosts that answer at once.
const QUICK: usize = 12;
/// Hosts of each kind that take their time.
const SLOW: usize = 4;
/// Time that a slow host takes for its robots.txt, longer than the gap after a kill.
const TIME: Duration = Duration::from_millis(1_500);
/// Longest life of a registry.
const LIFE: Duration = Duration::from_secs(1);
/// Clock difference between two processes.
const SLACK: Duration = Duration::from_millis(5);

/// Returns a web of quick hosts, slow ones, slow ones that moved to `www.`, and ones whose
/// robots.txt is that of a slow host of another site.
async fn web() -> Simweb {
    let late = Answer {
        delay_ms: Some(u64::try_from(TIME.as_millis()).unwrap()),
        ..Answer::default()
    };
    let slow = || Behaviour::default().path("/robots.txt", late.clone());
    let leads_to = |target: String| Answer {
        redirect: Some(target),
        ..Answer::default()
    };
    let mut web = Simweb::builder();
    for number in 0..QUICK {
        web = web.site(&format!("quick-{number}.example"));
    }
    for number in 0..SLOW {
        let moved = leads_to(format!("https://www.moved-{number}.example{{path}}"));
        let shared = leads_to(format!("https://shared-{number}.example/robots.txt"));
        web = web
            .site(&format!("slow-{number}.example"))
            .behaviour(slow())
            .site(&format!("www.moved-{number}.example"))
            .behaviour(slow())
            .site(&format!("moved-{number}.example"))
            .behaviour(Behaviour::default().path("/*", moved))
            .site(&format!("shared-{number}.example"))
            .behaviour(slow())
            .site(&format!("borrower-{number}.example"))
            .behaviour(Behaviour::default().path("/robots.txt", shared));
    }
    web.start().await.unwrap()
}

/// Returns the time for which a host is busy with an answer, whether or not its client is gone.
fn busy(host: &str, path: &str) -> Duration {
    let is_slow = ["slow-", "www.moved-", "shared-"]
        .iter()
        .any(|kind| host.starts_with(kind));
    if is_slow && path == "/robots.txt" {
        TIME
    } else {
        Duration::ZERO
    }
}

/// Reports whether visits to other hosts lead to this one.
fn is_target(host: &str) -> bool {
    host.starts_with("www.") || host.starts_with("shared-")
}

/// Returns the hosts with a recorded visit, and the number of requests that each had received.
async fn recorded(pipeline: &Pipeline) -> BTreeMap<String, usize> {
    let store = pipeline.store().await;
    let mut recorded = BTreeMap::new();
    for host in pipeline.web.hosts() {
        let site = store.site(&pipeline::domain(&host)).await.unwrap();
        if site.is_some_and(|site| !site.visits.is_empty()) {
            let requests = pipeline.web.requests_of(&host).len();
            recorded.insert(host, requests);
        }
    }
    recorded
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_registry_asks_no_host_twice_at_once_and_repeats_no_recorded_visit() {
    let mut random = StdRng::seed_from_u64(kill_seed());
    let pipeline = Pipeline::new(web().await);
    let mut done: BTreeMap<String, usize> = BTreeMap::new();
    let mut interrupted = BTreeSet::new();
    for _ in 0..KILLS {
        let server = pipeline.registry();
        let enough = pipeline.web.requests().len() + random.random_range(1..=40);
        let started = Instant::now();
        // The sites whose visits were interrupted rest, so no request may be due.
        until("it is time for a kill", async || {
            pipeline.web.requests().len() >= enough || started.elapsed() > LIFE
        })
        .await;
        // SIGKILL.
        drop(server);
        for (host, requests) in recorded(&pipeline).await {
            done.entry(host).or_insert(requests);
        }
        let hosts = pipeline.web.hosts().into_iter();
        interrupted.extend(
            hosts.filter(|host| {
                !done.contains_key(host) && !pipeline.web.requests_of(host).is_empty()
            }),
        );
    }
    assert!(!interrupted.is_empty(), "no kill interrupted a visit");
    let server = pipeline.registry();
    until("the crawl is over", async || {
        recorded(&pipeline).await.len() == pipeline.web.hosts().len()
    })
    .await;
    drop(server);

    for host in pipeline.web.hosts() {
        let requests = pipeline.web.requests_of(&host);
        for pair in requests.windows(2) {
            let gap = pair[1].at - pair[0].at;
            assert!(
                gap + SLACK >= busy(&host, &pair[0].path),
                "{host} is asked for {} {gap:?} after {}, which it is still answering",
                pair[1].path,
                pair[0].path
            );
        }
        if let Some(counted) = done.get(&host).filter(|_| !is_target(&host)) {
            assert_eq!(requests.len(), *counted, "{host} was visited again");
        }
    }
}
