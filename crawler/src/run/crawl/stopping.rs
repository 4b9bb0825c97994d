//! Early ends of a crawl.

use super::in_flight::TaskEnd;
use super::{AWAY, Crawl};
use crate::fetch::Fetch;
use crate::run::error::RunError;
use std::error::Error;
use std::time::Duration;
use store::Lease;
use tokio::time::{Instant, sleep, sleep_until};

/// Time for visits to end once they no longer wait for answers.
const ENDING: Duration = Duration::from_millis(500);

impl<F: Fetch + Clone + Send + 'static> Crawl<'_, F> {
    /// Stops cleanly: nothing new begins, visits end after their current request and are recorded.
    /// They give up answers that take longer than `--stop-within`, and a database that is away for longer.
    pub(super) async fn finish(&mut self) -> Result<(), RunError> {
        self.settings.stopping.cancel();
        self.trials.abort_all();
        self.settings.membership.begin_to_leave();
        self.control
            .progress
            .update(|summary| summary.interrupted = true);
        let deadline = Instant::now() + self.config.stop_within;
        let mut waiting = self.queues.drain();
        self.end_visits(deadline, &mut waiting).await?;
        waiting.extend(self.queues.drain());
        // Nothing was requested there, unless a visit to another host of the site is aborted now.
        if self.in_flight.len() == 0 {
            let membership = &self.settings.membership;
            for lease in &waiting {
                membership.release(lease.domain.registrable(), Duration::ZERO);
            }
        }
        self.in_flight.abort_all();
        self.queues.give_back(waiting);
        self.batch.extend(self.outage.accept());
        self.write_down_until(deadline).await
    }

    /// Waits for the visits in flight, and records them. Waiting hosts are added to `waiting`.
    async fn end_visits(
        &mut self,
        mut deadline: Instant,
        waiting: &mut Vec<Lease>,
    ) -> Result<(), RunError> {
        let abort = self.control.abort.clone();
        let mut next_try = Instant::now();
        while self.in_flight.len() > 0 {
            let record_at = match self.batch.record_at() {
                Some(_) if self.batch.is_full() => Some(next_try),
                at => at.map(|at| at.max(next_try)),
            };
            let done = tokio::select! {
                biased;
                () = abort.cancelled() => break,
                () = sleep_until(deadline) => {
                    if self.settings.late.is_cancelled() {
                        break;
                    }
                    self.settings.late.cancel();
                    deadline = Instant::now() + ENDING;
                    Ok(())
                }
                () = sleep_until(record_at.unwrap_or(deadline)), if record_at.is_some() => {
                    self.record().await
                }
                Some(end) = self.in_flight.next() => match end {
                    TaskEnd::Lookup(lookup) => {
                        waiting.extend((*lookup).ok().map(|(_, lease, _)| lease));
                        Ok(())
                    }
                    TaskEnd::Visit(result, running) => self.end_visit(result, running).await,
                },
            };
            match done {
                Err(error) if error.is_away() => next_try = Instant::now() + AWAY,
                done => done?,
            }
        }
        Ok(())
    }

    /// Writes down all that is finished; tries again until a deadline while the database is away.
    async fn write_down_until(&mut self, deadline: Instant) -> Result<(), RunError> {
        loop {
            let error = match self.write_down().await {
                Err(error) if error.is_away() => error,
                written => return written,
            };
            if self.control.abort.is_cancelled() || Instant::now() + AWAY > deadline {
                let cause: &dyn Error = &error;
                tracing::warn!(
                    error = cause,
                    "stopped while the database is away: other crawlers, or the next start, go on"
                );
                return Ok(());
            }
            let abort = &self.control.abort;
            let _ = abort.run_until_cancelled(sleep(AWAY)).await;
        }
    }

    async fn write_down(&mut self) -> Result<(), RunError> {
        self.return_postponed().await?;
        self.record().await?;
        self.release_all().await
    }
}
