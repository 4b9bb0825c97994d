//! The state of a database as a whole: whether it takes writes, and whether this process still has its
//! roles.

use super::PostgresStore;
use super::persistence::PERSISTENT;
use super::replica::Replica;
use crate::contract::Health;
use crate::error::StoreError;
use crate::model::DatabaseFiles;
use async_trait::async_trait;
use manifest::Timestamp;
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
        // A read would have noticed this, were it not for the replica.
        let is_away = self.replica.is_some() && self.primary.is_away();
        if !is_away && !self.refuses_writes.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.run(async {
            let mut transaction = self.begin_durable().await?;
            let query = sqlx::query(WRITE).persistent(PERSISTENT);
            query.execute(&mut *transaction).await?;
            transaction.commit().await
        })
        .await?;
        self.refuses_writes.store(false, Ordering::Relaxed);
        Ok(())
    }

    async fn watch(&self) -> StoreError {
        let following = async {
            match &self.replica {
                Some(replica) => replica.follow(&self.primary).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            error = self.claims.lost(&self.location) => error,
            never = following => match never {},
        }
    }

    /// Does nothing: the server looks after its log.
    async fn shorten_log(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn replica_lag(&self) -> Option<Duration> {
        self.replica.as_ref().map(Replica::lag)
    }

    fn files(&self) -> Option<DatabaseFiles> {
        None
    }

    /// Returns none: the server has backups of its own.
    async fn last_backup(&self) -> Result<Option<Timestamp>, StoreError> {
        Ok(None)
    }

    async fn close(&self) {
        let _ = timeout(PATIENCE, self.claims.give_back(self.primary.pool())).await;
        let replica = self.replica.as_ref().map(Replica::server);
        for server in [Some(&self.primary), replica].into_iter().flatten() {
            let _ = timeout(PATIENCE, server.pool().close()).await;
        }
    }
}
