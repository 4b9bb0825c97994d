//! Handling of a finished visit: it is kept for recording, postponed, or its lease is returned.

use super::{AWAITED, Crawl, RECORD_AFTER};
use crate::crawl_delay;
use crate::fetch::{Fetch, FetchError};
use crate::rate_limit::Ending;
use crate::rate_limit::uplink::{ConnectionState, Reach};
use crate::run::done::{Done, Ended};
use crate::run::error::{RunError, while_doing};
use crate::run::leasing;
use crate::run::outage::Canary;
use manifest::Domain;
use std::time::Duration;
use store::{Lease, Visit};
use tokio::task::Id;
use tokio::time::Instant;

impl<F: Fetch + Clone + Send + 'static> Crawl<'_, F> {
    pub(super) async fn take(
        &mut self,
        joined: Result<(Id, Ended), tokio::task::JoinError>,
    ) -> Result<(), RunError> {
        let id = match &joined {
            Ok((id, _)) => *id,
            Err(error) => error.id(),
        };
        let running = self.running.remove(&id);
        let mut rest = crawl_delay::longest_pause(self.settings.delay, None);
        let mut ending = Ending::Unasked;
        match joined {
            Ok((_, Ended::Unbegun(lease))) => self.unbegun.push(*lease),
            Ok((_, Ended::Checked(number, file))) => {
                rest = match file.requests {
                    0 => Duration::ZERO,
                    _ => crawl_delay::longest_pause(self.settings.delay, file.crawl_delay),
                };
                ending = file.ending;
                self.judge_file(number, file.seen).await?;
            }
            Ok((_, Ended::Visited(done))) => {
                rest = self.rest_after(&done.visit);
                ending = done.ending;
                self.keep(*done).await?;
            }
            Err(error) if error.is_cancelled() => {}
            // Its lease expires, and the domain is visited again.
            Err(error) => {
                let domain = running.as_ref().map(|running| &running.domain);
                tracing::error!(%error, ?domain, "a visit was aborted");
            }
        }
        if let Some(running) = running {
            if let Some(number) = running.claim {
                self.claims.end(number);
            }
            if let Some(address) = running.address {
                let mut gate = self.settings.gate.lock();
                gate.leave(
                    running.domain.registrable(),
                    address,
                    ending,
                    Instant::now(),
                );
                let moved = self.queue.wake(&mut gate, address, Instant::now());
                drop(gate);
                self.go_on(moved);
            }
            let (next, expired) = self.sites.leave(&running.domain, rest);
            if let Some((start, lease)) = next {
                self.look_up(start, lease);
            }
            self.give_back(&expired).await?;
        }
        Ok(())
    }

    /// Keeps a visit for recording, unless no host answered and this machine may be offline (P38).
    pub(super) async fn keep(&mut self, done: Done) -> Result<(), RunError> {
        if done.reach == Reach::Unasked {
            self.put_off_exhausted(done.visit);
            return Ok(());
        }
        if let Some(pause) = done.put_off {
            self.await_busy(pause);
            // The requests sent so far are reported, although the rest follows later.
            if done.visit.requests == 0 {
                self.put_off_busy(done.visit, pause);
                return Ok(());
            }
        }
        match self.outage.note(done, Instant::now()) {
            (ConnectionState::Up, known) => {
                if !known.is_empty() {
                    self.record_at.get_or_insert(Instant::now() + RECORD_AFTER);
                }
                self.done.extend(known);
                Ok(())
            }
            (ConnectionState::Doubtful, _) => Ok(()),
            (ConnectionState::Down, lost) => {
                let leases: Vec<_> = lost.into_iter().map(|done| done.visit.lease).collect();
                if self.outage.has_begun() {
                    self.control.progress.update(|summary| summary.outages += 1);
                    tracing::error!(
                        "no host answers any more: this machine seems to be offline; nothing is \
                         recorded until a host answers"
                    );
                }
                self.give_back(&leases).await
            }
        }
    }

    /// Postpones a visit that failed because this process ran out of file descriptors, which is no
    /// fault of the site (HS-100).
    pub(super) fn put_off_exhausted(&mut self, visit: Visit) {
        let now = Instant::now();
        let in_flight = self.under_way();
        if let Some(most) = self.leasing.shrink(in_flight, now) {
            tracing::warn!(
                "too many open files with {in_flight} visits in flight: at most {most} from now on; \
                 raise the limit with `ulimit -n`"
            );
        }
        let pause = leasing::EXHAUSTED.max(self.rest_after(&visit));
        self.awaited = self.awaited.max(now + pause);
        self.later
            .push((visit.lease, self.clock.now().after(pause)));
    }

    /// Postpones a visit whose address is busy or asked for a pause.
    pub(super) fn put_off_busy(&mut self, visit: Visit, pause: Duration) {
        let pause = pause.max(self.rest_after(&visit));
        self.later
            .push((visit.lease, self.clock.now().after(pause)));
    }

    /// Makes the run wait for a domain that is to be tried again soon: a busy address frees up
    /// soon, while a requested pause may last hours.
    fn await_busy(&mut self, pause: Duration) {
        if pause <= AWAITED {
            self.awaited = self.awaited.max(Instant::now() + pause);
        }
    }

    /// Tests during an outage whether a host that answered before answers again.
    pub(super) async fn end_outage(&mut self) -> Result<(), RunError> {
        let exclusions = &self.exclusions;
        let is_excluded = |domain: &Domain| exclusions.covers(domain);
        let Some(canary) = self.outage.take_canary(Instant::now(), is_excluded) else {
            return Ok(());
        };
        let request = match canary {
            Canary::Robots(request) => request,
            Canary::None if self.config.watch => return Ok(()),
            Canary::None => return Err(RunError::Offline),
        };
        let answer = self.fetch.get(&request).await;
        let reach = answer
            .as_ref()
            .err()
            .map_or(Reach::Reached, FetchError::reach);
        self.outage.judge(reach, Instant::now());
        if !self.outage.is_on() {
            tracing::warn!("a host answers again: the crawl continues");
            self.settings.robots_cache.clear();
            self.started = Instant::now();
        }
        Ok(())
    }

    /// Returns the pause of a site after a visit: none if no request was sent.
    pub(super) fn rest_after(&self, visit: &Visit) -> Duration {
        let asked = visit.robots.as_ref().and_then(crawl_delay::stored_delay);
        match visit.requests {
            0 => Duration::ZERO,
            _ => crawl_delay::longest_pause(self.settings.delay, asked),
        }
    }

    pub(super) async fn give_back(&mut self, leases: &[Lease]) -> Result<(), RunError> {
        if leases.is_empty() {
            return Ok(());
        }
        self.claims.drop_all(leases.iter());
        self.begun -= leases.len() as u64;
        self.store
            .return_leases(leases)
            .await
            .map_err(while_doing("return domains to the frontier"))
    }
}
