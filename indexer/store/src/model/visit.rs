//! Visits, their receipts and outcomes.

use super::{Lease, NamedDocument, NextVisit, RobotsState};
use manifest::{Document, Timestamp};
use serde::{Deserialize, Serialize};

/// Outcome of a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// At least one readable manifest was found.
    Found,
    /// The site answered and has no manifest.
    Empty,
    /// The site answers every path with the same page.
    #[serde(rename = "soft404")]
    Soft404,
    /// robots.txt disallows every path.
    RobotsDisallow,
    /// The site asked not to be listed.
    OptedOut,
    /// The site answered 401, 402 or 403.
    Blocked,
    /// The site answered 429 or 503.
    Throttled,
    /// No connection, or server errors.
    Down,
    /// The name does not resolve.
    DnsError,
    /// The TLS handshake failed.
    TlsError,
    /// A time limit was exceeded.
    Timeout,
    /// An answer exceeded the size limit.
    TooLarge,
    /// The answer violates HTTP.
    ProtocolError,
    /// The name resolves to an address that is not contacted.
    BlockedAddress,
    /// A redirect was not followed.
    RedirectRefused,
    /// The request budget of the visit was exhausted.
    Budget,
}

impl Outcome {
    /// All outcomes, in the order of summaries.
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

    /// Returns the word used in reports, rows and metrics.
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

    /// Returns the outcome with this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|outcome| outcome.as_str() == word)
    }

    /// Returns the rule that explains it: its id, and the name of the document in `docs/` that
    /// defines it.
    pub fn rule(self) -> (&'static str, &'static str) {
        let id = match self {
            Self::OptedOut => return ("DS-04", "formats"),
            Self::Found => "P40",
            Self::Empty | Self::DnsError => "P39",
            Self::Soft404 => "P10",
            Self::RobotsDisallow => "P33",
            Self::Blocked => "P28",
            Self::Throttled => "P35",
            Self::Down => "P30",
            Self::TlsError => "P46",
            Self::Timeout => "P43",
            Self::TooLarge => "P44",
            Self::ProtocolError => "P29",
            Self::BlockedAddress => "HS-56",
            Self::RedirectRefused => "P42",
            Self::Budget => "P7",
        };
        (id, "politeness")
    }
}

/// Record of a request and its answer, for the site's owner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// Time when the request was sent.
    pub at: Timestamp,
    /// `GET`.
    pub method: String,
    /// The URL.
    pub url: String,
    /// Status; `None` without an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Bytes of the decoded body that were read.
    pub bytes: u64,
    /// Milliseconds from sending to the last byte.
    pub ms: u32,
    /// Verdict: `manifest`, `absent`, `soft404`, `robots`, `redirect`, or the word of a failure.
    pub verdict: String,
    /// Reason of the verdict, in a few words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// Finished visit.
#[derive(Clone, Debug)]
pub struct Visit {
    /// Its lease.
    pub lease: Lease,
    /// First action.
    pub started: Timestamp,
    /// Last action.
    pub ended: Timestamp,
    /// Outcome.
    pub outcome: Outcome,
    /// Details of the outcome, such as the kind of TLS error or the reason of a refusal.
    pub detail: Option<String>,
    /// HTTP requests sent.
    pub requests: u32,
    /// Body bytes received, decoded.
    pub bytes: u64,
    /// All requests.
    pub receipts: Vec<Receipt>,
    /// Documents to store, in the order found.
    pub documents: Vec<Document>,
    /// Requested URLs of known documents to be removed immediately: the server answered 410, or the
    /// site asked not to be listed.
    pub gone: Vec<String>,
    /// Requested URLs of known documents that were answered with 404; they are removed if they
    /// still are a day later (P40).
    pub missing: Vec<String>,
    /// Requested URLs of known documents that a 304 confirmed as unchanged.
    pub unchanged: Vec<String>,
    /// Named documents that are left to later visits (P9).
    pub named: Vec<NamedDocument>,
    /// Named documents that were requested, whatever the result.
    pub asked: Vec<NamedDocument>,
    /// State of robots.txt; `None` if it was not requested.
    pub robots: Option<RobotsState>,
    /// Schedule of the next visit.
    pub next: NextVisit,
}

/// Result of recording a batch of visits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// Recorded visits.
    pub visits: u64,
    /// Visits that were dropped because their lease was no longer current.
    pub fenced: u64,
    /// Documents that are new or changed.
    pub documents: u64,
    /// Listed agents of documents that their sites reported as unchanged (304).
    pub unchanged_agents: u64,
    /// Findings on documents that their sites reported as unchanged (304).
    pub unchanged_findings: u64,
}
