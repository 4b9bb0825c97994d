//! How densely one machine, one network and one shared edge may be asked, and when to stop
//! altogether (P12, P19, P20, P35, P38): pure in `now`.
//!
//! [`politeness`](crate::politeness) keeps one host's pace; this module keeps that of everything that
//! hosts share. A visit is let in by [`Gate::enter`], takes a [`Gate::turn`] for each request, and
//! [`Gate::leave`]s. What no longer binds anybody is forgotten.
//!
//! Those who share an address do not know each other, so that nothing that one site does or says counts for more
//! than its own: sites are told apart by registrable domain.

mod fleet;
mod health;
mod hosts;
mod key;
mod pleas;
#[cfg(test)]
mod tests;
pub mod uplink;

pub use fleet::Fingerprint;
pub use key::{Edge, IpKey, NetworkKey, edges};
pub use pleas::PAUSE as PLEA_PAUSE;

use crate::politeness::LONGEST_DELAY;
use fleet::Fleet;
use health::{Health, NetworkHealth};
use hosts::Hosts;
use ipnet::IpNet;
use pleas::Pleas;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::sync::futures::OwnedNotified;
use tokio::time::Instant;

/// Between two requests to one address of somebody else (P19).
const SHORTEST_GAP: Duration = Duration::from_secs(1);
/// How long a request without an answer keeps others from its address.
const SLOW: Duration = Duration::from_secs(10);
/// Visits at the same time to one address (P19).
const PER_ADDRESS: u32 = 2;
/// Visits at the same time to one network (P20).
const PER_NETWORK: u32 = 4;
/// Visits at the same time to one address of a shared edge.
const PER_EDGE_ADDRESS: u32 = 20;
/// Between two requests to one address of a shared edge: 20 a second (P19).
const EDGE_ADDRESS_GAP: Duration = Duration::from_millis(50);
/// Between two requests to one edge: 50 a second (P19).
const EDGE_GAP: Duration = Duration::from_millis(20);
/// How long a machine or network is left alone when half of its visits fail (P38).
const PAUSE: Duration = Duration::from_mins(10);
/// How many addresses and networks there may be before those that bind nobody are forgotten.
const TIDY_FIRST: usize = 4_096;
/// Most addresses of which no more is kept than how their last visits went.
const MOST_HISTORIES: usize = 100_000;

/// What holds for all addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Between two requests to one address; zero lifts P19 and P20 for [`Rules::own`] (P19a).
    pub gap: Duration,
    /// Addresses of our own test hosts.
    pub own: Vec<IpNet>,
    /// Addresses that thousands of unrelated sites share.
    pub edges: Vec<Edge>,
}

/// Whether a visit may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Now. With the fleet that the address is known for, robots.txt may be all that is asked (P12).
    Now(Option<Fingerprint>),
    /// When another visit to the same address or network has ended.
    Full,
    /// Not before then.
    NotBefore(Instant),
}

/// Whether a request may go.
#[derive(Debug)]
pub enum Turn {
    /// Now: its turn is taken, and [`Gate::answered`] ends it.
    Now,
    /// Ask again then.
    At(Instant),
    /// Ask again when an answer has come, or at that time.
    After(OwnedNotified, Instant),
}

/// How a visit ended, as far as its address is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// In a way that says nothing of the address: nothing was asked, or it is the name's own doing. Any stranger can point
    /// a name at an address, so that a certificate for another name, or a connection that is closed on an unknown
    /// one, tells nothing of the others there (P38).
    Unasked,
    /// There was no connection to the address.
    Failed,
    /// There was an answer; where nothing was found, what the site looked like.
    Answered(Option<Fingerprint>),
}

/// The pace of every address and network that still binds somebody.
#[derive(Debug)]
pub struct Gate {
    rules: Rules,
    addresses: HashMap<IpKey, Address>,
    networks: HashMap<NetworkKey, Network>,
    /// When each edge may be asked next, by its position in the rules.
    edges: Vec<Option<Instant>>,
    tidy_at: usize,
    hosts: Hosts,
}

#[derive(Debug, Default)]
struct Address {
    active: u32,
    /// Requests without an answer yet.
    in_flight: u32,
    answered: Arc<Notify>,
    next: Option<Instant>,
    blocked: Option<Instant>,
    health: Health,
    /// True once something has answered there.
    has_answered: bool,
    pleas: Pleas,
    fleet: Fleet,
}

#[derive(Debug, Default)]
struct Network {
    active: u32,
    blocked: Option<Instant>,
    health: NetworkHealth,
}

/// What an address is to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// Our own, with the pace lifted: its names stand for machines of their own, so that what one of
    /// them says or does is nothing to the others.
    Lifted,
    /// One of an edge, by its position in the rules.
    Edge(usize),
    /// Somebody's machine.
    Single,
}

impl Gate {
    /// Nobody was asked yet.
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
            tidy_at: TIDY_FIRST,
            hosts: Hosts::new(),
        }
    }

    /// Lets a visit of `site`, a registrable domain, to `address` in, or says why not yet.
    pub fn enter(&mut self, site: &str, address: IpAddr, now: Instant) -> Entry {
        match self.enter_as(true, address, now) {
            Entry::Now(_) if self.class(address) == Class::Single => {
                let machine = self.addresses.get_mut(&IpKey::of(address));
                Entry::Now(machine.and_then(|machine| machine.fleet.expects(key_of(site))))
            }
            entry => entry,
        }
    }

    /// Lets a visit in at one more `address`, where a redirect led it; `is_besides` when it has a place in that
    /// network already.
    pub fn enter_led(&mut self, is_besides: bool, address: IpAddr, now: Instant) -> Entry {
        self.enter_as(!is_besides, address, now)
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
            Class::Single => (PER_ADDRESS, PER_NETWORK),
        };
        if machine.active >= machine.health.limit(per_address)
            || (is_new && network.active >= network.health.limit(per_network))
        {
            return Entry::Full;
        }
        machine.active += 1;
        network.active += u32::from(is_new);
        Entry::Now(None)
    }

    /// Ends a visit of `site` that was let in.
    pub fn leave(&mut self, site: &str, address: IpAddr, ending: Ending, now: Instant) {
        let is_lifted = self.class(address) == Class::Lifted;
        let key = IpKey::of(address);
        let machine = self.addresses.entry(key).or_default();
        let network = self.networks.entry(key.network()).or_default();
        machine.active = machine.active.saturating_sub(1);
        // A visit that broke off never tells that its request is over.
        machine.in_flight = machine.in_flight.min(machine.active);
        network.active = network.active.saturating_sub(1);
        let has_failed = match ending {
            Ending::Unasked => return,
            Ending::Failed => true,
            Ending::Answered(look) => {
                machine.fleet.note(key_of(site), look);
                false
            }
        };
        machine.health.note(has_failed);
        if has_failed && machine.health.is_ill() && !is_lifted {
            machine.blocked = machine.blocked.max(Some(now + PAUSE));
        }
        machine.has_answered |= !has_failed;
        if !machine.has_answered {
            // Names can point at addresses where nothing ever answered: that is not their network's fault.
            return;
        }
        network.health.note(key.place(), has_failed);
        if has_failed && network.health.is_ill() && !is_lifted {
            network.blocked = network.blocked.max(Some(now + PAUSE));
        }
    }

    /// Ends a stay that began with [`Gate::enter_led`].
    pub fn leave_led(&mut self, is_besides: bool, address: IpAddr) {
        let key = IpKey::of(address);
        if let Some(machine) = self.addresses.get_mut(&key) {
            machine.active = machine.active.saturating_sub(1);
            machine.in_flight = machine.in_flight.min(machine.active);
        }
        if !is_besides && let Some(network) = self.networks.get_mut(&key.network()) {
            network.active = network.active.saturating_sub(1);
        }
    }

    /// Notes that a host wants to be left alone for so long: it is not asked before, whatever leads there (P35).
    pub fn host_pleads(&mut self, host: &str, pause: Duration, now: Instant) {
        self.hosts.plead(host, now + pause.min(LONGEST_DELAY), now);
    }

    /// Until when a host wants to be left alone (P35).
    pub fn host_pleaded(&self, host: &str, now: Instant) -> Option<Instant> {
        self.hosts.pleaded(host, now)
    }

    /// Takes the turn for a request to a host at `address`, or says what to wait for: redirects of other
    /// sites may lead to the host while it is under a visit of its own (P16).
    pub fn host_turn(&mut self, host: &str, address: IpAddr, now: Instant) -> Turn {
        let busy = self.hosts.busy(host, now);
        if let Some(at) = busy.max(self.hosts.pleaded(host, now)) {
            return Turn::At(at);
        }
        let turn = self.turn(address, now);
        if matches!(turn, Turn::Now) {
            self.hosts.asked(host, now);
        }
        turn
    }

    /// Notes that a host has answered, or failed, and when whoever asked would ask it again.
    pub fn host_answered(&mut self, host: &str, next: Instant, now: Instant) {
        self.hosts.answered(host, next, now);
    }

    /// Notes the crawl delay that the robots.txt of a host asks for: it holds for everybody, from the host's
    /// last answer on (P24). No more than a day of it is kept to.
    pub fn host_slowed(&mut self, host: &str, delay: Duration, now: Instant) {
        self.hosts.slow_down(host, delay.min(LONGEST_DELAY), now);
    }

    /// Takes the turn for a request to `address`, or says what to wait for.
    ///
    /// The gap counts from the end of the last answer, so that it holds at the server as well, however
    /// long the way there is; a host that is slow to answer keeps its neighbours waiting for ten
    /// seconds at most.
    pub fn turn(&mut self, address: IpAddr, now: Instant) -> Turn {
        let class = self.class(address);
        let gap = self.gap(address);
        if class == Class::Lifted {
            return Turn::Now;
        }
        let machine = self.addresses.entry(IpKey::of(address)).or_default();
        let edge = match class {
            Class::Edge(group) => self.edges.get_mut(group),
            Class::Lifted | Class::Single => None,
        };
        let busy = edge.as_deref().copied().flatten();
        let earliest = [machine.next, machine.blocked, busy]
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
            Class::Lifted | Class::Single => now + gap + SLOW,
        });
        if let Some(edge) = edge {
            *edge = Some(now + EDGE_GAP);
        }
        Turn::Now
    }

    /// Notes that a request whose turn was taken has been answered, or failed.
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

    /// Notes that a `site` which was asked in a visit of its own pleads for a pause; says how long its address
    /// pauses, too, which at a shared edge is not at all (P35).
    pub fn plead(
        &mut self,
        site: &str,
        address: IpAddr,
        pause: Duration,
        now: Instant,
    ) -> Option<Duration> {
        if self.class(address) != Class::Single {
            return None;
        }
        let machine = self.addresses.entry(IpKey::of(address)).or_default();
        let pause = machine.pleas.note(key_of(site), now)?.min(pause);
        machine.blocked = machine.blocked.max(Some(now + pause));
        Some(pause)
    }

    /// Notes that a request for `site` was answered, and not by a plea.
    pub fn answered_well(&mut self, site: &str, address: IpAddr) {
        if let Some(machine) = self.addresses.get_mut(&IpKey::of(address)) {
            machine.pleas.acquit(key_of(site));
        }
    }

    /// Leaves an address alone for so long, as an earlier process found that it must (P35).
    pub fn block(&mut self, address: IpAddr, pause: Duration, now: Instant) {
        if self.class(address) != Class::Single {
            return;
        }
        let machine = self.addresses.entry(IpKey::of(address)).or_default();
        let until = now + pause.min(pleas::LONGEST_PAUSE);
        machine.blocked = machine.blocked.max(Some(until));
    }

    /// How many addresses and networks are remembered.
    pub fn len(&self) -> usize {
        self.addresses.len() + self.networks.len()
    }

    /// True when nobody is remembered.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Between two requests: a short one is for our own addresses alone.
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
        let edge = rules
            .edges
            .iter()
            .find(|edge| edge.range.contains(&address));
        edge.map_or(Class::Single, |edge| Class::Edge(edge.group))
    }

    /// Forgets what binds nobody: first what has no history, then histories beyond their number.
    fn tidy(&mut self, now: Instant) {
        let is_ahead = |at: Option<Instant>| at.is_some_and(|at| at > now);
        let mut histories = 0;
        self.addresses.retain(|_, it| {
            let is_free = it.active == 0 && !is_ahead(it.next) && !is_ahead(it.blocked);
            let binds = !is_free || it.pleas.has_any(now);
            let has_history = it.health.has_failures() || it.fleet.is_growing();
            histories += usize::from(has_history && !binds);
            binds || (has_history && histories <= MOST_HISTORIES)
        });
        self.networks.retain(|_, it| {
            let binds = it.active > 0 || is_ahead(it.blocked);
            let has_history = it.health.has_failures();
            histories += usize::from(has_history && !binds);
            binds || (has_history && histories <= MOST_HISTORIES)
        });
        self.tidy_at = (2 * (self.addresses.len() + self.networks.len())).max(TIDY_FIRST);
    }
}

/// A registrable domain, as it is remembered beside thousands.
fn key_of(site: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    site.hash(&mut hasher);
    hasher.finish()
}
