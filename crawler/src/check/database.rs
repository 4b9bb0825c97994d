//! Access of a check to the database: exclusions and pauses before the visit, and its effects
//! afterwards (P16, P19, P35).

use super::error::CheckError;
use crate::clock::Clock;
use crate::crawl_delay::{LONGEST_DELAY, LONGEST_WAIT, longest_pause, stored_delay};
use crate::observer;
use crate::rate_limit::ADDRESS_PAUSE;
use crate::run;
use crate::visit::{SharedExclusions, SharedGate};
use manifest::{Domain, Timestamp};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use store::{RobotsState, Role, Store, StoreError, Visit};
use tokio::time::Instant;

/// The database of a check; without one, no exclusions and pauses apply, and none are stored.
pub(super) struct Database {
    pub(super) store: Option<Arc<dyn Store>>,
    pub(super) clock: Clock,
}

impl Database {
    /// Opens the database, if there is one, in the role of a crawler: a crawl or another check at
    /// the same time would apply its own rate limits to the same hosts and addresses (P16, P18,
    /// P19).
    pub(super) async fn open(database: &str, clock: Clock) -> Result<Self, CheckError> {
        match store::open_existing(database, &[Role::SoleCrawler]).await {
            Ok(store) => Ok(Self { store, clock }),
            Err(StoreError::InUse { path, holder, .. }) => Err(CheckError::InUse { path, holder }),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the exclusions; an error if `domain` itself is excluded (P4).
    pub(super) async fn exclusions(&self, domain: &Domain) -> Result<SharedExclusions, CheckError> {
        let Some(store) = &self.store else {
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

    /// Loads the stored pauses into the gate and returns the wait before the domain may be
    /// contacted; an error if that is longer than a visit waits.
    pub(super) async fn wait(
        &self,
        domain: &Domain,
        delay: Duration,
        gate: &SharedGate,
    ) -> Result<Duration, CheckError> {
        let Some(store) = &self.store else {
            return Ok(Duration::ZERO);
        };
        let wall = self.clock.now();
        // No crawler is running, so leased domains were left by one that died; they wait as after a
        // restart.
        store.rebase(wall).await?;
        run::release_leases(&**store, delay, wall).await?;
        gate.load_pauses(&**store, wall).await?;
        let (name, start) = (domain.as_str(), Instant::now());
        let pause_end = gate.lock().host_paused_until(name, start);
        let mut until = pause_end.map_or(Timestamp(0), |until| wall.after(until - start));
        if let Some(known) = store.domain_state(domain).await? {
            let pause = whole_pause(delay, known.robots.as_ref());
            let rested = known.last_visit.map(|last| last.after(pause));
            until = until
                .max(known.not_before)
                .max(rested.unwrap_or(Timestamp(0)));
        }
        patient(until, wall, domain)
    }

    /// Stores the end of a visit to `address`, so that the next visit observes the gap. A crawl
    /// delay holds only for its host, as other hosts may share the address; it is stored for the
    /// host, which may not be in the table of domains.
    pub(super) async fn rest(&self, address: IpAddr, visit: &Visit, delay: Duration) {
        let Some(store) = self.store.as_deref().filter(|_| visit.requests > 0) else {
            return;
        };
        let now = self.clock.now();
        let gap = whole_pause(delay, None).min(ADDRESS_PAUSE);
        if !gap.is_zero() {
            observer::block_address(store, address, now.after(gap)).await;
        }
        let pause = whole_pause(delay, visit.robots.as_ref()).min(LONGEST_DELAY);
        if !pause.is_zero() {
            observer::block_host(store, &visit.lease.domain, pause, now).await;
        }
    }
}

/// Returns the pause after a visit: unlike the gap within one, it is as long as robots.txt asks for
/// (P24).
fn whole_pause(delay: Duration, robots: Option<&RobotsState>) -> Duration {
    let asked = robots.and_then(stored_delay);
    longest_pause(delay, asked).max(asked.unwrap_or_default())
}

/// Returns the wait until then; an error if it is longer than a visit waits.
pub(super) fn patient(
    until: Timestamp,
    now: Timestamp,
    domain: &Domain,
) -> Result<Duration, CheckError> {
    let wait = until.since(now);
    if wait > LONGEST_WAIT {
        return Err(CheckError::Paused {
            domain: domain.clone(),
            until,
            wait,
        });
    }
    Ok(wait)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate_limit::LONGEST_ANSWER;
    use crate::run::clock;

    #[test]
    fn p24_the_whole_crawl_delay_is_observed_after_a_visit() {
        let pause = |seconds: u32| {
            let robots = RobotsState {
                delay_ms: Some(seconds * 1_000),
                ..RobotsState::default()
            };
            whole_pause(Duration::from_secs(1), Some(&robots)).as_millis()
        };
        let pauses = [0, 10, 30, 100, 200_000].map(pause);
        assert_eq!(pauses, [1_200, 12_000, 36_000, 100_000, 200_000_000]);
        assert_eq!(whole_pause(Duration::ZERO, None), Duration::ZERO);
    }

    /// P16, P18, P19: a check does not run at the same time as a crawler or another check, which
    /// have their own rate limits.
    #[tokio::test]
    async fn p16_a_check_is_alone_on_its_database() {
        let directory = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", directory.path().join("agentdex.db").display());
        assert!(Database::open(&url, clock()).await.unwrap().store.is_none());
        let crawler = store::open(&url, &[Role::Crawler]).await.unwrap();
        let refused = Database::open(&url, clock()).await.err().unwrap();
        assert!(matches!(&refused, CheckError::InUse { .. }), "{refused}");
        let text = refused.to_string();
        assert!(text.contains("process ") && text.contains("wait"), "{text}");
        drop(crawler);
        let first = Database::open(&url, clock()).await.unwrap();
        assert!(first.store.is_some());
        let second = Database::open(&url, clock()).await.err().unwrap();
        assert!(matches!(second, CheckError::InUse { .. }), "{second}");
        drop(first);
        // Readers do not conflict with a check.
        let _reader = store::open(&url, &[]).await.unwrap();
        assert!(Database::open(&url, clock()).await.is_ok());
    }

    /// P16: the site of a visit that ended with the death of its crawler waits as it does after a
    /// restart.
    #[tokio::test]
    async fn p16_the_lease_of_a_dead_crawler_is_waited_out() {
        let directory = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", directory.path().join("agentdex.db").display());
        let crawler = store::open(&url, &[Role::Crawler]).await.unwrap();
        let domain: Domain = "mesa.example".parse().unwrap();
        let seed = store::Seed {
            domain: domain.clone(),
            port: None,
            source: store::SeedSource::Seed,
        };
        crawler
            .add_seeds(&[seed], false, clock().now())
            .await
            .unwrap();
        let until = clock().now().after(Duration::from_mins(5));
        assert_eq!(
            crawler
                .lease_domains(clock().now(), until, 1)
                .await
                .unwrap()
                .len(),
            1
        );
        drop(crawler);
        let database = Database::open(&url, clock()).await.unwrap();
        let gate = SharedGate::new(crate::rate_limit::Rules::default());
        let delay = Duration::from_secs(5);
        let wait = database.wait(&domain, delay, &gate).await.unwrap();
        // Less than a fifth of a second depends on the order of the interrupted visits.
        let least = delay + LONGEST_ANSWER;
        let range = least..least + Duration::from_millis(200);
        assert!(range.contains(&wait), "{wait:?}");
    }
}
