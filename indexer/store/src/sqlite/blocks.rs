//! Blocked hosts (P35).

use super::begin;
use crate::sql::blocks as sql;
use manifest::{Domain, Timestamp};
use sqlx::SqlitePool;

/// Maximum number of hosts that are read: those with the latest ends.
const MOST: i64 = 50_000;

/// Blocks a host and deletes expired blocks.
pub(super) async fn block(
    writer: &SqlitePool,
    host: &Domain,
    until: Timestamp,
    now: Timestamp,
) -> sqlx::Result<()> {
    let mut transaction = begin(writer).await?;
    sqlx::query(sql::FORGET_HOST_BLOCKS)
        .bind(now.0)
        .execute(&mut *transaction)
        .await?;
    sqlx::query(sql::BLOCK_HOST)
        .bind(host.as_str())
        .bind(until.0)
        .execute(&mut *transaction)
        .await?;
    transaction.commit().await
}

/// Returns the blocked hosts.
pub(super) async fn all(
    writer: &SqlitePool,
    now: Timestamp,
) -> sqlx::Result<Vec<(Domain, Timestamp)>> {
    sqlx::query(sql::FORGET_HOST_BLOCKS)
        .bind(now.0)
        .execute(writer)
        .await?;
    let rows: Vec<(String, i64)> = sqlx::query_as(sql::HOST_BLOCKS)
        .bind(MOST)
        .fetch_all(writer)
        .await?;
    let blocks = rows.into_iter();
    Ok(blocks
        .filter_map(|(host, until)| Some((Domain::parse(&host).ok()?, Timestamp(until))))
        .collect())
}
