//! Shared edges that are learned, and imitators (P50), in simulated time.
//!
//! The simulated web records each request with the time of its end, and the record is judged: it
//! knows nothing of the gate.

use super::steady;
use super::*;
use crate::config::CommandLine;
use crate::fetch::{FetchError, Request, Response};
use crate::rate_limit::Marks;
use crate::run::clock;
use crate::summary::Progress;
use clap::Parser as _;
use hyper::header::{HeaderMap, HeaderValue, SERVER};
use rand::SeedableRng as _;
use std::collections::{HashMap, HashSet};
use std::net::IpAddr;
use std::sync::Mutex;
use store::{Outcome, Seed, SeedSource};

/// Time that each answer takes.
const LATENCY: Duration = Duration::from_millis(200);
/// Names at the address in question.
const NAMES: u32 = 2_000;
const SECOND: Duration = Duration::from_secs(1);

/// Address at which the names are, as a kind of machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Machine {
    /// Each name is a site, and nothing marks an answer.
    Plain,
    /// Each name is a site, and each answer has the header of an edge.
    Edge,
    /// The same header, and names of forty sites only.
    FewSites,
    /// A shared host, where one of ten sites sends no such header.
    Shared,
}

impl Machine {
    fn name(self, number: u32) -> String {
        match self {
            Self::FewSites => format!("n{number}.site{}.example", number % 40),
            _ => format!("n{number}.site{number}.example"),
        }
    }

    fn is_marked(self, number: u32) -> bool {
        match self {
            Self::Plain => false,
            Self::Edge | Self::FewSites => true,
            Self::Shared => number % 8 != 0,
        }
    }
}

/// A request that the simulated web received.
#[derive(Clone, Debug)]
struct Exchange {
    host: String,
    at: Instant,
    ended: Instant,
}

/// Simulated Internet of one machine.
#[derive(Clone)]
struct World {
    machine: Machine,
    /// Numbers of names that answer 429.
    throttling: u32,
    record: Arc<Mutex<Vec<Exchange>>>,
}

fn number(host: &str) -> u32 {
    let label = host.split('.').next().unwrap();
    label[1..].parse().unwrap()
}

impl Fetch for World {
    async fn resolve(&self, _: &Request) -> Result<IpAddr, FetchError> {
        Ok([8, 8, 8, 8].into())
    }

    async fn get(&self, request: &Request) -> Result<Response, FetchError> {
        let at = Instant::now();
        tokio::time::sleep(LATENCY).await;
        let host = request.url.host_str().unwrap().to_owned();
        let number = number(&host);
        let mut headers = HeaderMap::new();
        if self.machine.is_marked(number) {
            headers.insert(SERVER, HeaderValue::from_static("cloudflare"));
        }
        let ended = Instant::now();
        self.record.lock().unwrap().push(Exchange { host, at, ended });
        Ok(Response {
            status: if number < self.throttling { 429 } else { 404 },
            marks: Marks::of(&headers),
            ..Response::default()
        })
    }
}

/// Visits all names of a machine; returns the time that took, and the requests by their times.
async fn crawl(machine: Machine, throttling: u32) -> (Duration, Vec<Exchange>) {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("agentdex.db").display());
    let store = steady::open(&url).await;
    let line = [
        "crawler",
        "--concurrency",
        "300",
        "--contact",
        "bot@agents.example.com",
    ];
    let config = Config::try_from(CommandLine::try_parse_from(line).unwrap().crawl).unwrap();
    let seed = |number| Seed {
        domain: Domain::parse(&machine.name(number)).unwrap(),
        port: None,
        source: SeedSource::Seed,
    };
    let seeds: Vec<Seed> = (0..NAMES).map(seed).collect();
    store.add_seeds(&seeds, false, clock().now()).await.unwrap();
    let control = Control::new(Arc::new(Progress::default()));
    let mut report = Report::open(None).unwrap();
    let world = World {
        machine,
        throttling,
        record: Arc::default(),
    };
    let begun = Instant::now();
    let mut crawl = Crawl::new(
        &config,
        world.clone(),
        Arc::clone(&store),
        &control,
        &mut report,
        clock(),
        StdRng::seed_from_u64(7),
    )
    .await
    .unwrap();
    crawl.visit_due().await.unwrap();
    let mut record = world.record.lock().unwrap().clone();
    record.sort_by_key(|it| it.at);
    let last = record.iter().map(|it| it.ended).max().unwrap();
    for seed in &seeds {
        let site = store.site(&seed.domain).await.unwrap().unwrap();
        let expected = if number(seed.domain.as_str()) < throttling {
            Outcome::Throttled
        } else {
            Outcome::Empty
        };
        assert_eq!(site.last_outcome, Some(expected), "{}", seed.domain);
    }
    (last - begun, record)
}

#[tokio::test(start_paused = true)]
async fn probe() {
    for machine in [Machine::Plain, Machine::Edge] {
        let wall = std::time::Instant::now();
        let (took, record) = crawl(machine, 0).await;
        println!("{machine:?}: {took:?} {} requests, wall {:?}", record.len(), wall.elapsed());
        let t0 = record[0].at;
        let mut per: HashMap<u64, u32> = HashMap::new();
        for it in &record { *per.entry((it.at - t0).as_secs() / 300).or_default() += 1; }
        let mut per: Vec<_> = per.into_iter().collect(); per.sort();
        println!("{per:?}");
    }
}
