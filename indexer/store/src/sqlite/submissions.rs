//! Submissions.

use super::{BATCH_ROWS, SqliteStore, exclusions, frontier};
use crate::contract::Submissions;
use crate::error::StoreError;
use crate::model::{Seed, SeedSource, Submission, SubmissionState, Visit};
use crate::row::get;
use crate::sql::submissions as sql;
use async_trait::async_trait;
use manifest::{Domain, Timestamp};
use sqlx::{FromRow as _, SqliteConnection};

#[async_trait]
impl Submissions for SqliteStore {
    async fn submit(
        &self,
        domain: &Domain,
        port: Option<u16>,
        now: Timestamp,
    ) -> Result<i64, StoreError> {
        self.run(async {
            let mut transaction = self.begin().await?;
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
        })
        .await
    }

    async fn submission(&self, id: i64) -> Result<Option<Submission>, StoreError> {
        let query = sqlx::query_as(sql::SUBMISSION).bind(id);
        self.run(query.fetch_optional(&self.reader)).await
    }

    async fn take_submissions(
        &self,
        limit: u32,
        admits_special_use: bool,
        now: Timestamp,
    ) -> Result<Vec<Submission>, StoreError> {
        self.run(async {
            let limit = i64::from(limit).min(BATCH_ROWS);
            // There is mostly no submission; then other writers should not wait for this transaction.
            let waiting = sqlx::query(sql::WAITING_SUBMISSIONS)
                .bind(limit)
                .fetch_all(&self.reader)
                .await?;
            if waiting.is_empty() {
                return Ok(Vec::new());
            }
            let mut transaction = self.begin().await?;
            let rows = sqlx::query(sql::WAITING_SUBMISSIONS)
                .bind(limit)
                .fetch_all(&mut *transaction)
                .await?;
            let mut submissions = Vec::with_capacity(rows.len());
            for row in &rows {
                match Submission::from_row(row) {
                    Ok(submission) => submissions.push(submission),
                    // A damaged row must not block the others.
                    Err(error) => {
                        let id = get(row, "id")?;
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
                    let seed = Seed {
                        domain: submission.domain.clone(),
                        port: submission.port,
                        source: SeedSource::Submitted,
                    };
                    frontier::add(&mut transaction, &[&seed], true, now).await?;
                }
                let (id, state, result) =
                    (submission.id, submission.state, submission.result.clone());
                answer(&mut transaction, id, state, result).await?;
            }
            transaction.commit().await?;
            Ok(submissions)
        })
        .await
    }
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
