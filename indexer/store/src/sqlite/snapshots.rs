//! Snapshots: all agents as of one moment, read in batches.

use super::SqliteStore;
use super::errors::explain;
use crate::contract::{Snapshot, Snapshots};
use crate::error::StoreError;
use crate::model::StoredAgent;
use crate::row::count;
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
    last_change: u64,
}

#[async_trait]
impl Snapshots for SqliteStore {
    async fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        let begun = async {
            let mut transaction = self.reader.begin().await?;
            // The first statement that reads fixes the moment.
            let last: i64 = sqlx::query_scalar(changes::LAST_CHANGE)
                .fetch_one(&mut *transaction)
                .await?;
            Ok((transaction, count(last)))
        };
        let (transaction, last_change) = self.run(begun).await?;
        Ok(Box::new(SqliteSnapshot {
            path: self.path.clone(),
            transaction,
            last_change,
        }))
    }
}

#[async_trait]
impl Snapshot for SqliteSnapshot {
    fn last_change(&self) -> u64 {
        self.last_change
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
