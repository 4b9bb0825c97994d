//! Rate limits of addresses, networks and shared edges, and pauses after failures (P12, P19, P20,
//! P35, P38, P50): pure in `now`.
//!
//! [`crawl_delay`](crate::crawl_delay) computes the pause of a single host; this module limits
//! everything that hosts share. A visit is admitted by [`Gate::enter`], takes a [`Gate::turn`] for
//! each request, and ends with [`Gate::leave`]. Expired limits are evicted.
//!
//! Sites that share an address are unrelated, so the behaviour of one site counts only once: sites
//! are distinguished by registrable domain.

mod back_off;
mod edge_header;
mod edges;
mod guest;
mod health;
mod hosts;
mod key;
mod learned;
mod parking;
mod permission;
mod slot;
#[cfg(test)]
mod tests;
pub mod uplink;

pub use back_off::PAUSE as ADDRESS_PAUSE;
pub use edge_header::Marks;
pub use hosts::LONGEST_ANSWER;
pub use key::{Edge, IpKey, NetworkKey, edges};
pub use learned::{Cause, EdgeChange};
pub use parking::Fingerprint;
pub use permission::{Ending, Entry, Rules, Turn};
pub use slot::{GRANT, SLOTS, Share, Slot, Slots};

use crate::crawl_delay::LONGEST_DELAY;
use back_off::BackOff;
use edges::{PER_LEARNED, SPEED};
use health::{Health, NetworkHealth};
use hosts::{Hosts, TIDY_FIRST};
use learned::Learned;
use parking::Parking;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

/// Time between two requests to one address (P19).
pub const SHORTEST_GAP: Duration = Duration::from_secs(1);
/// Time for which a request without an answer blocks its address.
const SLOW: Duration = Duration::from_secs(10);
/// Concurrent visits to one address (P19).
const PER_ADDRESS: u32 = 2;
/// Concurrent visits to one network (P20).
const PER_NETWORK: u32 = 4;
/// Concurrent visits to one address of a shared edge.
const PER_EDGE_ADDRESS: u32 = 20;
/// Time between two requests to one address of a shared edge: 20 a second (P19).
const EDGE_ADDRESS_GAP: Duration = Duration::from_millis(50);
/// Time between two requests to one edge: 50 a second (P19).
const EDGE_GAP: Duration = Duration::from_millis(20);
/// Pause of a machine or network when half of its visits fail (P38).
const PAUSE: Duration = Duration::from_mins(10);
/// Maximum number of addresses of which only the results of their last visits are kept.
const MAX_HISTORIES: usize = 100_000;

/// Limits of all addresses and networks that are not expired.
#[derive(Debug)]
pub struct Gate {
    rules: Rules,
    addresses: HashMap<IpKey, Address>,
    networks: HashMap<NetworkKey, Network>,
    /// Time of the next permitted request to each edge, by its position in the rules.
    edges: Vec<Option<Instant>>,
    /// Number of learned edges.
    learned: usize,
    /// Networks that this crawler may contact, of those of a fleet.
    share: Share,
    tidy_at: usize,
    hosts: Hosts,
}

#[derive(Debug, Default)]
struct Address {
    active: u32,
    /// Those of the active visits that count in the network.
    counted: u32,
    /// Requests without an answer yet.
    in_flight: u32,
    /// Time until which a visit of another crawler has the turn.
    guest_until: Option<Instant>,
    answered: Arc<Notify>,
    next: Option<Instant>,
    blocked: Option<Instant>,
    health: Health,
    /// True if the machine has ever answered.
    has_answered: bool,
    back_off: BackOff,
    parking: Parking,
    learned: Learned,
}

#[derive(Debug, Default)]
struct Network {
    /// Visits to addresses that are no learned edges.
    active: u32,
    /// Visits to its learned edges.
    at_edges: u32,
    blocked: Option<Instant>,
    health: NetworkHealth,
}

/// Class of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// The operator's own, without rate limits: its names stand for separate machines, so that the
    /// behaviour of one does not affect the others.
    Lifted,
    /// Part of a shared edge, by its position in the rules.
    Edge(usize),
    /// An edge according to the answers of its sites.
    Learned,
    /// Any other machine.
    Single,
}

impl Gate {
    /// Returns a gate without any history.
    pub fn new(rules: Rules) -> Self {
        let edges = vec![
            None;
            rules
                .edges
                .iter()
                .map(|edge| edge.group + 1)
                .max()
                .unwrap_or(0)
        ];
        Self {
            rules,
            addresses: HashMap::new(),
            networks: HashMap::new(),
            edges,
            learned: 0,
            share: Share::new(Slots::all(), 1),
            tidy_at: TIDY_FIRST,
            hosts: Hosts::new(),
        }
    }

    /// Admits a visit of `site`, a registrable domain, to `address`, or says when to try again.
    pub fn enter(&mut self, site: &str, address: IpAddr, now: Instant) -> Entry {
        if !self.share.visits.has(Slot::at(address)) {
            return Entry::Elsewhere;
        }
        match self.enter_as(true, address, now) {
            Entry::Now(_) if matches!(self.class(address), Class::Single | Class::Learned) => {
                let machine = self.addresses.get_mut(&IpKey::of(address));
                Entry::Now(machine.and_then(|machine| machine.parking.expects(key_of(site))))
            }
            entry => entry,
        }
    }

    /// Admits a visit to another `address` to which a redirect led; `is_in_same_network` if it is already
    /// admitted in that network.
    pub fn enter_redirected(
        &mut self,
        is_in_same_network: bool,
        address: IpAddr,
        now: Instant,
    ) -> Entry {
        if !self.share.redirects.has(Slot::at(address)) {
            return Entry::Elsewhere;
        }
        self.enter_as(!is_in_same_network, address, now)
    }

    fn enter_as(&mut self, is_new: bool, address: IpAddr, now: Instant) -> Entry {
        let class = self.class(address);
        let key = IpKey::of(address);
        if self.addresses.len() + self.networks.len() >= self.tidy_at {
            self.tidy(now);
        }
        let network = self.networks.entry(key.network()).or_default();
        let machine = self.addresses.entry(key).or_default();
        let blocked = [machine.blocked, network.blocked];
        if let Some(until) = blocked.into_iter().flatten().max().filter(|it| *it > now) {
            return Entry::NotBefore(until);
        }
        let (per_address, per_network) = match class {
            Class::Lifted => (u32::MAX, u32::MAX),
            Class::Edge(_) => (PER_EDGE_ADDRESS, u32::MAX),
            Class::Learned => (PER_LEARNED, PER_LEARNED),
            Class::Single => (PER_ADDRESS, PER_NETWORK),
        };
        let is_full = machine.active >= machine.health.limit(per_address);
        let limit = network.health.limit(per_network);
        let in_network = network.count(class == Class::Learned);
        if is_full || (is_new && *in_network >= limit) {
            return Entry::Full;
        }
        *in_network += u32::from(is_new);
        machine.active += 1;
        machine.counted += u32::from(is_new);
        Entry::Now(None)
    }

    /// Ends an admitted visit of `site`.
    pub fn leave(&mut self, site: &str, address: IpAddr, ending: Ending, now: Instant) {
        let is_lifted = self.class(address) == Class::Lifted;
        let key = IpKey::of(address);
        let machine = self.addresses.entry(key).or_default();
        let network = self.networks.entry(key.network()).or_default();
        machine.active = machine.active.saturating_sub(1);
        machine.leave_network(network);
        let has_failed = match ending {
            Ending::Unasked => return,
            Ending::Failed => true,
            Ending::Answered(look) => {
                machine.parking.note(key_of(site), look);
                false
            }
        };
        machine.health.note(has_failed);
        if has_failed && machine.health.is_ill() && !is_lifted {
            machine.blocked = machine.blocked.max(Some(now + PAUSE));
        }
        machine.has_answered |= !has_failed;
        if !machine.has_answered {
            // Names can point at addresses that never answered, which is not the fault of their
            // network.
            return;
        }
        network.health.note(key.place(), has_failed);
        if has_failed && network.health.is_ill() && !is_lifted {
            network.blocked = network.blocked.max(Some(now + PAUSE));
        }
    }

    /// Ends an admission by [`Gate::enter_redirected`].
    pub fn leave_redirected(&mut self, is_in_same_network: bool, address: IpAddr) {
        let key = IpKey::of(address);
        if let Some(machine) = self.addresses.get_mut(&key) {
            machine.active = machine.active.saturating_sub(1);
            if !is_in_same_network && let Some(network) = self.networks.get_mut(&key.network()) {
                machine.leave_network(network);
            }
        }
    }

    /// Blocks a host for the given time, whatever leads there (P35).
    pub fn pause_host(&mut self, host: &str, pause: Duration, now: Instant) {
        self.hosts
            .pause_address(host, now + pause.min(LONGEST_DELAY), now);
    }

    /// Returns the end of a host's block (P35).
    pub fn host_paused_until(&self, host: &str, now: Instant) -> Option<Instant> {
        self.hosts.paused_until(host, now)
    }

    /// Takes the turn for a request to a host at `address`, or says what to wait for: redirects of
    /// other sites may lead to the host while it is under a visit of its own (P16).
    pub fn host_turn(&mut self, host: &str, address: IpAddr, now: Instant) -> Turn {
        let busy = self.hosts.busy(host, now);
        if let Some(at) = busy.max(self.hosts.paused_until(host, now)) {
            return Turn::At(at);
        }
        let turn = self.turn(address, now);
        if matches!(turn, Turn::Now) {
            self.hosts.asked(host, now);
        }
        turn
    }

    /// Records that a host may still answer a request of a crawler that was killed (P16).
    pub fn host_asked(&mut self, host: &str, now: Instant) {
        self.hosts.asked(host, now);
    }

    /// Records that a host has answered or failed, and the earliest time of the next request
    /// according to the caller.
    pub fn host_answered(&mut self, host: &str, next: Instant, now: Instant) {
        self.hosts.answered(host, next, now);
    }

    /// Records the crawl delay that the robots.txt of a host asks for: it applies to all visits,
    /// from the host's last answer on (P24), up to one day.
    pub fn host_slowed(&mut self, host: &str, delay: Duration, now: Instant) {
        self.hosts.slow_down(host, delay.min(LONGEST_DELAY), now);
    }

    /// Takes the turn for a request to `address`, or says what to wait for.
    ///
    /// The gap is measured from the end of the last answer, so that it holds at the server as well,
    /// however long the network path is. A slow host delays its neighbours by ten seconds at most.
    pub fn turn(&mut self, address: IpAddr, now: Instant) -> Turn {
        let class = self.class(address);
        let gap = self.gap(address);
        if class == Class::Lifted {
            return Turn::Now;
        }
        let machine = self.addresses.entry(IpKey::of(address)).or_default();
        let edge = match class {
            Class::Edge(group) => self.edges.get_mut(group),
            Class::Lifted | Class::Learned | Class::Single => None,
        };
        let busy = edge.as_deref().copied().flatten();
        let earliest = [machine.next, machine.blocked, machine.guest_until, busy]
            .into_iter()
            .flatten()
            .max();
        if let Some(at) = earliest.filter(|at| *at > now) {
            let is_asked = machine.in_flight > 0 && machine.blocked.is_none_or(|until| until < at);
            return if is_asked && class == Class::Single {
                Turn::After(Arc::clone(&machine.answered).notified_owned(), at)
            } else {
                Turn::At(at)
            };
        }
        machine.in_flight += 1;
        machine.next = Some(match class {
            Class::Edge(_) => now + EDGE_ADDRESS_GAP,
            Class::Learned => now + gap / SPEED,
            Class::Lifted | Class::Single => now + gap + SLOW,
        });
        if let Some(edge) = edge {
            *edge = Some(now + EDGE_GAP * self.share.crawlers.max(1));
        }
        Turn::Now
    }

    /// Records that a request whose turn was taken has been answered or has failed.
    pub fn answered(&mut self, address: IpAddr, now: Instant) {
        let class = self.class(address);
        let gap = self.gap(address);
        let Some(machine) = self.addresses.get_mut(&IpKey::of(address)) else {
            return;
        };
        machine.in_flight = machine.in_flight.saturating_sub(1);
        if class == Class::Single {
            let after = now + gap;
            let is_last = machine.in_flight == 0;
            machine.next = Some(
                machine
                    .next
                    .filter(|_| !is_last)
                    .map_or(after, |at| at.max(after)),
            );
            machine.answered.notify_waiters();
        }
    }

    /// Records that the end of a request whose turn was taken will not be reported, because its visit was
    /// aborted: its turn lasts as long as it can.
    pub fn lost(&mut self, address: IpAddr) {
        if let Some(machine) = self.addresses.get_mut(&IpKey::of(address)) {
            machine.in_flight = machine.in_flight.saturating_sub(1);
        }
    }

    /// Records that a `site` under its own visit asked for a pause; returns the pause of its
    /// address, which is zero at a shared edge (P35).
    pub fn pause_address(
        &mut self,
        site: &str,
        address: IpAddr,
        pause: Duration,
        now: Instant,
    ) -> Option<Duration> {
        if !matches!(self.class(address), Class::Single | Class::Learned) {
            return None;
        }
        let machine = self.addresses.entry(IpKey::of(address)).or_default();
        let pause = machine.back_off.note(key_of(site), now)?.min(pause);
        machine.blocked = machine.blocked.max(Some(now + pause));
        Some(pause)
    }

    /// Records that a request for `site` was answered without asking for a pause.
    pub fn answered_well(&mut self, site: &str, address: IpAddr) {
        if let Some(machine) = self.addresses.get_mut(&IpKey::of(address)) {
            machine.back_off.acquit(key_of(site));
        }
    }

    /// Blocks an address as stored by an earlier process (P35).
    pub fn block(&mut self, address: IpAddr, pause: Duration, now: Instant) {
        if !matches!(self.class(address), Class::Single | Class::Learned) {
            return;
        }
        let machine = self.addresses.entry(IpKey::of(address)).or_default();
        let until = now + pause.min(back_off::LONGEST_PAUSE);
        machine.blocked = machine.blocked.max(Some(until));
    }

    /// Returns the number of remembered addresses and networks.
    pub fn len(&self) -> usize {
        self.addresses.len() + self.networks.len()
    }

    /// Reports whether nothing is remembered.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the time between two requests; only own addresses may have a short one.
    fn gap(&self, address: IpAddr) -> Duration {
        match self.rules.gap {
            gap if self.is_own(address) => gap,
            gap => gap.max(SHORTEST_GAP),
        }
    }

    fn is_own(&self, address: IpAddr) -> bool {
        self.rules.own.iter().any(|own| own.contains(&address))
    }

    fn class(&self, address: IpAddr) -> Class {
        let rules = &self.rules;
        if rules.gap.is_zero() && self.is_own(address) {
            return Class::Lifted;
        }
        let mut edges = rules.edges.iter();
        if let Some(edge) = edges.find(|edge| edge.range.contains(&address)) {
            return Class::Edge(edge.group);
        }
        let machine = self.addresses.get(&IpKey::of(address));
        if machine.is_some_and(|machine| machine.learned.is_edge()) {
            Class::Learned
        } else {
            Class::Single
        }
    }

    /// Evicts expired entries: first those without a history, then histories beyond their maximum
    /// number.
    fn tidy(&mut self, now: Instant) {
        let is_ahead = |at: Option<Instant>| at.is_some_and(|at| at > now);
        let mut histories = 0;
        self.addresses.retain(|_, it| {
            let ends = [it.next, it.blocked, it.guest_until];
            let is_free = it.active == 0 && !ends.into_iter().any(is_ahead);
            let binds = !is_free || it.back_off.has_any(now) || it.learned.is_slowed(now);
            let has_history =
                it.health.has_failures() || it.parking.is_growing() || it.learned.has_marks();
            histories += usize::from(has_history && !binds);
            binds || (has_history && histories <= MAX_HISTORIES)
        });
        self.networks.retain(|_, it| {
            let binds = it.active + it.at_edges > 0 || is_ahead(it.blocked);
            let has_history = it.health.has_failures();
            histories += usize::from(has_history && !binds);
            binds || (has_history && histories <= MAX_HISTORIES)
        });
        let known = self.addresses.values();
        self.learned = known.filter(|it| it.learned.is_edge()).count();
        self.tidy_at = (2 * (self.addresses.len() + self.networks.len())).max(TIDY_FIRST);
    }
}

impl Address {
    /// Ends a visit that counts in the network.
    fn leave_network(&mut self, network: &mut Network) {
        self.counted = self.counted.saturating_sub(1);
        let count = network.count(self.learned.is_edge());
        *count = count.saturating_sub(1);
    }
}

impl Network {
    /// Returns the number of visits to its learned edges, or to its other addresses.
    fn count(&mut self, at_edges: bool) -> &mut u32 {
        if at_edges {
            &mut self.at_edges
        } else {
            &mut self.active
        }
    }
}

/// Hashes a registrable domain to a number small enough to remember thousands.
fn key_of(site: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    site.hash(&mut hasher);
    hasher.finish()
}
