//! Which domains there are to visit, and the right to visit one.

use super::Outcome;
use manifest::{Domain, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

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
    /// Domains that are excluded, and so were not added.
    pub excluded: u64,
}

/// The right to visit one domain, until it expires.
#[derive(Clone, Debug, PartialEq)]
pub struct Lease {
    /// The domain's row; zero for a lease that no store gave.
    pub row: i64,
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
    /// Documents besides the usual places that something names, in the order in which they are to be asked for (P9).
    pub named: Vec<NamedDocument>,
    /// Usual paths that the last visit did not get an answer for (P36).
    pub unanswered: Vec<String>,
}

/// A document that is not at one of the usual places, and is asked for because something names it (P9).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NamedDocument {
    /// Its URL, on the domain or on another host of the same registrable domain.
    pub url: String,
    /// What names it: the URL of a document or of a robots.txt, or the seed list's entry.
    pub named_by: String,
    /// Whether the domain itself, or the operator, names it, rather than another domain.
    pub is_own: bool,
    /// Whether it was asked for in the last 30 days and was not there.
    pub is_absent: bool,
}

/// A document seen on an earlier visit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownDocument {
    /// The URL asked for.
    pub requested: String,
    /// The URL that gave it, and whose validators these are (RFC 9110 section 13): another one behind a redirect.
    pub url: String,
    /// Its `ETag`.
    pub etag: Option<String>,
    /// Its `Last-Modified`.
    pub last_modified: Option<String>,
    /// SHA-256 of its body.
    pub hash: String,
    /// When it was first answered with 404 since it was last there (P40).
    pub missing_since: Option<Timestamp>,
    /// The id of its format; `None` until it has been read.
    pub format: Option<String>,
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
    /// Its `Last-Modified`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
    /// Hash of it; zero when there is none.
    #[serde(default)]
    pub hash: u64,
    /// Hash of the crawler's table of probes, which gives the bits of the mask their meaning.
    #[serde(default)]
    pub table: u64,
    /// True when no rule of it applies to us, so that paths outside the table are open, too.
    #[serde(default)]
    pub is_open: bool,
    /// Content signals that apply to us, as name and value (DS-04).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signals: Vec<(String, String)>,
    /// Manifests that it points at, as field and target (DS-03).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<(String, String)>,
    /// Until when it holds (P31, P34).
    #[serde(default)]
    pub expires: Timestamp,
    /// Why, in a few words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// What is known of a domain to one who means to ask it something out of turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// Last visited.
    pub last_visit: Option<Timestamp>,
    /// To be left alone until then (P35).
    pub not_before: Timestamp,
    /// What robots.txt said last (P31).
    pub robots: Option<RobotsState>,
}

/// When to come back, as `crawler::schedule` decided.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// Usual paths that are still to be answered (P36).
    pub unanswered: Vec<String>,
    /// The visit broke off through no doing of the domain, and is made again: how the one before it ended stands.
    pub is_again: bool,
}

impl NextVisit {
    /// Puts the next visit off by so long.
    pub fn put_off(&mut self, by: Duration) {
        self.due = self.due.after(by);
        self.not_before = self.not_before.after(by);
    }
}

/// A domain that a document of another one points at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discovery {
    /// Whose document it is.
    pub from: Domain,
    /// Where it leads.
    pub to: Domain,
    /// The URL that it names there.
    pub url: String,
    /// The document's own URL.
    pub named_by: String,
}

/// Domains that are not due yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// How many.
    pub domains: u64,
    /// When the first of them falls due.
    pub next: Option<Timestamp>,
    /// When the last of them does.
    pub last: Option<Timestamp>,
}

/// The frontier at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Frontier {
    /// Domains known.
    pub domains: u64,
    /// Domains that may be leased now.
    pub due: u64,
    /// Since when the first of them has been waiting: since it fell due, or was added or visited if that was
    /// later, for what becomes due at once is spread over the hour before.
    pub oldest_due: Option<Timestamp>,
    /// When the next falls due of those that are not.
    pub next_due: Option<Timestamp>,
    /// Domains under lease.
    pub leased: u64,
    /// Domains that are not to be touched for now, whoever wants it.
    pub back_off: u64,
    /// Domains that were never visited.
    pub unvisited: u64,
    /// Of these, those that another site led to.
    pub discovered: u64,
    /// Visited domains by the outcome of their last visit.
    pub outcomes: BTreeMap<String, u64>,
    /// Exclusions.
    pub exclusions: u64,
    /// Submissions that nobody has looked at yet.
    pub submissions: u64,
}
