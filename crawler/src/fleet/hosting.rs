//! Visits of other crawlers to the networks of this one: pure in time.

use crate::rate_limit::{Entry, Gate, Turn};
use std::collections::HashMap;
use std::net::IpAddr;
use store::{Grant, GuestPermit};
use tokio::time::Instant;

/// Visits of other crawlers that this one has admitted, or is about to admit.
#[derive(Debug, Default)]
pub struct Hosting(HashMap<(String, i64), Stay>);

/// Stay of a visit at an address.
#[derive(Debug)]
struct Stay {
    address: IpAddr,
    is_counted: bool,
    is_admitted: bool,
    /// Number of the last request whose turn was taken.
    granted: i64,
    /// Number of requests that are known to have ended.
    answered: i64,
}

impl Hosting {
    /// Takes in all permits that are asked for now, and returns the turns to grant. A visit that is
    /// missing has ended.
    pub fn serve(&mut self, guests: &[GuestPermit], gate: &mut Gate, now: Instant) -> Vec<Grant> {
        let key = |guest: &GuestPermit| (guest.guest.clone(), guest.number);
        let mut ended = std::mem::take(&mut self.0);
        let mut grants = Vec::new();
        for guest in guests {
            let stay = ended.remove(&key(guest));
            let mut stay = stay.unwrap_or_else(|| Stay::new(guest));
            if stay.serve(guest, gate, now) {
                grants.push(Grant {
                    guest: guest.guest.clone(),
                    number: guest.number,
                    turn: guest.asked,
                });
            }
            self.0.insert(key(guest), stay);
        }
        for stay in ended.into_values() {
            stay.end(gate);
        }
        grants
    }
}

impl Stay {
    /// Returns a stay that is not admitted yet. Earlier turns of it were granted by another holder of the
    /// slot, if any.
    fn new(guest: &GuestPermit) -> Self {
        Self {
            address: guest.address,
            is_counted: guest.is_counted,
            is_admitted: false,
            granted: guest.answered,
            answered: guest.answered,
        }
    }

    /// Returns true if the turn that is asked for is granted now.
    fn serve(&mut self, guest: &GuestPermit, gate: &mut Gate, now: Instant) -> bool {
        let (site, host) = (guest.site.as_str(), guest.host.as_str());
        if self.answered < guest.answered {
            if self.granted > self.answered {
                gate.guest_answered((site, host), self.address, now + guest.rest, now);
            }
            self.answered = guest.answered;
            self.granted = self.granted.max(self.answered);
        }
        if guest.asked <= self.granted {
            return false;
        }
        if !self.is_admitted {
            let entry = gate.enter_redirected(!self.is_counted, self.address, now);
            self.is_admitted = matches!(entry, Entry::Now(_));
        }
        if self.is_admitted && matches!(gate.guest_turn(site, host, self.address, now), Turn::Now) {
            self.granted = guest.asked;
            return true;
        }
        false
    }

    fn end(self, gate: &mut Gate) {
        if self.is_admitted {
            gate.leave_redirected(!self.is_counted, self.address);
        }
    }
}
