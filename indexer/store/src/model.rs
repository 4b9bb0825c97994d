//! What goes into the store and comes out of it: plain data.

use manifest::{AgentId, Document, Domain, Finding, Level, Timestamp, agent::Listing};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Where a domain was heard of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SeedSource {
    /// A seed list.
    Seed,
    /// Somebody sent it in.
    Submitted,
    /// Another manifest pointed at it.
    Discovered,
}

impl SeedSource {
    /// The word used in rows and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Seed => "seed",
            Self::Submitted => "submitted",
            Self::Discovered => "discovered",
        }
    }

    /// The source with this word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Seed, Self::Submitted, Self::Discovered]
            .into_iter()
            .find(|source| source.as_str() == word)
    }
}

/// A domain to visit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Seed {
    /// Its name.
    pub domain: Domain,
    /// The port of its https origin when it is not 443.
    pub port: Option<u16>,
    /// Where it was heard of.
    pub source: SeedSource,
}

/// What became of a batch of seeds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Added {
    /// New domains.
    pub new: u64,
    /// Domains known before.
    pub known: u64,
}

/// The right to visit one domain, until it expires.
#[derive(Clone, Debug, PartialEq)]
pub struct Lease {
    /// The domain.
    pub domain: Domain,
    /// Port of its https origin when it is not 443.
    pub port: Option<u16>,
    /// Fencing token: a visit is recorded only while its token is the domain's current one.
    pub token: i64,
    /// Visits in a row that failed.
    pub fails: u32,
    /// The interval after which it was due this time, in milliseconds.
    pub interval_ms: Option<u64>,
    /// Where the rotation of rarely asked paths stands (P9).
    pub rotation: u32,
    /// How the last visit ended; `None` on the first.
    pub last_outcome: Option<Outcome>,
    /// Documents that it had, for conditional requests and for the order of probes.
    pub known: Vec<KnownDocument>,
    /// What robots.txt said last (P31): a visit to a host with a long crawl delay goes on from here (P24).
    pub robots: Option<RobotsState>,
}

/// A document seen on an earlier visit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownDocument {
    /// The URL asked for.
    pub requested: String,
    /// Its `ETag`.
    pub etag: Option<String>,
    /// Its `Last-Modified`.
    pub last_modified: Option<String>,
    /// SHA-256 of its body.
    pub hash: String,
}

/// How a visit ended: each is counted and shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// At least one readable manifest.
    Found,
    /// It answered, and has none.
    Empty,
    /// It answers everything with the same page.
    #[serde(rename = "soft404")]
    Soft404,
    /// Its robots.txt keeps us out.
    RobotsDisallow,
    /// It asked not to be listed.
    OptedOut,
    /// 401, 402 or 403.
    Blocked,
    /// 429 or 503.
    Throttled,
    /// Nothing listens, or the server fails.
    Down,
    /// Its name does not resolve.
    DnsError,
    /// TLS failed.
    TlsError,
    /// Too slow.
    Timeout,
    /// More bytes than we take.
    TooLarge,
    /// Not HTTP as we know it.
    ProtocolError,
    /// It resolves to an address that we must not touch.
    BlockedAddress,
    /// A redirect that we do not follow.
    RedirectRefused,
    /// The visit's budget of requests was used up.
    Budget,
}

impl Outcome {
    /// Every outcome, in the order in which summaries show them.
    pub const ALL: [Self; 16] = [
        Self::Found,
        Self::Empty,
        Self::Soft404,
        Self::RobotsDisallow,
        Self::OptedOut,
        Self::Blocked,
        Self::Throttled,
        Self::Down,
        Self::DnsError,
        Self::TlsError,
        Self::Timeout,
        Self::TooLarge,
        Self::ProtocolError,
        Self::BlockedAddress,
        Self::RedirectRefused,
        Self::Budget,
    ];

    /// The word used in reports, rows and metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::Empty => "empty",
            Self::Soft404 => "soft404",
            Self::RobotsDisallow => "robots_disallow",
            Self::OptedOut => "opted_out",
            Self::Blocked => "blocked",
            Self::Throttled => "throttled",
            Self::Down => "down",
            Self::DnsError => "dns_error",
            Self::TlsError => "tls_error",
            Self::Timeout => "timeout",
            Self::TooLarge => "too_large",
            Self::ProtocolError => "protocol_error",
            Self::BlockedAddress => "blocked_address",
            Self::RedirectRefused => "redirect_refused",
            Self::Budget => "budget",
        }
    }

    /// The outcome with this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|outcome| outcome.as_str() == word)
    }
}

/// One request of a visit: what we asked and what we got, for the site's owner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// When the request was sent.
    pub at: Timestamp,
    /// `GET`.
    pub method: String,
    /// The URL.
    pub url: String,
    /// The status; `None` when no answer came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Bytes of body read, decoded.
    pub bytes: u64,
    /// Milliseconds from sending to the last byte.
    pub ms: u32,
    /// What it came to: `manifest`, `absent`, `soft404`, `robots`, `redirect`, or a failure's word.
    pub verdict: String,
    /// Why, in a few words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// A finished visit, as the crawler hands it over.
#[derive(Clone, Debug)]
pub struct Visit {
    /// The lease it was made under.
    pub lease: Lease,
    /// First action.
    pub started: Timestamp,
    /// Last action.
    pub ended: Timestamp,
    /// How it ended.
    pub outcome: Outcome,
    /// More about it: the kind of TLS error, the reason of a refusal.
    pub detail: Option<String>,
    /// HTTP requests sent.
    pub requests: u32,
    /// Body bytes received, decoded.
    pub bytes: u64,
    /// Every request.
    pub receipts: Vec<Receipt>,
    /// Documents worth keeping, in the order found.
    pub documents: Vec<Document>,
    /// URLs (as asked for) of known documents that the server says are gone: 404 or 410.
    pub gone: Vec<String>,
    /// URLs of known documents that were confirmed unchanged by 304.
    pub unchanged: Vec<String>,
    /// What robots.txt said; `None` when it was not reached.
    pub robots: Option<RobotsState>,
    /// When to come back.
    pub next: NextVisit,
}

/// What is kept of a robots.txt (P34).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RobotsState {
    /// `allow`, `partial`, `disallow` or `unreachable`.
    pub verdict: String,
    /// Bit `i` set: probe `i` of the crawler's table may be asked.
    pub mask: u32,
    /// Crawl delay in milliseconds that applies to us.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u32>,
    /// HTTP status of robots.txt, when there was an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Its `ETag`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// Until when it holds (P31, P34).
    #[serde(default)]
    pub expires: Timestamp,
    /// Why, in a few words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// When to come back, as `crawler::schedule` decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextVisit {
    /// Due then.
    pub due: Timestamp,
    /// Never before, whatever makes it due.
    pub not_before: Timestamp,
    /// Failures in a row, this visit included.
    pub fails: u32,
    /// The interval to build the next one on, in milliseconds.
    pub interval_ms: Option<u64>,
    /// Where the rotation of paths stands.
    pub rotation: u32,
}

/// What became of a batch of visits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// Recorded.
    pub visits: u64,
    /// Dropped because the lease had been taken over.
    pub fenced: u64,
    /// Documents that are new or changed.
    pub documents: u64,
}

/// A domain that waits for the indexer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// The domain.
    pub domain: Domain,
    /// State of its documents that a reading must name, so that a change in between is not lost.
    pub revision: i64,
}

/// A current document of a domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredDocument {
    /// Row id.
    pub id: i64,
    /// SHA-256 of its bytes.
    pub hash: String,
    /// The document.
    pub document: Document,
}

/// A fresh reading of all documents of a domain.
#[derive(Clone, Debug)]
pub struct DomainReadings {
    /// The domain and the revision that was read.
    pub unread: Unread,
    /// The merged agents.
    pub listings: Vec<Listing>,
    /// What was said of each document.
    pub documents: Vec<DocumentReading>,
    /// Why agents that are no longer listed went, for the change log.
    pub reason: String,
}

/// What reading one stored document gave.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentReading {
    /// Row id of the document.
    pub id: i64,
    /// Format id.
    pub format: String,
    /// Generation or dialect.
    pub generation: Option<String>,
    /// Quality level.
    pub level: Level,
    /// Remarks.
    pub findings: Vec<Finding>,
}

/// What happened to an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// First seen.
    Add,
    /// Content changed.
    Update,
    /// No longer published, or no longer readable.
    Remove,
}

impl Operation {
    /// The word used in rows and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Update => "update",
            Self::Remove => "remove",
        }
    }

    /// The operation with this word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Add, Self::Update, Self::Remove]
            .into_iter()
            .find(|operation| operation.as_str() == word)
    }
}

/// One entry of the change log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Sequence number, from 1, without gaps.
    pub seq: u64,
    /// When.
    pub at: Timestamp,
    /// What.
    pub op: Operation,
    /// To whom.
    pub agent: AgentId,
    /// SHA-256 of the listing now; `None` after a removal.
    pub hash: Option<String>,
    /// SHA-256 of the listing before.
    pub previous_hash: Option<String>,
    /// Why, for removals.
    pub reason: String,
}

/// How an agent's site answers now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AgentStatus {
    /// The last visit confirmed a document of it.
    Ok,
    /// The last visit failed.
    Failing,
    /// The last visit neither confirmed it nor failed.
    Unknown,
}

impl AgentStatus {
    /// The status of the agents of a domain whose last visit ended so.
    pub fn after(outcome: Option<Outcome>) -> Self {
        match outcome {
            Some(Outcome::Found) => Self::Ok,
            Some(
                Outcome::Blocked
                | Outcome::Throttled
                | Outcome::Down
                | Outcome::DnsError
                | Outcome::TlsError
                | Outcome::Timeout
                | Outcome::TooLarge
                | Outcome::ProtocolError
                | Outcome::BlockedAddress
                | Outcome::RedirectRefused,
            ) => Self::Failing,
            Some(
                Outcome::Empty
                | Outcome::Soft404
                | Outcome::RobotsDisallow
                | Outcome::OptedOut
                | Outcome::Budget,
            )
            | None => Self::Unknown,
        }
    }
}

/// All that is known of a domain.
#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    /// The domain.
    pub domain: Domain,
    /// Port of its https origin when it is not 443.
    pub port: Option<u16>,
    /// Where it was heard of.
    pub source: SeedSource,
    /// First heard of.
    pub first_seen: Timestamp,
    /// Last visited.
    pub last_visit: Option<Timestamp>,
    /// How that ended.
    pub last_outcome: Option<Outcome>,
    /// Next visit.
    pub due: Timestamp,
    /// What robots.txt said last.
    pub robots: Option<RobotsState>,
    /// Its agents, by id.
    pub agents: Vec<StoredAgent>,
    /// Its documents, by URL.
    pub documents: Vec<SiteDocument>,
    /// Its visits, newest first.
    pub visits: Vec<SiteVisit>,
}

/// A document of a site, without its bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteDocument {
    /// Final URL.
    pub url: String,
    /// URL asked for.
    pub requested: String,
    /// HTTP status.
    pub status: u16,
    /// Media type as sent.
    pub media_type: Option<String>,
    /// SHA-256 of its bytes.
    pub hash: String,
    /// Size in bytes.
    pub bytes: u64,
    /// Format id; `None` until it is read.
    pub format: Option<String>,
    /// Generation or dialect.
    pub generation: Option<String>,
    /// Quality level; `None` until it is read.
    pub level: Option<Level>,
    /// When it was first seen.
    pub first_seen: Timestamp,
    /// When it was last fetched or confirmed.
    pub fetched: Timestamp,
    /// When its bytes last changed.
    pub changed: Timestamp,
    /// Remarks.
    pub findings: Vec<Finding>,
}

/// A past visit to a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteVisit {
    /// First action.
    pub started: Timestamp,
    /// Last action.
    pub ended: Timestamp,
    /// How it ended.
    pub outcome: Outcome,
    /// More about it.
    pub detail: Option<String>,
    /// HTTP requests sent.
    pub requests: u32,
    /// Body bytes received.
    pub bytes: u64,
    /// Every request.
    pub receipts: Vec<Receipt>,
}

/// Counts of everything.
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
    /// Agents listed.
    pub agents: u64,
    /// Their capabilities.
    pub capabilities: u64,
    /// Findings by rule.
    pub findings: BTreeMap<String, u64>,
    /// Newest change.
    pub last_change: u64,
}

/// One agent as listed, with its history.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredAgent {
    /// The merged agent.
    pub listing: Listing,
    /// Its domain.
    pub domain: Domain,
    /// When it was first listed.
    pub first_seen: Timestamp,
    /// When its site last confirmed it: the last visit that fetched one of its documents.
    pub last_seen: Timestamp,
    /// When its content last changed.
    pub changed: Timestamp,
    /// SHA-256 over the listing but for the hashes of its sources, hexadecimal: a document that only
    /// looks different leaves it as it is.
    pub hash: String,
    /// How its site answers now.
    pub status: AgentStatus,
}
