//! Two hours of a crawl's tables in simulated time: their size is bounded by the limits that have
//! not expired.
//!
//! The frontier is simulated: every second brings names that were never seen before.

use crate::rate_limit::{Ending, Fingerprint, Gate, Rules};
use crate::run::address_queue::{Queue, ReadyVisit, Transitions};
use crate::run::site_queue::{Sites, Turn};
use manifest::Domain;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;
use store::{Lease, Outcome};
use tokio::time::{Instant, advance};

/// Domains that fall due in a second.
const A_SECOND: u64 = 30;
/// Duration of a visit.
const VISIT: Duration = Duration::from_secs(10);
/// Pause of a site after a visit.
const REST: Duration = Duration::from_millis(1_200);
/// Pause that an address asks for.
const PAUSE: Duration = Duration::from_mins(2);
/// As `--concurrency 4000` makes it.
const ROOM: usize = 16_000;

const SECOND: Duration = Duration::from_secs(1);

/// Behaviour of a domain, derived from its number.
enum Kind {
    NoName,
    Fails,
    Throttles,
    Parked,
    Answers,
}

fn kind(number: u64) -> Kind {
    match number % 12 {
        0 => Kind::NoName,
        1..=4 => Kind::Fails,
        5 => Kind::Throttles,
        6 | 7 => Kind::Parked,
        _ => Kind::Answers,
    }
}

/// Returns the site: nine of ten domains are sites of their own; a hundred in a thousand belong to
/// the same one.
fn lease(number: u64) -> Lease {
    let name = match number % 10 {
        3 => format!("h{number}.farm{}.example", number / 1_000),
        _ => format!("site{number}.example"),
    };
    // The simulation identifies it by its token.
    let token = i64::try_from(number).unwrap();
    Lease::first(1, Domain::parse(&name).unwrap(), token)
}

/// Returns the address: half of the domains have their own, some of them IPv6; the others share one
/// with 24 domains.
///
/// Domains that fail or look like their neighbours use one of a thousand addresses, because the
/// number of histories that the gate keeps is bounded, as its own tests show.
fn address(number: u64) -> IpAddr {
    let place = match (kind(number), number % 2) {
        (Kind::Fails | Kind::Parked, _) => number % 1_000,
        (_, 0) => 1_000 + number,
        (_, _) => 1_000 + number / 50 * 50 + 1,
    };
    // Each address is in a network of its own, so that no unrelated limits apply.
    match place % 8 {
        2 => Ipv6Addr::from_bits(0x2a00 << 112 | u128::from(place) << 80).into(),
        _ => Ipv4Addr::from_bits(0x0100_0000 + (u32::try_from(place).unwrap() << 8)).into(),
    }
}

/// Tables of a crawl, and its visits in flight.
struct Simulation {
    sites: Sites,
    queue: Queue,
    gate: Gate,
    /// Ends of the visits.
    visits: BTreeMap<Instant, Vec<ReadyVisit>>,
}

impl Simulation {
    fn new() -> Self {
        let rules = Rules {
            gap: SECOND,
            ..Rules::default()
        };
        Self {
            sites: Sites::new(ROOM),
            queue: Queue::new(ROOM),
            gate: Gate::new(rules),
            visits: BTreeMap::new(),
        }
    }

    /// Returns the numbers of entries of the sites, the queue and the gate.
    fn sizes(&self) -> [usize; 3] {
        [self.sites.len(), self.queue.len(), self.gate.len()]
    }

    /// Begins a visit, or returns its lease to the frontier.
    fn take(&mut self, lease: Lease) {
        if let Turn::At(start, lease) = self.sites.enter(lease) {
            self.look_up(start, lease);
        }
    }

    fn look_up(&mut self, start: Instant, lease: Lease) {
        let number = lease.token.unsigned_abs();
        if let Kind::NoName = kind(number) {
            self.leave_site(&lease.domain, Duration::ZERO);
            return;
        }
        let ready = (start, lease, address(number));
        let moved = self.queue.enter(&mut self.gate, ready, Instant::now());
        self.proceed(moved);
    }

    fn leave_site(&mut self, domain: &Domain, rest: Duration) {
        if let (Some((start, next)), _) = self.sites.leave(domain, rest) {
            self.look_up(start, next);
        }
    }

    fn proceed(&mut self, moved: Transitions) {
        for (ready, _) in moved.admitted {
            let now = Instant::now();
            self.gate.turn(ready.address, now);
            self.gate.answered(ready.address, now);
            let end = ready.start.max(now) + VISIT;
            self.visits.entry(end).or_default().push(ready);
        }
        for (ready, _) in moved.crowded.into_iter().chain(moved.blocked) {
            self.leave_site(&ready.lease.domain, Duration::ZERO);
        }
    }

    fn end(&mut self, ready: &ReadyVisit) {
        let now = Instant::now();
        let parked = Fingerprint {
            robots: 1,
            outcome: Outcome::Soft404,
            answer: 2,
        };
        let ending = match kind(ready.lease.token.unsigned_abs()) {
            Kind::NoName => Ending::Unasked,
            Kind::Fails => Ending::Failed,
            Kind::Parked => Ending::Answered(Some(parked)),
            Kind::Throttles => {
                let (host, site) = (
                    ready.lease.domain.as_str(),
                    ready.lease.domain.registrable(),
                );
                self.gate.pause_host(host, PAUSE, now);
                self.gate.pause_address(site, ready.address, PAUSE, now);
                Ending::Answered(None)
            }
            Kind::Answers => Ending::Answered(None),
        };
        let site = ready.lease.domain.registrable();
        self.gate.leave(site, ready.address, ending, now);
        let moved = self.queue.wake(&mut self.gate, ready.address, now);
        self.proceed(moved);
        self.leave_site(&ready.lease.domain, REST);
    }

    /// Simulates one second of a crawl.
    fn step(&mut self, second: u64) {
        let later = self
            .visits
            .split_off(&(Instant::now() + Duration::from_nanos(1)));
        let ended = std::mem::replace(&mut self.visits, later);
        for ready in ended.into_values().flatten() {
            self.end(&ready);
        }
        let moved = self.queue.wake_all(&mut self.gate, Instant::now());
        self.proceed(moved);
        for number in second * A_SECOND..(second + 1) * A_SECOND {
            self.take(lease(number));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn no_table_grows_within_two_hours_of_ever_new_names() {
    let mut simulation = Simulation::new();
    // The maximum of each table in each half hour.
    let mut peaks = [[0; 3]; 4];
    for (half_hour, peaks) in (0_u64..).zip(&mut peaks) {
        for second in 0..1_800 {
            simulation.step(half_hour * 1_800 + second);
            let sizes = simulation.sizes();
            *peaks = std::array::from_fn(|table| peaks[table].max(sizes[table]));
            advance(SECOND).await;
        }
    }
    // In the first half hour the tables fill up to the point at which eviction begins.
    let [_, second, _, last] = peaks;
    for (table, name) in ["sites", "queue", "gate"].into_iter().enumerate() {
        assert!(last[table] > 0, "the {name} is never used: {peaks:?}");
        assert!(
            last[table] * 10 <= second[table] * 11,
            "the {name} grows: {peaks:?}"
        );
    }
    assert!(simulation.visits.values().map(Vec::len).sum::<usize>() > 0);
}
