//! What becomes of a visit that has ended: it is kept to be recorded, put off or given back.

use super::{AWAITED, Crawl, Done, Ended, RECORD_AFTER};
use crate::fetch::{Fetch, FetchError};
use crate::pace::Ending;
use crate::pace::uplink::{Line, Reach};
use crate::politeness;
use crate::run::outage::Canary;
use crate::run::{RunError, leasing, now, while_doing};
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
        let mut rest = politeness::longest_pause(self.settings.delay, None);
        let mut ending = Ending::Unasked;
        match joined {
            Ok((_, Ended::Unbegun(lease))) => self.unbegun.push(*lease),
            Ok((_, Ended::Visited(done))) => {
                rest = self.rest_after(&done.visit);
                ending = done.ending;
                self.keep(*done).await?;
            }
            Err(error) if error.is_cancelled() => {}
            // Its lease runs out, and the domain is visited again.
            Err(error) => {
                let domain = running.as_ref().map(|running| &running.domain);
                tracing::error!(%error, ?domain, "a visit broke off");
            }
        }
        if let Some(running) = running {
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

    /// Keeps a visit to be recorded, unless nobody answered and that may be our own fault (P38).
    pub(super) async fn keep(&mut self, done: Done) -> Result<(), RunError> {
        if done.reach == Reach::Unasked {
            self.put_off_exhausted(done.visit);
            return Ok(());
        }
        if let Some(pause) = done.put_off {
            self.await_busy(pause);
            // What was asked is told, although the rest is asked later.
            if done.visit.requests == 0 {
                self.put_off_busy(done.visit, pause);
                return Ok(());
            }
        }
        match self.outage.note(done, Instant::now()) {
            (Line::Up, known) => {
                if !known.is_empty() {
                    self.record_at.get_or_insert(Instant::now() + RECORD_AFTER);
                }
                self.done.extend(known);
                Ok(())
            }
            (Line::Doubtful, _) => Ok(()),
            (Line::Down, lost) => {
                let leases: Vec<_> = lost.into_iter().map(|done| done.visit.lease).collect();
                if self.outage.has_begun() {
                    self.control.progress.update(|summary| summary.outages += 1);
                    tracing::error!(
                        "nobody answers any more: taken for an outage of our own line, nothing is \
                         recorded until somebody does"
                    );
                }
                self.give_back(&leases).await
            }
        }
    }

    /// Puts a visit off for which this process had too many files open: it is nobody's fault (row 100).
    pub(super) fn put_off_exhausted(&mut self, visit: Visit) {
        let now = Instant::now();
        let in_flight = self.under_way();
        if let Some(most) = self.leasing.shrink(in_flight, now) {
            tracing::warn!(
                "too many open files with {in_flight} visits in flight: no more than {most} from now on; \
                 raise the limit with `ulimit -n`"
            );
        }
        let pause = leasing::EXHAUSTED.max(self.rest_after(&visit));
        self.awaited = self.awaited.max(now + pause);
        self.later
            .push((visit.lease, crate::run::now().after(pause)));
    }

    /// Puts a visit off whose address had no room for it, or wants to be left alone.
    pub(super) fn put_off_busy(&mut self, visit: Visit, pause: Duration) {
        let pause = pause.max(self.rest_after(&visit));
        self.later.push((visit.lease, now().after(pause)));
    }

    /// Has the run wait for what is to be asked again so soon: room is soon, while who wants to be left alone may
    /// want it for hours.
    fn await_busy(&mut self, pause: Duration) {
        if pause <= AWAITED {
            self.awaited = self.awaited.max(Instant::now() + pause);
        }
    }

    /// Tries during an outage whether a host that answered before does so again.
    pub(super) async fn end_outage(&mut self) -> Result<(), RunError> {
        let leaving = &self.leaving;
        let is_excluded = |domain: &Domain| leaving.covers(domain);
        let Some(canary) = self.outage.take_canary(Instant::now(), is_excluded) else {
            return Ok(());
        };
        let request = match canary {
            Canary::Robots(request) => request,
            Canary::Nobody if self.config.watch => return Ok(()),
            Canary::Nobody => return Err(RunError::Offline),
        };
        let answer = self.fetch.get(&request).await;
        let reach = answer
            .as_ref()
            .err()
            .map_or(Reach::Reached, FetchError::reach);
        self.outage.judge(reach, Instant::now());
        if !self.outage.is_on() {
            tracing::warn!("somebody answers again: the crawl goes on");
            self.settings.led_to.clear();
            self.started = Instant::now();
        }
        Ok(())
    }

    /// How long a site is left alone after a visit: not at all when nobody was asked.
    pub(super) fn rest_after(&self, visit: &Visit) -> Duration {
        let asked = visit.robots.as_ref().and_then(|robots| robots.delay_ms);
        let asked = asked.map(|delay_ms| Duration::from_millis(delay_ms.into()));
        match visit.requests {
            0 => Duration::ZERO,
            _ => politeness::longest_pause(self.settings.delay, asked),
        }
    }

    pub(super) async fn give_back(&mut self, leases: &[Lease]) -> Result<(), RunError> {
        if leases.is_empty() {
            return Ok(());
        }
        self.begun -= leases.len() as u64;
        self.store
            .return_leases(leases)
            .await
            .map_err(while_doing("give domains back to the frontier"))
    }
}
