//! Hosts that asked to be left alone for a while (P35).

use super::begin;
use crate::sql::blocks as sql;
use manifest::{Domain, Timestamp};
use sqlx::SqlitePool;

/// Most hosts that are read: those that want it longest.
const MOST: i64 = 50_000;

/// Remembers that a host is to be left alone, and forgets those that no longer are.
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

/// The hosts that are to be left alone still.
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
