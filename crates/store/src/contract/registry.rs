//! The traits of the registry: documents, agents and their changes.

use crate::error::StoreError;
use crate::model::{
    AgentVector, Change, DocumentVersion, DomainReadings, FeedState, ListedAgent, StoredAgent,
    StoredDocument, Tombstone, UnreadDomain,
};
use async_trait::async_trait;
use manifest::{AgentId, Domain, Timestamp};
use std::collections::HashMap;

/// Documents as served.
#[async_trait]
pub trait Documents {
    /// Returns domains whose documents changed since they were last read, longest waiting first.
    async fn unread_domains(&self, limit: u32) -> Result<Vec<UnreadDomain>, StoreError>;

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

    /// Returns the ids of agents in their order with the times of their last changes, after the first
    /// `before` of them.
    async fn listed_agents(&self, before: u64, limit: u32) -> Result<Vec<ListedAgent>, StoreError>;

    /// Returns the agents with these ids, in this order; unknown ids are left out.
    async fn agents_by_id(&self, ids: &[AgentId]) -> Result<Vec<StoredAgent>, StoreError>;
}

/// Sentence vectors of agents. They are derived from the agents, but cost much more work than the
/// index.
#[async_trait]
pub trait Vectors {
    /// Returns stored vectors by the hashes of model and texts; those that no listed agent has are
    /// left out.
    async fn vectors(&self, hashes: &[String]) -> Result<HashMap<String, Vec<u8>>, StoreError>;

    /// Stores vectors of agents instead of their earlier ones. They are deleted with their agents;
    /// those of agents that are no longer listed are left out.
    async fn record_vectors(&self, vectors: &[AgentVector]) -> Result<(), StoreError>;
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

    /// Returns the entries of the change log on all agents of a domain, newest first.
    async fn changes_of_domain(
        &self,
        domain: &Domain,
        limit: u32,
    ) -> Result<Vec<Change>, StoreError>;

    /// Returns the newest sequence number of the change log; zero if it is empty.
    async fn last_change(&self) -> Result<u64, StoreError>;

    /// Returns the same number, but never that of a replica, which may not have the newest changes yet.
    async fn newest_change(&self) -> Result<u64, StoreError>;

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
