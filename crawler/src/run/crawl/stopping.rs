//! Early ends of a crawl.

use super::Crawl;
use super::in_flight::TaskEnd;
use crate::fetch::Fetch;
use crate::run::error::RunError;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// Time for visits to end once they no longer wait for answers.
const ENDING: Duration = Duration::from_millis(500);

impl<F: Fetch + Clone + Send + 'static> Crawl<'_, F> {
    /// Stops cleanly: nothing new begins, visits end after their current request and are recorded.
    /// They give up answers that take longer than `--stop-within`.
    pub(super) async fn finish(&mut self) -> Result<(), RunError> {
        self.settings.stopping.cancel();
        self.settings.membership.begin_to_leave();
        self.control
            .progress
            .update(|summary| summary.interrupted = true);
        let mut deadline = Instant::now() + self.config.stop_within;
        let abort = self.control.abort.clone();
        let mut waiting = self.queues.drain();
        while self.in_flight.len() > 0 {
            let record_at = self.batch.record_at();
            tokio::select! {
                biased;
                () = abort.cancelled() => break,
                () = sleep_until(deadline) => {
                    if self.settings.late.is_cancelled() {
                        break;
                    }
                    self.settings.late.cancel();
                    deadline += ENDING;
                }
                () = sleep_until(record_at.unwrap_or(deadline)), if record_at.is_some() => {
                    self.record().await?;
                }
                Some(end) = self.in_flight.next() => match end {
                    TaskEnd::Lookup(lookup) => waiting.extend((*lookup).ok().map(|(_, lease, _)| lease)),
                    TaskEnd::Visit(result, running) => {
                        self.end_visit(result, running).await?;
                        if self.batch.is_full() {
                            self.record().await?;
                        }
                    }
                },
            }
        }
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
        self.return_postponed().await?;
        self.record().await?;
        self.release_all().await
    }
}
