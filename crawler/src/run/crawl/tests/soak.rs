//! Two hours of the whole loop in simulated time, with a real database: none of its tables grows.
//!
//! Every second brings names that were never seen before. The network derives the behaviour of a
//! host from its number; in the second hour it is down for five minutes.

use super::*;
use crate::config::CommandLine;
use crate::fetch::{DnsFailure, FetchError, Request, Response, Stage};
use crate::run::{clock, random};
use crate::summary::Progress;
use clap::Parser as _;
use std::net::{IpAddr, Ipv4Addr};
use std::ops::Range;
use store::{
    Exclusion, ExclusionSource, Outcome, Scope, Seed, SeedSource, SubmissionKind, VisitRequest,
};

/// Domains that fall due in a second.
const A_SECOND: u64 = 1;
/// Interval at which table sizes are taken; external events happen at the same time.
const STEP: Duration = Duration::from_mins(1);
const STEPS: u64 = 120;
/// In the first half hour the tables fill up to the point at which eviction begins; the last half
/// hour must not need more than the second.
const QUARTER: usize = 30;
/// Period without any reachable host.
const OUTAGE: Range<Duration> = Duration::from_mins(65)..Duration::from_mins(70);

const CARD: &str = r#"{"name": "Desk", "description": "Answers questions.", "version": "1.0.0",
    "protocolVersion": "0.3.0", "url": "https://desk.example/a2a", "capabilities": {},
    "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
    "skills": [{"id": "ask", "name": "Ask", "description": "Ask it.", "tags": ["ask"]}]}"#;

/// Behaviour of a host, derived from its number.
enum Kind {
    NoName,
    Closed,
    Throttles,
    Slow,
    Forbids,
    Serves,
    Empty,
}

fn kind(number: u64) -> Kind {
    match number % 20 {
        0..=3 => Kind::NoName,
        4 | 5 => Kind::Closed,
        6 => Kind::Throttles,
        // Each of its requests needs a lease of its own.
        7 if number % 100 == 7 => Kind::Slow,
        16 => Kind::Serves,
        17 => Kind::Empty,
        _ => Kind::Forbids,
    }
}

/// Returns the site: nine of ten hosts are sites of their own, the others belong to a farm.
fn name(number: u64) -> String {
    match number % 10 {
        3 => format!("h{number}.farm{}.example", number / 500),
        _ => format!("site-{number}.example"),
    }
}

/// Returns the address: three of four hosts have their own, the others share one with 24 hosts.
/// Hosts that refuse all visits use one of 64 addresses, because the number of histories that the
/// gate keeps is bounded, as its own tests show.
fn address(number: u64) -> IpAddr {
    let place = match (kind(number), number % 4) {
        (Kind::Closed, _) => 10_000_000 + number / 20 % 64,
        (_, 1) => number / 100 * 100 + 1,
        (_, _) => number,
    };
    // Each address is in a network of its own, so that no unrelated limits apply.
    Ipv4Addr::from_bits(0x0100_0000 + (u32::try_from(place % 0x80_0000).unwrap() << 8)).into()
}

/// Simulated Internet.
#[derive(Clone)]
struct World {
    begun: Instant,
}

impl World {
    fn is_gone(&self) -> bool {
        OUTAGE.contains(&self.begun.elapsed())
    }
}

fn number(request: &Request) -> u64 {
    let host = request.url.host_str().unwrap();
    let label = host.split('.').next().unwrap();
    label
        .trim_start_matches(|it: char| !it.is_ascii_digit())
        .parse()
        .unwrap()
}

fn answer(status: u16, body: &str) -> Response {
    Response {
        status,
        body: body.into(),
        ..Response::default()
    }
}

impl Fetch for World {
    async fn resolve(&self, request: &Request) -> Result<IpAddr, FetchError> {
        if self.is_gone() {
            return Err(FetchError::Dns(DnsFailure::Timeout));
        }
        let number = number(request);
        match kind(number) {
            Kind::NoName => Err(FetchError::Dns(DnsFailure::NxDomain)),
            _ => Ok(address(number)),
        }
    }

    async fn get(&self, request: &Request) -> Result<Response, FetchError> {
        tokio::time::sleep(Duration::from_millis(50)).await;
        if self.is_gone() {
            return Err(FetchError::Timeout(Stage::Connect));
        }
        Ok(match (kind(number(request)), request.url.path()) {
            (Kind::NoName | Kind::Closed, _) => return Err(FetchError::Refused),
            (Kind::Throttles, _) => Response {
                retry_after: Some("120".to_owned()),
                ..answer(503, "")
            },
            (Kind::Slow, "/robots.txt") => answer(200, "User-agent: *\nCrawl-delay: 40\n"),
            (Kind::Forbids, "/robots.txt") => answer(200, "User-agent: *\nDisallow: /\n"),
            (Kind::Serves | Kind::Empty, "/robots.txt") => answer(200, "User-agent: *\nAllow: /\n"),
            (Kind::Serves, "/.well-known/agent-card.json") => answer(200, CARD),
            _ => answer(404, ""),
        })
    }
}

/// Returns the sizes of the loop's tables by name. Busy networks are evicted by the thousand; the
/// faster soak of the tables alone covers that.
fn sizes<F>(crawl: &Crawl<'_, F>) -> Vec<(&'static str, usize)> {
    let mut sizes = vec![
        ("gate", crawl.settings.gate.lock().len()),
        ("batch", crawl.batch.len()),
    ];
    sizes.extend(crawl.queues.sizes());
    sizes.extend(crawl.in_flight.sizes());
    sizes
}

/// Makes the external events of one step: seeds, submissions, an exclusion.
async fn happen(step: u64, in_flight: Option<Domain>, store: &dyn Store) {
    let each = A_SECOND * STEP.as_secs();
    let seeds: Vec<Seed> = (step * each..(step + 1) * each)
        .map(|number| Seed {
            domain: Domain::parse(&name(number)).unwrap(),
            port: None,
            source: SeedSource::Seed,
        })
        .collect();
    store.add_seeds(&seeds, false, clock().now()).await.unwrap();
    // One known domain and one unknown domain.
    for (kind, number) in [
        (SubmissionKind::Recheck, step / 2 * each),
        (SubmissionKind::New, 10_000_000 + step),
    ] {
        let request = VisitRequest {
            kind,
            id: format!("{number} {step}"),
            domain: Domain::parse(&name(number)).unwrap(),
            port: None,
            network: String::new(),
            token_hash: None,
        };
        store.submit(&request, clock().now()).await.unwrap();
    }
    if let Some(domain) = in_flight {
        let exclusion = Exclusion {
            scope: Scope::domain(&domain),
            reason: "wishes to leave".to_owned(),
            source: ExclusionSource::Owner,
            since: clock().now(),
        };
        store.exclude(&exclusion, clock().now()).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn no_table_of_the_loop_grows_within_two_hours() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("agentdex.db").display());
    let store = steady::open(&url).await;
    let line = [
        "crawler",
        "--watch",
        "--concurrency",
        "100",
        "--contact",
        "bot@agents.example.com",
    ];
    let config = Config::try_from(CommandLine::try_parse_from(line).unwrap().crawl).unwrap();
    let progress = Arc::new(Progress::default());
    let control = Control::new(progress);
    let mut report = Report::open(None).unwrap();
    let begun = Instant::now();
    let world = World { begun };
    let mut crawl = Crawl::new(
        &config,
        world,
        Common::alone(&config, &store),
        &control,
        &mut report,
        clock(),
        random(),
    )
    .await
    .unwrap();
    let mut taken = Vec::new();
    for step in 0..STEPS {
        let in_flight = crawl.in_flight.any_domain();
        happen(step, in_flight, &*store).await;
        let end = begun + STEP * u32::try_from(step + 1).unwrap();
        // The clock does not advance while the loop uses the store, so the loop is left waiting
        // there.
        tokio::select! {
            ended = crawl.visit_due() => panic!("the crawl ended: {ended:?}"),
            () = sleep_until(end) => {}
        }
        taken.push(sizes(&crawl));
    }

    let summary = control.progress.snapshot();
    for outcome in [
        Outcome::Found,
        Outcome::Empty,
        Outcome::RobotsDisallow,
        Outcome::Throttled,
        Outcome::Down,
        Outcome::DnsError,
        Outcome::Budget,
    ] {
        assert!(summary.outcome(outcome) > 0, "no {outcome:?}:\n{summary}");
    }
    assert_eq!(summary.outages, 1, "{summary}");
    assert!(
        summary.postponements > 0,
        "no domain was postponed:\n{summary}"
    );
    let frontier = store.frontier_stats(clock().now()).await.unwrap();
    let kept = crawl.queues.waiting() + crawl.in_flight.len() + crawl.batch.len();
    assert!(
        frontier.leased <= kept as u64,
        "{kept} leases are kept of {frontier:?}"
    );
    for (table, (name, _)) in taken[0].iter().enumerate() {
        let peaks: Vec<usize> = taken
            .chunks(QUARTER)
            .filter_map(|part| part.iter().map(|sizes| sizes[table].1).max())
            .collect();
        let most = peaks[1] + peaks[1] / 4 + 16;
        assert!(peaks[3] <= most, "the {name} grow: {peaks:?}");
    }
}
