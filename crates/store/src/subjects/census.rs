//! Daily counts.

use super::Backend;
use crate::contract::CensusLog;
use crate::error::StoreError;
use crate::model::{Census, CensusDay, Day};
use crate::row::json;
use crate::sql::census as sql;
use async_trait::async_trait;
use manifest::Timestamp;

#[async_trait]
impl CensusLog for Backend {
    async fn record_census(&self, counts: &Census, at: Timestamp) -> Result<bool, StoreError> {
        self.run(async {
            let recorded = self
                .execute(
                    super::query(sql::RECORD)
                        .bind(Day::of(at).0)
                        .bind(at.0)
                        .bind(json(counts)?),
                )
                .await?;
            Ok(recorded > 0)
        })
        .await
    }

    async fn census_since(&self, day: Day) -> Result<Vec<CensusDay>, StoreError> {
        let query = super::query_as(sql::SINCE).bind(day.0);
        self.run(async { query.fetch_all(&mut *self.reading_replica().await?).await })
            .await
    }
}
