//! The state of a database as a whole: whether it takes writes, whether it is still in its place, and
//! how long its write-ahead log is.

use super::errors::refused;
use super::{SqliteStore, open};
use crate::contract::Health;
use crate::error::StoreError;
use crate::model::DatabaseFiles;
use crate::sql::operation as sql;
use async_trait::async_trait;
use manifest::Timestamp;
use sqlx::{ConnectOptions as _, Connection as _};
use std::io;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::timeout;

/// Interval between two looks at the place of the database.
const LOOK: Duration = Duration::from_secs(1);

/// Looks at the place between two looks at the write-ahead log.
const LOOKS: u32 = 15;

/// Longest time for connections to close.
const PATIENCE: Duration = Duration::from_secs(1);

/// Writes one page, and changes nothing.
const WRITE: &str = "PRAGMA user_version = 0";

/// Writes the write-ahead log back, without delaying a reader or a writer.
const WRITE_BACK: &str = "PRAGMA wal_checkpoint(PASSIVE)";

/// Empties the write-ahead log, unless it is in use.
const EMPTY: &str = "PRAGMA wal_checkpoint(TRUNCATE)";

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

    async fn watch(&self) -> StoreError {
        loop {
            for _ in 0..LOOKS {
                tokio::time::sleep(LOOK).await;
                if let Err(error) = self.file.check() {
                    return error;
                }
                self.file.note_beside();
            }
            if let Err(error) = self.shorten_log().await {
                tracing::debug!(%error, "the write-ahead log stays as it is: {error}");
            }
        }
    }

    /// Returns at once for a log within [`open::LONGEST_LOG`], which the next writes use again.
    async fn shorten_log(&self) -> Result<(), StoreError> {
        let length = match tokio::fs::metadata(self.file.log()).await {
            Ok(metadata) => metadata.len(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(refused(self.file.path(), &error)),
        };
        if length <= open::LONGEST_LOG {
            return Ok(());
        }
        // A connection of its own does not keep the writes of this process waiting, and one that never
        // waits for a reader does not keep those of others waiting for it.
        let options = open::options(self.file.path()).busy_timeout(Duration::ZERO);
        self.run(async {
            let mut connection = options.connect().await?;
            for statement in [WRITE_BACK, EMPTY] {
                sqlx::query(statement).execute(&mut connection).await?;
            }
            connection.close().await
        })
        .await
    }

    fn replica_lag(&self) -> Option<Duration> {
        None
    }

    fn files(&self) -> Option<DatabaseFiles> {
        Some(DatabaseFiles {
            database: self.file.path().to_owned(),
            log: self.file.log(),
        })
    }

    async fn last_backup(&self) -> Result<Option<Timestamp>, StoreError> {
        let query = sqlx::query_scalar(sql::LAST_BACKUP);
        let at: Option<i64> = self.run(query.fetch_optional(&self.reader)).await?;
        Ok(at.map(Timestamp))
    }

    async fn close(&self) {
        // A reader that is still busy must not keep the program from ending.
        let _ = timeout(PATIENCE, self.reader.close()).await;
        // The last connection moves the write-ahead log into the file.
        let _ = timeout(PATIENCE, self.writer.close()).await;
    }
}
