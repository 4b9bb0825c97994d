//! Who is left alone, as a running crawl knows it: asked before every lookup, read again every 10 seconds (P4).

use super::{RunError, now, while_doing};
use crate::visit::SharedExclusions;
use manifest::Domain;
use std::time::Duration;
use store::{Exclusions, Lease, Store};
use tokio::time::Instant;

/// How often the exclusions are read again; the rule allows a minute.
const RELOAD: Duration = Duration::from_secs(10);

/// The exclusions, and when to read them again.
#[derive(Debug)]
pub(super) struct Leaving {
    exclusions: SharedExclusions,
    reload_at: Instant,
}

impl Leaving {
    /// Reads the exclusions for the first time.
    pub(super) async fn load(store: &dyn Store) -> Result<Self, RunError> {
        let exclusions = SharedExclusions::default();
        exclusions.replace(read(store).await?);
        Ok(Self {
            exclusions,
            reload_at: Instant::now() + RELOAD,
        })
    }

    /// Reads them again when it is time; true when they are others than before.
    pub(super) async fn reload(&mut self, store: &dyn Store) -> Result<bool, RunError> {
        if Instant::now() < self.reload_at {
            return Ok(false);
        }
        let exclusions = read(store).await?;
        self.reload_at = Instant::now() + RELOAD;
        Ok(self.exclusions.replace(exclusions))
    }

    /// What visits are to know of it.
    pub(super) fn shared(&self) -> SharedExclusions {
        self.exclusions.clone()
    }

    /// When to read them again.
    pub(super) fn reload_at(&self) -> Instant {
        self.reload_at
    }

    /// True when nobody may touch the domain.
    pub(super) fn covers(&self, domain: &Domain) -> bool {
        self.exclusions.covers(domain)
    }

    /// Keeps the leases that may be used; what is stored of the others is deleted.
    pub(super) async fn admit(
        &self,
        leases: Vec<Lease>,
        store: &dyn Store,
    ) -> Result<Vec<Lease>, RunError> {
        let (excluded, leases): (Vec<_>, Vec<_>) = leases
            .into_iter()
            .partition(|lease| self.covers(&lease.domain));
        for lease in excluded {
            let reason = self.exclusions.reason(&lease.domain);
            let reason = reason.as_deref().unwrap_or("excluded");
            store
                .forget(&[lease.domain], reason, now())
                .await
                .map_err(while_doing("forget an excluded domain"))?;
        }
        Ok(leases)
    }
}

async fn read(store: &dyn Store) -> Result<Exclusions, RunError> {
    let exclusions = store
        .exclusions()
        .await
        .map_err(while_doing("read who is to be left alone"))?;
    Ok(exclusions.into_iter().collect())
}
