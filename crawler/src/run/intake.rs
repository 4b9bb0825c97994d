//! Intake of submissions and discovered sites into a running crawl.

use super::error::{RunError, while_doing};
use crate::config::Config;
use manifest::Timestamp;
use std::time::Duration;
use store::{Discovery, Store};
use tokio::time::Instant;

/// Interval between two looks for submissions, each a query of one index that is mostly empty: a
/// requested visit begins within a second (P47).
const POLL: Duration = Duration::from_millis(250);
/// Maximum number of submissions taken at once.
const MAX_AT_ONCE: u32 = 100;
/// Maximum number of discovered domains that wait for their first visit; at that number no more are
/// added.
const MAX_DISCOVERED: u32 = 100_000;

/// Intake of a crawl.
#[derive(Debug)]
pub(super) struct Intake {
    /// Time of the next look; `None` for a crawl that does not watch.
    poll_at: Option<Instant>,
    pub(super) admits_special_use: bool,
}

impl Intake {
    pub(super) fn new(config: &Config) -> Self {
        Self {
            poll_at: config.watch.then(Instant::now),
            admits_special_use: !config.network.allowed.is_empty(),
        }
    }

    /// Returns the time of the next look for submissions.
    pub(super) fn poll_at(&self) -> Option<Instant> {
        self.poll_at
    }

    /// Takes submissions if it is time; returns true if there were any.
    pub(super) async fn take(
        &mut self,
        store: &dyn Store,
        now: Timestamp,
    ) -> Result<bool, RunError> {
        if self.poll_at.is_none_or(|at| Instant::now() < at) {
            return Ok(false);
        }
        self.poll_at = Some(Instant::now() + POLL);
        let taken = store
            .take_submissions(MAX_AT_ONCE, self.admits_special_use, now)
            .await
            .map_err(while_doing("take submissions"))?;
        for submission in &taken {
            let (domain, state) = (&submission.domain, submission.state.as_str());
            tracing::info!(domain.name = %domain, state, "submitted: {domain}");
        }
        Ok(!taken.is_empty())
    }

    /// Adds the sites that the documents of visits refer to, with the documents named there.
    pub(super) async fn discover<'a>(
        &self,
        found: impl Iterator<Item = &'a [Discovery]>,
        store: &dyn Store,
        now: Timestamp,
    ) -> Result<(), RunError> {
        let discoveries: Vec<Discovery> = found.flatten().cloned().collect();
        if discoveries.is_empty() {
            return Ok(());
        }
        store
            .discover(&discoveries, MAX_DISCOVERED, now)
            .await
            .map_err(while_doing("add discovered sites"))?;
        Ok(())
    }
}
