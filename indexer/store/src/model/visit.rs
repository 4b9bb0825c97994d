//! What a visit came to.

use super::{Lease, NamedDocument, NextVisit, RobotsState};
use manifest::{Document, Timestamp};
use serde::{Deserialize, Serialize};

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
    /// URLs (as asked for) of known documents that are to go at once: the server says that they are gone for
    /// good (410), or the site asked not to be listed.
    pub gone: Vec<String>,
    /// URLs of known documents that were answered with 404: they go when they still are a day later (P40).
    pub missing: Vec<String>,
    /// URLs of known documents that were confirmed unchanged by 304.
    pub unchanged: Vec<String>,
    /// Documents that were named and are left to later visits (P9).
    pub named: Vec<NamedDocument>,
    /// Named documents that were asked for, whatever came of it.
    pub asked: Vec<NamedDocument>,
    /// What robots.txt said; `None` when it was not reached.
    pub robots: Option<RobotsState>,
    /// When to come back.
    pub next: NextVisit,
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
