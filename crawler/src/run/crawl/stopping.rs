//! Early ends of a crawl.

use super::{Crawl, RECORD_BATCH};
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
        self.control
            .progress
            .update(|summary| summary.interrupted = true);
        let mut waiting = self.sites.drain();
        waiting.extend(self.queue.drain());
        let mut deadline = Instant::now() + self.config.stop_within;
        let abort = self.control.abort.clone();
        while !self.lookups.is_empty() || !self.visits.is_empty() {
            let record_at = self.record_at;
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
                Some(found) = self.lookups.join_next() => {
                    waiting.extend(found.ok().map(|(_, lease, _)| lease));
                }
                Some(joined) = self.visits.join_next_with_id() => {
                    self.take(joined).await?;
                    if self.done.len() >= RECORD_BATCH {
                        self.record().await?;
                    }
                }
            }
        }
        self.lookups.abort_all();
        self.visits.abort_all();
        waiting.extend(std::mem::take(&mut self.unbegun));
        self.give_back(&waiting).await?;
        self.done.extend(self.outage.accept());
        self.put_off().await?;
        self.record().await
    }
}
