//! Snapshots: all agents as of one moment, read in batches.

use super::{Backend, Location, Transaction, explain};
use crate::contract::{Snapshot, Snapshots};
use crate::error::StoreError;
use crate::model::{FeedState, StoredAgent};
use crate::sql::{agents, changes};
use async_trait::async_trait;
use manifest::AgentId;

/// Snapshot held by a reading transaction. Writers go on meanwhile; only the write-ahead log cannot
/// be emptied.
struct ReadSnapshot {
    location: Location,
    transaction: Transaction,
    feed_state: FeedState,
}

#[async_trait]
impl Snapshots for Backend {
    async fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        let (location, mut transaction) = self.begin_snapshot().await?;
        // The first statement that reads fixes the moment.
        let feed_state: FeedState = super::query_as(changes::FEED_STATE)
            .fetch_one(&mut *transaction)
            .await
            .map_err(|error| explain(&location, error))?;
        Ok(Box::new(ReadSnapshot {
            location,
            transaction,
            feed_state,
        }))
    }
}

#[async_trait]
impl Snapshot for ReadSnapshot {
    fn feed_state(&self) -> &FeedState {
        &self.feed_state
    }

    async fn agents(
        &mut self,
        after: Option<&AgentId>,
        limit: u32,
    ) -> Result<Vec<StoredAgent>, StoreError> {
        super::query_as(agents::AGENTS)
            .bind(after.map_or("", AgentId::as_str))
            .bind(i64::from(limit))
            .fetch_all(&mut *self.transaction)
            .await
            .map_err(|error| explain(&self.location, error))
    }
}
