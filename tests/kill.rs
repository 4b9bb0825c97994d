//! Tests of killed crawlers: no recorded result is lost, and no visit is repeated.

use crate::derived;
use crate::support::judge::log::Log;
use crate::support::judge::{Terms, judge, summary};
use crate::support::pipeline::{self, Pipeline};
use crate::support::wait::until;
use crate::support::{self, kill_seed};
use manifest::Timestamp;
use rand::{Rng as _, SeedableRng as _};
use simweb::{Answer, Behaviour, Derived};
use std::collections::BTreeMap;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

pub(crate) const SITES: usize = 24;

/// Starts a web in which every third site has an agent, and some are slow.
pub(crate) async fn web() -> simweb::Simweb {
    let mut builder = simweb::Simweb::builder();
    for number in 0..SITES {
        builder = builder.site(&format!("site-{number}.example"));
        if number % 3 == 0 {
            let card = serde_json::json!({
                "protocolVersion": "0.3.0", "name": format!("Clerk {number}"),
                "description": "Answers letters", "version": "1.0.0",
                "url": format!("https://site-{number}.example/a2a"),
                "capabilities": {}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
                "skills": [{"id": "answer", "name": "Answer", "description": "Answers a letter", "tags": ["mail"]}],
            });
            builder = builder.file("/.well-known/agent-card.json", card.to_string());
        }
        if number % 4 == 0 {
            builder = builder.file("/robots.txt", "User-agent: *\nDisallow: /agent.json\n");
        }
    }
    builder.start().await.unwrap()
}

/// Returns the outcome and the agents of each domain from the store.
async fn result(pipeline: &Pipeline) -> BTreeMap<String, (Option<store::Outcome>, Vec<String>)> {
    let store = pipeline.store().await;
    let mut result = BTreeMap::new();
    for host in pipeline.web.hosts() {
        let site = store.site(&pipeline::domain(&host)).await.unwrap().unwrap();
        let agents = site
            .agents
            .iter()
            .map(|agent| agent.listing.id.to_string())
            .collect();
        assert!(
            site.visits.len() <= 1,
            "{host} has {} recorded visits",
            site.visits.len()
        );
        result.insert(host, (site.last_outcome, agents));
    }
    result
}

#[tokio::test(flavor = "multi_thread")]
async fn leases_of_a_killed_run_are_reported_while_waiting() {
    let builder = simweb::Simweb::builder().site("mesa.example");
    let pipeline = Pipeline::new(builder.site("other.example").start().await.unwrap());
    let store = pipeline.store().await;
    let now = crawler::run::clock().now();
    let seed = store::Seed {
        domain: pipeline::domain("mesa.example"),
        port: Some(pipeline.web.https_port()),
        source: store::SeedSource::Seed,
    };
    store.add_seeds(&[seed], false, now).await.unwrap();
    let until = now.after(Duration::from_mins(10));
    let leases = store.lease_domains(now, until, 1).await.unwrap();
    store.note_delay(&leases[0], 3_600_000).await.unwrap();
    let ran = pipeline.crawl(&["--delay", "0"]);
    assert_eq!(ran.code, Some(0), "{}", ran.output);
    let waiting = ran.output.lines().find(|line| line.starts_with("waiting"));
    let waiting: Vec<_> = waiting.unwrap_or_default().split_whitespace().collect();
    assert_eq!(
        waiting[..5],
        ["waiting", "1", "the", "next", "in"],
        "{}",
        ran.output
    );
    assert!(matches!(waiting[5], "1" | "59"), "{}", ran.output);
    assert!(pipeline.web.requests_of("mesa.example").is_empty());
}

/// Gap between two requests of the crawls that are killed once, in milliseconds.
const KILLED_GAP_MS: u64 = 200;

#[test]
fn killed_at_any_moment_and_started_again_it_ends_as_if_undisturbed() {
    let undisturbed = in_own_runtime(async {
        let pipeline = Pipeline::new(web().await);
        let delay = KILLED_GAP_MS.to_string();
        assert_eq!(pipeline.crawl(&["--delay", &delay]).code, Some(0));
        assert_eq!(pipeline.index().code, Some(0));
        result(&pipeline).await
    });
    let listed = undisturbed
        .values()
        .filter(|(_, agents)| !agents.is_empty());
    assert_eq!(listed.count(), SITES / 3);
    // After a kill, most of the time is spent waiting.
    std::thread::scope(|scope| {
        for kill_after_ms in [40, 300, 900, 1_700, 2_300] {
            let expected = &undisturbed;
            scope.spawn(move || in_own_runtime(kill_once(kill_after_ms, expected)));
        }
    });
}

/// Crawls with one kill after so long, and expects the results of an undisturbed crawl.
async fn kill_once(
    kill_after_ms: u64,
    expected: &BTreeMap<String, (Option<store::Outcome>, Vec<String>)>,
) {
    let delay = KILLED_GAP_MS.to_string();
    let pipeline = Pipeline::new(web().await);
    crawl_killed(&pipeline, &delay, kill_after_ms).await;
    let recorded_before = recorded(&pipeline).await;
    let requests_before = requests(&pipeline);

    let again = pipeline.crawl(&["--delay", &delay]);
    assert_eq!(again.code, Some(0), "{}", again.output);
    assert_eq!(pipeline.index().code, Some(0));
    assert_eq!(
        result(&pipeline).await,
        *expected,
        "killed after {kill_after_ms} ms"
    );

    for host in pipeline.web.hosts() {
        let requests = pipeline.web.requests_of(&host);
        // A recorded visit is not made again.
        if recorded_before.contains(&host) {
            assert_eq!(
                requests.len(),
                requests_before.get(&host).copied().unwrap_or_default(),
                "{host} was visited again"
            );
        }
        // The pause between two requests holds across the restart.
        for pair in requests.windows(2) {
            let gap = pair[1].unix_ms.saturating_sub(pair[0].unix_ms);
            assert!(
                gap + 20 >= KILLED_GAP_MS,
                "{host}: {gap} ms between {} and {}",
                pair[0].path,
                pair[1].path
            );
        }
    }
}

/// Runs a test in a thread that may wait for processes, while its web goes on in others.
fn in_own_runtime<T>(test: impl Future<Output = T>) -> T {
    tokio::runtime::Runtime::new().unwrap().block_on(test)
}

/// Crawls that are killed, each with a web of its own, and how often each is killed.
///
/// From the eleventh death in a row on, a domain that was leased waits longer each time, up to a
/// quarter of an hour: the test would only wait.
const KILLED: (u64, usize) = (5, 10);

#[test]
fn fifty_kills_lose_no_result_repeat_no_visit_and_keep_each_delay() {
    let seed = kill_seed();
    let (crawls, kills) = KILLED;
    std::thread::scope(|scope| {
        for crawl in 0..crawls {
            scope.spawn(move || in_own_runtime(kill_often(seed.wrapping_add(crawl), kills)));
        }
    });
}

/// Crawls derived hosts once, with `times` kills at moments that `seed` chooses.
#[expect(clippy::print_stdout, reason = "the figures are part of the answer")]
async fn kill_often(seed: u64, times: usize) {
    const HOSTS: u32 = 100;
    const DELAY_MS: u64 = 20;
    let delay = DELAY_MS.to_string();
    let mut random = rand::rngs::StdRng::seed_from_u64(seed);
    let web = simweb::Simweb::builder().derived(HOSTS, seed);
    let pipeline = Pipeline::new(web.start().await.unwrap());

    let mut killed = None;
    let mut done: BTreeMap<String, usize> = BTreeMap::new();
    let check = |done: &BTreeMap<String, usize>, requests: &BTreeMap<String, usize>| {
        for (host, count) in done {
            let asked = requests.get(host).copied().unwrap_or_default();
            assert_eq!(asked, *count, "{host} was visited again");
        }
    };
    for _ in 0..times {
        killed = Some(crawl_killed(&pipeline, &delay, random.random_range(10..=2_000)).await);
        let requests = requests(&pipeline);
        let recorded = recorded(&pipeline).await;
        check(&done, &requests);
        for host in done.keys() {
            assert!(recorded.contains(host), "the result of {host} is lost");
        }
        let counted = recorded.into_iter().map(|host| {
            let count = requests.get(&host).copied().unwrap_or_default();
            (host, count)
        });
        done = counted.collect();
    }
    let started = Instant::now();
    let last = pipeline.crawl(&["--delay", &delay]);
    assert_eq!(last.code, Some(0), "{}", last.output);
    println!(
        "killed {times} times with {} of {HOSTS} recorded; the last run took {:.1} s",
        done.len(),
        started.elapsed().as_secs_f64()
    );
    check(&done, &requests(&pipeline));
    let log = Log::of(&pipeline.web);
    // A host that asks for a pause just before a kill is not contacted for hours, and has no result
    // until then (P35).
    let is_resting = |difference: &String| {
        let mut throttled = log.exchanges.iter();
        throttled.any(|it| {
            let (host, none) = (&it.host, format!("{}: None ", it.host));
            matches!(it.status, 429 | 503)
                && (*difference == format!("{host} has 0 results") || difference.starts_with(&none))
        })
    };
    let mut differences = derived::differences(&pipeline, Derived::new(HOSTS, seed)).await;
    differences.retain(|difference| !is_resting(difference));
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    let terms = Terms {
        killed,
        ..derived::terms(DELAY_MS, 0)
    };
    let violations = judge(&log, &terms);
    assert!(violations.is_empty(), "{}", summary(&violations));
}

#[tokio::test(flavor = "multi_thread")]
async fn p35_retry_after_binds_the_next_crawler_after_a_kill() {
    let web = simweb::Simweb::builder()
        .site("tired.example")
        .behaviour(Behaviour::default().path(
            "/robots.txt",
            Answer::status(429).header("retry-after", "3600"),
        ))
        .start();
    let mut pipeline = Pipeline::new(web.await.unwrap());
    pipeline.address_delay_ms = 50;
    let list = pipeline.folder.path().join("seeds.txt");
    std::fs::write(&list, pipeline.web.seeds().join("\n")).unwrap();
    let mut crawler = start_crawl(&pipeline, "50");
    until("the request to wait is stored", async || {
        if !pipeline.folder.path().join("agentdex.db").exists() {
            return false;
        }
        let store = pipeline.store().await;
        let hosts = store.host_blocks(Timestamp(0)).await;
        let addresses = store.address_blocks(Timestamp(0)).await;
        if let (Ok(hosts), Ok(addresses)) = (hosts, addresses)
            && let ([(host, until)], [(_, paused)]) = (&hosts[..], &addresses[..])
        {
            assert_eq!(host.as_str(), "tired.example");
            // Other hosts of the address wait one minute, not the whole hour.
            return until.since(*paused) > Duration::from_mins(58);
        }
        false
    })
    .await;
    crawler.kill().unwrap();
    crawler.wait().unwrap();

    let again = pipeline.crawl(&["--delay", "50"]);
    assert_eq!(again.code, Some(0), "{}", again.output);
    let violations = judge(&Log::of(&pipeline.web), &derived::terms(50, 50));
    assert!(violations.is_empty(), "{}", summary(&violations));
    assert_eq!(pipeline.web.requests_of("tired.example").len(), 1);
}

/// Starts a crawl and kills it after so long, or lets it end; the moment of its death in
/// milliseconds since 1970.
#[expect(
    clippy::disallowed_methods,
    reason = "the judge compares it with the moments of a log"
)]
async fn crawl_killed(pipeline: &Pipeline, delay: &str, after_ms: u64) -> u64 {
    let mut child = start_crawl(pipeline, delay);
    let started = Instant::now();
    while started.elapsed() < Duration::from_millis(after_ms) && child.try_wait().unwrap().is_none()
    {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    u64::try_from(since_1970.as_millis()).unwrap()
}

/// Starts a crawl of every seed, a few at once, so that some of them end before the crawler does.
pub(crate) fn start_crawl(pipeline: &Pipeline, delay: &str) -> Child {
    let log = std::fs::File::create(pipeline.folder.path().join("killed.log")).unwrap();
    Command::new(support::binary("crawler"))
        .args(pipeline.crawl_arguments())
        .args(["--delay", delay, "--concurrency", "16"])
        .current_dir(pipeline.folder.path())
        .stdin(Stdio::null())
        .stdout(log.try_clone().unwrap())
        .stderr(log)
        .spawn()
        .unwrap()
}

/// Counts the requests to each host so far; hosts without any are missing.
fn requests(pipeline: &Pipeline) -> BTreeMap<String, usize> {
    let mut counted = BTreeMap::new();
    for request in pipeline.web.requests() {
        *counted.entry(request.host).or_default() += 1;
    }
    counted
}

/// Returns the hosts whose visit was recorded before the crawler died.
pub(crate) async fn recorded(pipeline: &Pipeline) -> Vec<String> {
    if !pipeline.folder.path().join("agentdex.db").exists() {
        return Vec::new();
    }
    let store = pipeline.store().await;
    let mut hosts = Vec::new();
    for host in pipeline.web.hosts() {
        let site = store.site(&pipeline::domain(&host)).await.unwrap();
        if site.is_some_and(|site| !site.visits.is_empty()) {
            hosts.push(host);
        }
    }
    hosts
}
