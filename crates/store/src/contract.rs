//! The contract of a store: one trait per subject, and [`Store`] for all of them.
//!
//! Each method is one unit of work and one short transaction; a [`Snapshot`] reads for longer.
//! No method reads the clock: the caller passes `now`.
//! A record that does not exist is `Ok(None)`, not an error.

use crate::error::StoreError;
use crate::model::{
    Added, Census, CensusDay, Change, Claim, ClaimCheck, Claimed, ClosedVersion, Day, Decision,
    Deleted, Discovery, DocumentVersion, DomainReadings, DomainState, Exclusion, FeedState, Filed,
    FrontierStats, Hidden, Lease, Moderated, ModerationEntry, NamedDocument, Opened, ProblemReport,
    Recorded, ReportSelection, Scope, Seal, Seed, Session, SessionCall, Site, SiteDocument, Stats,
    StoredAgent, StoredDocument, Submission, SweptBlobs, Target, Tombstone, Unread, Visit,
    VisitRequest, Wait, Waiting,
};
use async_trait::async_trait;
use manifest::{AgentId, Domain, Timestamp};
use std::fmt::Debug;
use std::net::IpAddr;

/// Persistent state of crawler, indexer and web: all that a backend provides.
pub trait Store:
    Frontier
    + Leases
    + Recovery
    + Blocks
    + Visits
    + Documents
    + Agents
    + Changes
    + Snapshots
    + Exclusions
    + Moderation
    + Claims
    + Sessions
    + Submissions
    + Overviews
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

    /// Completes once another database, or none, is in the place of this one, which is looked at
    /// once a second. From then on every method fails with the same error, so that nothing is
    /// acknowledged that is lost.
    async fn replaced(&self) -> StoreError;

    /// Closes the database; every later call fails. If no other process uses it, all of its data is
    /// in its one file then.
    async fn close(&self);
}

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
    ) -> Result<Added, StoreError>;

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

    /// Counts the domains that may be leased, up to `most`. This is cheap; [`Overviews::frontier_stats`] and
    /// [`Overviews::stats`] read the whole table.
    async fn due(&self, now: Timestamp, most: u32) -> Result<u64, StoreError>;

    /// Returns counts and times of the domains that fall due after `now`, by `until`, and were not
    /// visited since `since`.
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
    /// change log.
    async fn record_visits(&self, visits: &[Visit]) -> Result<Recorded, StoreError>;
}

/// Documents as served.
#[async_trait]
pub trait Documents {
    /// Returns domains whose documents changed since they were last read, longest waiting first.
    async fn unread_domains(&self, limit: u32) -> Result<Vec<Unread>, StoreError>;

    /// Marks every domain that has documents as unread, for example after a parser was improved;
    /// returns their number.
    async fn mark_all_unread(&self) -> Result<u64, StoreError>;

    /// Returns the current documents of a domain with their bodies, ordered by URL.
    async fn documents(&self, domain: &Domain) -> Result<Vec<StoredDocument>, StoreError>;

    /// Returns documents of a format with their bodies, the latest changes first.
    async fn documents_of_format(
        &self,
        format: &str,
        limit: u32,
    ) -> Result<Vec<StoredDocument>, StoreError>;

    /// Returns the versions of the current document of a domain with this final URL, newest first. A
    /// document that is removed takes its versions with it.
    async fn versions(
        &self,
        domain: &Domain,
        url: &str,
        limit: u32,
    ) -> Result<Vec<DocumentVersion>, StoreError>;

    /// Returns the bytes of a document by their SHA-256.
    async fn blob(&self, hash: &str) -> Result<Option<Vec<u8>>, StoreError>;
}

/// Agents, as the indexer reads them from documents.
#[async_trait]
pub trait Agents {
    /// Replaces the agents of a domain by a new reading and appends the differences to the change
    /// log, in one transaction. Unchanged agents get no entry. A reading of an outdated revision
    /// changes nothing: the domain stays unread.
    async fn replace_agents(
        &self,
        readings: &DomainReadings,
        now: Timestamp,
    ) -> Result<Vec<Change>, StoreError>;

    /// Returns agents ordered by id, starting after `after`.
    async fn agents(
        &self,
        after: Option<&AgentId>,
        limit: u32,
    ) -> Result<Vec<StoredAgent>, StoreError>;

    /// Returns the agents with these ids, in this order; unknown ids are left out.
    async fn agents_by_id(&self, ids: &[AgentId]) -> Result<Vec<StoredAgent>, StoreError>;
}

/// The log of changes to agents, and what is left of those that are no longer listed.
#[async_trait]
pub trait Changes {
    /// Returns the change log after `since`, oldest first; sequence numbers have no gaps. If the first
    /// entry is not `since + 1`, those before it were dropped ([`Changes::compact`]).
    async fn changes(&self, since: u64, limit: u32) -> Result<Vec<Change>, StoreError>;

    /// Returns the entries of the change log on one agent, newest first, whether or not it is still
    /// listed.
    async fn changes_of(&self, agent: &AgentId, limit: u32) -> Result<Vec<Change>, StoreError>;

    /// Returns the newest sequence number of the change log; zero if it is empty.
    async fn last_change(&self) -> Result<u64, StoreError>;

    /// Returns identity and position of the change log.
    async fn feed_state(&self) -> Result<FeedState, StoreError>;

    /// Drops up to `limit` of the oldest entries of the change log, and returns their number; zero
    /// when none is left that is older than `before` and has a number of at most `up_to`. The newest
    /// entry is always kept.
    async fn compact(&self, before: Timestamp, up_to: u64, limit: u32) -> Result<u64, StoreError>;

    /// Returns what is left of an agent that is no longer listed under this id: the id under which it
    /// is listed now, or the reason of its removal. `None` if the id is listed, or never was. At most
    /// 2,000 are kept per domain.
    async fn tombstone(&self, agent: &AgentId) -> Result<Option<Tombstone>, StoreError>;
}

/// Snapshots of all agents.
#[async_trait]
pub trait Snapshots {
    /// Begins a snapshot. This is the one read that may take long; it should not be kept open for
    /// longer than it is read, as the write-ahead log grows meanwhile.
    async fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError>;
}

/// All agents as of one moment.
#[async_trait]
pub trait Snapshot: Send {
    /// Returns identity and position of the change log at that moment.
    fn feed_state(&self) -> &FeedState;

    /// Returns agents ordered by id, starting after `after`.
    async fn agents(
        &mut self,
        after: Option<&AgentId>,
        limit: u32,
    ) -> Result<Vec<StoredAgent>, StoreError>;
}

/// Domains that are neither visited nor listed (P4).
#[async_trait]
pub trait Exclusions {
    /// Excludes domains, or changes the reason, and deletes their stored data; each of their agents
    /// gets an entry in the change log, `optout` if the owner decided and otherwise `remove`, and the
    /// exclusion one in the public log of moderation. From the start of the call, covered domains cannot
    /// be added again. Records are deleted in steps of 500 domains; repeating an interrupted call
    /// completes it.
    async fn exclude(&self, exclusion: &Exclusion, now: Timestamp) -> Result<Deleted, StoreError>;

    /// Removes an exclusion and logs it; false if there was none. Its domains have to be added again.
    async fn include(
        &self,
        scope: &Scope,
        reason: &str,
        now: Timestamp,
    ) -> Result<bool, StoreError>;

    /// Returns the exclusions that cover a domain.
    async fn exclusions_of(&self, domain: &Domain) -> Result<Vec<Exclusion>, StoreError>;

    /// Returns all exclusions, ordered by name.
    async fn exclusions(&self) -> Result<Vec<Exclusion>, StoreError>;

    /// Deletes the stored data of domains like [`Exclusions::exclude`], but allows them to be added
    /// again.
    async fn forget(
        &self,
        domains: &[Domain],
        reason: &str,
        now: Timestamp,
    ) -> Result<Deleted, StoreError>;
}

/// Moderation: hidden agents, the public log, and reports of problems.
#[async_trait]
pub trait Moderation {
    /// Hides the agents of a target, or changes the reason, that of their tombstones too. No query for agents returns them, and
    /// their changes are not logged, until they are shown again; their sites are visited and read
    /// as before. Each gets a `remove` entry in the change log, and the target one in the public
    /// log.
    async fn hide(
        &self,
        target: &Target,
        reason: &str,
        now: Timestamp,
    ) -> Result<Moderated, StoreError>;

    /// Ends the hiding of a target; each agent that nothing else hides gets a `restore` entry in the
    /// change log, and the target one in the public log.
    async fn show(
        &self,
        target: &Target,
        reason: &str,
        now: Timestamp,
    ) -> Result<Moderated, StoreError>;

    /// Returns what is hidden of a domain: itself, or agents of it.
    async fn hidden(&self, domain: &Domain) -> Result<Vec<Hidden>, StoreError>;

    /// Returns the entries of the public log before one, newest first.
    async fn moderation_log(
        &self,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<ModerationEntry>, StoreError>;

    /// Stores a report, unless too many are open, or its network has one on the same target or sent
    /// too many in a day.
    async fn report(&self, report: &ProblemReport) -> Result<Filed, StoreError>;

    /// Returns the open reports, oldest first.
    async fn reports(&self, limit: u32) -> Result<Vec<ProblemReport>, StoreError>;

    /// Closes open reports and deletes their texts; the public log has one entry for each target.
    /// Returns the target of each report that was closed.
    async fn close_reports(
        &self,
        selection: &ReportSelection,
        reason: &str,
        now: Timestamp,
    ) -> Result<Vec<String>, StoreError>;
}

/// Claims of owners to leave the registry, or to return to it.
#[async_trait]
pub trait Claims {
    /// Stores a claim, unless it is pointless, or there are too many of its network or on names below
    /// its registrable domain. If the same claim is open already, its checks begin anew, and it keeps its id and token.
    async fn claim(&self, claim: &Claim, now: Timestamp) -> Result<Claimed, StoreError>;

    /// Returns a claim.
    async fn claim_by_id(&self, id: &str) -> Result<Option<Claim>, StoreError>;

    /// Begins the checks of claims that are due. A registrable domain has at most 20 checks a day;
    /// further ones are postponed. A check that never ends is repeated after 20 minutes.
    async fn take_claims(&self, limit: u32, now: Timestamp) -> Result<Vec<Claim>, StoreError>;

    /// Ends a check. A verified claim is in effect with it: the domain is excluded like by
    /// [`Exclusions::exclude`], or its exclusion ends and it is due.
    async fn settle_claim(
        &self,
        claim: &Claim,
        check: &ClaimCheck,
        now: Timestamp,
    ) -> Result<(), StoreError>;
}

/// Sessions of the Interaction API, and the calls within them.
#[async_trait]
pub trait Sessions {
    /// Stores a session, unless its network or all networks together have too many. Sessions that
    /// expired 30 days ago are deleted, and if too many are stored, the oldest of those that have
    /// ended.
    async fn open_session(&self, session: &Session, now: Timestamp) -> Result<Opened, StoreError>;

    /// Returns the session with a token, open or not, by the hash of the token.
    async fn session_by_token(&self, token_hash: &str) -> Result<Option<Session>, StoreError>;

    /// Returns a session, open or not, by its public id.
    async fn session_by_id(&self, id: &str) -> Result<Option<Session>, StoreError>;

    /// Appends a call to an open session; false if the session has ended, or has as many calls as it
    /// may have.
    async fn record_call(&self, id: &str, call: &SessionCall) -> Result<bool, StoreError>;

    /// Returns the calls of a session, in order.
    async fn session_calls(&self, id: &str) -> Result<Vec<SessionCall>, StoreError>;

    /// Ends an open session; false if it was not open.
    async fn end_session(&self, id: &str, now: Timestamp) -> Result<bool, StoreError>;

    /// Stores the signature of the record of a session with this number of calls, unless it has
    /// another number or a signature. No call is appended after that.
    async fn seal_session(&self, id: &str, calls: usize, seal: &Seal) -> Result<(), StoreError>;
}

/// Domains that visitors of the registry submit.
#[async_trait]
pub trait Submissions {
    /// Submits a new domain, or a recheck of a known one, to a watching crawler, within the limits
    /// of [`requested`](crate::requested) (P47). At most one submission of a domain is without result.
    async fn submit(&self, request: &VisitRequest, now: Timestamp) -> Result<Decision, StoreError>;

    /// Returns a submission.
    async fn submission(&self, id: &str) -> Result<Option<Submission>, StoreError>;

    /// Returns the submission of a domain that has no result yet.
    async fn open_submission(&self, domain: &Domain) -> Result<Option<Submission>, StoreError>;

    /// Returns the reason why a submission waits; `None` if it does not, or waits for its turn only.
    async fn wait(
        &self,
        submission: &Submission,
        now: Timestamp,
    ) -> Result<Option<Wait>, StoreError>;

    /// Moves up to `limit` submissions, at most 500, to the frontier, ahead of everything that is due,
    /// as long as requested visits are few enough (P47); networks take turns. Refused are excluded domains, names that the
    /// public DNS does not have and ports other than 443 unless `admits_special_use`, and unreadable
    /// rows, which are left out of the result. The recorded visit completes an accepted submission.
    async fn take_submissions(
        &self,
        limit: u32,
        admits_special_use: bool,
        now: Timestamp,
    ) -> Result<Vec<Submission>, StoreError>;
}

/// Everything about a site, and counts.
#[async_trait]
pub trait Overviews {
    /// Returns everything about a domain except document bodies; `None` if it is unknown.
    async fn site(&self, domain: &Domain) -> Result<Option<Site>, StoreError>;

    /// Returns the documents of a domain without their bodies; none if it is unknown.
    async fn site_documents(&self, domain: &Domain) -> Result<Vec<SiteDocument>, StoreError>;

    /// Returns an overview of the frontier for the operator.
    async fn frontier_stats(&self, now: Timestamp) -> Result<FrontierStats, StoreError>;

    /// Reads a sample of what searches and pages read, another one at each call. An error if that fails,
    /// or if any call before met a damaged page of the file.
    async fn check(&self) -> Result<(), StoreError>;

    /// Returns counts of everything.
    async fn stats(&self, now: Timestamp) -> Result<Stats, StoreError>;

    /// Returns the time since which work waits that a watching crawler takes within seconds, such as
    /// a due domain, a submission or a claim, and no visit has ended; `None` if none waits. This is
    /// cheap.
    async fn untaken_since(&self, now: Timestamp) -> Result<Option<Timestamp>, StoreError>;
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

    /// Deletes the hashes of networks of what came before a time.
    async fn forget_networks(&self, before: Timestamp) -> Result<(), StoreError>;
}
