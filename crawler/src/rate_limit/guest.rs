//! Requests of other crawlers to the networks of this one, each with a turn that this gate grants.

use super::hosts::LONGEST_ANSWER;
use super::{Class, EDGE_ADDRESS_GAP, GRANT, Gate, IpKey, SLOW, SPEED, Share, Slot, Slots, Turn};
use std::net::IpAddr;
use std::time::Duration;
use tokio::time::Instant;

impl Gate {
    /// Restricts new visits and redirects to the networks of a share, and this crawler to its part of the
    /// requests to each declared edge.
    pub fn restrict(&mut self, share: Share) {
        self.share = share;
    }

    /// Returns the slots with a network in which a visit is under way, or a request could be, and those of
    /// which the last request is more recent than the gap of an address.
    pub fn busy_slots(&self, now: Instant) -> Slots {
        let is_ahead = |until: Option<Instant>, by| until.is_some_and(|until| until > now + by);
        let busy = self.addresses.iter().filter(|(key, it)| {
            let gap = self.gap(key.address());
            it.active > 0 || is_ahead(it.next, gap) || is_ahead(it.guest_until, Duration::ZERO)
        });
        busy.map(|(key, _)| Slot::of(key.network())).collect()
    }

    /// Takes the turn for a request that another crawler sends to a host of `site` at `address`, or says
    /// what to wait for. No other turn is taken there until its answer is reported, or could not be.
    pub fn guest_turn(&mut self, site: &str, host: &str, address: IpAddr, now: Instant) -> Turn {
        let turn = self.site_turn(site, host, address, now);
        if matches!(turn, Turn::Now) {
            // Its permission may be used in its last moment.
            self.hosts
                .asked_until(host, now + GRANT + LONGEST_ANSWER, now);
            if self.class(address) != Class::Lifted {
                let machine = self.addresses.entry(IpKey::of(address)).or_default();
                machine.guest_until = Some(now + GRANT + SLOW);
            }
        }
        turn
    }

    /// Records that such a request has been answered or has failed, and the earliest time of the next one
    /// to its host.
    pub fn guest_answered(
        &mut self,
        (site, host): (&str, &str),
        address: IpAddr,
        next: Instant,
        now: Instant,
    ) {
        let (class, gap) = (self.class(address), self.gap(address));
        let gap = match class {
            Class::Lifted => return,
            Class::Edge(_) => EDGE_ADDRESS_GAP,
            Class::Learned => gap / SPEED,
            Class::Single => gap,
        };
        self.host_answered(host, next, now);
        self.site_answered(site, address, now);
        if let Some(machine) = self.addresses.get_mut(&IpKey::of(address)) {
            machine.guest_until = None;
            machine.next = machine.next.max(Some(now + gap));
        }
    }

    /// Returns the time of the next attempt at a host that another crawler has the network of; `None` if
    /// the host itself may be contacted now.
    pub fn host_free_at(&self, host: &str, now: Instant) -> Option<Instant> {
        let busy = self.hosts.busy(host, now);
        busy.max(self.hosts.paused_until(host, now))
    }
}
