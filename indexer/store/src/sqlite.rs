//! The store in one SQLite file.
//!
//! Each process has one writing connection, whose transactions begin with `BEGIN IMMEDIATE` so that
//! they wait for another process instead of failing halfway, and a small pool of read-only
//! connections: in WAL mode, reads do not wait for writes.

mod agents;
mod blocks;
mod clock;
mod exclusions;
mod frontier;
mod leases;
mod lock;
mod named;
mod open;
mod queries;
mod status;
mod submissions;
mod visits;

use crate::{
    Added, Change, Deleted, Discovery, DomainReadings, DomainState, Exclusion, Frontier, Lease,
    NamedDocument, Recorded, Role, Scope, Seed, Site, Stats, Store, StoreError, StoredAgent,
    StoredDocument, Submission, Unread, Visit, Waiting,
};
use async_trait::async_trait;
use lock::Lock;
use manifest::{AgentId, Domain, Timestamp};
pub(crate) use open::exists;
use sqlx::{Sqlite, SqlitePool, Transaction};
use std::net::IpAddr;
use std::path::PathBuf;

/// Rows per multi-row statement; 500 rows stay far below SQLite's limit of 32,766 binds.
const BATCH: usize = 500;

/// Rows per prepared multi-row statement.
const PART: usize = 32;

/// Splits rows into parts of [`PART`] and the remainder into single rows, so that two prepared
/// statements suffice for any number of rows.
fn parts<T>(rows: &[T]) -> impl Iterator<Item = &[T]> {
    let (whole, rest) = rows.split_at(rows.len() - rows.len() % PART);
    whole.chunks(PART).chain(rest.chunks(1))
}

/// Maximum number of rows per transaction.
const BATCH_ROWS: i64 = 500;

/// Open SQLite file.
pub(crate) struct SqliteStore {
    path: PathBuf,
    /// The only writing connection.
    writer: SqlitePool,
    reader: SqlitePool,
    /// Kept for their `Drop`, one per role.
    _locks: Vec<Lock>,
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
    /// Opens the file named by the part of a URL after `sqlite:`.
    pub(crate) async fn open(location: &str, roles: &[Role]) -> Result<Self, StoreError> {
        open::open(location, roles).await
    }

    /// Converts a driver's error to one for the operator.
    fn worded<T>(&self, result: sqlx::Result<T>) -> Result<T, StoreError> {
        result.map_err(|error| open::explain(&self.path, error))
    }
}

/// Begins a writing transaction.
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
        self.worded(frontier::add_seeds(&self.writer, seeds, revisit, now).await)
    }

    async fn lease_domains(
        &self,
        now: Timestamp,
        lease_until: Timestamp,
        limit: u32,
    ) -> Result<Vec<Lease>, StoreError> {
        self.worded(frontier::lease(&self.writer, now, lease_until, limit).await)
    }

    async fn name_documents(
        &self,
        documents: &[(Domain, NamedDocument)],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.worded(named::seed(&self.writer, documents, now).await)
    }

    async fn domain_state(&self, domain: &Domain) -> Result<Option<DomainState>, StoreError> {
        self.worded(queries::domain_state(&self.reader, domain).await)
    }

    async fn rebase(&self, now: Timestamp) -> Result<u64, StoreError> {
        self.worded(clock::rebase(&self.writer, now).await)
    }

    async fn release_leases(&self, now: Timestamp, gap_ms: u32) -> Result<u64, StoreError> {
        self.worded(frontier::release(&self.writer, now, gap_ms).await)
    }

    async fn note_delay(&self, lease: &Lease, delay_ms: u32) -> Result<(), StoreError> {
        self.worded(frontier::note_delay(&self.writer, lease, delay_ms).await)
    }

    async fn block_address(&self, address: IpAddr, until: Timestamp) -> Result<(), StoreError> {
        self.worded(frontier::block_address(&self.writer, address, until).await)
    }

    async fn address_blocks(&self, now: Timestamp) -> Result<Vec<(IpAddr, Timestamp)>, StoreError> {
        self.worded(frontier::address_blocks(&self.writer, now).await)
    }

    async fn block_host(
        &self,
        host: &Domain,
        until: Timestamp,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.worded(blocks::block(&self.writer, host, until, now).await)
    }

    async fn host_blocks(&self, now: Timestamp) -> Result<Vec<(Domain, Timestamp)>, StoreError> {
        self.worded(blocks::all(&self.writer, now).await)
    }

    async fn return_leases(&self, leases: &[Lease]) -> Result<(), StoreError> {
        self.worded(frontier::give_back(&self.writer, leases).await)
    }

    async fn postpone_leases(&self, leases: &[(Lease, Timestamp)]) -> Result<(), StoreError> {
        self.worded(frontier::postpone(&self.writer, leases).await)
    }

    async fn record_visits(&self, visits: &[Visit]) -> Result<Recorded, StoreError> {
        self.worded(visits::record(&self.writer, &self.reader, visits).await)
    }

    async fn due(&self, now: Timestamp, most: u32) -> Result<u64, StoreError> {
        self.worded(frontier::due(&self.reader, now, most).await)
    }

    async fn waiting(
        &self,
        now: Timestamp,
        until: Timestamp,
        since: Timestamp,
    ) -> Result<Waiting, StoreError> {
        self.worded(frontier::waiting(&self.reader, now, until, since).await)
    }

    async fn next_due(&self) -> Result<Option<Timestamp>, StoreError> {
        self.worded(frontier::next_due(&self.reader).await)
    }

    async fn exclude(&self, exclusion: &Exclusion, now: Timestamp) -> Result<Deleted, StoreError> {
        self.worded(exclusions::exclude(&self.writer, &self.reader, exclusion, now).await)
    }

    async fn include(&self, scope: &Scope) -> Result<bool, StoreError> {
        self.worded(exclusions::include(&self.writer, scope).await)
    }

    async fn exclusions(&self) -> Result<Vec<Exclusion>, StoreError> {
        self.worded(exclusions::exclusions(&self.reader).await)
    }

    async fn forget(
        &self,
        domains: &[Domain],
        reason: &str,
        now: Timestamp,
    ) -> Result<Deleted, StoreError> {
        self.worded(exclusions::forget(&self.writer, domains, reason, now).await)
    }

    async fn frontier(&self, now: Timestamp) -> Result<Frontier, StoreError> {
        self.worded(submissions::frontier(&self.reader, now).await)
    }

    async fn submit(
        &self,
        domain: &Domain,
        port: Option<u16>,
        now: Timestamp,
    ) -> Result<i64, StoreError> {
        self.worded(submissions::submit(&self.writer, domain, port, now).await)
    }

    async fn submission(&self, id: i64) -> Result<Option<Submission>, StoreError> {
        self.worded(submissions::submission(&self.reader, id).await)
    }

    async fn take_submissions(
        &self,
        limit: u32,
        admits_special_use: bool,
        now: Timestamp,
    ) -> Result<Vec<Submission>, StoreError> {
        let (writer, reader) = (&self.writer, &self.reader);
        self.worded(submissions::take(writer, reader, limit, admits_special_use, now).await)
    }

    async fn discover(
        &self,
        discoveries: &[Discovery],
        most_waiting: u32,
        now: Timestamp,
    ) -> Result<u64, StoreError> {
        self.worded(submissions::discover(&self.writer, discoveries, most_waiting, now).await)
    }

    async fn unread_domains(&self, limit: u32) -> Result<Vec<Unread>, StoreError> {
        self.worded(queries::unread_domains(&self.reader, limit).await)
    }

    async fn documents(&self, domain: &Domain) -> Result<Vec<StoredDocument>, StoreError> {
        self.worded(queries::documents(&self.reader, domain).await)
    }

    async fn replace_agents(
        &self,
        readings: &DomainReadings,
        now: Timestamp,
    ) -> Result<Vec<Change>, StoreError> {
        self.worded(agents::replace(&self.writer, readings, now).await)
    }

    async fn mark_all_unread(&self) -> Result<u64, StoreError> {
        self.worded(agents::mark_all_unread(&self.writer).await)
    }

    async fn changes(&self, since: u64, limit: u32) -> Result<Vec<Change>, StoreError> {
        self.worded(queries::changes(&self.reader, since, limit).await)
    }

    async fn last_change(&self) -> Result<u64, StoreError> {
        self.worded(queries::last_change(&self.reader).await)
    }

    async fn agents(
        &self,
        after: Option<&AgentId>,
        limit: u32,
    ) -> Result<Vec<StoredAgent>, StoreError> {
        self.worded(queries::agents(&self.reader, after, limit).await)
    }

    async fn agents_by_id(&self, ids: &[AgentId]) -> Result<Vec<StoredAgent>, StoreError> {
        self.worded(queries::agents_by_id(&self.reader, ids).await)
    }

    async fn site(&self, domain: &Domain) -> Result<Option<Site>, StoreError> {
        self.worded(queries::site(&self.reader, domain).await)
    }

    async fn blob(&self, hash: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.worded(queries::blob(&self.reader, hash).await)
    }

    async fn stats(&self, now: Timestamp) -> Result<Stats, StoreError> {
        self.worded(queries::stats(&self.reader, now).await)
    }
}
