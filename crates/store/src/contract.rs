//! The contract of a store: one trait per subject, and [`Store`] for all of them.
//!
//! Each method is one unit of work and one short transaction; a [`Snapshot`] reads for longer.
//! No method reads the clock: the caller passes `now`.
//! A record that does not exist is `Ok(None)`, not an error.

mod crawling;
mod registry;
mod requests;

pub use crawling::*;
pub use registry::*;
pub use requests::*;

use crate::error::StoreError;
use crate::model::{
    Census, CensusDay, ClosedVersion, DatabaseFiles, Day, EdgeAnswer, FrontierLoad, FrontierStats,
    Site, SiteDocument, SiteMark, Stats, SweptBlobs,
};
use async_trait::async_trait;
use manifest::{Domain, Timestamp};
use std::fmt::Debug;
use std::time::Duration;

/// Persistent state of crawler, indexer and web: all that a backend provides.
pub trait Store:
    Frontier
    + Leases
    + Recovery
    + Fleet
    + Blocks
    + Visits
    + Documents
    + Agents
    + Vectors
    + Changes
    + Snapshots
    + Exclusions
    + Moderation
    + Claims
    + Sessions
    + Submissions
    + Overviews
    + EdgeAnswers
    + CensusLog
    + Retention
    + Health
    + Debug
    + Send
    + Sync
{
}

/// The database as a whole.
#[async_trait]
pub trait Health {
    /// Returns the reason why the database takes no writes at present, such as a full disk. If the
    /// last write failed for such a reason, this tries one that changes nothing.
    async fn check_writes(&self) -> Result<(), StoreError>;

    /// Watches the database, and completes once another one, or none, is in its place, which is looked
    /// at once a second. From then on every method fails with the same error, so that nothing is
    /// acknowledged that is lost. Meanwhile the write-ahead log is shortened ([`Health::shorten_log`]),
    /// and a replica is compared with its primary once a second.
    async fn watch(&self) -> StoreError;

    /// Writes a long write-ahead log back into the database and empties it, as far as readers and
    /// writers permit at this moment; none of them waits for it.
    async fn shorten_log(&self) -> Result<(), StoreError>;

    /// Returns the time for which the replica has missed a change of its primary, as last compared; `None`
    /// if nothing is read from a replica.
    fn replica_lag(&self) -> Option<Duration>;

    /// Returns the files of the database; `None` if they are not on this machine.
    fn files(&self) -> Option<DatabaseFiles>;

    /// Returns the time of the last complete backup; `None` if there was none.
    async fn last_backup(&self) -> Result<Option<Timestamp>, StoreError>;

    /// Closes the database; every later call fails. If no other process uses it, all of its data is
    /// in its one file then.
    async fn close(&self);
}

/// Everything about a site, and counts.
#[async_trait]
pub trait Overviews {
    /// Returns everything about a domain except document bodies; `None` if it is unknown.
    async fn site(&self, domain: &Domain) -> Result<Option<Site>, StoreError>;

    /// Returns marks by which it is known whether anything about a domain has changed; `None` if it is
    /// unknown. This is cheap: it reads none of its records.
    async fn site_mark(&self, domain: &Domain) -> Result<Option<SiteMark>, StoreError>;

    /// Returns the documents of a domain without their bodies; none if it is unknown.
    async fn site_documents(&self, domain: &Domain) -> Result<Vec<SiteDocument>, StoreError>;

    /// Returns the load of the frontier for the operator. This is cheap: it reads indexes, not the rows
    /// of the domains.
    async fn frontier_load(&self, now: Timestamp) -> Result<FrontierLoad, StoreError>;

    /// Returns an overview of the frontier for the operator. This reads its whole table.
    async fn frontier_stats(&self, now: Timestamp) -> Result<FrontierStats, StoreError>;

    /// Reads a sample of what searches and pages read, another one at each call. An error if that fails,
    /// or if any call before met a damaged page of the file.
    async fn check(&self) -> Result<(), StoreError>;

    /// Returns counts of everything.
    async fn stats(&self, now: Timestamp) -> Result<Stats, StoreError>;

    /// Returns the time since which work has waited without any visit ending, so that a stalled
    /// crawler is noticed; `None` if no work waits. Work is what a watching crawler takes within
    /// seconds: a due domain, a submission, a claim. This is cheap.
    async fn untaken_since(&self, now: Timestamp) -> Result<Option<Timestamp>, StoreError>;
}

/// Answers by which sites refused their last visit (P49).
#[async_trait]
pub trait EdgeAnswers {
    /// Returns the answer by which a domain refused its last visit; `None` if it did not, or is
    /// unknown.
    async fn edge_answer(&self, domain: &Domain) -> Result<Option<EdgeAnswer>, StoreError>;
}

/// Counts of everything, one row a day.
#[async_trait]
pub trait CensusLog {
    /// Stores the counts of the UTC day of `at`; false if the day has some already.
    async fn record_census(&self, counts: &Census, at: Timestamp) -> Result<bool, StoreError>;

    /// Returns the stored counts from a day on, oldest first. Days without a count are missing.
    async fn census_since(&self, day: Day) -> Result<Vec<CensusDay>, StoreError>;
}

/// Data that is kept for a time only. The visits of a domain are limited as they are recorded
/// ([`Visits::record_visits`]).
#[async_trait]
pub trait Retention {
    /// Returns versions that are no longer current, ordered by the row id of their document, which
    /// is after `after`; the newest of each document first.
    async fn closed_versions(
        &self,
        after: i64,
        limit: u32,
    ) -> Result<Vec<ClosedVersion>, StoreError>;

    /// Deletes versions by row id, except current ones, and returns their number.
    async fn delete_versions(&self, ids: &[i64]) -> Result<u64, StoreError>;

    /// Looks at the next `limit` stored bodies after a hash, and deletes those that no document has
    /// or had in a stored version.
    async fn sweep_blobs(&self, after: &str, limit: u32) -> Result<SweptBlobs, StoreError>;

    /// Deletes up to `limit` submissions from before a time, except waiting ones, and returns their
    /// number.
    async fn delete_submissions(&self, before: Timestamp, limit: u32) -> Result<u64, StoreError>;

    /// Deletes up to `limit` sessions that expired before a time, with their calls, and returns their
    /// number.
    async fn delete_sessions(&self, before: Timestamp, limit: u32) -> Result<u64, StoreError>;

    /// Deletes up to `limit` reports that were closed before a time, and returns their number.
    async fn delete_reports(&self, before: Timestamp, limit: u32) -> Result<u64, StoreError>;

    /// Compresses the receipts of up to `limit` visits that were recorded before receipts were
    /// compressed, and returns their number.
    async fn pack_receipts(&self, limit: u32) -> Result<u64, StoreError>;

    /// Looks at the next `limit` domains after a row, and forgets those without documents that no seed
    /// list has and whose names have lapsed ([`LAPSED_INTERVAL`](crate::LAPSED_INTERVAL)). Returns the
    /// last row; `None` when no domain is left.
    async fn forget_lapsed(&self, after: i64, limit: u32) -> Result<Option<i64>, StoreError>;

    /// Looks at the next `limit` domains after a row, and deletes those that an exclusion covers: the
    /// exclusion of a suffix is in effect at once, and its deletions may have been interrupted. Returns
    /// the last row; `None` when no domain is left (P4).
    async fn forget_excluded(
        &self,
        after: i64,
        limit: u32,
        now: Timestamp,
    ) -> Result<Option<i64>, StoreError>;

    /// Deletes the blocks of addresses and hosts that have ended.
    async fn forget_blocks(&self, now: Timestamp) -> Result<(), StoreError>;

    /// Deletes the hashes of networks of what came before a time.
    async fn forget_networks(&self, before: Timestamp) -> Result<(), StoreError>;
}
