//! Parts of all networks, each of which one crawler of a fleet visits.

use super::{IpKey, NetworkKey};
use sha2::{Digest as _, Sha256};
use std::net::IpAddr;
use std::time::Duration;

/// Number of slots: many more than crawlers, so that each has about the same share.
pub const SLOTS: usize = 256;

/// Time for which a member may send a request to a network of another one, after that permitted it.
pub const GRANT: Duration = Duration::from_secs(5);

/// Part of all networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot(u8);

impl From<u8> for Slot {
    fn from(stored: u8) -> Self {
        Self(stored)
    }
}

impl Slot {
    /// Returns the slot of a network, which is the same in every process.
    pub fn of(network: NetworkKey) -> Self {
        Self(Sha256::digest(network.address().to_string())[0])
    }

    /// Returns the slot of the network of an address.
    pub fn at(address: IpAddr) -> Self {
        Self::of(IpKey::of(address).network())
    }

    /// Returns all slots.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..=u8::MAX).map(Self)
    }

    /// Returns the number of the slot, from 0.
    pub fn number(self) -> usize {
        self.0.into()
    }

    /// Returns the number of the slot as it is stored.
    pub fn stored(self) -> u8 {
        self.0
    }
}

/// Set of slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slots([bool; SLOTS]);

impl Slots {
    /// Returns the set of all.
    pub fn all() -> Self {
        Self([true; SLOTS])
    }

    /// Adds the slots of another set.
    pub fn add(&mut self, others: &Self) {
        for (is_in, is_other) in self.0.iter_mut().zip(others.0) {
            *is_in |= is_other;
        }
    }

    /// Reports whether a slot belongs to the set.
    pub fn has(&self, slot: Slot) -> bool {
        self.0[slot.number()]
    }

    /// Returns the number of slots.
    pub fn len(&self) -> usize {
        self.0.iter().filter(|it| **it).count()
    }

    /// Reports whether the set has no slots.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Networks of one crawler of a fleet, and the number of crawlers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// Slots in which visits may begin.
    pub visits: Slots,
    /// Slots into which a redirect may lead a visit: also some that are being given up.
    pub redirects: Slots,
    /// Number of crawlers that share the requests to each declared edge.
    pub crawlers: u32,
}

impl Share {
    /// Returns a share with slots of which none is being given up.
    pub fn new(slots: Slots, crawlers: u32) -> Self {
        Self {
            visits: slots.clone(),
            redirects: slots,
            crawlers,
        }
    }
}

impl FromIterator<Slot> for Slots {
    fn from_iter<T: IntoIterator<Item = Slot>>(slots: T) -> Self {
        let mut set = Self([false; SLOTS]);
        for slot in slots {
            set.0[slot.number()] = true;
        }
        set
    }
}
