//! Daily counts.

use super::SqliteStore;
use crate::contract::CensusLog;
use crate::error::StoreError;
use crate::model::{Census, CensusDay, Day};
use crate::row::json;
use crate::sql::census as sql;
use async_trait::async_trait;
use manifest::Timestamp;

#[async_trait]
impl CensusLog for SqliteStore {
    async fn record_census(&self, counts: &Census, at: Timestamp) -> Result<bool, StoreError> {
        self.run(async {
            let result = sqlx::query(sql::RECORD)
                .bind(Day::of(at).0)
                .bind(at.0)
                .bind(json(counts)?)
                .execute(&self.writer)
                .await?;
            Ok(result.rows_affected() > 0)
        })
        .await
    }

    async fn census_since(&self, day: Day) -> Result<Vec<CensusDay>, StoreError> {
        let query = sqlx::query_as(sql::SINCE).bind(day.0);
        self.run(query.fetch_all(&self.reader)).await
    }
}
