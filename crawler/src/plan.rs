//! Which paths one visit asks, in which order, and when it stops (P6 to P11, P24).
//!
//! A pure state machine: [`Plan::next`] says what to do, [`Plan::record`] takes what came of it.
//! The first request of a visit, `GET /robots.txt`, comes before the plan and is counted by it.

use crate::robots::Policy;
use manifest::FormatId;
use std::time::Duration;
use store::{KnownDocument, Lease, Outcome};
use url::Url;

/// The most requests that one visit may send, robots.txt and redirects included (P7).
pub const REQUEST_CAP: u32 = 10;

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Ask for this.
    Probe(Request),
    /// The visit is over, for this reason.
    Stop(&'static str),
}

/// One path to ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Path and query on the origin of the visit.
    pub path: String,
    /// The copy that we have: ask whether it changed.
    pub known: Option<KnownDocument>,
    /// A path that nobody publishes, asked to unmask a server that gives everybody a manifest (P11): its
    /// answer is recorded, never kept as a document.
    pub canary: bool,
    /// How many requests it may take at most, redirects included (P7).
    pub hops: u32,
}

/// What came of a [`Request`].
#[derive(Clone, Copy, Debug)]
pub struct Reply<'a> {
    /// Requests sent for it, redirects and retries included: zero when none went out.
    pub requests: u32,
    /// Where the last redirect pointed, followed or not, as an absolute URL.
    pub redirect: Option<&'a str>,
    /// How it ended.
    pub end: End<'a>,
}

/// How a request ended.
#[derive(Clone, Copy, Debug)]
pub enum End<'a> {
    /// A complete answer.
    Answered {
        /// The last status.
        status: u16,
        /// The `Content-Type` header as sent.
        media_type: Option<&'a str>,
        /// The decoded body.
        body: &'a [u8],
        /// What [`manifest::formats::detect`] says of the body of a 200; `None` for other statuses.
        format: Option<FormatId>,
    },
    /// No complete answer, for this reason.
    Failed(Outcome),
}

/// The plan of one visit.
#[derive(Debug)]
pub struct Plan {
    requests: u32,
}

impl Plan {
    /// Plans a visit to `origin` after `policy` came back, with `requests` sent for robots.txt so far:
    /// zero when `policy` was kept from an earlier visit.
    pub fn new(origin: &Url, lease: &Lease, policy: &Policy, requests: u32) -> Self {
        let _ = (origin, lease, policy);
        Self { requests }
    }

    /// The next step. Every [`Step::Probe`] wants a [`Plan::record`] before the next call.
    pub fn next(&mut self, policy: &Policy) -> Step {
        let _ = policy;
        Step::Stop("not planned")
    }

    /// Takes what came of the last step.
    pub fn record(&mut self, reply: &Reply<'_>) {
        self.requests += reply.requests;
    }

    /// Counts a request that belongs to no step, such as the robots.txt of a redirect's target (P42).
    pub fn count_request(&mut self) {
        self.requests += 1;
    }

    /// Moves a path that a document of this host points at to the front.
    pub fn add_reference(&mut self, path_and_query: &str) {
        let _ = path_and_query;
    }

    /// Requests counted so far.
    pub fn requests(&self) -> u32 {
        self.requests
    }

    /// True when the server gives the same manifest for every path: none of its documents is kept (P11).
    pub fn is_suspect(&self) -> bool {
        false
    }

    /// True when the server asked to be left alone: 429 or 503 (P10).
    pub fn is_throttled(&self) -> bool {
        false
    }

    /// The wait before the remaining paths, when a long crawl delay sends them back to the frontier (P24).
    pub fn resume_after(&self) -> Option<Duration> {
        None
    }

    /// Where the rotation of paths stands after this visit.
    pub fn rotation(&self) -> u32 {
        0
    }

    /// How the visit ended.
    pub fn outcome(&self) -> Outcome {
        Outcome::Empty
    }
}
