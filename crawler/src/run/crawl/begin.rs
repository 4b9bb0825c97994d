//! The stages from a lease to a visit in flight: lookup, admission at the address, task.

use super::{AWAITED, CROWDED, Crawl, EXCLUDED, LookedUp, Running};
use crate::clock::Clock;
use crate::fetch::Fetch;
use crate::observer::{self, Observer, PauseRequest};
use crate::rate_limit::LONGEST_ANSWER;
use crate::report;
use crate::run::address_queue::Moved;
use crate::run::done::{Done, Ended};
use crate::summary::Flight;
use crate::visit::{Admission, look_in_file, look_up, visit};
use manifest::Domain;
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use std::sync::Arc;
use std::time::Duration;
use store::{Lease, RobotsState, Store};
use tokio::time::{Instant, sleep_until};

impl<F: Fetch + Clone + Send + 'static> Crawl<'_, F> {
    /// Starts the first stage of a visit: the name is resolved only when the visit is about to
    /// begin.
    pub(super) fn look_up(&mut self, start: Instant, lease: Lease) {
        let fetch = self.fetch.clone();
        let is_excluded = self.is_forbidden(&lease);
        self.lookups.spawn(async move {
            let found = if is_excluded {
                Err(EXCLUDED)
            } else {
                look_up(&fetch, &lease).await
            };
            (start, lease, found)
        });
    }

    /// Runs the second stage of a visit: admission at the address.
    pub(super) fn admit(&mut self, found: Result<LookedUp, tokio::task::JoinError>) {
        match found {
            Ok((start, lease, Ok(address))) => {
                let mut gate = self.settings.gate.lock();
                let ready = (start, lease, address);
                let moved = self.queue.enter(&mut gate, ready, Instant::now());
                drop(gate);
                self.go_on(moved);
            }
            Ok((start, lease, Err(error))) => self.begin(start, lease, Admission::Closed(error)),
            // Its lease expires, and the domain is looked up again.
            Err(error) => tracing::error!(%error, "a lookup was aborted"),
        }
    }

    /// Begins admitted visits and postpones the others.
    pub(super) fn go_on(&mut self, moved: Moved) {
        for (ready, expected) in moved.admitted {
            let entrance = Admission::Open(ready.address, expected);
            self.begin(ready.start, ready.lease, entrance);
        }
        let (wall, monotonic) = (self.clock.now(), Instant::now());
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
            // The run waits for a pause of a minute caused by a neighbour, but not for longer
            // pauses of an address.
            if is_awaited || wait <= AWAITED {
                let awaited = monotonic + wait.min(CROWDED);
                self.awaited = self.awaited.max(awaited);
            }
            // No request was sent, so the remaining pause of the site stays.
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

    /// Tries the visits that wait for an address.
    pub(super) fn sweep(&mut self) {
        if self.queue.waiting() > 0 {
            let mut gate = self.settings.gate.lock();
            let moved = self.queue.wake_all(&mut gate, Instant::now());
            drop(gate);
            self.go_on(moved);
        }
    }

    pub(super) fn begin(&mut self, start: Instant, lease: Lease, entrance: Admission) {
        let domain = lease.domain.clone();
        let address = match &entrance {
            Admission::Open(address, _) => Some(*address),
            Admission::Closed(_) => None,
        };
        let claim = self.claims.wanted(&lease);
        let number = claim.as_ref().map(|_| lease.token);
        let entrance = if self.is_forbidden(&lease) {
            Admission::Closed(EXCLUDED)
        } else {
            entrance
        };
        let observer = StoreObserver {
            store: Arc::clone(&self.store),
            lease: lease.clone(),
            clock: self.clock,
        };
        // A client is expensive compared with a name that does not resolve.
        let fetch = match entrance {
            Admission::Open(address, _) => self.fetch.for_visit(&domain, address),
            Admission::Closed(_) => self.fetch.clone(),
        };
        let settings = Arc::clone(&self.settings);
        let wants_line = self.report.is_wanted();
        let admits_special_use = self.intake.admits_special_use;
        let store = Arc::clone(&self.store);
        let clock = self.clock;
        let progress = Arc::clone(&self.control.progress);
        let mut random = StdRng::from_rng(&mut self.random);
        let task = self.visits.spawn(async move {
            // Even an expired timer waits for the next tick.
            if start > Instant::now() {
                tokio::select! {
                    biased;
                    () = settings.stopping.cancelled() => {
                        return Ended::Unbegun(Box::new(lease));
                    }
                    () = sleep_until(start) => {}
                }
            }
            let _flight = Flight::begin(progress);
            let begun = clock.now();
            if let Some(wanted) = claim {
                let of = (&lease, &wanted);
                let file = look_in_file(
                    &fetch,
                    &observer,
                    &settings,
                    of,
                    entrance,
                    begun,
                    &mut random,
                )
                .await;
                return match file {
                    Some(file) => Ended::Checked(lease.token, Box::new(file)),
                    None => Ended::Unbegun(Box::new(lease)),
                };
            }
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
            if visited.is_stopped && visited.visit.requests == 0 {
                return Ended::Unbegun(Box::new(visited.visit.lease));
            }
            // A visit measures time by a clock that stops during suspend (P16, P24).
            let slept = clock.now().since(visited.visit.ended);
            visited.visit.next.put_off(slept);
            let line = if wants_line {
                Some(report::line(&visited, &*store).await)
            } else {
                None
            };
            Ended::Visited(Box::new(Done::new(visited, line, admits_special_use)))
        });
        let running = Running {
            domain,
            address,
            claim: number,
            task,
        };
        self.running.insert(running.task.id(), running);
    }

    /// Reports whether the domain of a lease is excluded; a claim to return is checked nevertheless.
    fn is_forbidden(&self, lease: &Lease) -> bool {
        self.claims.wanted(lease).is_none() && self.exclusions.covers(&lease.domain)
    }

    /// Aborts visits in flight to domains that have been excluded (P4).
    pub(super) fn break_off_excluded(&self) {
        for running in self.running.values() {
            if running.claim.is_none() && self.exclusions.covers(&running.domain) {
                running.task.abort();
            }
        }
    }
}

/// Stores pauses at once, so that they hold even if this process is killed.
struct StoreObserver {
    store: Arc<dyn Store>,
    lease: Lease,
    clock: Clock,
}

impl StoreObserver {
    async fn note(&self, pause: Duration) {
        let delay_ms = u32::try_from(pause.as_millis()).unwrap_or(u32::MAX);
        if let Err(error) = self.store.note_delay(&self.lease, delay_ms).await {
            tracing::warn!(%error, domain = %self.lease.domain, "cannot store the crawl delay");
        }
    }
}

impl Observer for StoreObserver {
    async fn crawl_delay(&self, delay: Duration) {
        self.note(delay).await;
    }

    async fn owed(&self, pause: Duration) {
        self.note(pause).await;
    }

    async fn stored_robots(&self, domain: &Domain) -> Option<RobotsState> {
        observer::stored_robots(&*self.store, domain).await
    }

    async fn throttled(&self, request: PauseRequest) {
        observer::store_pause(&*self.store, &request, self.clock.now()).await;
    }

    /// Keeps the next process, if this one dies, from contacting the host before it can have
    /// answered.
    async fn asked_elsewhere(&self, host: &Domain) {
        observer::block_host(&*self.store, host, LONGEST_ANSWER, self.clock.now()).await;
    }
}
