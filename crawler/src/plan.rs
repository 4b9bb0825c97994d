//! The plan of a visit: which paths it requests, in which order, and when it stops (P6 to P11,
//! P24).
//!
//! A pure state machine: [`Plan::next`] returns the next step, [`Plan::record`] takes its result.
//! The first request of a visit, `GET /robots.txt`, precedes the plan and is counted by it.
//!
//! A first visit requests the first paths in the table of [`crate::probes`]. A later visit requests
//! the known documents and one path in rotation, or, if nothing was found before, two paths and three
//! in rotation; if the visit was requested, as many in rotation as there are requests. Documents that
//! robots.txt or another document names come first, at most five per visit. On later visits, a
//! manifest at one path of a file makes the other paths of the same file unnecessary.
//!
//! A server is a catch-all if it gives the same page for two paths, or redirects every path
//! elsewhere. A first visit continues nevertheless, because a catch-all may still have a manifest;
//! a later visit stops.
//!
//! Paths without an answer, because of an error or for want of requests, are left to the next
//! visit, which requests nothing else if nothing was found.

mod agenda;
mod answer;
mod canary;
mod evidence;
mod fingerprint;
mod mode;
mod named;
mod remainder;
mod slow;
mod stop_reason;

use crate::crawl_delay::Pace;
use crate::probes::{self, Probe};
use crate::robots::Policy;
use agenda::{Agenda, Item, Source};
use canary::Canary;
use evidence::Evaluation;
pub(crate) use evidence::refusal;
use manifest::FormatId;
use mode::Mode;
pub(crate) use mode::is_manifest;
pub(crate) use named::target_on;
use std::time::Duration;
use stop_reason::StopReason;
use store::{DocumentKind, KnownDocument, Lease, NamedDocument, Outcome, requested};
use url::Url;

/// Maximum number of requests per visit, including robots.txt and redirects (P7).
pub const REQUEST_CAP: u32 = 12;

/// Maximum number of requests of later visits to a host without manifests (P8).
const SHORT_CAP: u32 = 6;
/// Maximum number of requests of later visits to a host that was and still is a catch-all (P8).
const ALIKE_CAP: u32 = 3;
/// Maximum number of requests of a visit to paths that the previous visit could not complete (P36).
const REST_CAP: u32 = 4;

/// Returns the maximum number of requests of a visit: fewer for a recheck of a site with manifests
/// (P47).
pub(crate) fn request_cap(lease: &Lease) -> u32 {
    let most = if mode::had_manifests(lease) {
        requested::REQUESTS_OF_KNOWN
    } else {
        REQUEST_CAP
    };
    let requests = lease.requests_left.map(|requests| requests.min(most));
    requests.unwrap_or(REQUEST_CAP)
}

/// Maximum number of requests for one path: the path itself and three redirects (P42).
const REQUESTS_PER_PATH: u32 = 4;

/// Next step of a visit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Request this.
    Probe(Request),
    /// End the visit for this reason.
    Stop(&'static str),
}

/// Request for one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Path and query on the origin of the visit, or the URL of a document on another host of its
    /// registrable domain.
    pub target: String,
    /// Validators of the stored copy, for a conditional request.
    pub known: Option<KnownDocument>,
    /// True for a random path, requested to detect a server that returns a manifest for every path
    /// (P11). The answer is recorded but never kept as a document.
    pub canary: bool,
    /// Kind of document that is expected, which limits its size (P44).
    pub kind: DocumentKind,
    /// Maximum number of requests for it, including redirects (P7).
    pub hops: u32,
}

/// Result of a [`Request`].
#[derive(Clone, Copy, Debug)]
pub struct Reply<'a> {
    /// Number of requests sent, including redirects and retries; zero if none was sent.
    pub requests: u32,
    /// Target of the last redirect, followed or not, as an absolute URL.
    pub redirect: Option<&'a str>,
    /// Its ending.
    pub end: End<'a>,
}

/// End of a request.
#[derive(Clone, Copy, Debug)]
pub enum End<'a> {
    /// Complete answer.
    Answered {
        /// Last status.
        status: u16,
        /// True if a header says that it is a challenge for browsers (P49).
        is_challenge: bool,
        /// Decoded body.
        body: &'a [u8],
        /// Format of the body of a 200 according to [`manifest::formats::detect`]; `None` for other
        /// statuses.
        format: Option<FormatId>,
    },
    /// No complete answer, with the reason.
    Failed(Outcome),
    /// Redirect that is not followed, for example to another site.
    Astray(Outcome),
    /// Complete answer that its site keeps out of indexes (P48).
    Withheld,
}

/// Plan of one visit.
#[derive(Debug)]
pub struct Plan {
    lease: Lease,
    mode: Mode,
    agenda: Agenda,
    /// A list, because it is short enough to be faster than a set.
    asked: Vec<String>,
    asked_named: Vec<NamedDocument>,
    unanswered: Vec<String>,
    /// Paths that their site keeps out of indexes (P48).
    withheld: Vec<String>,
    /// Paths that were answered, even negatively.
    answered: u32,
    current: Option<Item>,
    canary: Canary,
    requests: u32,
    cap: u32,
    was_alike: bool,
    is_kept_out: bool,
    rotation: u32,
    /// Usual places in the order of their turns; empty under a long crawl delay.
    places: Vec<&'static str>,
    resume_after: Option<Duration>,
    evidence: Evaluation,
    end: Option<StopReason>,
}

/// Part of a visit's work that is left to the next one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remainder {
    /// Unanswered paths (P36).
    pub unanswered: Vec<String>,
    /// True if the visit requested what the previous one could not complete, and completed some of
    /// it (P36).
    pub has_progress: bool,
    /// True if the domain names documents that are still to be requested (P9).
    pub has_more: bool,
}

impl Plan {
    /// Returns the plan of a visit to `origin` with its `policy`, after `requests` requests for
    /// robots.txt: zero if `policy` was stored by an earlier visit ([`Policy::resumed`]). The
    /// `extra` paths are requested in addition to those of the table.
    pub fn new(
        origin: &Url,
        lease: &Lease,
        policy: &Policy,
        requests: u32,
        extra: &[Probe],
    ) -> Self {
        let mode = mode::mode(lease);
        let cap = match mode {
            Mode::Again if lease.known.is_empty() => SHORT_CAP,
            Mode::Rest if lease.last_outcome != Some(Outcome::Budget) => REST_CAP,
            Mode::First | Mode::Again | Mode::Requested | Mode::Known | Mode::Rest => REQUEST_CAP,
        };
        let mut plan = Self {
            lease: lease.clone(),
            mode,
            agenda: Agenda::default(),
            asked: Vec::new(),
            asked_named: Vec::new(),
            unanswered: Vec::new(),
            withheld: Vec::new(),
            answered: 0,
            current: None,
            canary: Canary::new(lease),
            requests,
            cap: cap.min(request_cap(lease)),
            was_alike: mode::was_alike(lease),
            is_kept_out: false,
            rotation: lease.rotation,
            places: Vec::new(),
            resume_after: None,
            evidence: Evaluation::default(),
            end: None,
        };
        if policy.is_closed() {
            plan.end = Some(StopReason::Closed(policy.outcome()));
            return plan;
        }
        match Pace::new(Duration::ZERO, policy.crawl_delay()) {
            Pace::InPlace(_) => {
                (plan.agenda, plan.rotation) = Agenda::new(mode, origin, lease, policy, extra);
                plan.places = probes::cycle(extra).iter().map(|it| it.path).collect();
            }
            Pace::OnePerLease(delay) => plan.plan_slowly(origin, policy, delay, extra),
            Pace::RobotsOnly => plan.end = Some(StopReason::TooSlow),
        }
        plan
    }

    /// Returns the next step, among paths that `is_allowed` by every robots.txt concerned; that of
    /// another host is requested when the first step leads there.
    ///
    /// Each [`Step::Probe`] must be followed by a [`Plan::record`] before the next call.
    pub fn next(&mut self, is_allowed: impl Fn(&str) -> bool) -> Step {
        if let Some(end) = self.end {
            return Step::Stop(end.reason());
        }
        if let Some(path) = self.canary.take_due()
            && self.requests < self.cap
            && is_allowed(&path)
        {
            return self.ask(Item::new(&path, Source::Canary));
        }
        while let Some(item) = self.agenda.pop() {
            if !item.is_sibling() && !is_allowed(&item.target) {
                self.is_kept_out = true;
                self.rotation = item.next_turn.unwrap_or(self.rotation);
                self.asked_named.extend(item.named);
                continue;
            }
            if !self.is_wanted(&item) {
                self.rotation = item.next_turn.unwrap_or(self.rotation);
                continue;
            }
            if self.requests >= self.cap {
                // The position in the rotation is where the next requested visit begins.
                let is_remembered = item.next_turn.is_some();
                self.agenda.put_back(item);
                return self.stop(if is_remembered {
                    self.evidence.ending(self.is_kept_out)
                } else {
                    StopReason::Budget
                });
            }
            return self.ask(item);
        }
        let end = match self.resume_after {
            Some(_) => StopReason::Slow,
            None => self.evidence.ending(self.is_kept_out),
        };
        self.stop(end)
    }

    /// Continues with `origin`, to which the seed's host redirects, under its own `policy`:
    /// documents named by this policy come first, and if it allows nothing, the visit ends (P15).
    pub fn move_to(&mut self, origin: &Url, policy: &Policy) {
        if self.end.is_some() || self.resume_after.is_some() {
            return;
        }
        if policy.is_closed() {
            self.end = Some(StopReason::Closed(policy.outcome()));
            return;
        }
        match Pace::new(Duration::ZERO, policy.crawl_delay()) {
            Pace::InPlace(_) => {}
            // Every later visit would begin with the same redirect and get no further.
            Pace::OnePerLease(_) => self.end = Some(StopReason::SlowHome),
            Pace::RobotsOnly => self.end = Some(StopReason::TooSlow),
        }
        for (target, document) in named::hinted(origin, &self.lease.domain, policy) {
            self.point(&target, document);
        }
    }

    /// Moves a named document to the front, by the target that `target_on` returns, or leaves it to
    /// a later visit (P9).
    pub fn point(&mut self, target: &str, document: NamedDocument) {
        let is_short = target.len() <= 1024;
        if !is_short
            || self.asked.iter().any(|asked| asked == target)
            || !named::is_askable(&self.lease, &document.url)
        {
            return;
        }
        let is_rest = self.mode == Mode::Rest || agenda::is_recheck(self.mode, &self.lease);
        let is_slow = self.places.is_empty();
        if is_slow || is_rest {
            self.agenda.leave(document);
        } else {
            self.agenda.point(target, document);
        }
    }

    /// Returns the fingerprint of the host's first answer without a manifest (P12).
    pub fn look(&self) -> Option<u64> {
        self.evidence.look()
    }

    /// Returns the number of requests counted so far.
    pub fn requests(&self) -> u32 {
        self.requests
    }

    /// Reports whether the server returns the same manifest for every path, or may do so, so that no
    /// document is kept (P11).
    pub fn is_suspect(&self) -> bool {
        matches!(self.canary, Canary::Unmasked | Canary::Unanswered)
    }

    /// Reports whether the server asked for a pause with 429 or 503 (P10).
    pub fn is_throttled(&self) -> bool {
        matches!(
            self.end,
            Some(StopReason::Throttled(_) | StopReason::Closed(Outcome::Throttled))
        )
    }

    /// Returns the wait before the remaining paths if a long crawl delay postpones them (P24).
    pub fn resume_after(&self) -> Option<Duration> {
        self.resume_after
    }

    /// Returns the position in the rotation of paths after this visit.
    pub fn rotation(&self) -> u32 {
        self.rotation
    }

    /// Returns the outcome of the visit: finds take precedence over obstacles.
    pub fn outcome(&self) -> Outcome {
        if self.canary == Canary::Unanswered {
            return Outcome::Budget;
        }
        self.evidence.outcome(self.end)
    }

    /// Ends the visit before the answer to the last step, for which `requests` were sent, because
    /// the crawler stops; the step is left to the next visit. Returns the reason in words.
    pub fn break_off(&mut self, requests: u32) -> &'static str {
        self.requests = self.requests.saturating_add(requests);
        match self.current.take() {
            // Nothing shows that the manifests of this visit are more than a page for every path.
            Some(item) if item.source == Source::Canary => self.canary = Canary::Unanswered,
            Some(item) => {
                self.asked.pop();
                if item.named.is_some() {
                    self.asked_named.pop();
                }
                self.agenda.put_back(item);
            }
            None => {}
        }
        if self.mode != Mode::Requested {
            self.rotation = self.lease.rotation;
        }
        self.end = Some(StopReason::Stopped);
        StopReason::Stopped.reason()
    }

    fn is_wanted(&self, item: &Item) -> bool {
        if self.asked.contains(&item.target) {
            return false;
        }
        let has_kind = |kind| self.evidence.has_kind(kind);
        let is_needless = item.source == Source::Table
            && self.mode != Mode::First
            && item.kind().is_some_and(has_kind);
        !is_needless
    }

    fn ask(&mut self, item: Item) -> Step {
        self.asked.push(item.target.clone());
        self.asked_named.extend(item.named.clone());
        let request = Request {
            target: item.target.clone(),
            known: item.known.clone(),
            canary: item.source == Source::Canary,
            kind: item.document_kind(),
            hops: (self.cap - self.requests).min(REQUESTS_PER_PATH),
        };
        self.current = Some(item);
        Step::Probe(request)
    }

    fn stop(&mut self, end: StopReason) -> Step {
        self.end = Some(end);
        Step::Stop(end.reason())
    }
}

#[cfg(test)]
mod tests;
