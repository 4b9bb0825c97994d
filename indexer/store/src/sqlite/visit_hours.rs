//! Visits of the last day by hour, and how many of them were requested (P47).

use crate::model::Visit;
use crate::model::requested::{self, HourCount, Hours};
use crate::row::count;
use crate::sql::submissions as sql;
use manifest::Timestamp;
use sqlx::{SqliteConnection, SqlitePool};
use std::collections::BTreeMap;

/// Returns the number of requested visits that the visits of the last day allow.
pub(super) async fn allowance(
    connection: &mut SqliteConnection,
    now: Timestamp,
) -> sqlx::Result<u64> {
    let hours = Hours::before(now);
    let (visits, requested): (i64, i64) = sqlx::query_as(sql::VISITS_OF_A_DAY)
        .bind(hours.requested_from)
        .bind(hours.visits_from)
        .fetch_one(connection)
        .await?;
    Ok(requested::allowance(count(visits), count(requested)))
}

/// Returns the counts of the last day by hour.
pub(super) async fn counts(reader: &SqlitePool, now: Timestamp) -> sqlx::Result<Vec<HourCount>> {
    sqlx::query_as(sql::HOURS_OF_A_DAY)
        .bind(Hours::before(now).requested_from)
        .fetch_all(reader)
        .await
}

/// Counts visits that were granted on request.
pub(super) async fn count_requested(
    connection: &mut SqliteConnection,
    now: Timestamp,
    granted: i64,
) -> sqlx::Result<()> {
    count_visits(connection, requested::hour(now), 0, granted).await
}

/// Counts finished visits, and forgets hours that no longer matter.
pub(super) async fn count_finished(
    connection: &mut SqliteConnection,
    visits: &[(i64, &Visit)],
) -> sqlx::Result<()> {
    let mut hours: BTreeMap<i64, i64> = BTreeMap::new();
    for (_, visit) in visits {
        *hours.entry(requested::hour(visit.ended)).or_default() += 1;
    }
    for (hour, number) in &hours {
        count_visits(connection, *hour, *number, 0).await?;
    }
    if let Some((_, visit)) = visits.first() {
        sqlx::query(sql::FORGET_HOURS)
            .bind(Hours::before(visit.ended).requested_from)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

async fn count_visits(
    connection: &mut SqliteConnection,
    hour: i64,
    visits: i64,
    requested: i64,
) -> sqlx::Result<()> {
    sqlx::query(sql::COUNT_VISITS)
        .bind(hour)
        .bind(visits)
        .bind(requested)
        .execute(connection)
        .await?;
    Ok(())
}
