//! Deletion of what is kept for a time only.

use super::SqliteStore;
use super::exclusions::DELETE_ORPHANS;
use crate::contract::Retention;
use crate::error::StoreError;
use crate::model::{ClosedVersion, SweptBlobs};
use crate::row::json;
use crate::sql::retention as sql;
use async_trait::async_trait;
use manifest::Timestamp;

/// Deletes versions by their ids, unless they are current.
const DELETE_VERSIONS: &str = "
    DELETE FROM versions
    WHERE id IN (SELECT value FROM json_each($1)) AND last_seen IS NOT NULL";

#[async_trait]
impl Retention for SqliteStore {
    async fn closed_versions(
        &self,
        after: i64,
        limit: u32,
    ) -> Result<Vec<ClosedVersion>, StoreError> {
        let query = sqlx::query_as(sql::CLOSED_VERSIONS)
            .bind(after)
            .bind(i64::from(limit));
        self.run(query.fetch_all(&self.reader)).await
    }

    async fn delete_versions(&self, ids: &[i64]) -> Result<u64, StoreError> {
        self.run(async {
            let query = sqlx::query(DELETE_VERSIONS).bind(json(&ids)?);
            let result = query.execute(&self.writer).await?;
            Ok(result.rows_affected())
        })
        .await
    }

    async fn sweep_blobs(&self, after: &str, limit: u32) -> Result<SweptBlobs, StoreError> {
        self.run(async {
            let hashes: Vec<String> = sqlx::query_scalar(sql::BLOBS_AFTER)
                .bind(after)
                .bind(i64::from(limit))
                .fetch_all(&self.reader)
                .await?;
            if hashes.is_empty() {
                return Ok(SweptBlobs::default());
            }
            let query = sqlx::query(DELETE_ORPHANS).bind(json(&hashes)?);
            let result = query.execute(&self.writer).await?;
            Ok(SweptBlobs {
                deleted: result.rows_affected(),
                last: hashes.into_iter().next_back(),
            })
        })
        .await
    }

    async fn delete_submissions(&self, before: Timestamp, limit: u32) -> Result<u64, StoreError> {
        self.run(async {
            let result = sqlx::query(sql::DELETE_SUBMISSIONS)
                .bind(before.0)
                .bind(i64::from(limit))
                .execute(&self.writer)
                .await?;
            Ok(result.rows_affected())
        })
        .await
    }

    async fn forget_networks(&self, before: Timestamp) -> Result<(), StoreError> {
        self.run(async {
            let mut transaction = self.begin().await?;
            for statement in sql::FORGET_NETWORKS {
                sqlx::query(statement)
                    .bind(before.0)
                    .execute(&mut *transaction)
                    .await?;
            }
            transaction.commit().await
        })
        .await
    }
}
