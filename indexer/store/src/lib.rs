//! Keeps what the crawler saw and what the indexer made of it.
//!
//! [`Store`] is the contract; the URL given to [`open`] chooses the database.
//! Each method is one unit of work and one transaction, and short.
//! No method reads the clock: the caller passes `now`.
//! What is not there is `Ok(None)`, not an error.

pub mod error;
pub mod model;
mod row;
mod sql;
mod sqlite;

pub use error::StoreError;
pub use model::*;

use async_trait::async_trait;
use manifest::{AgentId, Domain, Timestamp};
use std::net::IpAddr;
use std::sync::Arc;

/// A part that only one process at a time may play on one store. Whoever only reads plays none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Leases domains and records visits.
    Crawler,
    /// Reads documents and replaces agents.
    Indexer,
}

impl std::fmt::Display for Role {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.pad(match self {
            Self::Crawler => "crawler",
            Self::Indexer => "indexer",
        })
    }
}

/// Everything that crawler, indexer and web need to remember.
#[async_trait]
pub trait Store: Send + Sync + std::fmt::Debug {
    // The frontier.

    /// Adds domains that are neither known yet nor excluded, due now in an order of their own, so that neighbours in a
    /// list, who often share an owner, are not visited one after the other (P22), and gives known ones the port of their newest
    /// seed. With `revisit`, known domains that were last visited before `now - 10 minutes` become due,
    /// though not before their `not_before`. The one method that commits in steps, of 4,000 seeds: adding
    /// the same seeds again does no harm. The more seeds at once, the fewer pages of the file each of them costs.
    async fn add_seeds(
        &self,
        seeds: &[Seed],
        revisit: bool,
        now: Timestamp,
    ) -> Result<Added, StoreError>;

    /// Takes up to `limit` domains that are due, each under a fresh fencing token, until `lease_until`.
    /// Earliest due first; domains under somebody's unexpired lease or before their `not_before` stay.
    /// A known document whose bytes are lost has no validators, so that it is sent again.
    async fn lease_domains(
        &self,
        now: Timestamp,
        lease_until: Timestamp,
        limit: u32,
    ) -> Result<Vec<Lease>, StoreError>;

    /// Stores documents that the operator names with their domains, which have to be known, to be asked for on their
    /// next visits (P9). A domain of a new one that was last visited before `now - 10 minutes` becomes due, though not
    /// before its `not_before`.
    async fn name_documents(
        &self,
        documents: &[(Domain, NamedDocument)],
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// What is known of a domain to one who means to ask it something out of turn; `None` when it is unknown.
    async fn standing(&self, domain: &Domain) -> Result<Option<Standing>, StoreError>;

    /// Mends what a clock that was ahead of `now` has stamped, for a crawler to begin with: what was visited or
    /// added after `now` counts as visited or added just now, and falls due as long after it as before; nothing
    /// else falls due later than its interval allows, and no address is left alone for more than a day. Answers
    /// how many domains that concerned.
    ///
    /// Cheap while no clock was ahead; reads every domain when one was.
    async fn rebase(&self, now: Timestamp) -> Result<u64, StoreError>;

    /// Frees the leases of a crawler that died. The domain is due after the longer of `gap_ms` and its own crawl
    /// delay, so that the pause between requests holds across restarts; those that broke off least often in a row
    /// come first. From the eleventh break in a row on, the gap is four times as long each time, so that a crash
    /// loop hammers no host. None of them is a failure of the domain.
    async fn release_leases(&self, now: Timestamp, gap_ms: u32) -> Result<u64, StoreError>;

    /// Remembers the pause that a host is owed while the visit still runs, for [`Store::release_leases`]; a longer
    /// one stays.
    async fn note_delay(&self, lease: &Lease, delay_ms: u32) -> Result<(), StoreError>;

    /// Gives leases back untouched, on a clean stop.
    async fn return_leases(&self, leases: &[Lease]) -> Result<(), StoreError>;

    /// Gives leases back untouched, each to be taken again from its time on: its site is busy until then.
    async fn postpone_leases(&self, leases: &[(Lease, Timestamp)]) -> Result<(), StoreError>;

    /// Remembers that an address asked to be left alone until then (P35); a longer wish stays.
    async fn block_address(&self, address: IpAddr, until: Timestamp) -> Result<(), StoreError>;

    /// The addresses that are to be left alone, each with its end; forgets those that no longer are.
    async fn address_blocks(&self, now: Timestamp) -> Result<Vec<(IpAddr, Timestamp)>, StoreError>;

    /// Remembers that a host asked to be left alone until then (P35), be it a domain or not; a longer wish stays.
    async fn block_host(
        &self,
        host: &Domain,
        until: Timestamp,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// The hosts that are to be left alone, each with its end; of more than 50,000 those with the latest ends.
    async fn host_blocks(&self, now: Timestamp) -> Result<Vec<(Domain, Timestamp)>, StoreError>;

    /// Records finished visits, their documents and when to come back: all or nothing, one transaction.
    /// A visit whose lease token is no longer current is dropped, and counted in the answer.
    /// Where a visit turns the status of a domain's agents, each listed one leaves a `status` in the change log.
    async fn record_visits(&self, visits: &[Visit]) -> Result<Recorded, StoreError>;

    /// How many domains may be leased, counted up to `most`: the cheap question, where [`Store::frontier`] and
    /// [`Store::stats`] read the whole table.
    async fn due(&self, now: Timestamp, most: u32) -> Result<u64, StoreError>;

    /// The domains that fall due after `now`, by `until`, and were not visited since `since`.
    async fn waiting(
        &self,
        now: Timestamp,
        until: Timestamp,
        since: Timestamp,
    ) -> Result<Waiting, StoreError>;

    /// When the next domain falls due that nobody has leased.
    async fn next_due(&self) -> Result<Option<Timestamp>, StoreError>;

    /// The frontier as a whole, for whoever looks after it.
    async fn frontier(&self, now: Timestamp) -> Result<Frontier, StoreError>;

    // Arriving.

    /// Sends a domain in, to be taken by a crawler that watches; the id of its submission. One that waits
    /// already is not sent in twice.
    async fn submit(
        &self,
        domain: &Domain,
        port: Option<u16>,
        now: Timestamp,
    ) -> Result<i64, StoreError>;

    /// A submission.
    async fn submission(&self, id: i64) -> Result<Option<Submission>, StoreError>;

    /// Takes up to `limit` submissions, at most 500, into the frontier, due now as with a `revisit` of
    /// [`Store::add_seeds`], or refuses them: those that are excluded, those that no public DNS knows
    /// unless `admits_special_use`, and, left out of the answer, rows that cannot be read. The recorded visit
    /// answers those that were taken.
    async fn take_submissions(
        &self,
        limit: u32,
        admits_special_use: bool,
        now: Timestamp,
    ) -> Result<Vec<Submission>, StoreError>;

    /// Adds domains that documents of others lead to; answers how many are new. None that are excluded or more
    /// than two steps from a seed, and none while `most_waiting` discovered ones wait for their first visit.
    async fn discover(
        &self,
        discoveries: &[Discovery],
        most_waiting: u32,
        now: Timestamp,
    ) -> Result<u64, StoreError>;

    // Leaving.

    /// Excludes domains, or changes why they are, and deletes all that is stored of them: their agents leave a
    /// `remove` each in the change log. What is covered cannot be added again from the first moment on. The
    /// records go in steps of 500 domains; the same call again finishes what was interrupted.
    async fn exclude(&self, exclusion: &Exclusion, now: Timestamp) -> Result<Deleted, StoreError>;

    /// Takes an exclusion back; false when there was none. Its domains have to be added again.
    async fn include(&self, scope: &Scope) -> Result<bool, StoreError>;

    /// Every exclusion, in order of name.
    async fn exclusions(&self) -> Result<Vec<Exclusion>, StoreError>;

    /// Deletes all that is stored of domains, as [`Store::exclude`] does, but lets them come again.
    async fn forget(
        &self,
        domains: &[Domain],
        reason: &str,
        now: Timestamp,
    ) -> Result<Deleted, StoreError>;

    // Documents and agents.

    /// Domains whose documents changed since they were last read, longest waiting first.
    async fn unread_domains(&self, limit: u32) -> Result<Vec<Unread>, StoreError>;

    /// The current documents of a domain with their bodies, in order of URL.
    async fn documents(&self, domain: &Domain) -> Result<Vec<StoredDocument>, StoreError>;

    /// Replaces what is known of a domain's agents by a fresh reading, and appends what changed to the
    /// change log: one transaction. Unchanged agents leave no change. A reading of a revision that is
    /// no longer current changes nothing: the domain stays unread.
    async fn replace_agents(
        &self,
        readings: &DomainReadings,
        now: Timestamp,
    ) -> Result<Vec<Change>, StoreError>;

    /// Marks every domain that has documents as unread, after a parser got better.
    async fn mark_all_unread(&self) -> Result<u64, StoreError>;

    /// The change log after `since`, oldest first; sequence numbers have no gaps.
    async fn changes(&self, since: u64, limit: u32) -> Result<Vec<Change>, StoreError>;

    /// The newest sequence number of the change log; zero when it is empty.
    async fn last_change(&self) -> Result<u64, StoreError>;

    // Reading.

    /// All agents in order of id, from the first one after `after`.
    async fn agents(
        &self,
        after: Option<&AgentId>,
        limit: u32,
    ) -> Result<Vec<StoredAgent>, StoreError>;

    /// The agents with these ids, in this order; unknown ones are left out.
    async fn agents_by_id(&self, ids: &[AgentId]) -> Result<Vec<StoredAgent>, StoreError>;

    /// Everything about one domain but document bodies; `None` when it is unknown.
    async fn site(&self, domain: &Domain) -> Result<Option<Site>, StoreError>;

    /// The bytes of a document, by their SHA-256.
    async fn blob(&self, hash: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Counts of everything.
    async fn stats(&self, now: Timestamp) -> Result<Stats, StoreError>;
}

/// Opens the database at `url` and brings its schema up to date; creates it when missing.
///
/// A process opens it once, with every role that it plays: so it has one writing connection.
/// A role that another process plays already is refused with a message that names that process.
///
/// `sqlite:PATH` and `sqlite://PATH` name a file, relative to the current folder or absolute.
pub async fn open(url: &str, roles: &[Role]) -> Result<Arc<dyn Store>, StoreError> {
    let store = sqlite::SqliteStore::open(sqlite_location(url)?, roles).await?;
    Ok(Arc::new(store))
}

/// Opens the database at `url` as [`open`] does; `None`, and nothing is created, when there is none.
pub async fn open_existing(
    url: &str,
    roles: &[Role],
) -> Result<Option<Arc<dyn Store>>, StoreError> {
    if sqlite::exists(sqlite_location(url)?)? {
        open(url, roles).await.map(Some)
    } else {
        Ok(None)
    }
}

/// What follows `sqlite:` in a URL.
fn sqlite_location(url: &str) -> Result<&str, StoreError> {
    match url.split_once(':') {
        Some(("sqlite", location)) => Ok(location),
        Some(("postgres" | "postgresql", _)) => Err(StoreError::PostgresToCome),
        Some(_) | None => Err(StoreError::UnsupportedUrl),
    }
}
