//! Leases whose visit has not begun: they wait for their site or their address, or go back to the
//! frontier.

use crate::membership::Membership;
use crate::rate_limit::Fingerprint;
use crate::run::address_queue::{Queue, ReadyVisit, Transitions};
use crate::run::site_queue::{Sites, Turn};
use crate::visit::SharedGate;
use manifest::{Domain, Timestamp};
use std::collections::HashSet;
use std::net::IpAddr;
use std::time::Duration;
use store::Lease;
use tokio::time::Instant;

/// A run waits this long for domains that it postponed itself because their address was busy.
const CROWDED: Duration = Duration::from_hours(1);
/// A run waits for a domain with a busy address if it is to be tried again within this time.
const AWAITED: Duration = Duration::from_mins(5);
/// Interval between two checks of the visits that wait for an address.
const SWEEP: Duration = Duration::from_secs(1);

/// Leases whose visit has not begun.
pub(super) struct Queues {
    sites: Sites,
    addresses: Queue,
    /// Leases to be taken later.
    postponed: Vec<(Lease, Timestamp)>,
    /// Leases to be taken as before.
    returned: Vec<Lease>,
    /// Leases of visits that had not begun when the stop signal arrived.
    stopped: Vec<Lease>,
    /// Leases whose network another crawler may have, with their address.
    elsewhere: Vec<(Lease, IpAddr)>,
    /// Rows and tokens of leases whose visits are those of a guest, and that wait for their site.
    guests: HashSet<(i64, i64)>,
    membership: Membership,
    /// Time until which postponed domains fall due for which this run waits.
    awaited_until: Instant,
}

/// Visits whose turn has come.
pub(super) struct Openings {
    /// Visits that begin, each with the expected fingerprint of its site.
    pub(super) admitted: Vec<(ReadyVisit, Option<Fingerprint>)>,
    /// Visits that begin as those of a guest.
    pub(super) guests: Vec<ReadyVisit>,
    /// Leases of sites that are free from a time on, to be looked up.
    pub(super) next: Vec<(Instant, Lease)>,
}

impl Queues {
    /// Returns empty queues, each for at most `room` leases.
    pub(super) fn new(room: usize, membership: Membership, now: Instant) -> Self {
        Self {
            sites: Sites::new(room),
            addresses: Queue::new(room),
            postponed: Vec::new(),
            returned: Vec::new(),
            stopped: Vec::new(),
            elsewhere: Vec::new(),
            guests: HashSet::new(),
            membership,
            awaited_until: now,
        }
    }

    /// Returns the number of leases that wait for their site or address.
    pub(super) fn waiting(&self) -> usize {
        self.sites.waiting() + self.addresses.waiting()
    }

    /// Returns the time of the next check of the visits that wait for an address, if there are any.
    pub(super) fn sweep_at(&self) -> Option<Instant> {
        (self.addresses.waiting() > 0).then(|| Instant::now() + SWEEP)
    }

    /// Returns the time until which this run waits for postponed domains.
    pub(super) fn awaited_until(&self) -> Instant {
        self.awaited_until
    }

    /// Makes the run wait for a domain that is to be tried again after `pause`.
    pub(super) fn wait_for(&mut self, pause: Duration) {
        self.awaited_until = self.awaited_until.max(Instant::now() + pause);
    }

    /// Makes the run wait for a domain that is to be tried again soon: a busy address frees up
    /// soon, while a requested pause may last hours.
    pub(super) fn wait_for_busy(&mut self, pause: Duration) {
        if pause <= AWAITED {
            self.wait_for(pause);
        }
    }

    /// Lets a site rest until the given time without a visit (P16).
    pub(super) fn rest(&mut self, domain: &Domain, until: Instant) {
        self.sites.rest(domain, until);
    }

    /// Reports whether a visit to the site of a domain is under way, or waits for its address.
    pub(super) fn has_site(&self, domain: &Domain) -> bool {
        self.sites.has(domain)
    }

    /// Takes a lease in whose visit is that of a guest; returns it if its site is free, with the time from
    /// which on. Otherwise its visit begins as that of a guest once it has been looked up again.
    pub(super) fn enter_guest(&mut self, lease: Lease, now: Timestamp) -> Option<(Instant, Lease)> {
        let key = key(&lease);
        let free = self.enter(lease, now);
        if free.is_none() {
            self.guests.insert(key);
        }
        free
    }

    /// Takes a lease in; returns it if its site is free, with the time from which on.
    pub(super) fn enter(&mut self, lease: Lease, now: Timestamp) -> Option<(Instant, Lease)> {
        match self.sites.enter(lease) {
            Turn::At(start, lease) => return Some((start, lease)),
            Turn::Waits => {}
            Turn::Later(lease, delay) => self.postpone(lease, now.after(delay)),
        }
        None
    }

    /// Frees a site, which then rests, for other crawlers of a fleet for `others`, as they know nothing of
    /// its hosts. Returns its next lease, and those that waited too long.
    pub(super) fn leave(
        &mut self,
        domain: &Domain,
        rest: Duration,
        others: Duration,
    ) -> (Option<(Instant, Lease)>, Vec<Lease>) {
        let (next, expired) = self.sites.leave(domain, rest);
        if next.is_none() {
            let site = domain.registrable();
            self.membership.release(site, rest.max(others));
        }
        (next, expired)
    }

    /// Postpones the leases of a site that another crawler visits.
    pub(super) fn leave_busy(&mut self, lease: Lease, until: Timestamp) {
        let mut next = Some(lease);
        while let Some(lease) = next.take() {
            let (turn, expired) = self.sites.leave(&lease.domain, Duration::ZERO);
            let expired = expired.into_iter().chain([lease]);
            self.postponed.extend(expired.map(|it| (it, until)));
            next = turn.map(|(_, lease)| lease);
        }
    }

    /// Takes a visit in whose address is known.
    pub(super) fn enter_address(
        &mut self,
        gate: &SharedGate,
        visit: (Instant, Lease, IpAddr),
        now: Timestamp,
    ) -> Openings {
        let moved = self
            .addresses
            .enter(&mut gate.lock(), visit, Instant::now());
        self.openings(moved, now)
    }

    /// Tries the visits again that wait for the network of an address, after a visit there.
    pub(super) fn wake(&mut self, gate: &SharedGate, address: IpAddr, now: Timestamp) -> Openings {
        let moved = self
            .addresses
            .wake(&mut gate.lock(), address, Instant::now());
        self.openings(moved, now)
    }

    /// Tries all visits again that wait for an address.
    pub(super) fn sweep(&mut self, gate: &SharedGate, now: Timestamp) -> Openings {
        let moved = match self.addresses.waiting() {
            0 => Transitions::default(),
            _ => self.addresses.wake_all(&mut gate.lock(), Instant::now()),
        };
        self.openings(moved, now)
    }

    /// Postpones the visits that were not admitted.
    fn openings(&mut self, moved: Transitions, wall: Timestamp) -> Openings {
        let mut next = Vec::new();
        let monotonic = Instant::now();
        let crowded = moved.crowded.into_iter().map(|it| (it, true));
        let blocked = moved.blocked.into_iter().map(|it| (it, false));
        for ((ready, until), is_crowded) in crowded.chain(blocked) {
            let wait = until.saturating_duration_since(monotonic);
            // The run waits for a pause of a minute caused by a neighbour, but not for longer
            // pauses of an address.
            if is_crowded || wait <= AWAITED {
                self.wait_for(wait.min(CROWDED));
            }
            next.extend(self.free(&ready, wall, monotonic));
            self.postpone(ready.lease, wall.after(wait));
        }
        let mut guests = Vec::new();
        for ready in moved.elsewhere {
            // Its site is not free: other names of it would be looked up, and this one after them.
            if self.guests.remove(&key(&ready.lease)) {
                guests.push(ready);
                continue;
            }
            next.extend(self.free(&ready, wall, monotonic));
            self.elsewhere.push((ready.lease, ready.address));
        }
        Openings {
            admitted: moved.admitted,
            guests,
            next,
        }
    }

    /// Frees the site of a visit without a request; its remaining rest stays.
    fn free(
        &mut self,
        ready: &ReadyVisit,
        wall: Timestamp,
        monotonic: Instant,
    ) -> Option<(Instant, Lease)> {
        let rest = ready.start.saturating_duration_since(monotonic);
        let (turn, expired) = self.leave(&ready.lease.domain, rest, rest);
        self.postponed
            .extend(expired.into_iter().map(|lease| (lease, wall)));
        turn
    }

    /// Keeps a lease whose network another crawler may have.
    pub(super) fn keep_elsewhere(&mut self, lease: Lease, address: IpAddr) {
        self.elsewhere.push((lease, address));
    }

    /// Takes the leases out whose network another crawler may have.
    pub(super) fn take_elsewhere(&mut self) -> Vec<(Lease, IpAddr)> {
        std::mem::take(&mut self.elsewhere)
    }

    /// Keeps a lease that goes back to the frontier until the given time.
    pub(super) fn postpone(&mut self, lease: Lease, until: Timestamp) {
        self.postponed.push((lease, until));
    }

    /// Keeps leases that go back to the frontier.
    pub(super) fn give_back(&mut self, leases: impl IntoIterator<Item = Lease>) {
        self.returned.extend(leases);
    }

    /// Returns the leases that go back to the frontier.
    pub(super) fn returned(&self) -> &[Lease] {
        &self.returned
    }

    /// Takes these out, once they are there.
    pub(super) fn take_returned(&mut self) -> Vec<Lease> {
        for lease in &self.returned {
            self.guests.remove(&key(lease));
        }
        std::mem::take(&mut self.returned)
    }

    /// Returns the postponed leases.
    pub(super) fn postponed(&self) -> &[(Lease, Timestamp)] {
        &self.postponed
    }

    /// Takes the postponed leases out, once they are in the frontier.
    pub(super) fn take_postponed(&mut self) -> Vec<(Lease, Timestamp)> {
        for (lease, _) in &self.postponed {
            self.guests.remove(&key(lease));
        }
        std::mem::take(&mut self.postponed)
    }

    /// Keeps the lease of a visit that did not begin because the crawl stops.
    pub(super) fn keep_stopped(&mut self, lease: Lease) {
        self.stopped.push(lease);
    }

    /// Takes all leases out that are not postponed.
    pub(super) fn drain(&mut self) -> Vec<Lease> {
        let mut leases = self.sites.drain();
        leases.extend(self.addresses.drain());
        leases.append(&mut self.stopped);
        leases.extend(self.elsewhere.drain(..).map(|(lease, _)| lease));
        leases
    }

    /// Returns the sizes of the tables by name.
    #[cfg(test)]
    pub(super) fn sizes(&self) -> [(&'static str, usize); 3] {
        [
            ("sites", self.sites.len()),
            ("queue", self.addresses.waiting()),
            ("later", self.postponed.len()),
        ]
    }
}

/// Returns the row and the token of a lease.
fn key(lease: &Lease) -> (i64, i64) {
    (lease.row, lease.token)
}
