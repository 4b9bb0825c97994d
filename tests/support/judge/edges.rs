//! Addresses that the answers of many sites show to be shared edges, and when (P50).
//!
//! An answer counts from its end. The crawler learns of it a moment later, so that an edge lasts a
//! moment longer than its last proof.

use super::log::{Exchange, Log};
use manifest::Domain;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::net::IpAddr;

/// Headers that edges add, with the start of their values.
const HEADERS: [(&str, &str); 3] = [
    ("server", "cloudflare"),
    ("x-vercel-id", ""),
    ("x-served-by", "cache-"),
];
/// Sites that make an edge.
const FEWEST: usize = 50;
/// Sites that end it when they ask for a pause within an hour, and for how long.
const THROTTLING: usize = 3;
const HOUR: u64 = 3_600_000;
const DAY: u64 = 24 * HOUR;
/// Time after which the crawler must have acted on an answer.
const GRACE_MS: u64 = 250;

/// Times at which addresses were edges.
#[derive(Debug, Default)]
pub(super) struct Edges(HashMap<IpAddr, Vec<(u64, u64)>>);

impl Edges {
    /// Reads the edges from a log.
    pub(super) fn of(log: &Log) -> Self {
        let mut addresses: BTreeMap<IpAddr, Vec<&Exchange>> = BTreeMap::new();
        for exchange in &log.exchanges {
            addresses
                .entry(exchange.address)
                .or_default()
                .push(exchange);
        }
        let times = addresses.into_iter().map(|(address, mut exchanges)| {
            exchanges.sort_by_key(|it| it.ended);
            (address, times(&exchanges))
        });
        Self(times.collect())
    }

    /// Reports whether an address may have been asked as an edge at this time.
    pub(super) fn is_edge(&self, address: IpAddr, at: u64) -> bool {
        let times = self.0.get(&address).into_iter().flatten();
        times
            .into_iter()
            .any(|(from, to)| *from <= at && at <= to + GRACE_MS)
    }

    /// Reports whether an address was an edge at any time.
    pub(super) fn was_edge(&self, address: IpAddr) -> bool {
        self.0.get(&address).is_some_and(|times| !times.is_empty())
    }
}

/// Returns the site of an exchange, its registrable domain.
pub(super) fn site(exchange: &Exchange) -> String {
    let domain = Domain::parse(&exchange.host);
    domain.map_or_else(|_| exchange.host.clone(), |it| it.registrable().to_owned())
}

/// Returns the times at which an address was an edge, of its exchanges in the order of their ends.
fn times(exchanges: &[&Exchange]) -> Vec<(u64, u64)> {
    let mut times: Vec<(u64, u64)> = Vec::new();
    let mut marks: HashMap<String, Option<&str>> = HashMap::new();
    let mut throttling: Vec<(String, u64)> = Vec::new();
    let (mut usual_until, mut since) = (0, None);
    for exchange in exchanges {
        let at = exchange.ended;
        let mark = HEADERS.iter().find(|(name, start)| {
            let value = exchange.answer_header(name);
            value.is_some_and(|it| it.starts_with(start))
        });
        marks.insert(site(exchange), mark.map(|(name, _)| *name));
        if matches!(exchange.status, 429 | 503) {
            throttling.push((site(exchange), at));
            throttling.retain(|(_, then)| at < then + HOUR);
            let sites: HashSet<_> = throttling.iter().map(|(site, _)| site).collect();
            if sites.len() >= THROTTLING {
                usual_until = at + DAY;
            }
        }
        let most = HEADERS.iter().map(|(name, _)| {
            let with = marks.values().filter(|mark| **mark == Some(*name));
            with.count()
        });
        let is_marked = most.max().unwrap_or(0) * 10 >= marks.len() * 9;
        let is_edge = marks.len() >= FEWEST && is_marked && at >= usual_until;
        match (since, is_edge) {
            (None, true) => since = Some(at),
            (Some(from), false) => {
                times.push((from, at));
                since = None;
            }
            _ => {}
        }
    }
    times.extend(since.map(|from| (from, u64::MAX - GRACE_MS)));
    times
}
