//! What the database knows of a site before a check asks it, and what the check tells it (P16, P19, P35).

use super::CheckError;
use crate::noting;
use crate::politeness::{PATIENCE, longest_pause};
use crate::run::now;
use crate::visit::{SharedExclusions, SharedGate};
use manifest::{Domain, Timestamp};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use store::{RobotsState, Store, Visit};

/// The database of a check; without one, nothing is known and nothing remembered.
pub(super) struct Standing(Option<Arc<dyn Store>>);

impl Standing {
    /// Opens the database, if there is one.
    pub(super) async fn open(database: &str) -> Result<Self, CheckError> {
        Ok(Self(store::open_existing(database).await?))
    }

    /// Who is to be left alone for good; refuses when that is `domain` itself (P4).
    pub(super) async fn exclusions(&self, domain: &Domain) -> Result<SharedExclusions, CheckError> {
        let Some(store) = &self.0 else {
            return Ok(SharedExclusions::default());
        };
        let exclusions: SharedExclusions = store.exclusions().await?.into_iter().collect();
        match exclusions.reason(domain) {
            None => Ok(exclusions),
            Some(reason) => Err(CheckError::Excluded {
                domain: domain.clone(),
                reason,
            }),
        }
    }

    /// How long to wait before the domain may be asked again, and takes up what addresses wish; refuses when
    /// that is longer than a visit waits.
    pub(super) async fn wait(
        &self,
        domain: &Domain,
        delay: Duration,
        gate: &SharedGate,
    ) -> Result<Duration, CheckError> {
        let Some(store) = &self.0 else {
            return Ok(Duration::ZERO);
        };
        let wall = now();
        gate.block_all(store.address_blocks(wall).await?, wall);
        let Some(known) = store.standing(domain).await? else {
            return Ok(Duration::ZERO);
        };
        let delay_ms = known.robots.and_then(|robots| robots.delay_ms);
        let asked = delay_ms.map(|delay_ms| Duration::from_millis(delay_ms.into()));
        let rested = known
            .last_visit
            .map(|last| last.after(longest_pause(delay, asked)));
        let until = known.not_before.max(rested.unwrap_or(Timestamp(0)));
        patient(until, wall, domain)
    }

    /// What is kept of the robots.txt of another domain.
    pub(super) async fn kept_robots(&self, domain: &Domain) -> Option<RobotsState> {
        noting::kept_robots(self.0.as_deref()?, domain).await
    }

    /// Remembers that an address is to be left alone.
    pub(super) async fn block(&self, address: IpAddr, pause: Duration) {
        if let Some(store) = &self.0 {
            noting::block(&**store, address, pause).await;
        }
    }

    /// Remembers when a visit to `address` ended: whoever comes next keeps the gap to it.
    pub(super) async fn rest(&self, address: IpAddr, visit: &Visit, delay: Duration) {
        let delay_ms = visit.robots.as_ref().and_then(|robots| robots.delay_ms);
        let asked = delay_ms.map(|delay_ms| Duration::from_millis(delay_ms.into()));
        let pause = longest_pause(delay, asked);
        if visit.requests > 0 && !pause.is_zero() {
            self.block(address, pause).await;
        }
    }
}

/// How long to wait until then, unless that is longer than a visit waits.
pub(super) fn patient(
    until: Timestamp,
    now: Timestamp,
    domain: &Domain,
) -> Result<Duration, CheckError> {
    let wait = until.since(now);
    if wait > PATIENCE {
        return Err(CheckError::LeftAlone {
            domain: domain.clone(),
            until,
            wait,
        });
    }
    Ok(wait)
}
