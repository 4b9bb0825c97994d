//! The traits of a crawl: frontier, leases, pauses and visits.

use crate::error::StoreError;
use crate::model::{
    Discovery, DomainState, FleetView, Lease, NamedDocument, RecordCounts, Renewal, Seed,
    SeedCounts, SiteAnswer, SiteExchange, TurnAnswer, TurnExchange, Visit, Waiting,
};
use async_trait::async_trait;
use manifest::{Domain, Timestamp};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

/// The domains to visit, each with its due time.
#[async_trait]
pub trait Frontier {
    /// Adds domains that are neither known nor excluded. They are due now, in an order independent
    /// of the list, so that consecutive entries, which often share an owner, are not visited
    /// consecutively (P22). Known domains get the port of their newest seed. With `revisit`, known
    /// domains that were last visited before `now - 10 minutes` become due, though not before their
    /// `not_before`.
    ///
    /// This is the only method that commits in steps, of 4,000 seeds; it is idempotent. Larger
    /// batches write fewer pages of the file per seed.
    async fn add_seeds(
        &self,
        seeds: &[Seed],
        revisit: bool,
        now: Timestamp,
    ) -> Result<SeedCounts, StoreError>;

    /// Stores documents that the operator names, with their domains, which must be known; they are
    /// requested on the next visits (P9). The domain of a new document becomes due if it was last
    /// visited before `now - 10 minutes`, though not before its `not_before`.
    async fn name_documents(
        &self,
        documents: &[(Domain, NamedDocument)],
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Adds domains that documents of other domains refer to, and returns the number of new ones.
    /// Excluded domains and those more than two steps from a seed are not added, and none at all
    /// while `most_waiting` discovered domains wait for their first visit.
    async fn discover(
        &self,
        discoveries: &[Discovery],
        most_waiting: u32,
        now: Timestamp,
    ) -> Result<u64, StoreError>;

    /// Returns the state of a domain for a visit outside of the schedule; `None` if it is unknown.
    async fn domain_state(&self, domain: &Domain) -> Result<Option<DomainState>, StoreError>;

    /// Counts the domains that may be leased, up to `most`. This is cheap; [`frontier_stats`](super::Overviews::frontier_stats)
    /// and [`stats`](super::Overviews::stats) read the whole table.
    async fn due(&self, now: Timestamp, most: u32) -> Result<u64, StoreError>;

    /// Returns counts and times of the unleased domains that fall due after `now`, by `until`, and were
    /// not visited since `since`.
    async fn waiting(
        &self,
        now: Timestamp,
        until: Timestamp,
        since: Timestamp,
    ) -> Result<Waiting, StoreError>;

    /// Returns the time at which the next unleased domain falls due.
    async fn next_due(&self) -> Result<Option<Timestamp>, StoreError>;
}

/// Leases of due domains.
#[async_trait]
pub trait Leases {
    /// Leases up to `limit` domains that are due until `lease_until`, each with a new fencing
    /// token, earliest due first. Domains with an unexpired lease, or before their `not_before`,
    /// are left out. A known document whose bytes are lost has no validators, so that it is
    /// requested in full.
    async fn lease_domains(
        &self,
        now: Timestamp,
        lease_until: Timestamp,
        limit: u32,
    ) -> Result<Vec<Lease>, StoreError>;

    /// Stores the pause that a host needs while the visit is still running, for
    /// [`Recovery::release_leases`]; a longer stored pause is kept.
    async fn note_delay(&self, lease: &Lease, delay_ms: u32) -> Result<(), StoreError>;

    /// Returns leases without changes, on a clean stop.
    async fn return_leases(&self, leases: &[Lease]) -> Result<(), StoreError>;

    /// Returns leases without changes, each not to be leased again before its time, because the
    /// site is busy until then.
    async fn postpone_leases(&self, leases: &[(Lease, Timestamp)]) -> Result<(), StoreError>;
}

/// Recovery from earlier runs: from their leases, and from times that a wrong clock stored.
#[async_trait]
pub trait Recovery {
    /// Corrects times that were stored while the clock was ahead of `now`; a crawler calls it
    /// first. A domain that was visited or added after `now` counts as visited or added now and
    /// keeps its interval. No other domain is due later than its interval allows, and no address is
    /// blocked for more than a day. Returns the number of corrected domains.
    ///
    /// Cheap if no clock was ahead; otherwise it reads every domain.
    async fn rebase(&self, now: Timestamp) -> Result<u64, StoreError>;

    /// Releases the leases of a crawler that was killed, and returns their domains. A host may
    /// still be answering the last request of that crawler for `answer_ms`. Each domain is due
    /// after that and the longer of `gap_ms` and its own crawl delay, so that the pause between
    /// requests holds across restarts; the domains with the fewest consecutive interruptions come
    /// first.
    /// From the eleventh consecutive interruption on, the gap is quadrupled each time, so that a
    /// crash loop does not flood a host. An interruption is not a failure of the domain.
    async fn release_leases(
        &self,
        now: Timestamp,
        gap_ms: u32,
        answer_ms: u32,
    ) -> Result<Vec<Domain>, StoreError>;
}

/// Crawlers that share the database. The only clock is that of the database. A file has one crawler,
/// which is no member of a fleet: nothing below applies to it.
#[async_trait]
pub trait Fleet {
    /// Makes this process a member for this time, and returns its name, which no other one has; `None`
    /// for a file. Leases have this name as long as it is a member. Other members read its options.
    async fn join_fleet(
        &self,
        term: Duration,
        options: &BTreeMap<String, String>,
    ) -> Result<Option<String>, StoreError>;

    /// Renews a membership, makes the changes that it asks for, and returns crawlers and slots after
    /// that; `None` if the membership has ended, or a later renewal came first.
    async fn renew_member(&self, renewal: &Renewal) -> Result<Option<FleetView>, StoreError>;

    /// Ends a membership. Slots that it still has are usable by others as after the end of its term, and
    /// so are the sites that it reserved.
    async fn leave_fleet(&self, renewal: &Renewal) -> Result<(), StoreError>;

    /// Returns the time by which crawlers visit: that of the database, and `now` for a file.
    async fn time(&self, now: Timestamp) -> Result<Timestamp, StoreError>;

    /// Returns crawlers and slots; `None` for a file.
    async fn fleet(&self) -> Result<Option<FleetView>, StoreError>;

    /// Returns leases to the frontier, for the holder of these slots, without a wait. The result are the
    /// rows of their domains, without those that stay leased, because they were handed on to another slot
    /// four times since their last visit.
    async fn hand_on(&self, leases: &[(Lease, u8)]) -> Result<Vec<i64>, StoreError>;

    /// Releases and reserves registrable domains, in this order.
    async fn exchange_sites(&self, exchange: &SiteExchange) -> Result<SiteAnswer, StoreError>;

    /// Reserves a site for a request that belongs to no visit there, and returns the time for which it
    /// still rests; `None` if it is reserved. With `most` it is a request that the redirect of another
    /// site leads to, and `None` also if there were as many of these within the last hour (P38a).
    async fn reserve_site(
        &self,
        name: &str,
        site: &str,
        most: Option<u32>,
    ) -> Result<Option<Duration>, StoreError>;

    /// Asks for turns, and grants those of others, if the term of this member has not ended.
    async fn exchange_turns(&self, exchange: &TurnExchange) -> Result<TurnAnswer, StoreError>;
}

/// Addresses and hosts that are not to be contacted for a while (P35).
#[async_trait]
pub trait Blocks {
    /// Blocks an address until the given time (P35); a longer block is kept.
    async fn block_address(&self, address: IpAddr, until: Timestamp) -> Result<(), StoreError>;

    /// Returns the blocked addresses with the ends of their blocks, and deletes expired blocks.
    async fn address_blocks(&self, now: Timestamp) -> Result<Vec<(IpAddr, Timestamp)>, StoreError>;

    /// Blocks a host, whether or not it is a known domain, until the given time (P35); a longer
    /// block is kept.
    async fn block_host(
        &self,
        host: &Domain,
        until: Timestamp,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Returns the blocked hosts with the ends of their blocks; if there are more than 50,000,
    /// those with the latest ends.
    async fn host_blocks(&self, now: Timestamp) -> Result<Vec<(Domain, Timestamp)>, StoreError>;
}

/// Finished visits.
#[async_trait]
pub trait Visits {
    /// Records finished visits with their documents and next visits, in one transaction. A visit
    /// whose lease token is no longer current is dropped, and counted in the result. If a visit
    /// changes the status of a domain's agents, each listed agent gets a `status` entry in the
    /// change log. The answer by which a visit was refused replaces that of the visit before (P49).
    async fn record_visits(&self, visits: &[Visit]) -> Result<RecordCounts, StoreError>;
}
