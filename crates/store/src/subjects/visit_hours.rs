//! Visits of the last day by hour, and those of them that were requested (P47).

use super::Connection;
use crate::model::requested::{self, Candidate, HourCount, Hours, RequestedVisits, Usage};
use crate::model::{SubmissionKind, Visit};
use crate::row::{count, get};
use crate::sql::submissions as sql;
use manifest::Timestamp;
use sqlx::Row as _;
use std::collections::{BTreeMap, HashMap};

/// Submission whose turn it is.
#[derive(Debug)]
pub(super) struct Next {
    pub(super) candidate: Candidate,
    /// Time since which it could have been taken.
    pub(super) since: Timestamp,
}

/// Returns the submissions whose turn it is, at most `limit`, in order.
pub(super) async fn next(
    connection: &mut Connection,
    limit: usize,
    now: Timestamp,
) -> sqlx::Result<Vec<Next>> {
    // There is mostly no submission.
    let is_any: bool = super::query_scalar(sql::ANY_WAITING)
        .bind(now.0)
        .fetch_one(&mut *connection)
        .await?;
    if !is_any {
        return Ok(Vec::new());
    }
    let hours = Hours::before(now);
    let visits: i64 = super::query_scalar(sql::VISITS_SINCE)
        .bind(hours.visits_from)
        .fetch_one(&mut *connection)
        .await?;
    let visits = count(visits);
    let usage = usage(connection, hours).await?;
    if requested::is_used_up(&usage, visits) {
        return Ok(Vec::new());
    }
    let rows = super::query(sql::CANDIDATES)
        .bind(now.0)
        .bind(i64::from(requested::MAX_WAITING))
        .fetch_all(connection)
        .await?;
    let mut candidates = Vec::with_capacity(rows.len());
    let mut since = HashMap::with_capacity(rows.len());
    for row in &rows {
        let candidate = Candidate {
            row: get(row, "row")?,
            kind: if get(row, "is_recheck")? {
                SubmissionKind::Recheck
            } else {
                SubmissionKind::New
            },
            network: get(row, "network")?,
        };
        since.insert(candidate.row, (candidates.len(), get(row, "since")?));
        candidates.push(candidate);
    }
    let turns = requested::turns(&candidates, &usage, visits, limit);
    let found = turns.iter().filter_map(|row| {
        let (place, since) = since.get(row)?;
        Some(Next {
            candidate: candidates[*place].clone(),
            since: *since,
        })
    });
    Ok(found.collect())
}

/// Returns the requested visits of the last day by kind and network.
async fn usage(connection: &mut Connection, hours: Hours) -> sqlx::Result<Usage> {
    let rows = super::query(sql::USAGE)
        .bind(hours.requested_from)
        .fetch_all(connection)
        .await?;
    let rows = rows.iter().map(|row| {
        let used = RequestedVisits {
            granted: get(row, "granted")?,
            unresolved: get(row, "unresolved")?,
            pending: get(row, "pending")?,
        };
        Ok(((get(row, "kind")?, get(row, "network")?), used))
    });
    rows.collect()
}

/// Returns the counts of the last day by hour, for a kind and the network of a submission.
pub(super) async fn counts(
    connection: &mut Connection,
    kind: SubmissionKind,
    submission: &str,
    now: Timestamp,
) -> sqlx::Result<Vec<HourCount>> {
    let network: Option<String> = super::query_scalar(sql::NETWORK)
        .bind(submission)
        .fetch_optional(&mut *connection)
        .await?;
    let rows = super::query(sql::HOURS_OF_A_DAY)
        .bind(Hours::before(now).requested_from)
        .bind(kind.as_str())
        .bind(network.unwrap_or_default())
        .fetch_all(connection)
        .await?;
    let rows = rows.iter().map(|row| {
        let number = |column: usize| row.try_get(column).map(count);
        let used = |granted, unresolved| {
            Ok::<_, sqlx::Error>(RequestedVisits {
                granted: number(granted)?,
                unresolved: number(unresolved)?,
                pending: 0,
            })
        };
        Ok(HourCount {
            hour: row.try_get(0)?,
            visits: number(1)?,
            all: used(2, 3)?,
            own: used(4, 5)?,
        })
    });
    rows.collect()
}

/// Counts a submission as a requested visit.
pub(super) async fn grant(
    connection: &mut Connection,
    candidate: &Candidate,
    now: Timestamp,
) -> sqlx::Result<()> {
    super::query(sql::GRANT)
        .bind(candidate.row)
        .bind(now.0)
        .execute(&mut *connection)
        .await?;
    let network = candidate.network.as_str();
    count_requested(connection, now, candidate.kind, network, [1, 0]).await
}

/// Counts the lookup of a new name that did not resolve, instead of the visit that was granted for it.
pub(super) async fn count_unresolved(
    connection: &mut Connection,
    visit: &Visit,
) -> sqlx::Result<()> {
    let granted: Option<(i64, String)> = super::query_as(sql::GRANTED)
        .bind(visit.lease.domain.as_str())
        .fetch_optional(&mut *connection)
        .await?;
    if let Some((granted, network)) = granted {
        let kind = SubmissionKind::New;
        let granted = Timestamp(granted);
        if requested::hour(granted) >= Hours::before(visit.ended).requested_from {
            count_requested(connection, granted, kind, &network, [-1, 0]).await?;
        }
        count_requested(connection, visit.ended, kind, &network, [0, 1]).await?;
    }
    Ok(())
}

async fn count_requested(
    connection: &mut Connection,
    at: Timestamp,
    kind: SubmissionKind,
    network: &str,
    [granted, unresolved]: [i64; 2],
) -> sqlx::Result<()> {
    super::query(sql::COUNT_REQUESTED)
        .bind(requested::hour(at))
        .bind(kind.as_str())
        .bind(network)
        .bind(granted)
        .bind(unresolved)
        .execute(connection)
        .await?;
    Ok(())
}

/// Counts finished visits, and forgets hours that no longer matter.
pub(super) async fn count_finished(
    connection: &mut Connection,
    visits: &[(i64, &Visit)],
) -> sqlx::Result<()> {
    let mut hours: BTreeMap<i64, i64> = BTreeMap::new();
    for (_, visit) in visits {
        *hours.entry(requested::hour(visit.ended)).or_default() += 1;
    }
    for (hour, number) in &hours {
        super::query(sql::COUNT_VISITS)
            .bind(hour)
            .bind(number)
            .execute(&mut *connection)
            .await?;
    }
    if let Some((_, visit)) = visits.first() {
        for statement in sql::FORGET_HOURS {
            super::query(statement)
                .bind(Hours::before(visit.ended).requested_from)
                .execute(&mut *connection)
                .await?;
        }
    }
    Ok(())
}
