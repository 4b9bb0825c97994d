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
use store::{Seed, SeedSource};

/// Time that each answer takes.
const LATENCY: Duration = Duration::from_millis(200);
/// Gap of an address, and of a site at an edge.
const GAP: Duration = Duration::from_secs(1);
/// Gap of a learned edge: five requests a second.
const EDGE_GAP: Duration = Duration::from_millis(200);
/// Sites that make an edge.
const FEWEST: usize = 50;
/// Visits to an edge at a time.
const MOST_VISITS: usize = 10;

/// Machine at which names are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Machine {
    /// Each name is a site, and no answer is marked.
    Plain,
    /// Each name is a site, and each answer has the header of an edge.
    Edge,
    /// An edge that refuses: three sites answer 429 when this number of names has been asked.
    Tired(usize),
    /// The header of an edge, and names of 49 sites only.
    FewSites,
    /// A host of unrelated sites, of which two in three send such a header.
    Shared,
}

impl Machine {
    fn name(self, number: u32) -> String {
        match self {
            Self::FewSites => format!("n{number}.site{}.example", number % 49),
            _ => format!("n{number}.site{number}.example"),
        }
    }

    fn is_marked(self, number: u32) -> bool {
        match self {
            Self::Plain => false,
            Self::Edge | Self::Tired(_) | Self::FewSites => true,
            Self::Shared => !number.is_multiple_of(3),
        }
    }
}

/// Request that the simulated web received.
#[derive(Clone, Debug)]
struct Exchange {
    host: String,
    at: Instant,
    ended: Instant,
    status: u16,
}

impl Exchange {
    fn site(&self) -> &str {
        self.host.split_once('.').unwrap().1
    }
}

/// Simulated Internet of one machine with the names `n`, and a neighbour in its network with the
/// names `b`.
#[derive(Clone)]
struct World {
    machine: Machine,
    record: Arc<Mutex<Vec<Exchange>>>,
}

impl World {
    /// Returns the status of the next answer of a host.
    fn status(&self, host: &str) -> u16 {
        let Machine::Tired(patience) = self.machine else {
            return 404;
        };
        let record = self.record.lock().unwrap();
        let asked: HashSet<&str> = record.iter().map(|it| it.host.as_str()).collect();
        let refused = record.iter().filter(|it| it.status == 429).count();
        if asked.len() >= patience && refused < 3 && !asked.contains(host) {
            429
        } else {
            404
        }
    }
}

fn is_neighbour(host: &str) -> bool {
    host.starts_with('b')
}

impl Fetch for World {
    async fn resolve(&self, request: &Request) -> Result<IpAddr, FetchError> {
        let last = 8 + u8::from(is_neighbour(request.url.host_str().unwrap()));
        Ok([8, 8, 8, last].into())
    }

    async fn get(&self, request: &Request) -> Result<Response, FetchError> {
        let at = Instant::now();
        tokio::time::sleep(LATENCY).await;
        let host = request.url.host_str().unwrap().to_owned();
        let number = host[1..].split('.').next().unwrap().parse().unwrap();
        let mut headers = HeaderMap::new();
        if !is_neighbour(&host) && self.machine.is_marked(number) {
            headers.insert(SERVER, HeaderValue::from_static("cloudflare"));
        }
        let status = self.status(&host);
        self.record.lock().unwrap().push(Exchange {
            host,
            at,
            ended: Instant::now(),
            status,
        });
        Ok(Response {
            status,
            marks: Marks::of(&headers),
            ..Response::default()
        })
    }
}

/// Visits this number of names at a machine, and at its neighbour; returns the requests by their
/// times, of both.
async fn crawl(machine: Machine, names: u32, neighbours: u32) -> [Vec<Exchange>; 2] {
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
    let at_machine = (0..names).map(|number| machine.name(number));
    let beside = (0..neighbours).map(|number| format!("b{number}.beside{number}.example"));
    let seed = |name: String| Seed {
        domain: Domain::parse(&name).unwrap(),
        port: None,
        source: SeedSource::Seed,
    };
    let seeds: Vec<Seed> = at_machine.chain(beside).map(seed).collect();
    store.add_seeds(&seeds, false, clock().now()).await.unwrap();
    let control = Control::new(Arc::new(Progress::default()));
    let mut report = Report::open(None).unwrap();
    let world = World {
        machine,
        record: Arc::default(),
    };
    let mut crawl = Crawl::new(
        &config,
        world.clone(),
        Common::alone(&config, &store),
        &control,
        &mut report,
        clock(),
        StdRng::seed_from_u64(7),
    )
    .await
    .unwrap();
    crawl.visit_due().await.unwrap();
    let learned = control.progress.snapshot().learned_edges;
    assert_eq!(learned, u64::from(machine == Machine::Edge));
    for seed in &seeds {
        let site = store.site(&seed.domain).await.unwrap().unwrap();
        let visits = site.visits.len();
        let may_return = matches!(machine, Machine::Tired(_)) && visits > 0;
        assert!(visits == 1 || may_return, "{}: {visits}", seed.domain);
    }
    let mut record = world.record.lock().unwrap().clone();
    record.sort_by_key(|it| it.at);
    let beside = record.extract_if(.., |it| is_neighbour(&it.host)).collect();
    [record, beside]
}

/// Asserts that each request follows the last answer by the gap of an address.
fn assert_usual_pace(record: &[Exchange]) {
    for pair in record.windows(2) {
        assert!(pair[1].at >= pair[0].ended + GAP, "{pair:?}");
    }
}

/// Asserts the limits of an edge: its pace, that of each site, and visits at a time.
fn assert_pace_of_edge(record: &[Exchange]) {
    let mut sites: HashMap<&str, Instant> = HashMap::new();
    let mut visits: HashMap<&str, (Instant, Instant)> = HashMap::new();
    for pair in record.windows(2) {
        assert!(pair[1].at >= pair[0].at + EDGE_GAP, "{pair:?}");
    }
    for exchange in record {
        let before = sites.insert(exchange.site(), exchange.ended);
        assert!(before.is_none_or(|ended| exchange.at >= ended + GAP));
        let span = visits
            .entry(&exchange.host)
            .or_insert((exchange.at, exchange.ended));
        span.1 = exchange.ended;
    }
    for (begins, _) in visits.values() {
        let is_under_way = |(from, to): &&(Instant, Instant)| from <= begins && begins < to;
        assert!(visits.values().filter(is_under_way).count() <= MOST_VISITS);
    }
}

/// Returns the position of the first request after this many sites have answered.
fn after_sites(record: &[Exchange], sites: usize) -> usize {
    let mut first: HashMap<&str, Instant> = HashMap::new();
    for exchange in record {
        let ended = first.entry(exchange.site()).or_insert(exchange.ended);
        *ended = exchange.ended.min(*ended);
    }
    let mut ends: Vec<Instant> = first.into_values().collect();
    ends.sort_unstable();
    record.partition_point(|it| it.at < ends[sites - 1])
}

#[tokio::test(start_paused = true)]
async fn p50_an_edge_with_two_thousand_names_takes_a_fifth_of_the_time() {
    let [record, _] = crawl(Machine::Edge, 2_000, 0).await;
    let took = record.last().unwrap().ended - record[0].at;
    // At one request after the other; a crawl of such a machine takes a little longer.
    let usual = (GAP + LATENCY) * u32::try_from(record.len()).unwrap();
    assert!(record.len() >= 2_000 * 12, "{}", record.len());
    assert!(took * 5 <= usual, "{took:?} instead of {usual:?}");
    assert_pace_of_edge(&record);
    let learned = after_sites(&record, FEWEST);
    assert!(learned > FEWEST * 10);
    assert_usual_pace(&record[..learned]);
}

/// HS-116: what is not the header of an edge in the answers of many sites teaches nothing.
#[tokio::test(start_paused = true)]
async fn p50_hs_116_an_imitator_without_sites_or_with_neighbours_gains_nothing() {
    for machine in [Machine::FewSites, Machine::Shared] {
        let [record, _] = crawl(machine, 210, 0).await;
        assert_usual_pace(&record);
    }
}

/// HS-116: the owner of a whole machine and of fifty sites on it pays for its pace alone: no site near it
/// is visited later, none of its sites is asked more often or faster.
#[tokio::test(start_paused = true)]
async fn p50_hs_116_an_imitator_with_a_machine_of_its_own_takes_nothing_from_others() {
    const NEIGHBOURS: u32 = 60;
    let [plain, undisturbed] = crawl(Machine::Plain, 200, NEIGHBOURS).await;
    let [marked, beside] = crawl(Machine::Edge, 200, NEIGHBOURS).await;
    assert_usual_pace(&plain);
    assert_usual_pace(&beside);
    assert_pace_of_edge(&marked);
    assert_eq!(marked.len(), plain.len());
    let time = |record: &[Exchange]| record.last().unwrap().ended - record[0].at;
    assert!(time(&beside) <= time(&undisturbed).mul_f64(1.05));
}

#[tokio::test(start_paused = true)]
async fn p50_an_edge_of_which_three_sites_ask_for_a_pause_gets_the_usual_pace() {
    let [record, _] = crawl(Machine::Tired(90), 150, 0).await;
    assert_pace_of_edge(&record);
    let fast = record
        .windows(2)
        .filter(|pair| pair[1].at < pair[0].ended + GAP);
    assert!(fast.count() > 100, "it was an edge before");
    let refusals: Vec<_> = record.iter().filter(|it| it.status == 429).collect();
    assert_eq!(refusals.len(), 3);
    let end = refusals.iter().map(|it| it.ended).max().unwrap();
    let later = record.partition_point(|it| it.at <= end);
    assert!(record.len() - later > 100);
    assert_usual_pace(&record[later..]);
}
