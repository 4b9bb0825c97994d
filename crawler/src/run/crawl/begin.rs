//! From a lease to a visit under way: a lookup, a place at the address, a task.

use super::{AWAITED, CROWDED, Crawl, Done, EXCLUDED, LookedUp, Running, record};
use crate::fetch::Fetch;
use crate::noting;
use crate::run::queue::Moved;
use crate::run::{Stop, now};
use crate::summary::Flight;
use crate::visit::{Entrance, Observer, Plea, look_up, visit};
use manifest::Domain;
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use std::sync::Arc;
use std::time::Duration;
use store::{Lease, RobotsState, Store};
use tokio::time::{Instant, sleep_until};

/// How the task of a visit ended.
pub(super) enum Ended {
    /// With a visit.
    Visited(Box<Done>),
    /// Before its turn, as somebody said stop.
    Unbegun(Box<Lease>),
}

impl<F: Fetch + Clone + Send + 'static> Crawl<'_, F> {
    /// The first stage of a visit: no name server is asked for a domain whose turn is not near.
    pub(super) fn look_up(&mut self, start: Instant, lease: Lease) {
        let fetch = self.fetch.clone();
        let is_excluded = self.leaving.covers(&lease.domain);
        self.lookups.spawn(async move {
            let found = if is_excluded {
                Err(EXCLUDED)
            } else {
                look_up(&fetch, &lease).await
            };
            (start, lease, found)
        });
    }

    /// The second stage: a place at the address.
    pub(super) fn admit(&mut self, found: Result<LookedUp, tokio::task::JoinError>) {
        match found {
            Ok((start, lease, Ok(address))) => {
                let mut gate = self.settings.gate.lock();
                let ready = (start, lease, address);
                let moved = self.queue.enter(&mut gate, ready, Instant::now());
                drop(gate);
                self.go_on(moved);
            }
            Ok((start, lease, Err(error))) => self.begin(start, lease, Entrance::Closed(error)),
            // Its lease runs out, and the domain is looked up again.
            Err(error) => tracing::error!(%error, "a lookup broke off"),
        }
    }

    /// Begins visits that were let in, and puts off those that were not.
    pub(super) fn go_on(&mut self, moved: Moved) {
        for (ready, expected) in moved.admitted {
            let entrance = Entrance::Open(ready.address, expected);
            self.begin(ready.start, ready.lease, entrance);
        }
        let (wall, monotonic) = (now(), Instant::now());
        let crowded = moved
            .crowded
            .into_iter()
            .map(|(ready, until)| (ready, until, true));
        let blocked = moved
            .blocked
            .into_iter()
            .map(|(ready, until)| (ready, until, false));
        for (ready, until, is_awaited) in crowded.chain(blocked) {
            let wait = until.saturating_duration_since(monotonic);
            let until = wall.after(wait);
            // A minute for the sake of a neighbour is waited for; what an address wants for longer is not.
            if is_awaited || wait <= AWAITED {
                let awaited = monotonic + wait.min(CROWDED);
                self.awaited = self.awaited.max(awaited);
            }
            // Nobody was asked, so the rest that the site still had stays.
            let rest = ready.start.saturating_duration_since(monotonic);
            let (next, expired) = self.sites.leave(&ready.lease.domain, rest);
            self.later.push((ready.lease, until));
            self.later
                .extend(expired.into_iter().map(|lease| (lease, wall)));
            if let Some((start, lease)) = next {
                self.look_up(start, lease);
            }
        }
    }

    /// Looks after those that wait for an address.
    pub(super) fn sweep(&mut self) {
        if self.queue.waiting() > 0 {
            let mut gate = self.settings.gate.lock();
            let moved = self.queue.wake_all(&mut gate, Instant::now());
            drop(gate);
            self.go_on(moved);
        }
    }

    pub(super) fn begin(&mut self, start: Instant, lease: Lease, entrance: Entrance) {
        let domain = lease.domain.clone();
        let address = match &entrance {
            Entrance::Open(address, _) => Some(*address),
            Entrance::Closed(_) => None,
        };
        let entrance = if self.leaving.covers(&domain) {
            Entrance::Closed(EXCLUDED)
        } else {
            entrance
        };
        let observer = Noting {
            store: Arc::clone(&self.store),
            lease: lease.clone(),
        };
        // A client is dear in comparison with a name that does not resolve.
        let fetch = match entrance {
            Entrance::Open(address, _) => self.fetch.for_visit(&domain, address),
            Entrance::Closed(_) => self.fetch.clone(),
        };
        let settings = Arc::clone(&self.settings);
        let wants_line = self.report.is_wanted();
        let admits_special_use = self.arriving.admits_special_use;
        let store = Arc::clone(&self.store);
        let progress = Arc::clone(&self.control.progress);
        let mut stop = self.control.stop.clone();
        let mut random = StdRng::from_rng(&mut self.random);
        let task = self.visits.spawn(async move {
            // Even a timer that is due already waits for the next tick.
            if start > Instant::now() {
                tokio::select! {
                    biased;
                    // A sender that is gone will never say stop.
                    Ok(_) = stop.wait_for(|stop| *stop != Stop::No) => {
                        return Ended::Unbegun(Box::new(lease));
                    }
                    () = sleep_until(start) => {}
                }
            }
            let _flight = Flight::begin(progress);
            let begun = now();
            let mut visited = visit(
                &fetch,
                &observer,
                &settings,
                lease,
                entrance,
                begun,
                &mut random,
            )
            .await;
            // A visit counts its time on a clock that stands still while the machine sleeps (P16, P24).
            let slept = now().since(visited.visit.ended);
            visited.visit.next.put_off(slept);
            let stored = record::stored(&*store, &visited.visit).await;
            Ended::Visited(Box::new(Done::new(
                visited,
                &stored,
                wants_line,
                admits_special_use,
            )))
        });
        let running = Running {
            domain,
            address,
            task,
        };
        self.running.insert(running.task.id(), running);
    }

    /// Stops the visits under way to domains that have been excluded (P4).
    pub(super) fn break_off_excluded(&self) {
        for running in self.running.values() {
            if self.leaving.covers(&running.domain) {
                running.task.abort();
            }
        }
    }
}

/// Tells the store of pauses and pleas at once, so that they hold even when this process is killed.
struct Noting {
    store: Arc<dyn Store>,
    lease: Lease,
}

impl Noting {
    async fn note(&self, pause: Duration) {
        let delay_ms = u32::try_from(pause.as_millis()).unwrap_or(u32::MAX);
        if let Err(error) = self.store.note_delay(&self.lease, delay_ms).await {
            tracing::warn!(%error, domain = %self.lease.domain, "crawl delay not noted");
        }
    }
}

impl Observer for Noting {
    async fn crawl_delay(&self, delay: Duration) {
        self.note(delay).await;
    }

    async fn owed(&self, pause: Duration) {
        self.note(pause).await;
    }

    async fn kept_robots(&self, domain: &Domain) -> Option<RobotsState> {
        noting::kept_robots(&*self.store, domain).await
    }

    async fn throttled(&self, plea: Plea) {
        noting::plea(&*self.store, &plea).await;
    }
}
