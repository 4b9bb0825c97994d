//! Times of requests (P13, P16 to P20, P23, P24, P35, P50).

use super::edges::{Edges, site};
use super::log::{Exchange, Log};
use super::robots::Policy;
use super::visits::Visit;
use super::{Signal, Terms, Violation};
use manifest::Domain;
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::time::{Duration, UNIX_EPOCH};

/// A slow host gets this many times its last response time, up to the second number (P17).
const LATENCY: (u64, u64) = (5, 30_000);
/// Least and greatest back-off after a host throttled (P35).
const PAUSE: (u64, u64) = (60_000, 86_400_000);
/// Time for which the address of a throttling host pauses, and for how long no more is asked of it
/// for the same registrable domain (P35).
const ADDRESS_PAUSE: u64 = 60_000;
const ADDRESS_MEMORY: u64 = 3_600_000;
/// Without `Retry-After` the least wait may be a tenth shorter (P35).
const PLEA_WITH_JITTER: u64 = 54_000;
/// A longer crawl delay allows nothing but robots.txt (P24).
const LONGEST_DELAY: u64 = 86_400_000;
/// Connections to one address, and visits in one network, at the same time (P19, P20).
const MAX_CONNECTIONS: usize = 2;
const MAX_VISITS: usize = 4;
/// The same at a learned edge, and at all those of a network; its gap is a part of the usual one
/// (P50).
const MAX_AT_EDGE: usize = 10;
const EDGE_SPEED: u64 = 5;
/// The first requests of two visits may come closer together than they were permitted, by the
/// difference of their handshakes.
const HANDSHAKE_MS: u64 = 25;

/// A server may notice so late that a connection was closed: it waits for a processor too.
const CLOSING_MS: u64 = 250;

/// Checks that a visit waits for each answer before it asks again (P13).
pub(super) fn check_in_flight(visit: &Visit<'_>, terms: &Terms, found: &mut Vec<Violation>) {
    for pair in visit.exchanges.windows(2) {
        let (before, after) = (pair[0], pair[1]);
        if after.at + terms.slack_ms < before.ended {
            found.push(Violation {
                rule: "P13",
                whom: after.host.clone(),
                at: after.at,
                what: format!("{} is asked while {} is answered", after.path, before.path),
            });
        }
    }
}

/// Checks the gaps between the requests to each host, over all visits and restarts.
pub(super) fn check_hosts(log: &Log, terms: &Terms, found: &mut Vec<Violation>) {
    let mut hosts: BTreeMap<&str, Vec<&Exchange>> = BTreeMap::new();
    for exchange in &log.exchanges {
        hosts.entry(&exchange.host).or_default().push(exchange);
    }
    for (host, exchanges) in hosts {
        let mut crawl_delay = None;
        for (before, after) in exchanges.iter().zip(&exchanges[1..]) {
            if before.is_robots()
                && let Some(policy) = Policy::of(before, &terms.token)
            {
                crawl_delay = policy.delay_ms;
            }
            let mut wanted = vec![("P16", terms.delay_ms)];
            if terms.latency {
                let (factor, most) = LATENCY;
                wanted.push(("P17", (factor * (before.ended - before.at)).min(most)));
            }
            if let Some(delay) = crawl_delay {
                // A kill before the answer was written down leaves the next run without it.
                let is_forgotten = before.is_robots()
                    && after.is_robots()
                    && terms.may_be_forgotten(before, before.ended);
                // Robots.txt alone may be asked again at the usual interval.
                let is_held = !is_forgotten && (delay <= LONGEST_DELAY || !after.is_robots());
                wanted.push(("P24", if is_held { delay } else { 0 }));
            }
            if let Some(pause) =
                requested_pause(before).filter(|_| !terms.may_be_forgotten(before, before.ended))
            {
                wanted.push(("P35", pause));
            }
            for (rule, wanted) in wanted {
                let from = match rule {
                    "P16" => terms.busy_until(before),
                    _ => before.ended,
                };
                let gap = after.at.saturating_sub(from);
                if gap + terms.slack_ms < wanted {
                    found.push(Violation {
                        rule,
                        whom: host.to_owned(),
                        at: after.at,
                        what: format!(
                            "{gap} ms instead of {wanted} between {} and {}",
                            before.path, after.path
                        ),
                    });
                }
            }
        }
    }
}

/// Returns the back-off that a host requests with this answer.
fn requested_pause(exchange: &Exchange) -> Option<u64> {
    if !matches!(exchange.status, 429 | 503) {
        return None;
    }
    let (least, most) = PAUSE;
    let asked = exchange.answer_header("retry-after").and_then(|value| {
        if let Ok(seconds) = value.trim().parse::<u64>() {
            return Some(seconds.saturating_mul(1_000));
        }
        let now = UNIX_EPOCH + Duration::from_millis(exchange.ended);
        let until = httpdate::parse_http_date(value).ok()?.duration_since(now);
        u64::try_from(until.ok()?.as_millis()).ok()
    });
    Some(asked.map_or(PLEA_WITH_JITTER, |asked| asked.clamp(least, most)))
}

/// Checks the rate limits of each address and each network.
pub(super) fn check_addresses(
    log: &Log,
    visits: &[Visit<'_>],
    terms: &Terms,
    found: &mut Vec<Violation>,
) {
    let mut last: HashMap<IpAddr, &Exchange> = HashMap::new();
    let mut blocked: HashMap<IpAddr, (u64, &str)> = HashMap::new();
    let mut paused: HashMap<(IpAddr, String), u64> = HashMap::new();
    let redirected = super::redirected::requests(log);
    let edges = Edges::of(log);
    let mut sites: HashMap<(IpAddr, String), u64> = HashMap::new();
    for (place, exchange) in log.exchanges.iter().enumerate() {
        let address = exchange.address;
        let before = last.insert(address, exchange);
        let mut broken = |rule, what| {
            found.push(Violation {
                rule,
                whom: address.to_string(),
                at: exchange.at,
                what,
            });
        };
        if let (Some(before), Some(wanted)) = (before, terms.address_delay_ms) {
            let is_edge = edges.is_edge(address, exchange.at);
            let (rule, gap, wanted) = if is_edge {
                let gap = exchange.at.saturating_sub(before.at);
                ("P50", gap + HANDSHAKE_MS, wanted / EDGE_SPEED)
            } else {
                ("P19", exchange.at.saturating_sub(before.ended), wanted)
            };
            if gap + terms.slack_ms < wanted {
                let hosts = format!("{} and {}", before.host, exchange.host);
                broken(
                    rule,
                    format!("{gap} ms instead of {wanted} between {hosts}"),
                );
            }
        }
        if let Some(wanted) = terms.address_delay_ms {
            let last = sites.insert((address, site(exchange)), exchange.ended);
            let gap = last.map(|ended| exchange.at.saturating_sub(ended));
            // Elsewhere, the gap of the address is that of each site.
            if edges.is_edge(address, exchange.at)
                && let Some(gap) = gap.filter(|gap| gap + terms.slack_ms < wanted)
            {
                let what = format!("{gap} ms instead of {wanted} for {}", site(exchange));
                broken("P50", what);
            }
        }
        if terms.throttled_addresses {
            if let Some((until, host)) = blocked.get(&address)
                && exchange.at + terms.slack_ms < *until
                // The host's own gap is judged already.
                && *host != exchange.host
            {
                broken(
                    "P35",
                    format!("{} is asked after {host} throttled", exchange.host),
                );
            }
            // A host speaks for its address when it was asked for its own sake, and its site once
            // an hour.
            if let Some(pause) = requested_pause(exchange)
                .filter(|_| !terms.may_be_forgotten(exchange, exchange.ended))
                && !redirected.contains(&place)
                && let Ok(domain) = Domain::parse(&exchange.host)
            {
                let site = (address, domain.registrable().to_owned());
                let is_news = paused
                    .get(&site)
                    .is_none_or(|before| exchange.ended >= before + ADDRESS_MEMORY);
                if is_news {
                    paused.insert(site, exchange.ended);
                    let until = exchange.ended + pause.min(ADDRESS_PAUSE);
                    blocked.insert(address, (until, exchange.host.as_str()));
                }
            }
        }
    }
    if terms.address_delay_ms.is_some() {
        check_crowds(log, visits, (&edges, terms), found);
    }
}

/// Checks the numbers of connections and visits at a time.
fn check_crowds(
    log: &Log,
    visits: &[Visit<'_>],
    (edges, terms): (&Edges, &Terms),
    found: &mut Vec<Violation>,
) {
    let mut connections: BTreeMap<IpAddr, Vec<(u64, u64)>> = BTreeMap::new();
    let first: HashMap<u64, &Exchange> = log
        .exchanges
        .iter()
        .rev()
        .map(|it| (it.connection, it))
        .collect();
    for it in &log.connections {
        let closed = it
            .closed
            .map_or(u64::MAX, |at| at.saturating_sub(CLOSING_MS));
        // A crawler that is stopped cannot close its connections.
        let stops = first.get(&it.number).into_iter();
        let stops = stops.flat_map(|exchange| terms.signals_to(exchange));
        let stops = stops.filter(|signal| signal.signal == Signal::Stop && signal.at >= it.opened);
        let closed = stops.map(|it| it.at).fold(closed, u64::min);
        connections
            .entry(it.address)
            .or_default()
            .push((it.opened, closed));
    }
    for (address, spans) in connections {
        let (rule, most) = if edges.was_edge(address) {
            ("P50", MAX_AT_EDGE)
        } else {
            ("P19", MAX_CONNECTIONS)
        };
        at_once(rule, &address.to_string(), spans, most, terms, found);
    }
    let mut networks: BTreeMap<(String, bool), Vec<(u64, u64)>> = BTreeMap::new();
    for visit in visits {
        for (key, span) in spans(visit, edges) {
            networks.entry(key).or_default().push(span);
        }
    }
    for ((network, at_edges), spans) in networks {
        let (rule, most) = if at_edges {
            ("P50", MAX_AT_EDGE)
        } else {
            ("P20", MAX_VISITS)
        };
        at_once(rule, &network, spans, most, terms, found);
    }
}

/// Returns the time that a visit spends in each network, those that redirects lead it to included; edges
/// are apart.
fn spans(visit: &Visit<'_>, edges: &Edges) -> BTreeMap<(String, bool), (u64, u64)> {
    let mut spans: BTreeMap<(String, bool), (u64, u64)> = BTreeMap::new();
    for exchange in &visit.exchanges {
        let key = (network(exchange.address), edges.was_edge(exchange.address));
        let span = spans.entry(key).or_insert((exchange.at, exchange.ended));
        span.1 = span.1.max(exchange.ended);
    }
    spans
}

/// Returns the network of an address: /24, or /48.
fn network(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => {
            let [a, b, c, _] = address.octets();
            format!("{a}.{b}.{c}.0/24")
        }
        IpAddr::V6(address) => {
            let [a, b, c, ..] = address.segments();
            format!("{a:x}:{b:x}:{c:x}::/48")
        }
    }
}

/// Records a violation if more than `most` of the time spans overlap.
fn at_once(
    rule: &'static str,
    whom: &str,
    spans: Vec<(u64, u64)>,
    most: usize,
    terms: &Terms,
    found: &mut Vec<Violation>,
) {
    // Ends come before beginnings of the same moment.
    let mut turns: Vec<(u64, i64)> = Vec::new();
    for (begins, ends) in spans {
        turns.push((begins + terms.slack_ms, 1));
        turns.push((ends.max(begins + terms.slack_ms), -1));
    }
    turns.sort_unstable();
    let mut open = 0;
    for (place, &(at, turn)) in turns.iter().enumerate() {
        open += turn;
        if turn > 0 && open > i64::try_from(most).unwrap_or(i64::MAX) {
            let end = turns[place..].iter().find(|(_, turn)| *turn < 0);
            let lasted = end.map_or(0, |(end, _)| end - at);
            let what = format!("{open} at once instead of {most} for {lasted} ms");
            let whom = whom.to_owned();
            found.push(Violation {
                rule,
                whom,
                at,
                what,
            });
        }
    }
}

/// Checks that visits to one registrable domain follow each other (P18).
pub(super) fn check_sites(visits: &[Visit<'_>], terms: &Terms, found: &mut Vec<Violation>) {
    let mut last: HashMap<String, (u64, &str)> = HashMap::new();
    for visit in visits {
        let Ok(domain) = Domain::parse(visit.seed) else {
            continue;
        };
        let site = domain.registrable().to_owned();
        if let Some((ended, other)) = last.get(&site)
            && visit.started() + terms.slack_ms < *ended
        {
            found.push(Violation {
                rule: "P18",
                whom: site.clone(),
                at: visit.started(),
                what: format!("{} is visited while {other} is", visit.seed),
            });
        }
        let busy = visit.exchanges.iter().map(|it| terms.busy_until(it));
        let ended = busy
            .max()
            .unwrap_or_default()
            .max(last.get(&site).map_or(0, |(ended, _)| *ended));
        last.insert(site, (ended, visit.seed));
    }
}
