//! Rows of both databases and their conversion to the model.
//!
//! A column with an invalid value is a decoding error, which the back ends report as damage;
//! nothing here panics.

pub(crate) mod exclusions;
pub(crate) mod named;
pub(crate) mod site;
pub(crate) mod submissions;

use crate::{
    AgentStatus, Change, DomainState, KnownDocument, Lease, NamedDocument, Operation, Outcome,
    RobotsState, StoredAgent, StoredDocument, Unread,
};
use manifest::{AgentId, Document, Domain, Listing, Timestamp};
use serde::{Serialize, de::DeserializeOwned};
use sqlx::FromRow;
use url::Url;

/// A leased domain.
#[derive(Debug, FromRow)]
pub(crate) struct LeaseRow {
    pub(crate) id: i64,
    pub(crate) due: i64,
    pub(crate) last_outcome: Option<String>,
    name: String,
    port: Option<i64>,
    lease_token: i64,
    fails: i64,
    interval_ms: Option<i64>,
    rotation: i64,
    robots: Option<String>,
    unanswered: Option<String>,
}

impl LeaseRow {
    /// Returns the lease with the domain's known and named documents.
    pub(crate) fn lease(
        self,
        known: Vec<KnownDocument>,
        named: Vec<NamedDocument>,
    ) -> sqlx::Result<Lease> {
        Ok(Lease {
            row: self.id,
            domain: domain(&self.name)?,
            port: port(self.port)?,
            token: self.lease_token,
            fails: small(self.fails)?,
            interval_ms: self.interval_ms.map(count),
            rotation: small(self.rotation)?,
            last_outcome: outcome(self.last_outcome.as_deref())?,
            known,
            robots: robots(self.robots.as_deref())?,
            named,
            unanswered: self
                .unanswered
                .as_deref()
                .map_or(Ok(Vec::new()), from_json)?,
        })
    }
}

/// State of a domain, for a visit outside of the schedule.
#[derive(Debug, FromRow)]
pub(crate) struct StandingRow {
    last_visit: Option<i64>,
    not_before: i64,
    robots: Option<String>,
}

impl StandingRow {
    pub(crate) fn domain_state(self) -> sqlx::Result<DomainState> {
        Ok(DomainState {
            last_visit: self.last_visit.map(Timestamp),
            not_before: Timestamp(self.not_before),
            robots: robots(self.robots.as_deref())?,
        })
    }
}

/// A document of a leased domain.
#[derive(Debug, FromRow)]
pub(crate) struct KnownRow {
    pub(crate) domain_id: i64,
    requested: String,
    url: String,
    etag: Option<String>,
    last_modified: Option<String>,
    hash: String,
    missing_since: Option<i64>,
    format: Option<String>,
}

impl KnownRow {
    pub(crate) fn known(self) -> KnownDocument {
        KnownDocument {
            requested: self.requested,
            url: self.url,
            etag: self.etag,
            last_modified: self.last_modified,
            hash: self.hash,
            missing_since: self.missing_since.map(Timestamp),
            format: self.format,
        }
    }
}

/// Domain that waits for the indexer.
#[derive(Debug, FromRow)]
pub(crate) struct UnreadRow {
    name: String,
    revision: i64,
}

impl UnreadRow {
    pub(crate) fn unread(self) -> sqlx::Result<Unread> {
        Ok(Unread {
            domain: domain(&self.name)?,
            revision: self.revision,
        })
    }
}

/// A document with its compressed bytes.
#[derive(Debug, FromRow)]
pub(crate) struct DocumentRow {
    id: i64,
    requested: String,
    url: String,
    status: i64,
    media_type: Option<String>,
    etag: Option<String>,
    last_modified: Option<String>,
    served: Option<String>,
    fetched: i64,
    hash: String,
    size: i64,
    bytes: Vec<u8>,
}

impl DocumentRow {
    pub(crate) fn document(self, domain: &Domain) -> sqlx::Result<StoredDocument> {
        let body = BlobRow {
            size: self.size,
            bytes: self.bytes,
        };
        Ok(StoredDocument {
            id: self.id,
            hash: self.hash,
            document: Document {
                domain: domain.clone(),
                requested: address(&self.requested)?,
                url: address(&self.url)?,
                status: small(self.status)?,
                media_type: self.media_type,
                etag: self.etag,
                last_modified: self.last_modified,
                served: self.served.as_deref().map(from_json).transpose()?,
                fetched: Timestamp(self.fetched),
                body: body.open()?,
            },
        })
    }
}

/// Compressed bytes.
#[derive(Debug, FromRow)]
pub(crate) struct BlobRow {
    size: i64,
    bytes: Vec<u8>,
}

impl BlobRow {
    /// Compresses bytes for storage.
    pub(crate) fn close(bytes: &[u8]) -> sqlx::Result<(i64, Vec<u8>)> {
        let compressed = zstd::bulk::compress(bytes, zstd::DEFAULT_COMPRESSION_LEVEL)
            .map_err(sqlx::Error::Io)?;
        Ok((stored(bytes.len() as u64), compressed))
    }

    /// Returns the decompressed bytes; the stored size bounds the memory used.
    pub(crate) fn open(self) -> sqlx::Result<Vec<u8>> {
        let size: usize = small(self.size)?;
        zstd::bulk::decompress(&self.bytes, size).map_err(damaged)
    }
}

/// Entry of the change log.
#[derive(Debug, FromRow)]
pub(crate) struct ChangeRow {
    seq: i64,
    at: i64,
    op: String,
    agent_id: String,
    hash: Option<String>,
    previous_hash: Option<String>,
    reason: String,
}

impl ChangeRow {
    pub(crate) fn change(self) -> sqlx::Result<Change> {
        Ok(Change {
            seq: count(self.seq),
            at: Timestamp(self.at),
            op: word(&self.op, Operation::parse)?,
            agent: agent_id(&self.agent_id)?,
            hash: self.hash,
            previous_hash: self.previous_hash,
            reason: self.reason,
        })
    }
}

/// Agent with columns of its domain.
#[derive(Debug, FromRow)]
pub(crate) struct AgentRow {
    domain: String,
    last_outcome: Option<String>,
    listing: String,
    first_seen: i64,
    last_seen: i64,
    changed: i64,
    hash: String,
}

impl AgentRow {
    pub(crate) fn agent(self) -> sqlx::Result<StoredAgent> {
        let listing: Listing = from_json(&self.listing)?;
        Ok(StoredAgent {
            listing,
            domain: domain(&self.domain)?,
            first_seen: Timestamp(self.first_seen),
            last_seen: Timestamp(self.last_seen),
            changed: Timestamp(self.changed),
            hash: self.hash,
            status: AgentStatus::after(outcome(self.last_outcome.as_deref())?),
        })
    }
}

/// Single counts.
#[derive(Debug, FromRow)]
pub(crate) struct CountsRow {
    pub(crate) domains: i64,
    pub(crate) due: i64,
    pub(crate) leased: i64,
    pub(crate) agents: i64,
    pub(crate) capabilities: i64,
    pub(crate) last_change: i64,
}

/// Converts a number to a signed one, as databases require, with saturation.
pub(crate) fn stored(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// Converts a number back that was [`stored`].
pub(crate) fn count(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

/// Serializes a value as JSON text.
pub(crate) fn json(value: &impl Serialize) -> sqlx::Result<String> {
    serde_json::to_string(value).map_err(|error| sqlx::Error::Encode(error.into()))
}

/// Parses a value from JSON text.
pub(crate) fn from_json<T: DeserializeOwned>(text: &str) -> sqlx::Result<T> {
    serde_json::from_str(text).map_err(damaged)
}

/// Returns the agent id of a row.
pub(crate) fn agent_id(text: &str) -> sqlx::Result<AgentId> {
    let (name, slug) = text
        .split_once('/')
        .ok_or_else(|| damaged(format!("'{text}' is not an agent id")))?;
    Ok(AgentId::new(&domain(name)?, slug))
}

fn domain(name: &str) -> sqlx::Result<Domain> {
    Domain::parse(name).map_err(|error| damaged(format!("domain '{name}': {error}")))
}

fn port(port: Option<i64>) -> sqlx::Result<Option<u16>> {
    port.map(small).transpose()
}

fn outcome(text: Option<&str>) -> sqlx::Result<Option<Outcome>> {
    text.map(|text| word(text, Outcome::parse)).transpose()
}

fn robots(text: Option<&str>) -> sqlx::Result<Option<RobotsState>> {
    text.map(from_json).transpose()
}

fn address(text: &str) -> sqlx::Result<Url> {
    Url::parse(text).map_err(|error| damaged(format!("URL '{text}': {error}")))
}

fn word<T>(text: &str, parse: impl Fn(&str) -> Option<T>) -> sqlx::Result<T> {
    parse(text).ok_or_else(|| damaged(format!("unknown word '{text}'")))
}

fn small<T: TryFrom<i64, Error: std::error::Error + Send + Sync + 'static>>(
    value: i64,
) -> sqlx::Result<T> {
    T::try_from(value).map_err(damaged)
}

fn damaged(reason: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> sqlx::Error {
    sqlx::Error::Decode(reason.into())
}
