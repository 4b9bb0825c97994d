//! Deletion of what is kept for a time only.

use super::exclusions::{
    DELETE_DOMAINS, DELETE_ORPHANS, DELETED_AT_ONCE, Removal, concerning, covering, forget_rows,
};
use super::{Backend, Connection, let_others_write, sessions};
use crate::contract::Retention;
use crate::error::StoreError;
use crate::model::{ClosedVersion, LAPSED_INTERVAL, SweptBlobs};
use crate::row::{compress, json};
use crate::sql::{blocks, retention as sql};
use async_trait::async_trait;
use manifest::{Domain, Timestamp};

/// Visits in a row at which a name did not exist before its domain is forgotten, after ten months: a
/// name that documents still mention would be looked up more often if it was forgotten earlier (P39).
const LAPSED_VISITS: i64 = 5;

/// Deletes versions by their ids, unless they are current.
const DELETE_VERSIONS: &str = "
    DELETE FROM versions
    WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each($1)) AND last_seen IS NOT NULL";

#[async_trait]
impl Retention for Backend {
    async fn closed_versions(
        &self,
        after: i64,
        limit: u32,
    ) -> Result<Vec<ClosedVersion>, StoreError> {
        let query = super::query_as(sql::CLOSED_VERSIONS)
            .bind(after)
            .bind(i64::from(limit));
        self.run(async { query.fetch_all(&mut *self.reading().await?).await })
            .await
    }

    async fn delete_versions(&self, ids: &[i64]) -> Result<u64, StoreError> {
        self.run(async {
            let query = super::query(DELETE_VERSIONS).bind(json(&ids)?);
            self.execute(query).await
        })
        .await
    }

    async fn sweep_blobs(&self, after: &str, limit: u32) -> Result<SweptBlobs, StoreError> {
        self.run(async {
            let hashes: Vec<String> = super::query_scalar(sql::BLOBS_AFTER)
                .bind(after)
                .bind(i64::from(limit))
                .fetch_all(&mut *self.reading().await?)
                .await?;
            if hashes.is_empty() {
                return Ok(SweptBlobs::default());
            }
            let query = super::query(DELETE_ORPHANS).bind(json(&hashes)?);
            Ok(SweptBlobs {
                deleted: self.execute(query).await?,
                last: hashes.into_iter().next_back(),
            })
        })
        .await
    }

    async fn delete_submissions(&self, before: Timestamp, limit: u32) -> Result<u64, StoreError> {
        delete_page(self, sql::DELETE_SUBMISSIONS, before, limit).await
    }

    async fn delete_sessions(&self, before: Timestamp, limit: u32) -> Result<u64, StoreError> {
        self.run(async {
            let mut transaction = self.begin_bulk().await?;
            let expired: Vec<String> = super::query_scalar(crate::sql::sessions::EXPIRED)
                .bind(before.0)
                .bind(i64::from(limit))
                .fetch_all(&mut *transaction)
                .await?;
            sessions::delete(&mut transaction, &expired).await?;
            transaction.commit().await?;
            Ok(expired.len() as u64)
        })
        .await
    }

    async fn delete_reports(&self, before: Timestamp, limit: u32) -> Result<u64, StoreError> {
        delete_page(self, sql::DELETE_REPORTS, before, limit).await
    }

    async fn pack_receipts(&self, limit: u32) -> Result<u64, StoreError> {
        self.run(async {
            let visits: Vec<(i64, String)> = super::query_as(sql::UNPACKED_VISITS)
                .bind(i64::from(limit))
                .fetch_all(&mut *self.reading().await?)
                .await?;
            if visits.is_empty() {
                return Ok(0);
            }
            let packed = visits
                .iter()
                .map(|(id, receipts)| Ok((id, compress(receipts.as_bytes())?)))
                .collect::<sqlx::Result<Vec<_>>>()?;
            let mut transaction = self.begin_bulk().await?;
            for (id, (size, bytes)) in packed {
                super::query(sql::PACK_RECEIPTS)
                    .bind(id)
                    .bind(size)
                    .bind(bytes)
                    .execute(&mut *transaction)
                    .await?;
            }
            transaction.commit().await?;
            Ok(visits.len() as u64)
        })
        .await
    }

    async fn forget_lapsed(&self, after: i64, limit: u32) -> Result<Option<i64>, StoreError> {
        self.run(async {
            let last: Option<i64> = super::query_scalar(sql::LAST_DOMAIN)
                .bind(after)
                .bind(i64::from(limit))
                .fetch_one(&mut *self.reading().await?)
                .await?;
            let Some(last) = last else {
                return Ok(None);
            };
            // Most pages have none, and then no other writer waits.
            let is_any = !lapsed(&mut *self.reading().await?, after, last)
                .await?
                .is_empty();
            if is_any {
                let mut transaction = self.begin_bulk().await?;
                let ids = lapsed(&mut transaction, after, last).await?;
                super::query(DELETE_DOMAINS)
                    .bind(json(&ids)?)
                    .execute(&mut *transaction)
                    .await?;
                transaction.commit().await?;
            }
            Ok(Some(last))
        })
        .await
    }

    async fn forget_excluded(
        &self,
        after: i64,
        limit: u32,
        now: Timestamp,
    ) -> Result<Option<i64>, StoreError> {
        self.run(async {
            let rows: Vec<(i64, String)> = super::query_as(sql::DOMAINS_AFTER)
                .bind(after)
                .bind(i64::from(limit))
                .fetch_all(&mut *self.reading().await?)
                .await?;
            let readable = |(id, name): &(i64, String)| Some((*id, Domain::parse(name).ok()?));
            let domains: Vec<(i64, Domain)> = rows.iter().filter_map(readable).collect();
            let names = domains.iter().map(|(_, domain)| domain);
            let excluded = concerning(&mut *self.reading().await?, names).await?;
            let covered = domains
                .iter()
                .filter(|(_, domain)| excluded.covers(domain).is_some());
            for batch in covered.collect::<Vec<_>>().chunks(DELETED_AT_ONCE) {
                let mut transaction = self.begin_durable().await?;
                for (id, domain) in batch {
                    // It may have ended meanwhile.
                    if let Some(exclusion) = covering(&mut transaction, domain).await?.first() {
                        let removal = Removal::of(exclusion, now);
                        forget_rows(&mut transaction, &[*id], &removal).await?;
                    }
                }
                transaction.commit().await?;
                if batch.len() == DELETED_AT_ONCE {
                    let_others_write().await;
                }
            }
            Ok(rows.last().map(|(id, _)| *id))
        })
        .await
    }

    async fn forget_blocks(&self, now: Timestamp) -> Result<(), StoreError> {
        self.run(async {
            for statement in [blocks::FORGET_ADDRESS_BLOCKS, blocks::FORGET_HOST_BLOCKS] {
                let query = super::query(statement).bind(now.0);
                self.execute(query).await?;
            }
            Ok(())
        })
        .await
    }

    async fn forget_networks(&self, before: Timestamp) -> Result<(), StoreError> {
        self.run(async {
            let mut transaction = self.begin_bulk().await?;
            for statement in sql::FORGET_NETWORKS {
                super::query(statement)
                    .bind(before.0)
                    .execute(&mut *transaction)
                    .await?;
            }
            transaction.commit().await
        })
        .await
    }
}

/// Deletes up to `limit` rows that are older than a time, and returns their number.
async fn delete_page(
    store: &Backend,
    statement: &'static str,
    before: Timestamp,
    limit: u32,
) -> Result<u64, StoreError> {
    let query = super::query(statement)
        .bind(before.0)
        .bind(i64::from(limit));
    store.run(store.execute(query)).await
}

/// Returns the rows of domains in a range that are not needed.
async fn lapsed(connection: &mut Connection, after: i64, last: i64) -> sqlx::Result<Vec<i64>> {
    super::query_scalar(sql::LAPSED)
        .bind(after)
        .bind(last)
        .bind(i64::try_from(LAPSED_INTERVAL.as_millis()).unwrap_or(i64::MAX))
        .bind(LAPSED_VISITS)
        .fetch_all(connection)
        .await
}
