//! Early ends of a crawl.

use super::{Crawl, RECORD_BATCH};
use crate::fetch::Fetch;
use crate::run::error::RunError;
use tokio::time::{Instant, sleep_until};

impl<F: Fetch + Clone + Send + 'static> Crawl<'_, F> {
    /// Stops cleanly: nothing new begins, visits end after their current request and are recorded.
    /// Visits whose request takes longer than `--stop-within` are aborted, as if by a kill.
    pub(super) async fn finish(&mut self) -> Result<(), RunError> {
        self.settings.stopping.cancel();
        self.control
            .progress
            .update(|summary| summary.interrupted = true);
        let mut waiting = self.sites.drain();
        waiting.extend(self.queue.drain());
        let deadline = Instant::now() + self.config.stop_within;
        let abort = self.control.abort.clone();
        let late = async move {
            tokio::select! {
                () = abort.cancelled() => {}
                () = sleep_until(deadline) => {}
            }
        };
        tokio::pin!(late);
        while !self.lookups.is_empty() || !self.visits.is_empty() {
            tokio::select! {
                biased;
                () = &mut late => break,
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
