//! Learned edges at the gate (P50): what an answer teaches about its address, and what follows.

use super::edge_header::Marks;
use super::learned::EdgeChange;
use super::{Address, Class, Gate, IpKey, Network, SLOW, Turn, key_of};
use std::net::IpAddr;
use std::time::Duration;
use tokio::time::Instant;

/// Concurrent visits to a learned edge, and to all those of one network. A visit sends one request
/// in the 1.1 s of its host's gap and the time of an answer, so that ten visits make five requests
/// a second as long as answers take less than 0.9 s.
pub(super) const PER_LEARNED: u32 = 10;
/// Number of times that the gap of an address is longer than that of a learned edge.
pub(super) const SPEED: u32 = 5;

impl Gate {
    /// Takes the turn for a request to a host of `site`, a registrable domain, or says what to wait
    /// for. At a learned edge, where neighbours do not wait for each other, the site itself keeps
    /// the gap of an address, whichever of its hosts are asked.
    pub fn site_turn(&mut self, site: &str, host: &str, address: IpAddr, now: Instant) -> Turn {
        let site = key_of(site);
        if self.class(address) == Class::Learned {
            let machine = self.addresses.get(&IpKey::of(address));
            let rest = machine.and_then(|machine| machine.learned.rests_until(site));
            if let Some(at) = rest.filter(|at| *at > now) {
                return Turn::At(at);
            }
        }
        let turn = self.host_turn(host, address, now);
        if matches!(turn, Turn::Now) {
            self.rest_site(site, address, now);
        }
        turn
    }

    /// Records that a request to a host of `site`, whose turn was taken, has been answered or has
    /// failed.
    pub fn site_answered(&mut self, site: &str, address: IpAddr, now: Instant) {
        self.answered(address, now);
        self.rest_site(key_of(site), address, now);
    }

    /// Records the marks of an answer to a visit of `site`; returns the change if its address has
    /// become an edge, or is none any more.
    pub fn learn(
        &mut self,
        site: &str,
        address: IpAddr,
        marks: Marks,
        now: Instant,
    ) -> Option<EdgeChange> {
        self.change(address, now, |machine| {
            machine.learned.answered(key_of(site), marks, now)
        })
    }

    /// Records that a `site` under its own visit asked for a pause; returns the change if its
    /// address is no edge any more.
    pub fn throttled(&mut self, site: &str, address: IpAddr, now: Instant) -> Option<EdgeChange> {
        self.change(address, now, |machine| {
            machine.learned.throttled(key_of(site), now)
        })
    }

    /// Returns the number of learned edges.
    pub fn learned_edges(&self) -> usize {
        self.learned
    }

    /// Returns the time between two visits to an address for which others are put off, where
    /// `measured` has passed between the last ones. It is shorter where visits will soon be faster:
    /// those that were put off until then would come too late. One that comes too early is put off
    /// again.
    pub fn expected_turn(&self, measured: Duration, address: IpAddr, now: Instant) -> Duration {
        let machine = self.addresses.get(&IpKey::of(address));
        match self.class(address) {
            Class::Single if machine.is_some_and(|it| it.learned.may_become_edge(now)) => {
                measured / (2 * SPEED)
            }
            // Visits that come at the measured rate would keep it from growing.
            Class::Learned => measured * 4 / 5,
            Class::Lifted | Class::Edge(_) | Class::Single => measured,
        }
    }

    fn rest_site(&mut self, site: u64, address: IpAddr, now: Instant) {
        if matches!(self.class(address), Class::Single | Class::Learned) {
            let until = now + self.gap(address);
            let machine = self.addresses.entry(IpKey::of(address)).or_default();
            machine.learned.rest(site, until, now);
        }
    }

    /// Applies what was learned about an address that the operator has not declared.
    fn change(
        &mut self,
        address: IpAddr,
        now: Instant,
        learn: impl FnOnce(&mut Address) -> Option<EdgeChange>,
    ) -> Option<EdgeChange> {
        if !matches!(self.class(address), Class::Single | Class::Learned) {
            return None;
        }
        let (key, gap) = (IpKey::of(address), self.gap(address));
        let machine = self.addresses.entry(key).or_default();
        let was_edge = machine.learned.is_edge();
        let change = learn(machine)?;
        let is_edge = machine.learned.is_edge();
        if was_edge != is_edge {
            let network = self.networks.entry(key.network()).or_default();
            if is_edge {
                self.learned += 1;
            } else {
                self.learned = self.learned.saturating_sub(1);
            }
            machine.switch(network, is_edge, gap, now);
        }
        Some(change)
    }
}

impl Address {
    /// Moves the visits of this address between the two counts of its network, and sets the time
    /// of its next request by its new pace.
    fn switch(&mut self, network: &mut Network, is_edge: bool, gap: Duration, now: Instant) {
        let (from, to) = if is_edge {
            (&mut network.active, &mut network.at_edges)
        } else {
            (&mut network.at_edges, &mut network.active)
        };
        *from = from.saturating_sub(self.counted);
        *to += self.counted;
        let next = match self.in_flight {
            _ if is_edge => now + gap / SPEED,
            0 => now + gap,
            _ => now + gap + SLOW,
        };
        self.next = Some(next);
        // Visits that wait for an answer go by the new pace.
        self.answered.notify_waiters();
    }
}

#[cfg(test)]
mod tests;
