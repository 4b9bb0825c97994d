//! The stages from a lease to a visit in flight: lookup, admission at the address, task.

use super::Crawl;
use super::in_flight::{Lookup, RunningVisit};
use super::queues::Openings;
use crate::clock::Clock;
use crate::fetch::{Fetch, FetchError};
use crate::observer::{self, Observer, PauseRequest};
use crate::rate_limit::LONGEST_ANSWER;
use crate::report;
use crate::run::visit_record::{TaskResult, VisitRecord};
use crate::summary::Flight;
use crate::visit::{Admission, Interruption, look_in_file, look_up, visit};
use manifest::Domain;
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use std::sync::Arc;
use std::time::Duration;
use store::{Lease, RobotsState, Store};
use tokio::task::JoinError;
use tokio::time::{Instant, sleep_until};

/// Detail of a waiting lease whose domain was excluded (P4); it is never recorded.
const EXCLUDED: FetchError = FetchError::Protocol("excluded");

impl<F: Fetch + Clone + Send + 'static> Crawl<'_, F> {
    /// Starts the first stage of a visit: the name is resolved only when the visit is about to
    /// begin.
    pub(super) fn look_up(&mut self, start: Instant, lease: Lease) {
        let fetch = self.fetch.clone();
        let is_excluded = self.is_forbidden(&lease);
        self.in_flight.look_up(async move {
            let found = if is_excluded {
                Err(EXCLUDED)
            } else {
                look_up(&fetch, &lease).await
            };
            (start, lease, found)
        });
    }

    /// Runs the second stage of a visit: admission at the address.
    pub(super) fn admit(&mut self, lookup: Result<Lookup, JoinError>) {
        match lookup {
            Ok((start, lease, Ok(address))) => {
                let visit = (start, lease, address);
                let (gate, now) = (&self.settings.gate, self.clocks.now());
                let openings = self.queues.enter_address(gate, visit, now);
                self.proceed(openings);
            }
            Ok((start, lease, Err(error))) => self.begin(start, lease, Admission::Closed(error)),
            // Its lease expires, and the domain is looked up again.
            Err(error) => tracing::error!(%error, "a lookup was aborted"),
        }
    }

    /// Begins the visits and lookups whose turn has come.
    pub(super) fn proceed(&mut self, openings: Openings) {
        for (ready, expected) in openings.admitted {
            let admission = Admission::Open(ready.address, expected);
            self.begin(ready.start, ready.lease, admission);
        }
        for ready in openings.guests {
            self.begin(ready.start, ready.lease, Admission::Guest(ready.address));
        }
        for (start, lease) in openings.next {
            self.look_up(start, lease);
        }
    }

    /// Begins a visit.
    pub(super) fn begin(&mut self, start: Instant, lease: Lease, admission: Admission) {
        let address = match &admission {
            Admission::Open(address, _) => Some(*address),
            Admission::Guest(_) | Admission::Closed(_) => None,
        };
        tracing::debug!(domain = %lease.domain, ?admission, "a visit begins");
        let token = self.claims.token(&lease);
        let running = RunningVisit {
            domain: lease.domain.clone(),
            address,
            claim: token.as_ref().map(|_| lease.token),
        };
        let admission = if self.is_forbidden(&lease) {
            Admission::Closed(EXCLUDED)
        } else {
            admission
        };
        let clock = self.clocks.clock();
        let observer = StoreObserver {
            store: Arc::clone(&self.store),
            lease: lease.clone(),
            clock,
        };
        // A client is expensive compared with a name that does not resolve.
        let fetch = match admission {
            Admission::Open(address, _) | Admission::Guest(address) => {
                self.fetch.for_visit(&running.domain, address)
            }
            Admission::Closed(_) => self.fetch.clone(),
        };
        let settings = Arc::clone(&self.settings);
        let wants_line = self.report.is_wanted();
        let admits_special_use = self.intake.admits_special_use;
        let store = Arc::clone(&self.store);
        let progress = Arc::clone(&self.control.progress);
        let mut random = StdRng::from_rng(&mut self.random);
        self.in_flight.visit(running, async move {
            // Even an expired timer waits for the next tick.
            if start > Instant::now() {
                tokio::select! {
                    biased;
                    () = settings.stopping.cancelled() => {
                        return TaskResult::Stopped(Box::new(lease));
                    }
                    () = sleep_until(start) => {}
                }
            }
            let _flight = Flight::begin(progress);
            let begun = clock.now();
            if let Some(token) = token {
                let of = (&lease, &token);
                let file = look_in_file(
                    &fetch,
                    &observer,
                    &settings,
                    of,
                    admission,
                    begun,
                    &mut random,
                )
                .await;
                return match file {
                    Some(file) => TaskResult::Claim(lease.token, Box::new(file)),
                    None => TaskResult::Stopped(Box::new(lease)),
                };
            }
            let mut finished = visit(
                &fetch,
                &observer,
                &settings,
                lease,
                admission,
                begun,
                &mut random,
            )
            .await;
            let visit = &mut finished.visit;
            if finished.interruption == Some(Interruption::Stop) && visit.requests == 0 {
                return TaskResult::Stopped(Box::new(finished.visit.lease));
            }
            // The gate of this crawler knows them, those of the others do not.
            if settings.membership.member().is_some() {
                for (host, wait) in &finished.slow_hosts {
                    observer::block_host(&*store, host, *wait, clock.now()).await;
                }
            }
            let visit = &mut finished.visit;
            // A visit measures time by a clock that stops during suspend (P16, P24).
            visit.next.postpone(clock.now().since(visit.ended));
            let line = if wants_line {
                Some(report::line(&finished, &*store).await)
            } else {
                None
            };
            TaskResult::Visit(Box::new(VisitRecord::new(
                finished,
                line,
                admits_special_use,
            )))
        });
    }

    /// Reports whether the domain of a lease is excluded; a claim to return is checked nevertheless.
    fn is_forbidden(&self, lease: &Lease) -> bool {
        self.claims.token(lease).is_none() && self.exclusions.covers(&lease.domain)
    }

    /// Aborts visits in flight to domains that have been excluded (P4).
    pub(super) fn abort_excluded(&self) {
        self.in_flight
            .abort_visits(|domain| self.exclusions.covers(domain));
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
