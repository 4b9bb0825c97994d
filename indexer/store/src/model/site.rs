//! All that is known of a domain, and counts of everything.

use super::{Outcome, Receipt, RobotsState, SeedSource, StoredAgent};
use manifest::document::Served;
use manifest::{Domain, Finding, Level, Mention, Timestamp};
use std::collections::BTreeMap;

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
    /// Headers that say who may read it, and for how long; `None` when that is not known.
    pub served: Option<Served>,
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
    /// Whom it speaks of.
    pub mentions: Vec<Mention>,
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
