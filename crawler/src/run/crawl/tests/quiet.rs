//! A web for the tests of the loop: all sites exist and have no manifest; each request is recorded.

use super::*;
use crate::config::CommandLine;
use crate::fetch::{FetchError, Request, Response};
use crate::run::{clock, random, release_leases};
use crate::summary::{Progress, Summary};
use clap::Parser as _;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Mutex;
use store::{Seed, SeedSource};

/// Response time of most sites.
const USUAL: Duration = Duration::from_millis(50);
/// Response time of one site in ten; a visit to it takes minutes (P17).
pub(super) const SLOW: Duration = Duration::from_secs(2);

/// Recorded request.
#[derive(Clone, Debug)]
pub(super) struct RecordedRequest {
    pub(super) path: String,
    pub(super) begun: Instant,
    /// End of the answer; `None` if the request was aborted.
    pub(super) ended: Option<Instant>,
}

/// The simulated web.
#[derive(Clone, Default)]
pub(super) struct Quiet {
    log: Arc<Mutex<BTreeMap<String, Vec<RecordedRequest>>>>,
    lookups: Arc<Mutex<Vec<String>>>,
}

impl Quiet {
    /// Requests by site.
    pub(super) fn asked(&self) -> BTreeMap<String, Vec<RecordedRequest>> {
        self.log.lock().unwrap().clone()
    }

    /// Returns the host name of each lookup.
    pub(super) fn lookups(&self) -> Vec<String> {
        self.lookups.lock().unwrap().clone()
    }
}

/// Returns the number of a site.
fn number(host: &str) -> u32 {
    let label = host.split('.').next().unwrap();
    label.trim_start_matches("site-").parse().unwrap()
}

/// Reports whether a site is slow.
pub(super) fn is_slow(host: &str) -> bool {
    number(host).is_multiple_of(10)
}

impl Fetch for Quiet {
    async fn resolve(&self, request: &Request) -> Result<IpAddr, FetchError> {
        // Each address is in a network of its own.
        let host = request.url.host_str().unwrap();
        self.lookups.lock().unwrap().push(host.to_owned());
        let number = number(host);
        Ok(Ipv4Addr::from_bits(0x0100_0001 + (number << 8)).into())
    }

    async fn get(&self, request: &Request) -> Result<Response, FetchError> {
        let host = request.url.host_str().unwrap().to_owned();
        let place = {
            let mut log = self.log.lock().unwrap();
            let asked = log.entry(host.clone()).or_default();
            asked.push(RecordedRequest {
                path: request.url.path().to_owned(),
                begun: Instant::now(),
                ended: None,
            });
            asked.len() - 1
        };
        tokio::time::sleep(if is_slow(&host) { SLOW } else { USUAL }).await;
        self.log.lock().unwrap().get_mut(&host).unwrap()[place].ended = Some(Instant::now());
        Ok(Response {
            status: 404,
            ..Response::default()
        })
    }
}

/// Adds this many sites.
pub(super) async fn add_sites(count: u32, store: &dyn Store) {
    let seeds: Vec<Seed> = (0..count)
        .map(|number| Seed {
            domain: Domain::parse(&format!("site-{number}.example")).unwrap(),
            port: None,
            source: SeedSource::Seed,
        })
        .collect();
    store.add_seeds(&seeds, false, clock().now()).await.unwrap();
}

/// Runs a crawler for the given time as if it were then killed, or until it ends; returns its
/// results and whether it ended.
pub(super) async fn live(
    web: &Quiet,
    store: &Arc<dyn Store>,
    arguments: &[&str],
    life: Duration,
) -> (Summary, bool) {
    let words = [
        &["crawler", "--contact", "bot@agents.example.com"],
        arguments,
    ];
    let words = CommandLine::try_parse_from(words.concat()).unwrap();
    let config = Config::try_from(words.crawl).unwrap();
    let progress = Arc::new(Progress::default());
    let control = Control::new(Arc::clone(&progress));
    let mut report = Report::open(None).unwrap();
    let end = Instant::now() + life;
    store.rebase(clock().now()).await.unwrap();
    let interrupted = release_leases(&**store, Duration::ZERO, clock().now())
        .await
        .unwrap();
    let mut crawl = Crawl::new(
        &config,
        web.clone(),
        Common::alone(&config, store),
        &control,
        &mut report,
        clock(),
        random(),
    )
    .await
    .unwrap();
    let has_ended = tokio::select! {
        ended = crawl.run(&interrupted) => {
            ended.unwrap();
            true
        }
        () = sleep_until(end) => false,
    };
    (progress.snapshot(), has_ended)
}
