//! The store in one SQLite file.
//!
//! Each process has one writing connection, whose transactions begin with `BEGIN IMMEDIATE` so that
//! they wait for another process instead of failing halfway ([`durability`] says which of them survive
//! a power loss), and a small pool of read-only connections: in WAL mode, reads do not wait for writes.

mod durability;
mod errors;
mod file;
mod fleet;
mod health;
mod lock;
pub(crate) mod migrations;
mod open;
pub(crate) mod outgoing;
pub(crate) mod snapshot;
#[path = "subjects/subjects.rs"]
mod subjects;

use crate::contract::Store;
use crate::error::StoreError;
pub(crate) use errors::explain;
use file::DatabaseFile;
use lock::Lock;
use manifest::{AgentId, Timestamp};
use sqlx::pool::PoolConnection;
use sqlx::{Sqlite, SqlitePool, Transaction};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;
pub(crate) use subjects::insert_rows;
use tracing::Instrument as _;

type Backend = SqliteStore;
type Driver = Sqlite;
type Location = PathBuf;

/// True: a connection keeps prepared statements.
const PERSISTENT: bool = true;

/// Locks selected rows: a transaction that writes has locked all already.
macro_rules! skip_locked {
    () => {
        ""
    };
}
use skip_locked;

/// Condition that the owner of a lease has ended: a file has one crawler at a time.
macro_rules! is_ownerless {
    () => {
        "TRUE"
    };
}
use is_ownerless;

/// Condition that a domain may be leased by the process `$3`: a file has one crawler.
macro_rules! is_own {
    () => {
        "$3 IS NULL"
    };
}
use is_own;

/// Additional changes at the end of a lease.
macro_rules! at_end {
    () => {
        ""
    };
}
use at_end;

/// Pause between two of many transactions. A connection of another process that waits looks again after
/// 25 ms at first, and after 100 ms at most: without a pause, it finds the database locked each time.
const PAUSE: Duration = Duration::from_millis(25);

/// Open SQLite file.
pub(crate) struct SqliteStore {
    file: DatabaseFile,
    /// The only writing connection.
    writer: SqlitePool,
    reader: SqlitePool,
    /// True since a write failed because the database takes none.
    refuses_writes: AtomicBool,
    /// Agent up to which agents were checked, and the damage that any call met.
    checked: Mutex<Option<AgentId>>,
    damage: OnceLock<String>,
    /// Kept for their `Drop`, one per role.
    _locks: Vec<Lock>,
}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("SqliteStore")
            .field("path", &self.file.path())
            .finish_non_exhaustive()
    }
}

impl Store for SqliteStore {}

impl SqliteStore {
    /// Completes a unit of work in a span of its own, and converts an error of the driver to one
    /// for the operator. Work in a file that lost its place is an error: it would be lost.
    async fn run<T>(
        &self,
        work: impl Future<Output = sqlx::Result<T>> + Send,
    ) -> Result<T, StoreError> {
        self.file.check()?;
        let work = work.instrument(tracing::debug_span!("store"));
        let done = work.await.map_err(|error| {
            if let Some(damage) = errors::damage(&error) {
                // The first one is kept.
                let _ = self.damage.set(damage);
            }
            explain(self.file.path(), error)
        });
        self.file.check()?;
        if let Err(error) = &done
            && error.is_refused_write()
            && !self.refuses_writes.swap(true, Ordering::Relaxed)
        {
            tracing::error!(%error, "the database takes no writes: {error}");
        }
        done
    }

    /// Begins a transaction that writes, as any other.
    async fn begin_beside_others(&self) -> sqlx::Result<Transaction<'static, Sqlite>> {
        self.begin_bulk().await
    }

    /// Returns the time within a transaction: that of its beginning, since no other process writes.
    #[expect(clippy::unused_async, reason = "a server has a clock of its own")]
    async fn time_of(
        &self,
        _transaction: &mut sqlx::SqliteConnection,
        now: Timestamp,
    ) -> sqlx::Result<Timestamp> {
        Ok(now)
    }

    /// Returns the name of this process on its leases: a file has one crawler at a time.
    #[expect(clippy::unused_self, reason = "the other back end needs it")]
    fn lease_owner(&self) -> Option<String> {
        None
    }

    /// Returns a connection for one statement that reads.
    async fn reading(&self) -> sqlx::Result<PoolConnection<Sqlite>> {
        self.reader.acquire().await
    }

    /// Begins a transaction that reads as of one moment.
    async fn begin_reading(&self) -> sqlx::Result<Transaction<'static, Sqlite>> {
        self.reader.begin().await
    }

    /// Returns a connection as [`Self::reading`] does: a file has no replica.
    async fn reading_replica(&self) -> sqlx::Result<PoolConnection<Sqlite>> {
        self.reading().await
    }

    /// Returns a connection as [`Self::reading`] does.
    async fn reading_primary(&self) -> sqlx::Result<PoolConnection<Sqlite>> {
        self.reading().await
    }

    /// Begins a transaction as [`Self::begin_reading`] does.
    async fn begin_reading_replica(&self) -> sqlx::Result<Transaction<'static, Sqlite>> {
        self.begin_reading().await
    }

    /// Begins a transaction that reads for minutes.
    async fn begin_snapshot(&self) -> Result<(Location, Transaction<'static, Sqlite>), StoreError> {
        let begun = self.run(self.begin_reading()).await?;
        Ok((self.location(), begun))
    }

    /// Returns the place of the database, for messages.
    fn location(&self) -> Location {
        self.file.path().to_owned()
    }
}

/// Lets other processes write between two of many transactions.
async fn let_others_write() {
    tokio::time::sleep(PAUSE).await;
}

#[cfg(test)]
mod tests;
