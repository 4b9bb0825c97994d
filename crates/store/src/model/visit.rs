//! Visits and their receipts.

use super::{Lease, NamedDocument, NextVisit, Outcome, RobotsState};
use manifest::{Document, Timestamp};
use serde::{Deserialize, Serialize};

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

/// Answer by which a site, or what stands before it, refused a visit: evidence for its owner (P49).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeAnswer {
    /// Time when the request was sent.
    pub at: Timestamp,
    /// The requested URL.
    pub url: String,
    /// The status.
    pub status: u16,
    /// Headers of a fixed list, as sent, by name.
    pub headers: Vec<(String, String)>,
    /// The first [`EdgeAnswer::BODY_CAP`] bytes of the decoded body, as text.
    pub body: String,
    /// True if the body is longer.
    pub is_cut: bool,
    /// The `User-Agent` of the request.
    pub user_agent: String,
    /// Origin of the key directory, if the request was signed (P5).
    pub signed_by: Option<String>,
}

impl EdgeAnswer {
    /// Maximum number of bytes of the body.
    pub const BODY_CAP: usize = 512;
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
    /// The answer that decided an outcome which is a refusal; it replaces that of earlier visits.
    pub edge: Option<EdgeAnswer>,
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
pub struct RecordCounts {
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
