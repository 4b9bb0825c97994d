//! The state of a database as a whole: whether it takes writes, and whether this process still has its
//! roles.

use super::PostgresStore;
use crate::contract::Health;
use crate::error::StoreError;
use async_trait::async_trait;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::timeout;

/// Longest time for roles to be given back, and for connections to close.
const PATIENCE: Duration = Duration::from_secs(1);

/// Writes one row, and changes nothing.
const WRITE: &str = "UPDATE feed SET withdrawals = withdrawals";

#[async_trait]
impl Health for PostgresStore {
    async fn check_writes(&self) -> Result<(), StoreError> {
        if !self.refuses_writes.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.run(async {
            let mut transaction = self.begin().await?;
            let query = sqlx::query(WRITE).persistent(super::PERSISTENT);
            query.execute(&mut *transaction).await?;
            transaction.commit().await
        })
        .await?;
        self.refuses_writes.store(false, Ordering::Relaxed);
        Ok(())
    }

    async fn replaced(&self) -> StoreError {
        self.claims.lost(&self.location).await
    }

    async fn close(&self) {
        let _ = timeout(PATIENCE, self.claims.give_back(&self.pool)).await;
        let _ = timeout(PATIENCE, self.pool.close()).await;
    }
}
