//! Sentence vectors.

use super::Backend;
use crate::contract::Vectors;
use crate::error::StoreError;
use crate::model::AgentVector;
use crate::row::json;
use crate::sql::vectors as sql;
use async_trait::async_trait;
use std::collections::HashMap;

#[async_trait]
impl Vectors for Backend {
    async fn vectors(&self, hashes: &[String]) -> Result<HashMap<String, Vec<u8>>, StoreError> {
        self.run(async {
            let found: Vec<(String, Vec<u8>)> = super::query_as(sql::BY_HASH)
                .bind(json(hashes)?)
                .fetch_all(&mut *self.reading_replica().await?)
                .await?;
            Ok(found.into_iter().collect())
        })
        .await
    }

    async fn record_vectors(&self, vectors: &[AgentVector]) -> Result<(), StoreError> {
        self.run(async {
            let mut transaction = self.begin_bulk().await?;
            for it in vectors {
                super::query(sql::RECORD)
                    .bind(it.agent.as_str())
                    .bind(&it.hash)
                    .bind(&it.vector)
                    .execute(&mut *transaction)
                    .await?;
            }
            transaction.commit().await
        })
        .await
    }
}
