//! The state of a database as a whole: whether it takes writes, and whether it is still in its
//! place.

use super::SqliteStore;
use crate::contract::Health;
use crate::error::StoreError;
use async_trait::async_trait;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::timeout;

/// Interval between two looks at the place of the database.
const LOOK: Duration = Duration::from_secs(1);

/// Longest time for connections to close.
const PATIENCE: Duration = Duration::from_secs(1);

/// Writes one page, and changes nothing.
const WRITE: &str = "PRAGMA user_version = 0";

#[async_trait]
impl Health for SqliteStore {
    async fn check_writes(&self) -> Result<(), StoreError> {
        if !self.refuses_writes.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.run(sqlx::query(WRITE).execute(&self.writer)).await?;
        self.refuses_writes.store(false, Ordering::Relaxed);
        Ok(())
    }

    async fn replaced(&self) -> StoreError {
        loop {
            tokio::time::sleep(LOOK).await;
            if let Err(error) = self.file.check() {
                return error;
            }
            self.file.note_beside();
        }
    }

    async fn close(&self) {
        // A reader that is still busy must not keep the program from ending.
        let _ = timeout(PATIENCE, self.reader.close()).await;
        // The last connection moves the write-ahead log into the file.
        let _ = timeout(PATIENCE, self.writer.close()).await;
    }
}
