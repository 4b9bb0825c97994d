//! Turns the answer to `GET /robots.txt` into a [`Policy`] (RFC 9309, P23 to P34).
//!
//! `texting_robots` matches, but is never given a raw file: it has thirteen known faults, most of which
//! would let us in where the owner keeps us out.
//! What cannot be understood keeps us out: too many rules, a parser's error or panic, no answer at all.

use manifest::Timestamp;
use std::time::Duration;
use store::{Outcome, RobotsState};

/// How much of a robots.txt counts, in decoded octets (RFC 9309 section 2.5, P25).
pub const BODY_CAP: usize = 512_000;

/// What came back for `GET /robots.txt`, after at most five redirects (P26).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A complete answer.
    Response {
        /// The last status; a redirect's own status when it could not be followed.
        status: u16,
        /// The decoded body, read up to [`BODY_CAP`] octets and no further.
        body: Vec<u8>,
        /// `Cache-Control: max-age`.
        max_age: Option<Duration>,
        /// `Retry-After`, as the time to wait.
        retry_after: Option<Duration>,
    },
    /// No complete answer; `RedirectRefused` stands for too many or bad redirects.
    Failed(Outcome),
}

/// What robots.txt comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Every path of [`crate::probes::ALL`] may be asked.
    Allow,
    /// Some of them.
    Partial,
    /// None of them.
    Disallow,
    /// None, because the answer never came or failed (RFC 9309 section 2.3.1.4).
    Unreachable,
}

impl Verdict {
    /// The word used in rows and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Partial => "partial",
            Self::Disallow => "disallow",
            Self::Unreachable => "unreachable",
        }
    }
}

/// A manifest that robots.txt points at (DS-03): data, nothing is fetched here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The field that says so, in lower case, such as `agent-card`; `allow` and `comment` for the indirect ones.
    pub field: String,
    /// A path on this host, or an absolute URL.
    pub target: String,
}

/// What one robots.txt allows our token.
#[derive(Debug)]
pub struct Policy {
    verdict: Verdict,
    why: String,
}

impl Policy {
    /// Reads an answer for the product token `token`, such as `AgentdexBot`. Never fails, never panics.
    pub fn from_answer(token: &str, answer: &Answer) -> Self {
        let _ = (token, answer);
        Self {
            verdict: Verdict::Unreachable,
            why: String::new(),
        }
    }

    /// The policy kept from an earlier answer, as far as its mask reaches: paths outside the table of
    /// probes are refused.
    pub fn from_state(state: &RobotsState) -> Self {
        let _ = state;
        Self {
            verdict: Verdict::Unreachable,
            why: String::new(),
        }
    }

    /// Whether `path_and_query` may be asked. `/robots.txt` always may (P32).
    pub fn allows(&self, path_and_query: &str) -> bool {
        path_and_query == "/robots.txt"
    }

    /// What it comes to for the paths that we ask.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Why, in a few words, for receipts.
    pub fn why(&self) -> &str {
        &self.why
    }

    /// How the visit ends when nothing may be asked: `RobotsDisallow`, `OptedOut`, `Throttled`, `Timeout`, ….
    pub fn outcome(&self) -> Outcome {
        Outcome::RobotsDisallow
    }

    /// The crawl delay that applies to us, unbounded (P23).
    pub fn crawl_delay(&self) -> Option<Duration> {
        None
    }

    /// Whether the owner does not want to be listed: `Content-Signal: search=no` (DS-04).
    pub fn opts_out(&self) -> bool {
        false
    }

    /// Content signals that apply to us, as `name=value` pairs in order (DS-04).
    pub fn signals(&self) -> &[(String, String)] {
        &[]
    }

    /// Manifests that it points at, in order (DS-03).
    pub fn hints(&self) -> &[Hint] {
        &[]
    }

    /// How long the server wants to be left alone, when it answered 429 or 5xx with `Retry-After` (P29).
    pub fn retry_after(&self) -> Option<Duration> {
        None
    }

    /// What is kept of it (P34); `now` is when the answer was complete.
    pub fn state(&self, etag: Option<&str>, now: Timestamp) -> RobotsState {
        let _ = (etag, now);
        RobotsState::default()
    }
}
