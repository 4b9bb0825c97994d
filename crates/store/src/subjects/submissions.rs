//! Submissions and rechecks, within the limits of [`requested`] (P47).

use super::site_states::{keep_after, snapshot};
use super::{BATCH_ROWS, Backend, Connection, Row, exclusions, frontier, visit_hours};
use crate::contract::Submissions;
use crate::error::StoreError;
use crate::model::requested::circumstances::{Circumstances, Verdict};
use crate::model::requested::{self, Series};
use crate::model::{
    Claim, Decision, Outcome, Submission, SubmissionKind, SubmissionState, Visit, VisitRequest,
    Wait,
};
use crate::row::{get, json};
use crate::sql::submissions as sql;
use async_trait::async_trait;
use manifest::{Domain, Timestamp};
use sqlx::FromRow as _;
use std::time::Duration;

/// Time for which the result of a submission is kept.
const KEPT: Duration = Duration::from_hours(24 * requested::KEPT_DAYS);

#[async_trait]
impl Submissions for Backend {
    async fn submit(&self, request: &VisitRequest, now: Timestamp) -> Result<Decision, StoreError> {
        self.run(async {
            // Most requests of a flood are refused, which needs no write.
            let mut reader = self.begin_reading().await?;
            // No token has an empty hash.
            let token = Some(request.token_hash.as_deref().unwrap_or_default());
            let who = (&*request.network, token);
            let found = circumstances(&mut reader, &request.domain, who, now).await?;
            match found.verdict(request.kind, now) {
                Verdict::Refuse(decision) => return Ok(decision),
                Verdict::Open(id) => return accepted(&mut reader, &id).await,
                Verdict::Accept => reader.commit().await?,
            }
            let mut transaction = self.begin_durable().await?;
            let found = circumstances(&mut transaction, &request.domain, who, now).await?;
            match found.verdict(request.kind, now) {
                Verdict::Refuse(decision) => return Ok(decision),
                Verdict::Open(id) => return accepted(&mut transaction, &id).await,
                Verdict::Accept => keep(&mut transaction, request, now).await?,
            }
            transaction.commit().await?;
            Ok(Decision::Accepted(Box::new(waiting(request, now))))
        })
        .await
    }

    async fn submission(&self, id: &str) -> Result<Option<Submission>, StoreError> {
        let query = super::query_as(sql::SUBMISSION).bind(id);
        self.run(async { query.fetch_optional(&mut *self.reading().await?).await })
            .await
    }

    async fn open_submission(&self, domain: &Domain) -> Result<Option<Submission>, StoreError> {
        let query = super::query_as(sql::OPEN_SUBMISSION).bind(domain.as_str());
        self.run(async { query.fetch_optional(&mut *self.reading().await?).await })
            .await
    }

    async fn wait(
        &self,
        submission: &Submission,
        now: Timestamp,
    ) -> Result<Option<Wait>, StoreError> {
        if submission.state != SubmissionState::Waiting {
            return Ok(None);
        }
        if submission.earliest > now {
            return Ok(Some(Wait::Site(submission.earliest)));
        }
        let counts = self.run(async {
            let mut reader = self.begin_reading().await?;
            visit_hours::counts(&mut reader, submission.kind, &submission.id, now).await
        });
        let next = requested::next_allowance(&counts.await?, now);
        Ok((next > now).then_some(Wait::Share(next)))
    }

    async fn take_submissions(
        &self,
        limit: u32,
        admits_special_use: bool,
        now: Timestamp,
    ) -> Result<Vec<Submission>, StoreError> {
        self.run(async {
            let limit = usize::try_from(BATCH_ROWS)
                .unwrap_or(usize::MAX)
                .min(limit as usize);
            // There is mostly no submission; then other writers should not wait for this transaction.
            let mut reader = self.begin_reading().await?;
            if visit_hours::next(&mut reader, limit, now).await?.is_empty() {
                return Ok(Vec::new());
            }
            reader.commit().await?;
            let mut transaction = self.begin_bulk().await?;
            let mut taken = Vec::new();
            for next in visit_hours::next(&mut transaction, limit, now).await? {
                let id = next.candidate.row;
                let row = super::query(sql::SUBMISSION_OF_ROW)
                    .bind(id)
                    .fetch_one(&mut *transaction)
                    .await?;
                // A damaged row must not block the others.
                let Some(mut submission) = readable(&row) else {
                    let reason = "not a domain with a port".to_owned();
                    answer(&mut transaction, id, SubmissionState::Refused, Some(reason)).await?;
                    continue;
                };
                let turn = take(&mut transaction, id, &submission, admits_special_use, now).await?;
                (submission.state, submission.detail) = match turn {
                    Turn::Granted => {
                        visit_hours::grant(&mut transaction, &next.candidate, now).await?;
                        (SubmissionState::Queued, None)
                    }
                    Turn::Queued => (SubmissionState::Queued, None),
                    Turn::Visited => continue,
                    Turn::Later(earliest) => {
                        postpone(&mut transaction, id, earliest).await?;
                        continue;
                    }
                    Turn::Refused(reason) => (SubmissionState::Refused, Some(reason)),
                };
                let detail = submission.detail.clone();
                answer(&mut transaction, id, submission.state, detail).await?;
                taken.push(submission);
            }
            transaction.commit().await?;
            Ok(taken)
        })
        .await
    }
}

async fn circumstances(
    connection: &mut Connection,
    domain: &Domain,
    (network, token_hash): (&str, Option<&str>),
    now: Timestamp,
) -> sqlx::Result<Circumstances> {
    let row = super::query(sql::CIRCUMSTANCES)
        .bind(domain.as_str())
        .bind(domain.registrable())
        .bind(i64::from(requested::NAMES_A_DAY))
        .bind(i64::from(requested::MAX_WAITING))
        .bind(network)
        .bind(i64::from(requested::NAMES_OF_NETWORK))
        .bind(i64::from(requested::MAX_WAITING_OF_NETWORK))
        .bind(token_hash)
        .bind(before(now, Claim::OWNED))
        .fetch_one(&mut *connection)
        .await?;
    let domain_id: Option<i64> = get(&row, "row")?;
    let not_before: Option<i64> = match domain_id {
        Some(id) => {
            let query = super::query_scalar(sql::NOT_BEFORE).bind(id);
            query.fetch_optional(&mut *connection).await?
        }
        None => None,
    };
    Ok(Circumstances {
        row: domain_id,
        exclusion: exclusions::covering(connection, domain)
            .await?
            .into_iter()
            .next(),
        open: get(&row, "open")?,
        blocking_names: [
            get(&row, "blocking_name")?,
            get(&row, "blocking_name_of_network")?,
        ],
        waiting: get(&row, "waiting")?,
        waiting_of_network: get(&row, "waiting_of_network")?,
        last_visit: get(&row, "last_visit")?,
        not_before: Timestamp(not_before.unwrap_or_default()),
        series: Series {
            count: get(&row, "rechecks")?,
            last: get(&row, "recheck_at")?,
        },
        is_owner: get(&row, "is_owner")?,
    })
}

/// Returns the time this long before `now`, in milliseconds.
fn before(now: Timestamp, time: Duration) -> i64 {
    now.0.saturating_sub(Timestamp(0).after(time).0)
}

/// Returns the answer to a request for a visit that another one of the domain waits for.
async fn accepted(connection: &mut Connection, id: &str) -> sqlx::Result<Decision> {
    let query = super::query_as(sql::SUBMISSION).bind(id);
    let submission: Submission = query.fetch_one(connection).await?;
    Ok(Decision::Accepted(Box::new(submission)))
}

/// Returns the submission of a request that was accepted at `now`.
fn waiting(request: &VisitRequest, now: Timestamp) -> Submission {
    Submission {
        id: request.id.clone(),
        kind: request.kind,
        domain: request.domain.clone(),
        port: request.port,
        at: now,
        state: SubmissionState::Waiting,
        earliest: now,
        outcome: None,
        detail: None,
        started: None,
        ended: None,
        before: None,
        after: None,
    }
}

/// Stores an accepted request, and forgets what no longer matters.
async fn keep(
    connection: &mut Connection,
    request: &VisitRequest,
    now: Timestamp,
) -> sqlx::Result<()> {
    for (statement, time) in [
        (sql::FORGET_NAMES, requested::DAY),
        (sql::FORGET_ENDED, KEPT),
    ] {
        super::query(statement)
            .bind(before(now, time))
            .execute(&mut *connection)
            .await?;
    }
    if request.kind == SubmissionKind::New {
        super::query(sql::NOTE_NAME)
            .bind(request.domain.registrable())
            .bind(now.0)
            .bind(&request.network)
            .execute(&mut *connection)
            .await?;
    }
    super::query(sql::SUBMIT)
        .bind(&request.id)
        .bind(request.kind.as_str())
        .bind(request.domain.as_str())
        .bind(request.port.map(i64::from))
        .bind(now.0)
        .bind(&request.network)
        .execute(connection)
        .await?;
    Ok(())
}

fn readable(row: &Row) -> Option<Submission> {
    Submission::from_row(row)
        .inspect_err(|error| tracing::error!(%error, "refused a damaged submission: {error}"))
        .ok()
}

/// Result of taking a submission.
enum Turn {
    /// Its domain is due, which counts as a requested visit.
    Granted,
    /// Its domain is due anyway.
    Queued,
    /// Its domain has been visited in the meantime.
    Visited,
    Later(Timestamp),
    Refused(String),
}

async fn take(
    connection: &mut Connection,
    id: i64,
    submission: &Submission,
    admits_special_use: bool,
    now: Timestamp,
) -> sqlx::Result<Turn> {
    // Who asked was settled when the submission was accepted.
    let found = circumstances(connection, &submission.domain, ("", None), now).await?;
    if let Some(exclusion) = found.exclusion {
        return Ok(Turn::Refused(format!("excluded: {}", exclusion.reason)));
    }
    if !admits_special_use && submission.domain.is_special_use() {
        return Ok(Turn::Refused("not a public domain".to_owned()));
    }
    if !admits_special_use && submission.port.is_some_and(|port| port != 443) {
        return Ok(Turn::Refused(
            "a submitted domain is visited at port 443 only".to_owned(),
        ));
    }
    match (submission.kind, found.row) {
        (SubmissionKind::New, None) => {
            let row: i64 = super::query_scalar(sql::ADD_SUBMITTED)
                .bind(submission.domain.as_str())
                .bind(submission.port.map(i64::from))
                .bind(now.0)
                .bind(frontier::MAX_DEPTH)
                .fetch_one(&mut *connection)
                .await?;
            // Ahead of everything that is due.
            frontier::enqueue(connection, row, now.0, 0).await?;
            Ok(Turn::Granted)
        }
        (SubmissionKind::New, Some(row)) => match found.last_visit {
            Some(visit) => {
                super::query(sql::ANSWER_EARLIER)
                    .bind(id)
                    .bind(row)
                    .bind(visit.0)
                    .execute(&mut *connection)
                    .await?;
                keep_after(connection, &submission.domain).await?;
                Ok(Turn::Visited)
            }
            None => Ok(Turn::Queued),
        },
        (SubmissionKind::Recheck, None) => Ok(Turn::Refused("no longer known".to_owned())),
        (SubmissionKind::Recheck, Some(row)) => {
            let earliest = found.recheck(now);
            if earliest > now {
                return Ok(Turn::Later(earliest));
            }
            let series = found.series.with(now);
            let before = json(&snapshot(connection, row).await?)?;
            super::query(sql::KEEP_BEFORE)
                .bind(id)
                .bind(before)
                .execute(&mut *connection)
                .await?;
            let is_urgent = super::query(sql::MAKE_URGENT)
                .bind(row)
                .bind(now.0)
                .execute(&mut *connection)
                .await?;
            if is_urgent.rows_affected() > 0 {
                super::query(sql::NOTE_RECHECK)
                    .bind(row)
                    .bind(now.0)
                    .bind(i64::from(requested::REQUESTS))
                    .bind(i64::from(series.count))
                    .execute(connection)
                    .await?;
            }
            Ok(Turn::Granted)
        }
    }
}

async fn postpone(connection: &mut Connection, id: i64, earliest: Timestamp) -> sqlx::Result<()> {
    super::query(sql::POSTPONE_SUBMISSION)
        .bind(id)
        .bind(earliest.0)
        .execute(connection)
        .await?;
    Ok(())
}

/// Stores the state of a submission.
async fn answer(
    connection: &mut Connection,
    id: i64,
    state: SubmissionState,
    detail: Option<String>,
) -> sqlx::Result<()> {
    super::query(sql::ANSWER_SUBMISSION)
        .bind(id)
        .bind(state.as_str())
        .bind(detail)
        .execute(connection)
        .await?;
    Ok(())
}

/// Completes the submissions of visited domains.
pub(super) async fn answer_visited(
    connection: &mut Connection,
    visits: &[(i64, &Visit)],
) -> sqlx::Result<()> {
    // There is mostly no submission.
    let is_any: bool = super::query_scalar(sql::ANY_QUEUED)
        .fetch_one(&mut *connection)
        .await?;
    if !is_any {
        return Ok(());
    }
    for (_, visit) in visits.iter().filter(|(_, visit)| !visit.next.is_again) {
        let domain = &visit.lease.domain;
        if visit.outcome == Outcome::DnsError && visit.requests == 0 {
            visit_hours::count_unresolved(connection, visit).await?;
        }
        let answered = super::query(sql::ANSWER_VISITED)
            .bind(domain.as_str())
            .bind(visit.outcome.as_str())
            .bind(&visit.detail)
            .bind(visit.started.0)
            .bind(visit.ended.0)
            .execute(&mut *connection)
            .await?;
        if answered.rows_affected() > 0 {
            keep_after(connection, domain).await?;
        }
    }
    Ok(())
}
