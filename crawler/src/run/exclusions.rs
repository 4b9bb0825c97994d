//! The exclusions of a running crawl: checked before every lookup, reloaded every 10 seconds (P4).

use super::error::{RunError, while_doing};
use crate::visit::SharedExclusions;
use manifest::{Domain, Timestamp};
use std::time::Duration;
use store::{ExclusionSet, Lease, Store};
use tokio::time::Instant;

/// Interval between two reloads (P4).
const RELOAD: Duration = Duration::from_secs(10);

/// Exclusions with the time of their next reload.
#[derive(Debug)]
pub(super) struct ReloadedExclusions {
    exclusions: SharedExclusions,
    reload_at: Instant,
}

impl ReloadedExclusions {
    /// Loads the exclusions for the first time.
    pub(super) async fn load(store: &dyn Store) -> Result<Self, RunError> {
        let exclusions = SharedExclusions::default();
        exclusions.replace(read(store).await?);
        Ok(Self {
            exclusions,
            reload_at: Instant::now() + RELOAD,
        })
    }

    /// Reloads them if it is time; returns true if they have changed.
    pub(super) async fn reload(&mut self, store: &dyn Store) -> Result<bool, RunError> {
        if Instant::now() < self.reload_at {
            return Ok(false);
        }
        let exclusions = read(store).await?;
        self.reload_at = Instant::now() + RELOAD;
        Ok(self.exclusions.replace(exclusions))
    }

    /// Returns the exclusions for use by visits.
    pub(super) fn shared(&self) -> SharedExclusions {
        self.exclusions.clone()
    }

    /// Returns the time of the next reload.
    pub(super) fn reload_at(&self) -> Instant {
        self.reload_at
    }

    /// Reports whether the domain is excluded.
    pub(super) fn covers(&self, domain: &Domain) -> bool {
        self.exclusions.covers(domain)
    }

    /// Keeps the leases of domains that are not excluded; stored data of the others is deleted.
    pub(super) async fn admit(
        &self,
        leases: Vec<Lease>,
        store: &dyn Store,
        now: Timestamp,
    ) -> Result<Vec<Lease>, RunError> {
        let (excluded, leases): (Vec<_>, Vec<_>) = leases
            .into_iter()
            .partition(|lease| self.covers(&lease.domain));
        for lease in excluded {
            let reason = self.exclusions.reason(&lease.domain);
            let reason = reason.as_deref().unwrap_or("excluded");
            store
                .forget(&[lease.domain], reason, now)
                .await
                .map_err(while_doing("delete an excluded domain"))?;
        }
        Ok(leases)
    }
}

async fn read(store: &dyn Store) -> Result<ExclusionSet, RunError> {
    let exclusions = store
        .exclusions()
        .await
        .map_err(while_doing("read the exclusions"))?;
    Ok(exclusions.into_iter().collect())
}
