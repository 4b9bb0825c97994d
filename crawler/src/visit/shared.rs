//! What all visits of a process share: the pace of addresses, and who is left alone.

use crate::pace::{Gate, Rules};
use manifest::{Domain, Timestamp};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use store::{Exclusion, Exclusions};
use tokio::time::Instant;

/// The gate of all visits of a process. It is locked for moments only, never across a wait.
#[derive(Clone, Debug)]
pub struct SharedGate(Arc<Mutex<Gate>>);

impl SharedGate {
    /// A gate with these rules.
    pub fn new(rules: Rules) -> Self {
        Self(Arc::new(Mutex::new(Gate::new(rules))))
    }

    /// Takes up until when addresses and hosts are to be left alone, by the wall clock, at `now` of it (P35).
    pub fn take_up(
        &self,
        addresses: &[(IpAddr, Timestamp)],
        hosts: &[(Domain, Timestamp)],
        now: Timestamp,
    ) {
        let mut gate = self.lock();
        for (address, until) in addresses {
            gate.block(*address, until.since(now), Instant::now());
        }
        for (host, until) in hosts {
            gate.host_pleads(host.as_str(), until.since(now), Instant::now());
        }
    }

    /// The gate.
    pub fn lock(&self) -> MutexGuard<'_, Gate> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Who is to be left alone (P4), as all visits of a process know it.
#[derive(Clone, Debug, Default)]
pub struct SharedExclusions(Arc<RwLock<Exclusions>>);

impl SharedExclusions {
    /// Why nobody may touch `domain`.
    pub fn reason(&self, domain: &Domain) -> Option<String> {
        let exclusions = self.0.read().unwrap_or_else(PoisonError::into_inner);
        exclusions.covers(domain).map(str::to_owned)
    }

    /// True when nobody may touch `domain`.
    pub fn covers(&self, domain: &Domain) -> bool {
        let exclusions = self.0.read().unwrap_or_else(PoisonError::into_inner);
        exclusions.covers(domain).is_some()
    }

    /// Takes over what was read anew; true when it says something else.
    pub fn replace(&self, exclusions: Exclusions) -> bool {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let is_new = *known != exclusions;
        *known = exclusions;
        is_new
    }
}

impl FromIterator<Exclusion> for SharedExclusions {
    fn from_iter<T: IntoIterator<Item = Exclusion>>(exclusions: T) -> Self {
        Self(Arc::new(RwLock::new(exclusions.into_iter().collect())))
    }
}
