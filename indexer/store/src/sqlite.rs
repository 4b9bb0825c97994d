//! The store in one SQLite file.
//!
//! Each process has one writing connection, whose transactions begin with `BEGIN IMMEDIATE` so
//! that they wait for another process instead of failing half-way, and a small pool of connections
//! that only read: in WAL mode nobody who reads waits for a write.

mod agents;
mod frontier;
mod lock;
mod open;
mod reading;
mod visits;

use crate::{
    Added, Change, DomainReadings, Lease, Recorded, Role, Seed, Site, Stats, Store, StoreError,
    StoredAgent, StoredDocument, Unread, Visit,
};
use async_trait::async_trait;
use lock::Lock;
use manifest::{AgentId, Domain, Timestamp};
use sqlx::{Sqlite, SqlitePool, Transaction};
use std::path::PathBuf;

/// Rows in one statement of many values: 500 of them stay far below SQLite's 32,766 binds.
const BATCH: usize = 500;

/// One open SQLite file.
pub(crate) struct SqliteStore {
    path: PathBuf,
    /// The one connection that writes.
    writer: SqlitePool,
    reader: SqlitePool,
    /// Held for its `Drop`; `None` for roles of which there may be many.
    _lock: Option<Lock>,
}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("SqliteStore")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl SqliteStore {
    /// Opens the file named by what follows `sqlite:` in a URL.
    pub(crate) async fn open(location: &str, role: Role) -> Result<Self, StoreError> {
        open::open(location, role).await
    }

    /// Words a driver's error for the operator.
    fn failed(&self, error: sqlx::Error) -> StoreError {
        open::explain(&self.path, error)
    }
}

/// Begins a transaction that will write.
async fn begin(writer: &SqlitePool) -> sqlx::Result<Transaction<'static, Sqlite>> {
    writer.begin_with("BEGIN IMMEDIATE").await
}

#[async_trait]
impl Store for SqliteStore {
    async fn add_seeds(
        &self,
        seeds: &[Seed],
        revisit: bool,
        now: Timestamp,
    ) -> Result<Added, StoreError> {
        frontier::add_seeds(&self.writer, seeds, revisit, now)
            .await
            .map_err(|error| self.failed(error))
    }

    async fn lease_domains(
        &self,
        now: Timestamp,
        lease_until: Timestamp,
        limit: u32,
    ) -> Result<Vec<Lease>, StoreError> {
        frontier::lease(&self.writer, now, lease_until, limit)
            .await
            .map_err(|error| self.failed(error))
    }

    async fn release_leases(&self, now: Timestamp, gap_ms: u32) -> Result<u64, StoreError> {
        frontier::release(&self.writer, now, gap_ms)
            .await
            .map_err(|error| self.failed(error))
    }

    async fn note_delay(&self, lease: &Lease, delay_ms: u32) -> Result<(), StoreError> {
        frontier::note_delay(&self.writer, lease, delay_ms)
            .await
            .map_err(|error| self.failed(error))
    }

    async fn return_leases(&self, leases: &[Lease]) -> Result<(), StoreError> {
        frontier::give_back(&self.writer, leases)
            .await
            .map_err(|error| self.failed(error))
    }

    async fn record_visits(&self, visits: &[Visit]) -> Result<Recorded, StoreError> {
        visits::record(&self.writer, &self.reader, visits)
            .await
            .map_err(|error| self.failed(error))
    }

    async fn next_due(&self) -> Result<Option<Timestamp>, StoreError> {
        frontier::next_due(&self.reader)
            .await
            .map_err(|error| self.failed(error))
    }

    async fn unread_domains(&self, limit: u32) -> Result<Vec<Unread>, StoreError> {
        reading::unread_domains(&self.reader, limit)
            .await
            .map_err(|error| self.failed(error))
    }

    async fn documents(&self, domain: &Domain) -> Result<Vec<StoredDocument>, StoreError> {
        reading::documents(&self.reader, domain)
            .await
            .map_err(|error| self.failed(error))
    }

    async fn replace_agents(
        &self,
        readings: &DomainReadings,
        now: Timestamp,
    ) -> Result<Vec<Change>, StoreError> {
        agents::replace(&self.writer, readings, now)
            .await
            .map_err(|error| self.failed(error))
    }

    async fn mark_all_unread(&self) -> Result<u64, StoreError> {
        agents::mark_all_unread(&self.writer)
            .await
            .map_err(|error| self.failed(error))
    }

    async fn changes(&self, since: u64, limit: u32) -> Result<Vec<Change>, StoreError> {
        reading::changes(&self.reader, since, limit)
            .await
            .map_err(|error| self.failed(error))
    }

    async fn last_change(&self) -> Result<u64, StoreError> {
        reading::last_change(&self.reader)
            .await
            .map_err(|error| self.failed(error))
    }

    async fn agents(
        &self,
        after: Option<&AgentId>,
        limit: u32,
    ) -> Result<Vec<StoredAgent>, StoreError> {
        reading::agents(&self.reader, after, limit)
            .await
            .map_err(|error| self.failed(error))
    }

    async fn agents_by_id(&self, ids: &[AgentId]) -> Result<Vec<StoredAgent>, StoreError> {
        reading::agents_by_id(&self.reader, ids)
            .await
            .map_err(|error| self.failed(error))
    }

    async fn site(&self, domain: &Domain) -> Result<Option<Site>, StoreError> {
        reading::site(&self.reader, domain)
            .await
            .map_err(|error| self.failed(error))
    }

    async fn blob(&self, hash: &str) -> Result<Option<Vec<u8>>, StoreError> {
        reading::blob(&self.reader, hash)
            .await
            .map_err(|error| self.failed(error))
    }

    async fn stats(&self, now: Timestamp) -> Result<Stats, StoreError> {
        reading::stats(&self.reader, now)
            .await
            .map_err(|error| self.failed(error))
    }
}
