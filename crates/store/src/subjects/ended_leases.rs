//! Ends the leases of finished visits, many per statement, which is cheaper per visit.

use super::{Connection, PERSISTENT, QueryBuilder, at_end};
use crate::model::Visit;
use crate::row::{json, stored};
use std::collections::HashSet;

/// Rows per prepared multi-row statement.
const PART: usize = 32;

/// Splits rows into parts of [`PART`] and the remainder into single rows, so that two prepared
/// statements suffice for any number of rows.
pub(super) fn parts<T>(rows: &[T]) -> impl Iterator<Item = &[T]> {
    let (whole, rest) = rows.split_at(rows.len() - rows.len() % PART);
    whole.chunks(PART).chain(rest.chunks(1))
}

/// Ends the leases that are still current, identified by the row of the domain and the token.
pub(super) async fn end_leases(
    connection: &mut Connection,
    visits: &[Visit],
) -> sqlx::Result<HashSet<(i64, i64)>> {
    let mut ended = HashSet::with_capacity(visits.len());
    for batch in parts(visits) {
        let mut query = QueryBuilder::new("WITH ended (id, token, due, not_before) AS (");
        query.push_values(batch, |mut values, visit| {
            values
                .push_bind(visit.lease.row)
                .push_bind(visit.lease.token)
                .push_bind(visit.next.due.max(visit.next.not_before).0)
                .push_bind(visit.next.not_before.0);
        });
        query.push(concat!(
            ") UPDATE queue
             SET lease_until = NULL, lease_owner = NULL, due = ended.due, ready = ended.due,
                 not_before = ended.not_before",
            at_end!(),
            "
             FROM ended
             WHERE queue.domain_id = ended.id AND queue.lease_token = ended.token
               AND COALESCE(queue.lease_until, 0) > 0
             RETURNING queue.domain_id, queue.lease_token",
        ));
        let query = query.build_query_as().persistent(PERSISTENT);
        let rows: Vec<(i64, i64)> = query.fetch_all(&mut *connection).await?;
        ended.extend(rows);
    }
    Ok(ended)
}

/// Stores on the domains of finished visits what the next visits depend on, by row of the domain.
pub(super) async fn keep_domains(
    connection: &mut Connection,
    visits: &[(i64, &Visit)],
) -> sqlx::Result<()> {
    for batch in parts(visits) {
        let json_columns: Vec<(Option<String>, Option<String>)> = batch
            .iter()
            .map(|(_, visit)| {
                let robots = visit.robots.as_ref().map(json).transpose()?;
                let unanswered = Some(&visit.next.unanswered).filter(|paths| !paths.is_empty());
                Ok((robots, unanswered.map(json).transpose()?))
            })
            .collect::<sqlx::Result<_>>()?;
        let mut query = QueryBuilder::new(
            "WITH ended (id, fails, interval_ms, rotation, is_again, at, outcome, robots, delay_ms,
                         unanswered, requests_left) AS (",
        );
        query.push_values(
            batch.iter().zip(json_columns),
            |mut values, ((domain_id, visit), (robots, unanswered))| {
                let delay_ms = visit.robots.as_ref().and_then(|robots| robots.delay_ms);
                values
                    .push_bind(*domain_id)
                    .push_bind(i64::from(visit.next.fails))
                    .push_bind(visit.next.interval_ms.map(stored))
                    .push_bind(i64::from(visit.next.rotation))
                    .push_bind(visit.next.is_again)
                    .push_bind(visit.ended.0)
                    .push_bind(visit.outcome.as_str())
                    .push_bind(robots)
                    .push_bind(delay_ms.map(i64::from))
                    .push_bind(unanswered)
                    .push_bind(visit.next.requests_left.map(i64::from));
            },
        );
        query.push(
            ") UPDATE domains
             SET fails = ended.fails, interval_ms = ended.interval_ms, rotation = ended.rotation,
                 last_visit = ended.at, broken_off = 0,
                 last_outcome = CASE WHEN ended.is_again THEN domains.last_outcome
                                     ELSE ended.outcome END,
                 unanswered = ended.unanswered, requests_left = ended.requests_left,
                 robots = COALESCE(ended.robots, domains.robots),
                 delay_ms = CASE WHEN ended.robots IS NULL THEN domains.delay_ms
                                 ELSE ended.delay_ms END
             FROM ended
             WHERE domains.id = ended.id",
        );
        let query = query.build().persistent(PERSISTENT);
        query.execute(&mut *connection).await?;
    }
    Ok(())
}
