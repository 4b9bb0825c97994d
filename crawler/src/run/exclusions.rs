//! The exclusions of a running crawl: checked before every lookup, reloaded every few seconds (P4).

use super::error::{RunError, while_doing};
use crate::visit::SharedExclusions;
use manifest::{Domain, Timestamp};
use std::path::Path;
use std::time::Duration;
use store::blocklist::{self, Blocklist};
use store::{ExclusionSet, Lease, Store};
use tokio::time::Instant;

/// Interval between two reloads (P4), and of the blocklist.
const RELOAD: Duration = blocklist::RELOAD;

/// Exclusions with the time of their next reload.
#[derive(Debug)]
pub(super) struct ReloadedExclusions {
    exclusions: SharedExclusions,
    blocklist: Option<Blocklist>,
    reload_at: Instant,
}

impl ReloadedExclusions {
    /// Loads the exclusions for the first time.
    pub(super) async fn load(
        store: &dyn Store,
        blocklist: Option<&Path>,
        now: Timestamp,
    ) -> Result<Self, RunError> {
        let mut blocklist = blocklist.map(Blocklist::open).transpose()?;
        let exclusions = SharedExclusions::default();
        exclusions.replace(read(&mut blocklist, store, now).await?);
        Ok(Self {
            exclusions,
            blocklist,
            reload_at: Instant::now() + RELOAD,
        })
    }

    /// Reloads them if it is time; returns true if they have changed.
    pub(super) async fn reload(
        &mut self,
        store: &dyn Store,
        now: Timestamp,
    ) -> Result<bool, RunError> {
        if Instant::now() < self.reload_at {
            return Ok(false);
        }
        let exclusions = read(&mut self.blocklist, store, now).await?;
        self.reload_at = Instant::now() + RELOAD;
        Ok(self.exclusions.replace(exclusions))
    }

    /// Makes the next reload due now.
    pub(super) fn expire(&mut self) {
        self.reload_at = Instant::now();
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
    ///
    /// The exclusions are read again first if one covers a lease, since it may have ended.
    pub(super) async fn admit(
        &self,
        leases: Vec<Lease>,
        store: &dyn Store,
        now: Timestamp,
    ) -> Result<Vec<Lease>, RunError> {
        if leases.iter().any(|it| self.covers(&it.domain)) {
            self.exclusions.replace(stored(store).await?);
        }
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

async fn read(
    blocklist: &mut Option<Blocklist>,
    store: &dyn Store,
    now: Timestamp,
) -> Result<ExclusionSet, RunError> {
    if let Some(blocklist) = blocklist {
        blocklist
            .apply(store, now)
            .await
            .map_err(while_doing("apply the blocklist"))?;
    }
    stored(store).await
}

async fn stored(store: &dyn Store) -> Result<ExclusionSet, RunError> {
    let exclusions = store
        .exclusions()
        .await
        .map_err(while_doing("read the exclusions"))?;
    Ok(exclusions.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::{Exclusion, ExclusionSource, Scope, Seed, SeedSource};

    #[tokio::test]
    async fn p04_a_domain_that_may_be_visited_again_loses_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("agentdex.db").display());
        let store = store::open(&url, &[]).await.unwrap();
        let now = Timestamp(1_795_204_800_000);
        let scopes = ["back.example", "out.example"].map(|it| Scope::suffix(it).unwrap());
        for scope in &scopes {
            let exclusion = Exclusion {
                scope: scope.clone(),
                reason: "requested".to_owned(),
                source: ExclusionSource::Owner,
                since: now,
            };
            store.exclude(&exclusion, now).await.unwrap();
        }
        let exclusions = ReloadedExclusions::load(&*store, None, now).await.unwrap();
        store.include(&scopes[0], "returned", now).await.unwrap();
        let seed = Seed {
            domain: Domain::parse("back.example").unwrap(),
            port: None,
            source: SeedSource::Seed,
        };
        store
            .add_seeds(std::slice::from_ref(&seed), false, now)
            .await
            .unwrap();
        let until = now.after(Duration::from_mins(10));
        let leases = store.lease_domains(now, until, 10).await.unwrap();
        assert_eq!(leases.len(), 1);
        let admitted = exclusions.admit(leases, &*store, now).await.unwrap();
        assert_eq!(admitted.len(), 1);
        assert!(!exclusions.covers(&seed.domain));
        assert!(exclusions.covers(&Domain::parse("out.example").unwrap()));
        assert_eq!(store.stats(now).await.unwrap().domains, 1);
    }
}
