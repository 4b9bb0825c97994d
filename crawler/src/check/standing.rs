//! What the database knows of a site before a check asks it, and what the check tells it (P16, P19, P35).

use super::CheckError;
use crate::noting;
use crate::pace::PLEA_PAUSE;
use crate::politeness::{LONGEST_DELAY, PATIENCE, longest_pause};
use crate::run::now;
use crate::visit::{Plea, SharedExclusions, SharedGate};
use manifest::{Domain, Timestamp};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use store::{RobotsState, Role, Store, StoreError, Visit};
use tokio::time::Instant;

/// The database of a check; without one, nothing is known and nothing remembered.
pub(super) struct Standing(Option<Arc<dyn Store>>);

impl Standing {
    /// Opens the database, if there is one, in the role of its crawler: a crawl or another check that goes on
    /// would ask the same hosts and addresses at a pace of its own (P16, P18, P19).
    pub(super) async fn open(database: &str) -> Result<Self, CheckError> {
        match store::open_existing(database, &[Role::Crawler]).await {
            Ok(store) => Ok(Self(store)),
            Err(StoreError::InUse { path, holder, .. }) => Err(CheckError::AtWork { path, holder }),
            Err(error) => Err(error.into()),
        }
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
        // No crawler lives beside us: what is under lease was left by one that died, and rests as after a restart.
        let gap_ms = u32::try_from(delay.as_millis()).unwrap_or(u32::MAX);
        store.rebase(wall).await?;
        store.release_leases(wall, gap_ms.max(1_000)).await?;
        noting::take_up(&**store, gate).await?;
        let (name, start) = (domain.as_str(), Instant::now());
        let pleaded = gate.lock().host_pleaded(name, start);
        let mut until = pleaded.map_or(Timestamp(0), |until| wall.after(until - start));
        if let Some(known) = store.standing(domain).await? {
            let pause = whole_pause(delay, known.robots.as_ref());
            let rested = known.last_visit.map(|last| last.after(pause));
            until = until
                .max(known.not_before)
                .max(rested.unwrap_or(Timestamp(0)));
        }
        patient(until, wall, domain)
    }

    /// What is kept of the robots.txt of another domain.
    pub(super) async fn kept_robots(&self, domain: &Domain) -> Option<RobotsState> {
        noting::kept_robots(self.0.as_deref()?, domain).await
    }

    /// Remembers a plea.
    pub(super) async fn plea(&self, plea: &Plea) {
        if let Some(store) = &self.0 {
            noting::plea(&**store, plea).await;
        }
    }

    /// Remembers when a visit to `address` ended: the next visit keeps the gap to it. A crawl delay binds its
    /// host alone, which may be in no table of domains, as others may share the address.
    pub(super) async fn rest(&self, address: IpAddr, visit: &Visit, delay: Duration) {
        let Some(store) = self.0.as_deref().filter(|_| visit.requests > 0) else {
            return;
        };
        let gap = whole_pause(delay, None).min(PLEA_PAUSE);
        if !gap.is_zero() {
            noting::block_address(store, address, gap).await;
        }
        let pause = whole_pause(delay, visit.robots.as_ref()).min(LONGEST_DELAY);
        if !pause.is_zero() {
            noting::block_host(store, &visit.lease.domain, pause).await;
        }
    }
}

/// The pause after a visit: unlike one within it, as long as robots.txt asks for (P24).
fn whole_pause(delay: Duration, robots: Option<&RobotsState>) -> Duration {
    let delay_ms = robots.and_then(|robots| robots.delay_ms);
    let asked = delay_ms.map(|delay_ms| Duration::from_millis(delay_ms.into()));
    longest_pause(delay, asked).max(asked.unwrap_or_default())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p24_the_whole_crawl_delay_is_kept_after_a_visit() {
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

    /// P16, P18, P19: nobody checks beside a crawler or another check, which keep a pace of their own.
    #[tokio::test]
    async fn p16_a_check_is_alone_on_its_database() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("agentdex.db").display());
        assert!(Standing::open(&url).await.unwrap().0.is_none());
        let crawler = store::open(&url, &[Role::Crawler]).await.unwrap();
        let refused = Standing::open(&url).await.err().unwrap();
        assert!(matches!(&refused, CheckError::AtWork { .. }), "{refused}");
        let text = refused.to_string();
        assert!(text.contains("process ") && text.contains("wait"), "{text}");
        drop(crawler);
        let first = Standing::open(&url).await.unwrap();
        assert!(first.0.is_some());
        let second = Standing::open(&url).await.err().unwrap();
        assert!(matches!(second, CheckError::AtWork { .. }), "{second}");
        drop(first);
        // Who reads is nobody's rival.
        let _reader = store::open(&url, &[]).await.unwrap();
        assert!(Standing::open(&url).await.is_ok());
    }

    /// P16: the site of a visit that died with its crawler rests as it does after a restart.
    #[tokio::test]
    async fn p16_a_lease_of_a_dead_crawler_is_rested() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("agentdex.db").display());
        let crawler = store::open(&url, &[Role::Crawler]).await.unwrap();
        let domain: Domain = "mesa.example".parse().unwrap();
        let seed = store::Seed {
            domain: domain.clone(),
            port: None,
            source: store::SeedSource::Seed,
        };
        crawler.add_seeds(&[seed], false, now()).await.unwrap();
        let until = now().after(Duration::from_mins(5));
        assert_eq!(
            crawler.lease_domains(now(), until, 1).await.unwrap().len(),
            1
        );
        drop(crawler);
        let standing = Standing::open(&url).await.unwrap();
        let gate = SharedGate::new(crate::pace::Rules::default());
        let delay = Duration::from_secs(20);
        let wait = standing.wait(&domain, delay, &gate).await.unwrap();
        // Less than a fifth of a second is left to the order of what broke off.
        let range = delay..delay + Duration::from_millis(200);
        assert!(range.contains(&wait), "{wait:?}");
    }
}
