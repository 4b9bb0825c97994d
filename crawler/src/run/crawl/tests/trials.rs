//! Trials of hosts that answered before, in an outage of the own connection (P38).

use super::*;
use crate::config::CommandLine;
use crate::fetch::{FetchError, Request, Response, Stage};
use crate::rate_limit::Slot;
use crate::run::{clock, random};
use crate::summary::Progress;
use clap::Parser as _;
use std::net::{IpAddr, Ipv4Addr};
use std::ops::Range;
use std::sync::Mutex;
use store::{Seed, SeedSource};

/// Sites that answer before the outage, each with the crawl delay of its place.
const KNOWN: Range<usize> = 0..4;
const DELAYS: [u64; 4] = [0, 10, 30, 31];
/// Sites whose visits show the outage.
const OTHERS: Range<usize> = 10..60;
const MINUTE: Duration = Duration::from_mins(1);

/// State of the simulated web.
#[derive(Clone, Copy, Debug)]
enum State {
    Up,
    Away,
    Throttling,
}

#[derive(Clone)]
struct Web(Arc<Mutex<State>>);

fn domain(number: usize) -> Domain {
    Domain::parse(&format!("site-{number}.example")).unwrap()
}

fn number(request: &Request) -> usize {
    let host = Domain::parse(request.url.host_str().unwrap()).unwrap();
    (0..OTHERS.end).find(|it| domain(*it) == host).unwrap()
}

/// Returns the address of a site, in a network of its own.
fn address(number: usize) -> IpAddr {
    let number = u32::try_from(number).unwrap();
    Ipv4Addr::from_bits(0x0100_0001 + (number << 8)).into()
}

impl Fetch for Web {
    async fn resolve(&self, request: &Request) -> Result<IpAddr, FetchError> {
        Ok(address(number(request)))
    }

    async fn get(&self, request: &Request) -> Result<Response, FetchError> {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let state = *self.0.lock().unwrap();
        match (state, DELAYS.get(number(request))) {
            (State::Away, _) => Err(FetchError::Timeout(Stage::Connect)),
            (State::Throttling, _) => Ok(Response {
                status: 503,
                retry_after: Some("600".to_owned()),
                ..Response::default()
            }),
            (State::Up, Some(delay)) if request.url.path() == "/robots.txt" => Ok(Response {
                status: 200,
                body: format!("User-agent: *\nCrawl-delay: {delay}\n").into(),
                ..Response::default()
            }),
            (State::Up, _) => Ok(Response {
                status: 404,
                ..Response::default()
            }),
        }
    }
}

async fn add(numbers: Range<usize>, store: &dyn Store) {
    let seeds = numbers.map(|number| Seed {
        domain: domain(number),
        port: None,
        source: SeedSource::Seed,
    });
    let seeds: Vec<Seed> = seeds.collect();
    store.add_seeds(&seeds, false, clock().now()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn p38_a_host_is_tried_if_its_crawl_delay_permits_it_and_pauses_if_it_asks_for_that() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("agentdex.db").display());
    let store = steady::open(&url).await;
    let line = ["crawler", "--watch", "--contact", "bot@agents.example.com"];
    let config = Config::try_from(CommandLine::try_parse_from(line).unwrap().crawl).unwrap();
    let control = Control::new(Arc::new(Progress::default()));
    let mut report = Report::open(None).unwrap();
    let web = Web(Arc::new(Mutex::new(State::Up)));
    let common = Common::alone(&config, &store);
    let mut crawl = Crawl::new(
        &config,
        web.clone(),
        common,
        &control,
        &mut report,
        clock(),
        random(),
    )
    .await
    .unwrap();
    add(KNOWN, &*store).await;
    for (state, new, time) in [
        (State::Away, OTHERS, 10 * MINUTE),
        (State::Throttling, 0..0, MINUTE / 2),
    ] {
        // Sites with a crawl delay are visited for some minutes.
        tokio::select! {
            ended = crawl.visit_due() => panic!("the crawl ended: {ended:?}"),
            () = tokio::time::sleep(time) => {}
        }
        *web.0.lock().unwrap() = state;
        add(new, &*store).await;
    }
    let slots = crawl.outage.slots();
    let is_known = |number| slots.has(Slot::at(address(number)));
    let known: Vec<bool> = KNOWN.map(is_known).collect();
    assert_eq!(known, [true, true, true, false], "P24: 31 s is too long");
    assert!(crawl.outage.is_on());
    assert_eq!(store.host_blocks(clock().now()).await.unwrap(), []);
    tokio::select! {
        ended = crawl.visit_due() => panic!("the crawl ended: {ended:?}"),
        () = tokio::time::sleep(MINUTE) => {}
    }
    assert!(!crawl.outage.is_on());
    let slots = crawl.outage.slots();
    let known = KNOWN.filter(|it| slots.has(Slot::at(address(*it))));
    assert_eq!(known.count(), 2, "one has a pause");
    let blocks = store.host_blocks(clock().now()).await.unwrap();
    let tried: Vec<&Domain> = blocks.iter().map(|(host, _)| host).collect();
    let is_tried = |number| tried.contains(&&domain(number));
    assert_eq!(
        KNOWN.filter(|it| is_tried(*it)).count(),
        1,
        "P35: {blocks:?}"
    );
}
