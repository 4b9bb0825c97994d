//! The change log.

use super::{SqliteStore, insert_rows};
use crate::contract::Changes;
use crate::error::StoreError;
use crate::model::{Change, Operation};
use crate::row::{Column as _, count, stored};
use crate::sql::changes as sql;
use async_trait::async_trait;
use manifest::{AgentId, Timestamp};
use sqlx::SqliteConnection;

#[async_trait]
impl Changes for SqliteStore {
    async fn changes(&self, since: u64, limit: u32) -> Result<Vec<Change>, StoreError> {
        let query = sqlx::query_as(sql::CHANGES)
            .bind(stored(since))
            .bind(i64::from(limit));
        self.run(query.fetch_all(&self.reader)).await
    }

    async fn changes_of(&self, agent: &AgentId, limit: u32) -> Result<Vec<Change>, StoreError> {
        let query = sqlx::query_as(sql::CHANGES_OF)
            .bind(agent.as_str())
            .bind(i64::from(limit));
        self.run(query.fetch_all(&self.reader)).await
    }

    async fn last_change(&self) -> Result<u64, StoreError> {
        let query = sqlx::query_scalar(sql::LAST_CHANGE);
        self.run(query.fetch_one(&self.reader)).await.map(count)
    }
}

/// Numbers and stores the changes. No other transaction writes at the same time, so numbers follow
/// the order of commits.
pub(super) async fn append(
    connection: &mut SqliteConnection,
    changes: &mut [Change],
) -> sqlx::Result<()> {
    let last: i64 = sqlx::query_scalar(sql::LAST_CHANGE)
        .fetch_one(&mut *connection)
        .await?;
    for (seq, change) in (count(last) + 1..).zip(changes.iter_mut()) {
        change.seq = seq;
    }
    let statement = "INSERT INTO changes (seq, at, op, agent_id, hash, previous_hash, reason) ";
    insert_rows(connection, statement, changes, |mut values, change| {
        values
            .push_bind(stored(change.seq))
            .push_bind(change.at.0)
            .push_bind(change.op.as_str())
            .push_bind(change.agent.as_str().to_owned())
            .push_bind(change.hash.clone())
            .push_bind(change.previous_hash.clone())
            .push_bind(change.reason.clone());
    })
    .await
}

/// Returns the change that removes an agent, without its sequence number.
pub(super) fn removal(
    id: String,
    hash: String,
    reason: &str,
    now: Timestamp,
) -> sqlx::Result<Change> {
    Ok(Change {
        seq: 0,
        at: now,
        op: Operation::Remove,
        agent: AgentId::read(id)?,
        hash: None,
        previous_hash: Some(hash),
        reason: reason.to_owned(),
    })
}
