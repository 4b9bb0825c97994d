//! Everything stored about a domain, and overall counts.

use super::{EdgeAnswer, HiddenTarget, Outcome, Receipt, RobotsState, SeedSource, StoredAgent};
use manifest::document::Delivery;
use manifest::{Domain, Finding, Level, Mention, Timestamp};
use std::collections::BTreeMap;

/// Everything stored about a domain, except document bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    /// The domain.
    pub domain: Domain,
    /// Port of its https origin, unless 443.
    pub port: Option<u16>,
    /// Its source.
    pub source: SeedSource,
    /// Time when it became known.
    pub first_seen: Timestamp,
    /// Time of the last visit.
    pub last_visit: Option<Timestamp>,
    /// Outcome of the last visit.
    pub last_outcome: Option<Outcome>,
    /// Due time of the next visit.
    pub due: Timestamp,
    /// Last state of robots.txt.
    pub robots: Option<RobotsState>,
    /// Its agents, by id.
    pub agents: Vec<StoredAgent>,
    /// Its documents, by URL.
    pub documents: Vec<SiteDocument>,
    /// Its visits, newest first.
    pub visits: Vec<SiteVisit>,
    /// Entries of it, or of its agents, that the operator hides.
    pub hidden: Vec<HiddenTarget>,
    /// The answer by which it refused the last visit, if it did.
    pub edge: Option<EdgeAnswer>,
}

/// Marks of everything that is stored about a domain: while they are equal, so is what is shown of it and
/// its agents, except for the progress of a submission that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SiteMark {
    /// Row of the domain.
    pub domain: i64,
    /// Time when it became known.
    pub first_seen: Timestamp,
    /// Time of the last visit.
    pub last_visit: Option<Timestamp>,
    /// Due time of the next visit.
    pub due: Timestamp,
    /// Number of changes of its documents, and of new readings of them.
    pub revision: i64,
    /// True until the documents of that revision have been read.
    pub is_unread: bool,
    /// Row of the newest visit.
    pub visit: Option<i64>,
    /// Newest entry of the public log of moderation, about any domain.
    pub moderation: Option<i64>,
    /// True if a submission waits for a visit.
    pub is_awaited: bool,
}

/// A document of a site, without its bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteDocument {
    /// Final URL.
    pub url: String,
    /// Requested URL.
    pub requested: String,
    /// HTTP status.
    pub status: u16,
    /// Media type as sent.
    pub media_type: Option<String>,
    /// The `ETag` header as sent.
    pub etag: Option<String>,
    /// The `Last-Modified` header as sent.
    pub last_modified: Option<String>,
    /// Headers on access and caching; `None` if unknown.
    pub served: Option<Delivery>,
    /// SHA-256 of its bytes.
    pub hash: String,
    /// Size in bytes.
    pub bytes: u64,
    /// Format id; `None` until it is read.
    pub format: Option<String>,
    /// Generation or dialect.
    pub generation: Option<String>,
    /// Level: manifest A to D; `None` until it is read.
    pub level: Option<Level>,
    /// Time when it was first found.
    pub first_seen: Timestamp,
    /// Time when it was last fetched or confirmed.
    pub fetched: Timestamp,
    /// Time of the last change of its bytes.
    pub changed: Timestamp,
    /// Number of agents that are read from it.
    pub agents: u32,
    /// Findings.
    pub findings: Vec<Finding>,
    /// Mentions of other sites.
    pub mentions: Vec<Mention>,
}

/// Bytes that a document had for some time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentVersion {
    /// SHA-256 of the bytes.
    pub hash: String,
    /// Size in bytes.
    pub bytes: u64,
    /// Time when they were first fetched.
    pub first_seen: Timestamp,
    /// Time when they were last fetched or confirmed; `None` if they are current.
    pub last_seen: Option<Timestamp>,
}

/// A past visit to a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteVisit {
    /// First action.
    pub started: Timestamp,
    /// Last action.
    pub ended: Timestamp,
    /// Outcome.
    pub outcome: Outcome,
    /// Details of the outcome.
    pub detail: Option<String>,
    /// HTTP requests sent.
    pub requests: u32,
    /// Body bytes received.
    pub bytes: u64,
    /// All requests.
    pub receipts: Vec<Receipt>,
}

/// Overall counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Domains known.
    pub domains: u64,
    /// Domains due now and not leased.
    pub due: u64,
    /// Domains under lease.
    pub leased: u64,
    /// Domains by the outcome of their last visit.
    pub outcomes: BTreeMap<String, u64>,
    /// Current documents by format; the empty key counts unread ones.
    pub formats: BTreeMap<String, u64>,
    /// Current documents by level.
    pub levels: BTreeMap<String, u64>,
    /// Current documents by format and level; those that are not read yet are missing.
    pub graded: BTreeMap<String, BTreeMap<String, u64>>,
    /// Agents listed.
    pub agents: u64,
    /// Their capabilities.
    pub capabilities: u64,
    /// Their sites.
    pub sites: u64,
    /// Findings by rule.
    pub findings: BTreeMap<String, u64>,
    /// Sequence number of the newest change.
    pub last_change: u64,
    /// Time of the newest visit.
    pub last_visit: Option<Timestamp>,
}
