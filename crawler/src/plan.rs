//! Which paths one visit asks, in which order, and when it stops (P6 to P11, P24).
//!
//! A pure state machine: [`Plan::next`] says what to do, [`Plan::record`] takes what came of it.
//! The first request of a visit, `GET /robots.txt`, comes before the plan and is counted by it.
//!
//! A first visit asks every usual place in the table of [`crate::probes`]. Later ones ask for what was there before
//! and one path in rotation, or, where nothing was, for three paths and two in rotation. What robots.txt or a document
//! names comes first, five such documents a visit. On later visits a manifest at one place of a file makes its other
//! places needless.
//! A server that gives two paths the same page is taken for one that answers everything, and so is one that sends every
//! path astray: a first visit goes on, for a manifest may lie behind it, a later one asks for nothing more.
//! What got no answer, for an error or for want of requests, is left to the next visit, which asks for nothing else
//! where nothing was found.

mod agenda;
mod answer;
mod canary;
mod ending;
mod evidence;
mod mode;
mod named;
mod remainder;
mod signature;

use crate::politeness::Pace;
use crate::probes::Probe;
use crate::robots::Policy;
use agenda::{Agenda, Item, Source};
use canary::Canary;
use ending::Ending;
use evidence::Evidence;
use manifest::FormatId;
use mode::Mode;
pub(crate) use mode::is_manifest;
pub(crate) use named::target_on;
pub use remainder::Remainder;
use std::time::Duration;
use store::{KnownDocument, Lease, NamedDocument, Outcome};
use url::Url;

/// The most requests that one visit may send, robots.txt and redirects included (P7).
pub const REQUEST_CAP: u32 = 12;

/// The most requests to a host that had nothing, on later visits (P8).
const SHORT_CAP: u32 = 6;
/// The most requests to a host that answered everything alike, and still does (P8).
const ALIKE_CAP: u32 = 3;
/// The most requests of a visit for what the one before got no answer for, after errors (P36).
const REST_CAP: u32 = 4;

/// The most requests for one path: itself and three redirects (P42).
const HOP_CAP: u32 = 4;

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
    /// Path and query on the origin of the visit, or the URL of a document on another host of its registrable domain.
    pub target: String,
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
        /// The decoded body.
        body: &'a [u8],
        /// What [`manifest::formats::detect`] says of the body of a 200; `None` for other statuses.
        format: Option<FormatId>,
    },
    /// No complete answer, for this reason.
    Failed(Outcome),
    /// A redirect to where no path of this host is followed, such as another site.
    Astray(Outcome),
}

/// The plan of one visit.
#[derive(Debug)]
pub struct Plan {
    lease: Lease,
    mode: Mode,
    agenda: Agenda,
    /// Few, so that a list is quicker than a set.
    asked: Vec<String>,
    asked_named: Vec<NamedDocument>,
    unanswered: Vec<String>,
    /// Paths that were answered, be it by a no.
    answered: u32,
    current: Option<Item>,
    canary: Canary,
    requests: u32,
    cap: u32,
    was_alike: bool,
    is_kept_out: bool,
    rotation: u32,
    resume_after: Option<Duration>,
    evidence: Evidence,
    end: Option<Ending>,
}

impl Plan {
    /// Plans a visit to `origin` after `policy` came back, with `requests` sent for robots.txt so far:
    /// zero when `policy` was kept from an earlier visit ([`Policy::resumed`]). The `extra` paths are asked besides
    /// those of the table.
    pub fn new(
        origin: &Url,
        lease: &Lease,
        policy: &Policy,
        requests: u32,
        extra: &[Probe],
    ) -> Self {
        let mode = mode::mode(lease);
        let mut plan = Self {
            lease: lease.clone(),
            mode,
            agenda: Agenda::default(),
            asked: Vec::new(),
            asked_named: Vec::new(),
            unanswered: Vec::new(),
            answered: 0,
            current: None,
            canary: Canary::new(lease),
            requests,
            cap: match mode {
                Mode::Again if lease.known.is_empty() => SHORT_CAP,
                Mode::Rest if lease.last_outcome != Some(Outcome::Budget) => REST_CAP,
                Mode::First | Mode::Again | Mode::Known | Mode::Rest => REQUEST_CAP,
            },
            was_alike: mode::was_alike(lease),
            is_kept_out: false,
            rotation: lease.rotation,
            resume_after: None,
            evidence: Evidence::default(),
            end: None,
        };
        if policy.is_closed() {
            plan.end = Some(Ending::Closed(policy.outcome()));
            return plan;
        }
        match Pace::new(Duration::ZERO, policy.crawl_delay()) {
            Pace::InPlace(_) => {
                let (agenda, rotated) = Agenda::new(mode, origin, lease, policy, extra);
                plan.agenda = agenda;
                plan.rotation = lease.rotation.wrapping_add(rotated);
            }
            Pace::OnePerLease(delay) => plan.plan_slowly(origin, policy, delay, extra),
            Pace::RobotsOnly => plan.end = Some(Ending::TooSlow),
        }
        plan
    }

    /// Returns the next step among the paths that `is_allowed` by every robots.txt that has a say; that of another host
    /// is read when the step leads there.
    ///
    /// Every [`Step::Probe`] wants a [`Plan::record`] before the next call.
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
                self.asked_named.extend(item.named);
                continue;
            }
            if !self.is_wanted(&item) {
                continue;
            }
            if self.requests >= self.cap {
                self.agenda.put_back(item);
                return self.stop(Ending::Budget);
            }
            return self.ask(item);
        }
        let end = match self.resume_after {
            Some(_) => Ending::Slow,
            None => self.evidence.ending(self.is_kept_out),
        };
        self.stop(end)
    }

    /// Goes on with `origin`, to which the host of the seed has moved, and which has a `policy` of its
    /// own: paths that this one points at come first, and when it leaves nothing the visit ends (P15).
    pub fn move_to(&mut self, origin: &Url, policy: &Policy) {
        if self.end.is_some() || self.resume_after.is_some() {
            return;
        }
        if policy.is_closed() {
            self.end = Some(Ending::Closed(policy.outcome()));
            return;
        }
        match Pace::new(Duration::ZERO, policy.crawl_delay()) {
            Pace::InPlace(_) => {}
            // Every later visit would begin with the redirect again, and come no further.
            Pace::OnePerLease(_) => self.end = Some(Ending::SlowHome),
            Pace::RobotsOnly => self.end = Some(Ending::TooSlow),
        }
        for (target, document) in named::hinted(origin, &self.lease.domain, policy) {
            self.point(&target, document);
        }
    }

    /// Moves a document that something names to the front, by the target that `target_on` gives, or leaves it to a
    /// later visit (P9).
    pub fn point(&mut self, target: &str, document: NamedDocument) {
        let is_short = target.len() <= 1024;
        if !is_short
            || self.asked.iter().any(|asked| asked == target)
            || !named::is_askable(&self.lease, &document.url)
        {
            return;
        }
        if self.resume_after.is_some() || self.mode == Mode::Rest {
            self.agenda.leave(document);
        } else {
            self.agenda.point(target, document);
        }
    }

    /// What the host's first answer to a path that it does not have looks like (P12).
    pub fn look(&self) -> Option<u64> {
        self.evidence.look()
    }

    /// Requests counted so far.
    pub fn requests(&self) -> u32 {
        self.requests
    }

    /// True when the server gives the same manifest for every path: none of its documents is kept (P11).
    pub fn is_suspect(&self) -> bool {
        self.canary == Canary::Unmasked
    }

    /// True when the server asked to be left alone: 429 or 503 (P10).
    pub fn is_throttled(&self) -> bool {
        matches!(
            self.end,
            Some(Ending::Throttled | Ending::Closed(Outcome::Throttled))
        )
    }

    /// The wait before the remaining paths, when a long crawl delay sends them back to the frontier (P24).
    pub fn resume_after(&self) -> Option<Duration> {
        self.resume_after
    }

    /// Where the rotation of paths stands after this visit.
    pub fn rotation(&self) -> u32 {
        self.rotation
    }

    /// How the visit ended: what was found counts first, then what kept us from looking.
    pub fn outcome(&self) -> Outcome {
        self.evidence.outcome(self.end)
    }

    /// Plans one path a lease: none in the lease that fetched robots.txt, for the delay holds after it too.
    fn plan_slowly(&mut self, origin: &Url, policy: &Policy, delay: Duration, extra: &[Probe]) {
        let Some((position, item)) = agenda::next_slow(origin, &self.lease, policy, extra) else {
            self.rotation = 0;
            return;
        };
        if self.requests > 0 {
            self.resume_after = Some(delay);
            return;
        }
        let is_named = |named: &NamedDocument| Some(named) == item.named.as_ref();
        let following = Lease {
            rotation: u32::try_from(position).unwrap_or(0),
            named: self
                .lease
                .named
                .iter()
                .filter(|named| !is_named(named))
                .cloned()
                .collect(),
            ..self.lease.clone()
        };
        self.rotation = following.rotation;
        if agenda::next_slow(origin, &following, policy, extra).is_none() {
            self.rotation = 0;
        } else {
            self.resume_after = Some(delay);
        }
        self.agenda = Agenda::only(item);
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
            hops: (self.cap - self.requests).min(HOP_CAP),
        };
        self.current = Some(item);
        Step::Probe(request)
    }

    fn stop(&mut self, end: Ending) -> Step {
        self.end = Some(end);
        Step::Stop(end.reason())
    }
}

#[cfg(test)]
mod tests;
