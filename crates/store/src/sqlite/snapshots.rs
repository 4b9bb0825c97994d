//! Snapshots: all agents as of one moment, read in batches.

use super::SqliteStore;
use super::errors::explain;
use crate::contract::{Snapshot, Snapshots};
use crate::error::StoreError;
use crate::model::{FeedState, StoredAgent};
use crate::sql::{agents, changes};
use async_trait::async_trait;
use manifest::AgentId;
use sqlx::{Sqlite, Transaction};
use std::path::PathBuf;

/// Snapshot held by a reading transaction. Writers go on meanwhile; only the write-ahead log cannot
/// be emptied.
struct SqliteSnapshot {
    path: PathBuf,
    transaction: Transaction<'static, Sqlite>,
    feed_state: FeedState,
}

#[async_trait]
impl Snapshots for SqliteStore {
    async fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        let begun = async {
            let mut transaction = self.reader.begin().await?;
            // The first statement that reads fixes the moment.
            let state: FeedState = sqlx::query_as(changes::FEED_STATE)
                .fetch_one(&mut *transaction)
                .await?;
            Ok((transaction, state))
        };
        let (transaction, feed_state) = self.run(begun).await?;
        Ok(Box::new(SqliteSnapshot {
            path: self.file.path().to_owned(),
            transaction,
            feed_state,
        }))
    }
}

#[async_trait]
impl Snapshot for SqliteSnapshot {
    fn feed_state(&self) -> &FeedState {
        &self.feed_state
    }

    async fn agents(
        &mut self,
        after: Option<&AgentId>,
        limit: u32,
    ) -> Result<Vec<StoredAgent>, StoreError> {
        sqlx::query_as(agents::AGENTS)
            .bind(after.map_or("", AgentId::as_str))
            .bind(i64::from(limit))
            .fetch_all(&mut *self.transaction)
            .await
            .map_err(|error| explain(&self.path, error))
    }
}
