//! The change log, and the tombstones of agents.

use super::{Backend, Connection, insert_rows};
use crate::contract::Changes;
use crate::error::StoreError;
use crate::model::{Change, FeedState, Operation, Tombstone};
use crate::row::{Column as _, count, json, stored};
use crate::sql::changes as sql;
use async_trait::async_trait;
use manifest::{AgentId, Domain, Timestamp};
use std::collections::BTreeSet;

/// Most tombstones of one domain; the oldest are deleted first.
const TOMBSTONES: i64 = 2_000;

/// Most renamings that are followed from an old id.
const RENAMINGS: usize = 16;

#[async_trait]
impl Changes for Backend {
    async fn changes(&self, since: u64, limit: u32) -> Result<Vec<Change>, StoreError> {
        let query = super::query_as(sql::CHANGES)
            .bind(stored(since))
            .bind(i64::from(limit));
        self.run(async { query.fetch_all(&mut *self.reading_replica().await?).await })
            .await
    }

    async fn changes_of(&self, agent: &AgentId, limit: u32) -> Result<Vec<Change>, StoreError> {
        let query = super::query_as(sql::CHANGES_OF)
            .bind(agent.as_str())
            .bind(i64::from(limit));
        self.run(async { query.fetch_all(&mut *self.reading_replica().await?).await })
            .await
    }

    async fn changes_of_domain(
        &self,
        domain: &Domain,
        limit: u32,
    ) -> Result<Vec<Change>, StoreError> {
        let query = super::query_as(sql::CHANGES_OF_DOMAIN)
            .bind(domain.as_str())
            .bind(i64::from(limit));
        self.run(async { query.fetch_all(&mut *self.reading_replica().await?).await })
            .await
    }

    async fn last_change(&self) -> Result<u64, StoreError> {
        let query = super::query_scalar(sql::LAST_CHANGE);
        self.run(async { query.fetch_one(&mut *self.reading_replica().await?).await })
            .await
            .map(count)
    }

    async fn newest_change(&self) -> Result<u64, StoreError> {
        let query = super::query_scalar(sql::LAST_CHANGE);
        self.run(async { query.fetch_one(&mut *self.reading_primary().await?).await })
            .await
            .map(count)
    }

    async fn feed_state(&self) -> Result<FeedState, StoreError> {
        let query = super::query_as(sql::FEED_STATE);
        self.run(async { query.fetch_one(&mut *self.reading_replica().await?).await })
            .await
    }

    async fn compact(&self, before: Timestamp, up_to: u64, limit: u32) -> Result<u64, StoreError> {
        self.run(async {
            let mut transaction = self.begin_bulk().await?;
            let last: i64 = super::query_scalar(sql::LAST_CHANGE)
                .fetch_one(&mut *transaction)
                .await?;
            // The newest entry stays: the numbers go on from it.
            let oldest: Vec<(i64, i64)> = super::query_as(sql::OLDEST)
                .bind(stored(up_to).min(last - 1))
                .bind(i64::from(limit))
                .fetch_all(&mut *transaction)
                .await?;
            let old = oldest.iter().take_while(|(_, at)| *at < before.0);
            let Some((seq, _)) = old.last() else {
                return Ok(0);
            };
            let result = super::query(sql::COMPACT)
                .bind(seq)
                .execute(&mut *transaction)
                .await?;
            transaction.commit().await?;
            Ok(result.rows_affected())
        })
        .await
    }

    async fn tombstone(&self, agent: &AgentId) -> Result<Option<Tombstone>, StoreError> {
        self.run(async {
            let mut transaction = self.begin_reading_replica().await?;
            let mut id = agent.clone();
            let mut found: Option<Tombstone> = None;
            for _ in 0..RENAMINGS {
                let next: Option<Tombstone> = super::query_as(sql::TOMBSTONE)
                    .bind(id.as_str())
                    .fetch_optional(&mut *transaction)
                    .await?;
                let Some(next) = next else {
                    break;
                };
                let successor = next.successor.clone();
                found = Some(next);
                let Some(successor) = successor else {
                    return Ok(found);
                };
                let is_listed: bool = super::query_scalar(sql::IS_LISTED)
                    .bind(successor.as_str())
                    .fetch_one(&mut *transaction)
                    .await?;
                if is_listed {
                    return Ok(found);
                }
                id = successor;
            }
            // The successor left no tombstone.
            Ok(found.map(|tombstone| Tombstone {
                successor: None,
                ..tombstone
            }))
        })
        .await
    }
}

/// Numbers and stores the changes, and keeps the tombstones in step: an agent gets one with its
/// removal, and loses it when it is listed again. No other transaction writes at the same time, so
/// numbers follow the order of commits.
pub(super) async fn append(
    connection: &mut Connection,
    changes: &mut [Change],
) -> sqlx::Result<()> {
    let last: i64 = super::query_scalar(sql::LAST_CHANGE)
        .fetch_one(&mut *connection)
        .await?;
    for (seq, change) in (count(last) + 1..).zip(changes.iter_mut()) {
        change.seq = seq;
    }
    let described = changes.iter().map(|it| Ok((it, json(&it.classes)?)));
    let described: Vec<_> = described.collect::<sqlx::Result<_>>()?;
    let statement = "INSERT INTO changes (seq, at, op, agent_id, classes, hash, previous_hash,
                                          reason, successor) ";
    insert_rows(connection, statement, &described, |mut values, row| {
        let (change, classes) = row;
        values
            .push_bind(stored(change.seq))
            .push_bind(change.at.0)
            .push_bind(change.op.as_str())
            .push_bind(change.agent.as_str().to_owned())
            .push_bind(classes.clone())
            .push_bind(change.hash.clone())
            .push_bind(change.previous_hash.clone())
            .push_bind(change.reason.clone())
            .push_bind(change.successor.as_ref().map(|it| it.as_str().to_owned()));
    })
    .await?;
    bury(connection, changes).await
}

/// Appends the removals of agents that are withdrawn, and counts the withdrawal, so that exports that
/// have the agents are replaced.
pub(super) async fn withdraw(
    connection: &mut Connection,
    removals: &mut [Change],
) -> sqlx::Result<()> {
    if removals.is_empty() {
        return Ok(());
    }
    append(connection, removals).await?;
    super::query(sql::WITHDRAW).execute(connection).await?;
    Ok(())
}

/// Counts a withdrawal if a target, or the domains that end in `below`, had agents that their site no
/// longer announced: exports may still have them.
pub(super) async fn withdraw_removed(
    connection: &mut Connection,
    target: &str,
    below: Option<&str>,
) -> sqlx::Result<()> {
    super::query(sql::WITHDRAW_REMOVED)
        .bind(target)
        .bind(below)
        .execute(connection)
        .await?;
    Ok(())
}

/// Sets up and deletes tombstones as the changes say.
async fn bury(connection: &mut Connection, changes: &[Change]) -> sqlx::Result<()> {
    let mut domains = BTreeSet::new();
    for change in changes {
        if matches!(change.op, Operation::Add | Operation::Restore) {
            super::query(sql::UNBURY)
                .bind(change.agent.as_str())
                .execute(&mut *connection)
                .await?;
        }
        if !change.op.is_removal() {
            continue;
        }
        let successor = change.successor.as_ref().map(AgentId::as_str);
        let domain = change.agent.parts().0;
        domains.insert(domain);
        super::query(sql::BURY)
            .bind(change.agent.as_str())
            .bind(domain)
            .bind(change.at.0)
            .bind(change.op.as_str())
            .bind(&change.reason)
            .bind(successor)
            .execute(&mut *connection)
            .await?;
        if let Some(successor) = successor {
            super::query(sql::FORWARD)
                .bind(change.agent.as_str())
                .bind(successor)
                .execute(&mut *connection)
                .await?;
        }
    }
    for domain in domains {
        super::query(sql::CLEAR_TOMBSTONES)
            .bind(domain)
            .bind(TOMBSTONES)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

/// Returns the change that removes an agent, without its sequence number.
pub(super) fn removal(
    id: String,
    hash: String,
    reason: &str,
    now: Timestamp,
) -> sqlx::Result<Change> {
    Ok(Change {
        previous_hash: Some(hash),
        ..Change::new(Operation::Remove, AgentId::read(id)?, reason, now)
    })
}
