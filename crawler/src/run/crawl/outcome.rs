//! Handling of a finished visit: it is kept for recording, postponed, or its lease is returned.

use super::Crawl;
use super::in_flight::RunningVisit;
use crate::crawl_delay;
use crate::fetch::Fetch;
use crate::rate_limit::uplink::{ConnectionState, Reach};
use crate::rate_limit::{Ending, LONGEST_ANSWER};
use crate::run::error::RunError;
use crate::run::leasing;
use crate::run::visit_record::{TaskResult, VisitRecord};
use crate::visit::Interruption;
use std::net::IpAddr;
use std::time::Duration;
use store::Visit;
use tokio::task::JoinError;
use tokio::time::Instant;

impl<F: Fetch + Clone + Send + 'static> Crawl<'_, F> {
    /// Handles the result of a visit, and frees its site and address.
    pub(super) async fn end_visit(
        &mut self,
        result: Result<TaskResult, JoinError>,
        running: Option<RunningVisit>,
    ) -> Result<(), RunError> {
        let mut rest = crawl_delay::longest_pause(self.settings.delay, None);
        // A visit that was aborted may still be being answered.
        let mut others = rest + LONGEST_ANSWER;
        let mut ending = Ending::Unasked;
        let mut found = None;
        match result {
            Ok(TaskResult::Stopped(lease)) => {
                others = rest;
                self.keep_stopped(*lease);
            }
            Ok(TaskResult::Claim(number, file)) => {
                let file = *file;
                rest = match file.requests {
                    0 => Duration::ZERO,
                    _ => crawl_delay::longest_pause(self.settings.delay, file.crawl_delay),
                };
                others = rest;
                ending = file.ending;
                found = Some((number, file.token));
            }
            Ok(TaskResult::Visit(done)) => {
                rest = self.rest_after(&done.visit);
                others = done.pause;
                ending = done.ending;
                let address = running.as_ref().and_then(|it| it.address);
                self.keep(*done, address);
            }
            Err(error) if error.is_cancelled() => {}
            // Its lease expires, and the domain is visited again.
            Err(error) => {
                let domain = running.as_ref().map(|running| &running.domain);
                tracing::error!(%error, ?domain, "a visit was aborted");
            }
        }
        if let Some(running) = running {
            self.free(&running, (rest, others), ending);
            if let Some(number) = running.claim.filter(|_| found.is_none()) {
                self.claims.end(number);
            }
        }
        match found {
            Some((number, token)) => self.judge_file(number, token).await,
            None => Ok(()),
        }
    }

    /// Frees the site and the address of a visit.
    fn free(
        &mut self,
        running: &RunningVisit,
        (rest, others): (Duration, Duration),
        ending: Ending,
    ) {
        if let Some(address) = running.address {
            let gate = &self.settings.gate;
            let site = running.domain.registrable();
            gate.lock().leave(site, address, ending, Instant::now());
            let openings = self.queues.wake(gate, address, self.clocks.now());
            self.proceed(openings);
        }
        let (next, expired) = self.queues.leave(&running.domain, rest, others);
        if let Some((start, lease)) = next {
            self.look_up(start, lease);
        }
        self.queues.give_back(expired);
    }

    /// Keeps a visit for recording, unless no host answered and this machine may be offline (P38).
    fn keep(&mut self, done: VisitRecord, address: Option<IpAddr>) {
        if done.reach == Reach::Unasked {
            self.postpone_exhausted(done.visit);
            return;
        }
        if let Some(Interruption::Busy(pause)) = done.interruption {
            self.queues.wait_for_busy(pause);
            // The requests sent so far are reported, although the rest follows later.
            if done.visit.requests == 0 {
                self.postpone(done.visit, pause);
                return;
            }
        }
        match self.outage.note(done, address, Instant::now()) {
            (ConnectionState::Up, known) => self.batch.extend(known),
            (ConnectionState::Doubtful, _) => {}
            (ConnectionState::Down, lost) => {
                let leases = lost.into_iter().map(|done| done.visit.lease);
                self.queues.give_back(leases);
                if self.outage.has_begun() {
                    self.control.progress.update(|summary| summary.outages += 1);
                    let membership = &self.settings.membership;
                    membership.give_up_all_but(&self.outage.slots());
                    tracing::error!(
                        "no host answers any more: this machine seems to be offline; nothing is \
                         recorded until a host answers"
                    );
                }
            }
        }
    }

    /// Postpones a visit that failed because this process ran out of file descriptors, which is no
    /// fault of the site (HS-100).
    fn postpone_exhausted(&mut self, visit: Visit) {
        let in_flight = self.in_flight.len();
        if let Some(most) = self.leasing.shrink(in_flight, Instant::now()) {
            tracing::warn!(
                "too many open files with {in_flight} visits in flight: at most {most} from now on; \
                 raise the limit with `ulimit -n`"
            );
        }
        let pause = leasing::EXHAUSTED.max(self.rest_after(&visit));
        self.queues.wait_for(pause);
        self.postpone(visit, pause);
    }

    /// Postpones a visit by a pause, that of its site at least.
    fn postpone(&mut self, visit: Visit, pause: Duration) {
        let pause = pause.max(self.rest_after(&visit));
        let until = self.clocks.now().after(pause);
        self.queues.postpone(visit.lease, until);
    }

    /// Returns the pause of a site after a visit: none if no request was sent.
    fn rest_after(&self, visit: &Visit) -> Duration {
        let asked = visit.robots.as_ref().and_then(crawl_delay::stored_delay);
        match visit.requests {
            0 => Duration::ZERO,
            _ => crawl_delay::longest_pause(self.settings.delay, asked),
        }
    }
}
