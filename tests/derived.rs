//! Crawls of generated hosts: results are compared with the truth, and the log is judged.

use crate::support::judge::log::Log;
use crate::support::judge::{Terms, judge, summary};
use crate::support::pipeline::{self, Pipeline};
use simweb::{Derived, Simweb};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// The contact that [`Pipeline`] gives.
pub(crate) const CONTACT: &str = "https://registry.example/bot";

/// Returns the terms that the judge applies to a crawl with these delays.
///
/// Addresses are paced unless `address_delay_ms` is zero.
pub(crate) fn terms(delay_ms: u64, address_delay_ms: u64) -> Terms {
    Terms {
        // Below a second, which is possible for one's own hosts only, slowness adds no pause (P17).
        latency: delay_ms >= 1_000,
        address_delay_ms: (address_delay_ms > 0).then_some(address_delay_ms),
        throttled_addresses: address_delay_ms > 0,
        ..Terms::new(CONTACT, delay_ms)
    }
}

/// Compares what the store holds of each host with the truth; one line for each difference.
pub(crate) async fn differences(pipeline: &Pipeline, derived: Derived) -> Vec<String> {
    let store = pipeline.store().await;
    let mut differences = Vec::new();
    for number in 0..derived.count() {
        let truth = derived.truth(number);
        let host = derived.host(number);
        let domain = pipeline::domain(&host);
        let Some(site) = store.site(&domain).await.unwrap() else {
            differences.push(format!("{host} is unknown"));
            continue;
        };
        if site.visits.len() != 1 {
            differences.push(format!("{host} has {} results", site.visits.len()));
        }
        let outcome = site.last_outcome.map(store::Outcome::as_str);
        let documents = store.documents(&domain).await.unwrap();
        let found: BTreeSet<String> = documents
            .iter()
            .map(|stored| stored.document.requested.path().to_owned())
            .collect();
        let is_same = found.iter().eq(truth.manifests.iter());
        if outcome != Some(truth.outcome) || !is_same {
            differences.push(format!(
                "{host}: {outcome:?} {found:?} instead of {truth:?}"
            ));
        }
    }
    differences
}

/// Crawls derived hosts within `minutes`, and compares and judges what came of it.
///
/// The delays are between two requests to one host, and to one address, in milliseconds.
#[expect(clippy::print_stdout, reason = "the figures are part of the answer")]
async fn crawl_and_judge(count: u32, delays: (u64, u64), minutes: u64, more: &[&str]) {
    let (host_ms, address_delay_ms) = delays;
    let seed = u64::from(count);
    let derived = Derived::new(count, seed);
    let web = Simweb::builder()
        .derived(count, seed)
        .start()
        .await
        .unwrap();
    let pipeline = Pipeline {
        address_delay_ms,
        ..Pipeline::new(web)
    };
    let delay = host_ms.to_string();
    let started = Instant::now();
    let ran = pipeline.crawl_within(
        Duration::from_mins(minutes),
        &[&["--delay", &delay], more].concat(),
    );
    assert_eq!(ran.code, Some(0), "{}", ran.output);
    let took = started.elapsed();
    let log = Log::of(&pipeline.web);
    println!(
        "{count} hosts at {} addresses: {:.1} s, {} requests, {} connections, peak {} MiB",
        pipeline.web.addresses().len(),
        took.as_secs_f64(),
        log.exchanges.len(),
        log.connections.len(),
        ran.peak_kib / 1024
    );
    let started = Instant::now();
    let violations = judge(&log, &terms(host_ms, address_delay_ms));
    let mut kinds: BTreeMap<_, u32> = BTreeMap::new();
    for number in 0..count {
        *kinds.entry(derived.kind(number)).or_default() += 1;
    }
    println!(
        "{kinds:?}\njudged in {:.1} s",
        started.elapsed().as_secs_f64()
    );
    let differences = differences(&pipeline, derived).await;
    assert!(
        differences.is_empty(),
        "{} hosts differ, such as\n{}",
        differences.len(),
        differences[..differences.len().min(20)].join("\n")
    );
    assert!(violations.is_empty(), "{}", summary(&violations));
}

#[tokio::test(flavor = "multi_thread")]
async fn six_hundred_hosts_are_found_as_they_are_and_have_nothing_to_complain_about() {
    crawl_and_judge(600, (50, 20), 5, &[]).await;
}

/// By hand: `cargo test -p tests --test integration twenty_thousand -- --ignored --nocapture`.
///
/// Few visits at once: the web and the crawler share the machine, and a handshake that waits for a
/// processor for five seconds is a timeout to the crawler, however well the host is.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes ten minutes; run it by hand before a release"]
async fn twenty_thousand_hosts_are_found_as_they_are_and_have_nothing_to_complain_about() {
    crawl_and_judge(20_000, (100, 20), 60, &["--concurrency", "128"]).await;
}
