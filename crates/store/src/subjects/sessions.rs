//! Sessions of the Interaction API.

use super::{Backend, Connection};
use crate::contract::Sessions;
use crate::error::StoreError;
use crate::model::{Seal, Session, SessionAnswer, SessionCall};
use crate::row::{count, json, stored};
use crate::sql::sessions as sql;
use async_trait::async_trait;
use manifest::Timestamp;
use std::time::Duration;

const DAY: Duration = Duration::from_hours(24);
/// Expired sessions that make room for a new one. The others are deleted once a day, so that a visitor
/// does not wait for them.
const FORGOTTEN_AT_ONCE: i64 = 10;

#[async_trait]
impl Sessions for Backend {
    async fn open_session(
        &self,
        session: &Session,
        now: Timestamp,
    ) -> Result<SessionAnswer, StoreError> {
        self.run(async {
            let mut transaction = self.begin_bulk().await?;
            let network = Some(session.network.as_str());
            let recently = before(now, DAY);
            for (statement, network, since, most, delay) in [
                (
                    sql::OPEN_OF_NETWORK,
                    network,
                    now,
                    Session::MAX_OF_NETWORK,
                    Duration::ZERO,
                ),
                (
                    sql::CREATED_BY_NETWORK,
                    network,
                    recently,
                    Session::MAX_A_DAY,
                    DAY,
                ),
                (sql::OPEN, None, now, Session::MAX_OPEN, Duration::ZERO),
            ] {
                let (number, first) = counted(&mut transaction, statement, network, since).await?;
                if number >= u64::from(most) {
                    let next = first.unwrap_or(now).after(delay);
                    return Ok(match network {
                        Some(_) => SessionAnswer::TooManyOfNetwork(next),
                        None => SessionAnswer::TooMany(next),
                    });
                }
            }
            let mut gone: Vec<String> = super::query_scalar(sql::EXPIRED)
                .bind(before(now, Session::KEPT).0)
                .bind(FORGOTTEN_AT_ONCE)
                .fetch_all(&mut *transaction)
                .await?;
            delete(&mut transaction, &gone).await?;
            let stored: i64 = super::query_scalar(sql::STORED)
                .fetch_one(&mut *transaction)
                .await?;
            let excess = (stored + 1).saturating_sub(i64::from(Session::MAX_STORED));
            if excess > 0 {
                gone = super::query_scalar(sql::OLDEST_ENDED)
                    .bind(now.0)
                    .bind(excess)
                    .fetch_all(&mut *transaction)
                    .await?;
                delete(&mut transaction, &gone).await?;
            }
            super::query(sql::INSERT)
                .bind(&session.id)
                .bind(&session.token_hash)
                .bind(&session.network)
                .bind(&session.agent)
                .bind(session.created.0)
                .bind(session.expires.0)
                .execute(&mut *transaction)
                .await?;
            transaction.commit().await?;
            Ok(SessionAnswer::Opened)
        })
        .await
    }

    async fn open_sessions(&self, now: Timestamp) -> Result<u64, StoreError> {
        let query = super::query_as(sql::OPEN).bind(now.0);
        let (number, _): (i64, Option<i64>) = self
            .run(async { query.fetch_one(&mut *self.reading().await?).await })
            .await?;
        Ok(count(number))
    }

    async fn session_by_token(&self, token_hash: &str) -> Result<Option<Session>, StoreError> {
        let query = super::query_as(sql::BY_TOKEN).bind(token_hash);
        self.run(async { query.fetch_optional(&mut *self.reading().await?).await })
            .await
    }

    async fn session_by_id(&self, id: &str) -> Result<Option<Session>, StoreError> {
        let query = super::query_as(sql::BY_ID).bind(id);
        self.run(async { query.fetch_optional(&mut *self.reading().await?).await })
            .await
    }

    async fn record_call(&self, id: &str, call: &SessionCall) -> Result<bool, StoreError> {
        self.run(async {
            let mut transaction = self.begin_bulk().await?;
            let recorded = super::query(sql::RECORD)
                .bind(id)
                .bind(call.at.0)
                .bind(&call.capability)
                .bind(&call.method)
                .bind(&call.params)
                .bind(&call.policy)
                .bind(i64::from(call.status))
                .bind(i64::from(Session::MAX_CALLS))
                .execute(&mut *transaction)
                .await?;
            if recorded.rows_affected() == 0 {
                return Ok(false);
            }
            super::query(sql::COUNT_CALL)
                .bind(id)
                .execute(&mut *transaction)
                .await?;
            transaction.commit().await?;
            Ok(true)
        })
        .await
    }

    async fn session_calls(&self, id: &str) -> Result<Vec<SessionCall>, StoreError> {
        let query = super::query_as(sql::CALLS).bind(id);
        self.run(async { query.fetch_all(&mut *self.reading().await?).await })
            .await
    }

    async fn end_session(&self, id: &str, now: Timestamp) -> Result<bool, StoreError> {
        let query = super::query(sql::END).bind(id).bind(now.0);
        let ended = self.run(self.execute(query)).await?;
        Ok(ended > 0)
    }

    async fn seal_session(&self, id: &str, calls: usize, seal: &Seal) -> Result<(), StoreError> {
        self.run(async {
            self.execute(
                super::query(sql::SEAL)
                    .bind(id)
                    .bind(stored(calls as u64))
                    .bind(json(seal)?),
            )
            .await?;
            Ok(())
        })
        .await
    }
}

/// Returns a number of sessions and the time of the first, by a statement on those of a network or on
/// all.
async fn counted(
    connection: &mut Connection,
    statement: &'static str,
    network: Option<&str>,
    since: Timestamp,
) -> sqlx::Result<(u64, Option<Timestamp>)> {
    let mut query = super::query_as(statement);
    if let Some(network) = network {
        query = query.bind(network);
    }
    let (number, first): (i64, Option<i64>) = query.bind(since.0).fetch_one(connection).await?;
    Ok((count(number), first.map(Timestamp)))
}

/// Deletes sessions with their calls.
pub(super) async fn delete(connection: &mut Connection, ids: &[String]) -> sqlx::Result<()> {
    for id in ids {
        for statement in [sql::DELETE_CALLS, sql::DELETE] {
            super::query(statement)
                .bind(id)
                .execute(&mut *connection)
                .await?;
        }
    }
    Ok(())
}

fn before(now: Timestamp, time: Duration) -> Timestamp {
    let time = i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
    Timestamp(now.0.saturating_sub(time))
}
