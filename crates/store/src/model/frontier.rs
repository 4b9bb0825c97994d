//! The frontier: the domains to visit, and leases of them.

use super::Outcome;
use manifest::{Domain, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// Source from which a domain became known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SeedSource {
    /// A seed list.
    Seed,
    /// A submission.
    Submitted,
    /// A reference in a document of another domain.
    Discovered,
}

manifest::words!(SeedSource {
    Seed = "seed",
    Submitted = "submitted",
    Discovered = "discovered",
});

/// A domain to visit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Seed {
    /// Its name.
    pub domain: Domain,
    /// Port of its https origin, unless 443.
    pub port: Option<u16>,
    /// Its source.
    pub source: SeedSource,
}

/// Result of adding a batch of seeds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeedCounts {
    /// New domains.
    pub new: u64,
    /// Domains known before.
    pub known: u64,
    /// Domains that were not added because they are excluded.
    pub excluded: u64,
}

/// Interval after which a name that has not existed for months is looked up again (P39).
pub const LAPSED_INTERVAL: Duration = Duration::from_hours(180 * 24);

/// Right to visit one domain until it expires.
#[derive(Clone, Debug, PartialEq)]
pub struct Lease {
    /// Row id of the domain; zero for a lease that no store issued.
    pub row: i64,
    /// The domain.
    pub domain: Domain,
    /// Port of its https origin, unless 443.
    pub port: Option<u16>,
    /// Fencing token: a visit is recorded only while its token is the domain's current one.
    pub token: i64,
    /// Consecutive failed visits.
    pub fails: u32,
    /// Interval after which it was due this time, in milliseconds.
    pub interval_ms: Option<u64>,
    /// Position in the rotation of rarely requested paths (P9).
    pub rotation: u32,
    /// Requests left to a visit that a visitor of the registry asked for (P47); `None` for a scheduled
    /// visit.
    pub requests_left: Option<u32>,
    /// Outcome of the last visit; `None` before the first.
    pub last_outcome: Option<Outcome>,
    /// Known documents, for conditional requests and for the order of probes.
    pub known: Vec<KnownDocument>,
    /// Last state of robots.txt (P31): a visit to a host with a long crawl delay continues from here
    /// (P24).
    pub robots: Option<RobotsState>,
    /// Named documents outside of the default paths, in the order in which to request them (P9).
    pub named: Vec<NamedDocument>,
    /// Default paths that the last visit could not complete (P36).
    pub unanswered: Vec<String>,
}

impl Lease {
    /// Returns the lease of a domain that was never visited.
    pub fn first(row: i64, domain: Domain, token: i64) -> Self {
        Self {
            row,
            domain,
            port: None,
            token,
            fails: 0,
            interval_ms: None,
            rotation: 0,
            requests_left: None,
            last_outcome: None,
            known: Vec::new(),
            robots: None,
            named: Vec::new(),
            unanswered: Vec::new(),
        }
    }
}

/// Kind of document that is expected at a URL; it decides the limit on its size (P44).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DocumentKind {
    /// Manifest, or anything else that may hold one.
    #[default]
    Manifest,
    /// OpenAPI document.
    Api,
    /// File of a skill.
    Skill,
}

manifest::words!(DocumentKind {
    Manifest = "manifest",
    Api = "api",
    Skill = "skill",
});

/// Document outside of the default paths, requested because something names it (P9).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NamedDocument {
    /// Its URL, on the domain or on another host of the same registrable domain.
    pub url: String,
    /// Source of the reference: the URL of a document or of a robots.txt, or the entry of a seed list.
    pub named_by: String,
    /// True if the domain itself or the operator names it, false if another domain does.
    pub is_own: bool,
    /// Its kind, as far as the reference tells.
    pub kind: DocumentKind,
    /// True if it was requested in the last 30 days and did not exist.
    pub is_absent: bool,
}

/// Document found on an earlier visit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownDocument {
    /// Requested URL.
    pub requested: String,
    /// URL of the answer and of these validators (RFC 9110 section 13); it differs after a redirect.
    pub url: String,
    /// Its `ETag`.
    pub etag: Option<String>,
    /// Its `Last-Modified`.
    pub last_modified: Option<String>,
    /// SHA-256 of its body.
    pub hash: String,
    /// SHA-256 of its content ([`manifest::Document::content_hash`]); `None` if it was fetched before that was
    /// recorded.
    pub content: Option<String>,
    /// Time of the first 404 since it was last found (P40).
    pub missing_since: Option<Timestamp>,
    /// Id of its format; `None` until it has been read.
    pub format: Option<String>,
}

impl KnownDocument {
    /// Minimum time between the two visits that establish the removal of a document (P40).
    pub const CONFIRMATION: Duration = Duration::from_hours(24);

    /// Reports whether a visit at `when` that does not find it removes it, as one did not a day ago
    /// either (P40).
    pub fn is_removed_by_miss(&self, when: Timestamp) -> bool {
        self.missing_since
            .is_some_and(|since| since.after(Self::CONFIRMATION) <= when)
    }
}

/// Stored state of a robots.txt (P34).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RobotsState {
    /// `allow`, `partial`, `disallow` or `unreachable`.
    pub verdict: String,
    /// Bit `i` is set if probe `i` of the crawler's table is allowed.
    pub mask: u32,
    /// Paths of that table that its rules forbid, as far as the rules are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forbidden: Vec<ForbiddenPath>,
    /// Crawl delay that applies to this crawler, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u32>,
    /// HTTP status of robots.txt, if it was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Its `ETag`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// Its `Last-Modified`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
    /// URL that gave these validators, behind any redirect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validated_url: Option<String>,
    /// Hash of its body; zero without one.
    #[serde(default)]
    pub hash: u64,
    /// Hash of the crawler's table of probes, which defines the bits of the mask.
    #[serde(default)]
    pub table: u64,
    /// True if none of its rules applies to this crawler, so that paths outside of the table are
    /// allowed too.
    #[serde(default)]
    pub is_open: bool,
    /// Content signals that apply to this crawler, as name and value (DS-04).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signals: Vec<(String, String)>,
    /// Manifests that it names, as field and target (DS-03).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<(String, String)>,
    /// Expiry (P31, P34).
    #[serde(default)]
    pub expires: Timestamp,
    /// Reason of the verdict, in a few words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// True if it forbids everything to the crawler by its token, not to all crawlers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_token_refused: bool,
}

/// Path that a robots.txt forbids, with the rule that decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForbiddenPath {
    /// The path.
    pub path: String,
    /// Line of the rule in the file, counted from 1.
    pub line: u32,
    /// The rule, cleaned: `Disallow: /private/`.
    pub rule: String,
}

/// State of a domain, for a visit outside of the schedule.
#[derive(Clone, Debug, PartialEq)]
pub struct DomainState {
    /// Time of the last visit.
    pub last_visit: Option<Timestamp>,
    /// Not to be contacted before (P35).
    pub not_before: Timestamp,
    /// Last state of robots.txt (P31).
    pub robots: Option<RobotsState>,
}

/// Schedule of the next visit, computed by `crawler::schedule`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextVisit {
    /// Due time.
    pub due: Timestamp,
    /// Earliest time of a visit, whatever makes the domain due.
    pub not_before: Timestamp,
    /// Consecutive failures, including this visit.
    pub fails: u32,
    /// Interval from which the next one is computed, in milliseconds.
    pub interval_ms: Option<u64>,
    /// Position in the rotation of paths.
    pub rotation: u32,
    /// Default paths that are still unanswered (P36).
    pub unanswered: Vec<String>,
    /// Requests left to a requested visit that is to be continued or repeated (P47).
    pub requests_left: Option<u32>,
    /// True if the visit was interrupted through no fault of the domain and is repeated: the previous
    /// outcome is kept.
    pub is_again: bool,
}

impl NextVisit {
    /// Postpones the next visit.
    pub fn postpone(&mut self, by: Duration) {
        self.due = self.due.after(by);
        self.not_before = self.not_before.after(by);
    }
}

/// Domain that a document of another domain refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discovery {
    /// Domain of the document.
    pub from: Domain,
    /// Domain that it refers to.
    pub to: Domain,
    /// URL that it names there.
    pub url: String,
    /// URL of the document itself.
    pub named_by: String,
}

/// Domains that are not due yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Number of domains.
    pub domains: u64,
    /// Due time of the first.
    pub next: Option<Timestamp>,
    /// Due time of the last.
    pub last: Option<Timestamp>,
}

/// Load of the frontier at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FrontierLoad {
    /// Domains known.
    pub domains: u64,
    /// Domains that may be leased now.
    pub due: u64,
    /// Time since which the first of them has been waiting: its due time, or the time when it was added
    /// or visited if that was later, because domains that become due at once are spread over the hour
    /// before. If more than a thousand are due, this is that of the thousand next ones, at most an hour
    /// too late.
    pub oldest_due: Option<Timestamp>,
    /// Domains in back-off, which are not contacted even on request.
    pub back_off: u64,
    /// Submissions that no crawler has processed yet.
    pub submissions: u64,
}

/// Counts and times of the frontier at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FrontierStats {
    /// Its load.
    #[serde(flatten)]
    pub load: FrontierLoad,
    /// Due time of the next domain that is not due yet.
    pub next_due: Option<Timestamp>,
    /// Domains under lease.
    pub leased: u64,
    /// Domains that were never visited.
    pub unvisited: u64,
    /// Unvisited domains that were discovered in documents of other domains.
    pub discovered: u64,
    /// Visited domains by the outcome of their last visit.
    pub outcomes: BTreeMap<String, u64>,
    /// Exclusions.
    pub exclusions: u64,
}
