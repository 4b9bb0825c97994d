//! Submissions, discovered domains, and the frontier overview.

use super::{begin, exclusions, frontier, named, queries};
use crate::row::count;
use crate::row::submissions::{FrontierRow, SubmissionRow};
use crate::sql::{OUTCOMES, submissions as sql};
use crate::{Discovery, Frontier, Seed, SeedSource, Submission, SubmissionState, Visit};
use manifest::{Domain, Timestamp};
use sqlx::{SqliteConnection, SqlitePool};

/// Maximum number of steps between a seed and a discovered domain.
const MOST_DEPTH: i64 = 2;

/// Submits a domain and returns the id of the submission.
pub(super) async fn submit(
    writer: &SqlitePool,
    domain: &Domain,
    port: Option<u16>,
    now: Timestamp,
) -> sqlx::Result<i64> {
    let mut transaction = begin(writer).await?;
    sqlx::query(sql::SUBMIT)
        .bind(domain.as_str())
        .bind(port.map(i64::from))
        .bind(now.0)
        .execute(&mut *transaction)
        .await?;
    let id = sqlx::query_scalar(sql::WAITING_SUBMISSION)
        .bind(domain.as_str())
        .fetch_one(&mut *transaction)
        .await?;
    transaction.commit().await?;
    Ok(id)
}

/// Returns a submission.
pub(super) async fn submission(reader: &SqlitePool, id: i64) -> sqlx::Result<Option<Submission>> {
    let row: Option<SubmissionRow> = sqlx::query_as(sql::SUBMISSION)
        .bind(id)
        .fetch_optional(reader)
        .await?;
    row.map(SubmissionRow::submission).transpose()
}

/// Moves submissions to the frontier, or refuses them.
pub(super) async fn take(
    writer: &SqlitePool,
    reader: &SqlitePool,
    limit: u32,
    admits_special_use: bool,
    now: Timestamp,
) -> sqlx::Result<Vec<Submission>> {
    let limit = i64::from(limit).min(super::BATCH_ROWS);
    // There is mostly no submission; then other writers should not wait for this transaction.
    let waiting: Vec<SubmissionRow> = sqlx::query_as(sql::WAITING_SUBMISSIONS)
        .bind(limit)
        .fetch_all(reader)
        .await?;
    if waiting.is_empty() {
        return Ok(Vec::new());
    }
    let mut transaction = begin(writer).await?;
    let rows: Vec<SubmissionRow> = sqlx::query_as(sql::WAITING_SUBMISSIONS)
        .bind(limit)
        .fetch_all(&mut *transaction)
        .await?;
    let mut submissions = Vec::with_capacity(rows.len());
    for row in rows {
        let id = row.id;
        match row.submission() {
            Ok(submission) => submissions.push(submission),
            // A damaged row must not block the others.
            Err(error) => {
                tracing::error!(id, %error, "refused a damaged submission: {error}");
                let reason = Some("not a domain with a port".to_owned());
                answer(&mut transaction, id, SubmissionState::Refused, reason).await?;
            }
        }
    }
    let names = submissions.iter().map(|submission| &submission.domain);
    let exclusions = exclusions::concerning(&mut transaction, names).await?;
    for submission in &mut submissions {
        let refusal = match exclusions.covers(&submission.domain) {
            Some(reason) => Some(format!("excluded: {reason}")),
            None if submission.domain.is_special_use() && !admits_special_use => {
                Some("not a public domain".to_owned())
            }
            None => None,
        };
        submission.state = match &refusal {
            Some(_) => SubmissionState::Refused,
            None => SubmissionState::Queued,
        };
        submission.result = refusal;
        if submission.state == SubmissionState::Queued {
            queue(&mut transaction, submission, now).await?;
        }
        let (id, state, result) = (submission.id, submission.state, submission.result.clone());
        answer(&mut transaction, id, state, result).await?;
    }
    transaction.commit().await?;
    Ok(submissions)
}

/// Stores the state of a submission.
async fn answer(
    connection: &mut SqliteConnection,
    id: i64,
    state: SubmissionState,
    result: Option<String>,
) -> sqlx::Result<()> {
    sqlx::query(sql::ANSWER_SUBMISSION)
        .bind(id)
        .bind(state.as_str())
        .bind(result)
        .execute(connection)
        .await?;
    Ok(())
}

/// Completes the submissions of visited domains.
pub(super) async fn answer_visited(
    connection: &mut SqliteConnection,
    visits: &[(i64, &Visit)],
) -> sqlx::Result<()> {
    // There is mostly no submission.
    let is_any: bool = sqlx::query_scalar(sql::ANY_QUEUED)
        .fetch_one(&mut *connection)
        .await?;
    if !is_any {
        return Ok(());
    }
    for (_, visit) in visits {
        sqlx::query(sql::ANSWER_VISITED)
            .bind(visit.lease.domain.as_str())
            .bind(visit.outcome.as_str())
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

/// Makes the domain of a submission due.
async fn queue(
    connection: &mut SqliteConnection,
    submission: &Submission,
    now: Timestamp,
) -> sqlx::Result<()> {
    let seed = Seed {
        domain: submission.domain.clone(),
        port: submission.port,
        source: SeedSource::Submitted,
    };
    if frontier::insert(connection, &[&seed], now).await? == 0 {
        frontier::update(connection, &[&seed], true, now).await?;
    }
    Ok(())
}

/// Adds discovered domains, as long as fewer than `most_waiting` wait for their first visit.
pub(super) async fn discover(
    writer: &SqlitePool,
    discoveries: &[Discovery],
    most_waiting: u32,
    now: Timestamp,
) -> sqlx::Result<u64> {
    let mut transaction = begin(writer).await?;
    let waiting: i64 = sqlx::query_scalar(sql::DISCOVERED_WAITING)
        .bind(i64::from(most_waiting))
        .fetch_one(&mut *transaction)
        .await?;
    let mut room = u64::from(most_waiting).saturating_sub(count(waiting));
    let before = room;
    let names = discoveries.iter().map(|discovery| &discovery.to);
    let exclusions = exclusions::concerning(&mut transaction, names).await?;
    for discovery in discoveries {
        let Discovery { from, to, .. } = discovery;
        if exclusions.covers(to).is_some() {
            continue;
        }
        let seed = Seed {
            domain: to.clone(),
            port: None,
            source: SeedSource::Discovered,
        };
        if room > 0 {
            let result = sqlx::query(sql::DISCOVER)
                .bind(to.as_str())
                .bind(to.registrable())
                .bind(now.0)
                .bind(frontier::shuffled(&seed, now))
                .bind(from.as_str())
                .bind(MOST_DEPTH)
                .execute(&mut *transaction)
                .await?;
            room -= result.rows_affected();
        }
        named::discover(&mut transaction, discovery, now).await?;
    }
    transaction.commit().await?;
    Ok(before - room)
}

/// Counts the frontier.
pub(super) async fn frontier(reader: &SqlitePool, now: Timestamp) -> sqlx::Result<Frontier> {
    let mut transaction = reader.begin().await?;
    let row: FrontierRow = sqlx::query_as(sql::FRONTIER)
        .bind(now.0)
        .fetch_one(&mut *transaction)
        .await?;
    let outcomes = queries::tally(&mut transaction, OUTCOMES).await?;
    transaction.commit().await?;
    Ok(Frontier {
        domains: count(row.domains),
        due: count(row.due),
        oldest_due: row.oldest_due.map(Timestamp),
        next_due: row.next_due.map(Timestamp),
        leased: count(row.leased),
        back_off: count(row.back_off),
        unvisited: count(row.unvisited),
        discovered: count(row.discovered),
        outcomes,
        exclusions: count(row.exclusions),
        submissions: count(row.submissions),
    })
}
