//! Recovery of a crawler: leases of an interrupted run, and times that were stored by a clock that
//! was ahead.

use super::{Backend, Connection, is_ownerless};
use crate::contract::Recovery;
use crate::error::StoreError;
use crate::row::json;
use crate::sql::recovery as sql;
use async_trait::async_trait;
use manifest::{Domain, Timestamp};

/// Longest wait without an interval: a `Retry-After` or crawl delay of one day, plus 50 % jitter.
const LONGEST_WAIT_MS: i64 = 36 * 60 * 60 * 1000;

/// Longest interval of the schedule: half a year plus 10 % jitter, rounded up.
const LONGEST_INTERVAL_MS: i64 = 200 * 24 * 60 * 60 * 1000;

/// Longest block of an address or host (P35).
const LONGEST_BLOCK_MS: i64 = 24 * 60 * 60 * 1000;

/// Releases the leases of processes that ended. Each domain is ready at `$1` plus `$3` plus the
/// longer of its own delay and `$2`, which is quadrupled for each consecutive interruption after
/// the tenth, up to 1,024 times.
///
/// Within a fifth of a second after that, the domains with the fewest interruptions come first;
/// ties are ordered by the lease token, which changes with each lease. So a visit that cannot
/// finish within the lifetime of a crawler does not keep others from being visited.
const RELEASE_LEASES: &str = concat!(
    "
    WITH leased (id, delay_ms, gap_ms, place) AS (
        SELECT domains.id, delay_ms,
               $2 * (1 << CAST(CASE WHEN broken_off < 10 THEN 0
                                    WHEN broken_off < 15 THEN 2 * (broken_off - 9)
                                    ELSE 10 END AS INTEGER)),
               16 * CASE WHEN broken_off < 10 THEN broken_off ELSE 10 END
                  + (domains.id + 7 * lease_token) % 16
        FROM queue
        JOIN domains ON domains.id = domain_id
        WHERE lease_until IS NOT NULL AND ",
    is_ownerless!(),
    "
    ),
    released (id, until) AS (
        SELECT id, $1 + $3 + place + CASE WHEN delay_ms > gap_ms THEN delay_ms ELSE gap_ms END
        FROM leased
    )
    UPDATE queue
    SET lease_until = NULL,
        lease_owner = NULL,
        due = released.until,
        not_before = released.until,
        ready = released.until
    FROM released
    WHERE domain_id = released.id
    RETURNING domain_id"
);

#[async_trait]
impl Recovery for Backend {
    async fn rebase(&self, now: Timestamp) -> Result<u64, StoreError> {
        self.run(async {
            let mut transaction = self.begin_bulk().await?;
            let now = self.time_of(&mut transaction, now).await?;
            for statement in [sql::CAP_ADDRESS_BLOCKS, sql::CAP_HOST_BLOCKS] {
                super::query(statement)
                    .bind(now.0.saturating_add(LONGEST_BLOCK_MS))
                    .execute(&mut *transaction)
                    .await?;
            }
            if !was_ahead(&mut transaction, now).await? {
                transaction.commit().await?;
                return Ok(0);
            }
            let mended = super::query(sql::REBASE_QUEUE)
                .bind(now.0)
                .bind(LONGEST_WAIT_MS)
                .execute(&mut *transaction)
                .await?;
            for statement in [
                sql::REBASE_DOMAINS,
                sql::REBASE_DOCUMENTS,
                sql::REBASE_NAMED,
            ] {
                super::query(statement)
                    .bind(now.0)
                    .execute(&mut *transaction)
                    .await?;
            }
            transaction.commit().await?;
            Ok(mended.rows_affected())
        })
        .await
    }

    async fn release_leases(
        &self,
        now: Timestamp,
        gap_ms: u32,
        answer_ms: u32,
    ) -> Result<Vec<Domain>, StoreError> {
        self.run(async {
            let mut transaction = self.begin_bulk().await?;
            let ids: Vec<i64> = super::query_scalar(RELEASE_LEASES)
                .bind(now.0)
                .bind(i64::from(gap_ms))
                .bind(i64::from(answer_ms))
                .fetch_all(&mut *transaction)
                .await?;
            let names: Vec<String> = super::query_scalar(sql::COUNT_INTERRUPTIONS)
                .bind(json(&ids)?)
                .fetch_all(&mut *transaction)
                .await?;
            transaction.commit().await?;
            // A damaged name is reported when its domain is leased.
            let domains = names.iter().filter_map(|name| Domain::parse(name).ok());
            Ok(domains.collect())
        })
        .await
    }
}

/// Reports whether the newest rows have times in the future.
async fn was_ahead(connection: &mut Connection, now: Timestamp) -> sqlx::Result<bool> {
    let latest = now.0.saturating_add(LONGEST_INTERVAL_MS);
    for (newest, limit) in [
        (sql::NEWEST_VISIT, now.0),
        (sql::NEWEST_DOMAIN, now.0),
        (sql::LAST_READY, latest),
    ] {
        let newest: Option<i64> = super::query_scalar(newest)
            .fetch_optional(&mut *connection)
            .await?;
        if newest.is_some_and(|newest| newest > limit) {
            return Ok(true);
        }
    }
    Ok(false)
}
