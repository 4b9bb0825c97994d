//! Early ends of a crawl.

use super::{Crawl, RECORD_BATCH};
use crate::fetch::Fetch;
use crate::run::control::Stop;
use crate::run::error::RunError;

impl<F: Fetch + Clone + Send + 'static> Crawl<'_, F> {
    /// Stops cleanly: nothing new begins, finished visits are recorded.
    pub(super) async fn finish(&mut self, stopping: Stop) -> Result<(), RunError> {
        let mut stop = self.control.stop.clone();
        let mut stopping = stopping;
        self.control
            .progress
            .update(|summary| summary.interrupted = true);
        let mut waiting = self.sites.drain();
        waiting.extend(self.queue.drain());
        while stopping != Stop::Now && !self.lookups.is_empty() {
            tokio::select! {
                Some(found) = self.lookups.join_next() => {
                    waiting.extend(found.ok().map(|(_, lease, _)| lease));
                }
                Ok(()) = stop.changed() => stopping = *stop.borrow_and_update(),
            }
        }
        self.lookups.abort_all();
        self.give_back(&waiting).await?;
        while stopping != Stop::Now && !self.visits.is_empty() {
            tokio::select! {
                Some(joined) = self.visits.join_next_with_id() => {
                    self.take(joined).await?;
                    if self.done.len() >= RECORD_BATCH {
                        self.record().await?;
                    }
                }
                Ok(()) = stop.changed() => stopping = *stop.borrow_and_update(),
            }
        }
        self.visits.abort_all();
        let unbegun = std::mem::take(&mut self.unbegun);
        self.give_back(&unbegun).await?;
        self.done.extend(self.outage.accept());
        self.put_off().await?;
        self.record().await
    }
}
