//! Settings and state shared by all visits of a process: the rate limits of addresses, and the
//! exclusions.

use super::robots_cache::RobotsCache;
use crate::fetch::http::Identity;
use crate::membership::Membership;
use crate::probes::Probe;
use crate::rate_limit::{Cause, EdgeChange, Gate, Rules};
use manifest::{Domain, Timestamp};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;
use store::{Exclusion, ExclusionSet, Store, StoreError};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The identity that every request states.
#[derive(Clone, Debug, Default)]
pub struct Sender {
    /// The whole `User-Agent` header.
    pub user_agent: String,
    /// Origin of the key directory, if requests are signed (P5).
    pub signed_by: Option<String>,
}

impl From<&Identity> for Sender {
    fn from(identity: &Identity) -> Self {
        let signer = identity.signer.as_ref();
        Self {
            user_agent: identity.user_agent.clone(),
            signed_by: signer.map(|signer| signer.agent().to_owned()),
        }
    }
}

/// Settings that are the same for all visits.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The product token that robots.txt files use for this crawler.
    pub token: String,
    /// The identity that every request states.
    pub sender: Sender,
    /// Time between two requests to one host.
    pub delay: Duration,
    /// Paths that are requested in addition to those of the table.
    pub extra: Vec<Probe>,
    /// True if http is tried where nothing listens for https (P14).
    pub http_fallback: bool,
    /// The rate limits of shared addresses.
    pub gate: SharedGate,
    /// The membership in a fleet, if this crawler is a member of one.
    pub membership: Membership,
    /// The excluded domains; redirects to them are not followed either.
    pub exclusions: SharedExclusions,
    /// Shared answers for robots.txt files that other hosts redirect to.
    pub robots_cache: RobotsCache,
    /// Cancelled when visits are to end after their current request.
    pub stopping: CancellationToken,
    /// Cancelled when they are to end without its answer.
    pub late: CancellationToken,
}

/// The gate of all visits of a process. It is locked only briefly, never across an await.
#[derive(Clone, Debug)]
pub struct SharedGate(Arc<Mutex<Gate>>);

impl SharedGate {
    /// Creates a gate with these rules.
    pub fn new(rules: Rules) -> Self {
        Self(Arc::new(Mutex::new(Gate::new(rules))))
    }

    /// Loads the stored pauses of addresses and hosts. Their ends are times of the wall clock, and
    /// `now` is its current time (P35).
    pub async fn load_pauses(&self, store: &dyn Store, now: Timestamp) -> Result<(), StoreError> {
        let addresses = store.address_blocks(now).await?;
        let hosts = store.host_blocks(now).await?;
        let mut gate = self.lock();
        for (address, until) in addresses {
            gate.block(address, until.since(now), Instant::now());
        }
        for (host, until) in hosts {
            gate.pause_host(host.as_str(), until.since(now), Instant::now());
        }
        Ok(())
    }

    /// Lets a host of a site pause, as it asked for, and its address, if that is to pause as well. Returns
    /// the address then, with its own pause (P35).
    pub(crate) fn pause(
        &self,
        (site, host): (&str, &str),
        address: Option<IpAddr>,
        pause: Duration,
    ) -> Option<(IpAddr, Duration)> {
        let now = Instant::now();
        let mut gate = self.lock();
        gate.pause_host(host, pause, now);
        let address = address?;
        report_edge(gate.throttled(site, address, now), address);
        let pause = gate.pause_address(site, address, pause, now)?;
        Some((address, pause))
    }

    /// Locks the gate.
    pub fn lock(&self) -> MutexGuard<'_, Gate> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Logs that an address has become an edge, or is none any more (P50).
pub(super) fn report_edge(change: Option<EdgeChange>, address: IpAddr) {
    let Some(EdgeChange { edge, sites, cause }) = change else {
        return;
    };
    let pace = match cause {
        Cause::Header => "is an edge: it gets up to five requests a second",
        Cause::Mixed => "is no edge any more: not enough of its answers have its header",
        Cause::Throttled => "is no edge for a day: several of its sites asked for a pause",
    };
    tracing::info!(%address, edge, sites, "an address {pace}");
}

/// Turn that was taken at the gate. Its end is reported by whatever takes it out; if that does not
/// happen, because the visit was aborted, the turn lasts as long as a request can.
#[derive(Debug)]
pub(crate) struct TakenTurn(Option<(SharedGate, IpAddr)>);

impl TakenTurn {
    /// Returns the turn that was just taken at an address.
    pub(crate) fn new(gate: &SharedGate, address: IpAddr) -> Self {
        Self(Some((gate.clone(), address)))
    }

    /// Ends the turn, of which the end was reported.
    pub(crate) fn end(mut self) {
        self.0 = None;
    }
}

impl Drop for TakenTurn {
    fn drop(&mut self) {
        if let Some((gate, address)) = self.0.take() {
            gate.lock().lost(address);
        }
    }
}

/// The exclusions (P4), as known to all visits of a process.
#[derive(Clone, Debug, Default)]
pub struct SharedExclusions(Arc<RwLock<ExclusionSet>>);

impl SharedExclusions {
    /// Returns the reason for the exclusion of `domain`, if it is excluded.
    pub fn reason(&self, domain: &Domain) -> Option<String> {
        let exclusions = self.0.read().unwrap_or_else(PoisonError::into_inner);
        exclusions.covers(domain).map(str::to_owned)
    }

    /// Reports whether `domain` is excluded.
    pub fn covers(&self, domain: &Domain) -> bool {
        let exclusions = self.0.read().unwrap_or_else(PoisonError::into_inner);
        exclusions.covers(domain).is_some()
    }

    /// Replaces the exclusions; returns true if they changed.
    pub fn replace(&self, exclusions: ExclusionSet) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate_limit::Turn;

    /// P19: the pace of an address is the usual one after a visit that was aborted beside another one.
    #[tokio::test(start_paused = true)]
    async fn p19_an_aborted_request_slows_its_address_down_only_once() {
        let (gap, long) = (Duration::from_secs(1), Duration::from_secs(11));
        let gate = SharedGate::new(Rules {
            gap,
            ..Rules::default()
        });
        let address = "8.8.8.8".parse().unwrap();
        for site in ["a.example", "b.example"] {
            gate.lock().enter(site, address, Instant::now());
        }
        let is_now = || matches!(gate.lock().turn(address, Instant::now()), Turn::Now);
        assert!(is_now());
        drop(TakenTurn::new(&gate, address));
        assert!(!is_now(), "its answer may take long");
        tokio::time::advance(long).await;
        for _ in 0..3 {
            assert!(is_now());
            gate.lock().answered(address, Instant::now());
            tokio::time::advance(gap).await;
        }
    }
}
