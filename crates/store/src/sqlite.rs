//! The store in one SQLite file.
//!
//! Each process has one writing connection, whose transactions begin with `BEGIN IMMEDIATE` so that
//! they wait for another process instead of failing halfway ([`durability`] says which of them survive
//! a power loss), and a small pool of read-only connections: in WAL mode, reads do not wait for writes.
//!
//! A list of values is bound as one JSON array, so that a statement is constant text.

mod agents;
mod blocks;
mod census;
mod changes;
mod claims;
mod documents;
mod durability;
mod edge_answers;
mod ended_leases;
mod errors;
mod exclusions;
mod file;
mod frontier;
mod health;
mod leases;
mod lock;
mod migrations;
mod moderation;
mod named;
mod open;
mod opt_outs;
mod recovery;
mod retention;
mod sessions;
mod site_states;
mod sites;
pub(crate) mod snapshot;
mod snapshots;
mod status;
mod submissions;
mod vectors;
mod visit_hours;
mod visits;

use crate::contract::Store;
use crate::error::StoreError;
pub(crate) use errors::explain;
use file::DatabaseFile;
use lock::Lock;
use manifest::AgentId;
use sqlx::query_builder::Separated;
use sqlx::{QueryBuilder, Sqlite, SqliteConnection, SqlitePool};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;
use tracing::Instrument as _;

/// Rows per multi-row statement; 500 rows stay far below SQLite's limit of 32,766 binds.
const BATCH: usize = 500;

/// Maximum number of rows per transaction.
const BATCH_ROWS: i64 = 500;

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
}

/// Lets other processes write between two of many transactions.
pub(super) async fn let_others_write() {
    tokio::time::sleep(PAUSE).await;
}

/// Inserts rows by a statement that ends before its `VALUES`.
pub(crate) async fn insert_rows<T: Sync>(
    connection: &mut SqliteConnection,
    statement: &'static str,
    rows: &[T],
    mut bind: impl FnMut(Separated<'_, Sqlite, &'static str>, &T) + Send,
) -> sqlx::Result<()> {
    for batch in rows.chunks(BATCH) {
        let mut query = QueryBuilder::<Sqlite>::new(statement);
        query.push_values(batch, &mut bind);
        query
            .build()
            .persistent(false)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}
