//! Writing transactions, by what a power loss may do to them.
//!
//! A killed process loses no commit. A power loss, or a crash of the system, takes commits that were
//! not flushed to the disk, the newest first, and leaves the database consistent
//! (<https://www.sqlite.org/pragma.html#pragma_synchronous>). A flush covers all commits before it,
//! also those of other processes, since all are in one write-ahead log.

use super::SqliteStore;
use sqlx::{Sqlite, Transaction};

/// Flushes the write-ahead log with each commit.
const BEGIN_DURABLE: &str = "PRAGMA synchronous = FULL; BEGIN IMMEDIATE";

/// Flushes it before its pages are moved into the database.
const BEGIN_BULK: &str = "PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE";

impl SqliteStore {
    /// Begins a transaction that survives a power loss once it is committed: for what an answer of 202
    /// or a moderator's command promises, and for changes, whose numbers readers keep. If they were
    /// lost, others would get their numbers.
    pub(super) async fn begin_durable(&self) -> sqlx::Result<Transaction<'static, Sqlite>> {
        self.writer.begin_with(BEGIN_DURABLE).await
    }

    /// Begins a transaction that a power loss may undo: for what is done again by itself, such as
    /// leases, and for the many small writes of a crawl, which would wait for the disk each time.
    pub(super) async fn begin_bulk(&self) -> sqlx::Result<Transaction<'static, Sqlite>> {
        self.writer.begin_with(BEGIN_BULK).await
    }
}

#[cfg(test)]
mod tests;
