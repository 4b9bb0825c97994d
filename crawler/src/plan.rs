//! Which paths one visit asks, in which order, and when it stops (P6 to P11, P24).
//!
//! A pure state machine: [`Plan::next`] says what to do, [`Plan::record`] takes what came of it.
//! The first request of a visit, `GET /robots.txt`, comes before the plan and is counted by it.
//!
//! A first visit asks the whole table of [`crate::probes`]; later ones ask what was there before, the
//! first four paths, and one of the rest in rotation. Paths that robots.txt or a document points at come
//! first. A manifest at one place of a file makes its other places needless.
//! A server that gives two paths the same page is taken for one that answers everything: it is then asked
//! only for the first place of each file, and, had we been there before, for nothing more. The same holds
//! for one that sends every path astray.

mod agenda;
mod canary;
mod ending;
mod evidence;
mod signature;

use crate::politeness::Pace;
use crate::probes::{self, Kind, Probe};
use crate::robots::Policy;
use agenda::{Item, Source};
use canary::Canary;
use ending::Ending;
use evidence::{Conclusion, Evidence, without_path, without_query};
use manifest::FormatId;
use signature::Signature;
use std::collections::VecDeque;
use std::time::Duration;
use store::{KnownDocument, Lease, Outcome};
use url::Url;

/// The most requests that one visit may send, robots.txt and redirects included (P7).
pub const REQUEST_CAP: u32 = 10;

/// The most requests to a host that answers everything with the same page, on a first visit, and to one
/// that had nothing, on later visits (P8).
const SHORT_CAP: u32 = 6;
/// The most requests to a host that answered everything alike, and still does (P8).
const ALIKE_CAP: u32 = 3;

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
    agenda: VecDeque<Item>,
    /// Few, so that a list is quicker than a set.
    asked: Vec<String>,
    asked_kinds: Vec<Kind>,
    current: Option<Item>,
    canary: Canary,
    requests: u32,
    cap: u32,
    is_later: bool,
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
        let is_later = agenda::is_later(lease);
        let mut plan = Self {
            agenda: VecDeque::new(),
            asked: Vec::new(),
            asked_kinds: Vec::new(),
            current: None,
            canary: Canary::new(lease),
            requests,
            cap: if is_later && lease.known.is_empty() {
                SHORT_CAP
            } else {
                REQUEST_CAP
            },
            is_later,
            was_alike: agenda::was_alike(lease),
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
                plan.agenda = agenda::agenda(origin, lease, policy, extra);
                plan.rotation = lease.rotation.wrapping_add(u32::from(is_later));
            }
            Pace::OnePerLease(delay) => plan.plan_slowly(lease, policy, delay, extra),
            Pace::RobotsOnly => plan.end = Some(Ending::TooSlow),
        }
        plan
    }

    /// The next step among the paths that `is_allowed` by every robots.txt that has a say.
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
        while let Some(item) = self.agenda.pop_front() {
            if !is_allowed(&item.path) {
                self.is_kept_out = true;
                continue;
            }
            if !self.is_wanted(&item) {
                continue;
            }
            if self.requests >= self.cap {
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

    /// Takes what came of the last step.
    pub fn record(&mut self, reply: &Reply<'_>) {
        self.requests = self.requests.saturating_add(reply.requests);
        let Some(item) = self.current.take() else {
            return;
        };
        if self.was_alike && self.requests >= ALIKE_CAP {
            self.evidence.expect_alike();
        }
        let redirect = reply.redirect.map(without_query);
        let conclusion = match reply.end {
            End::Failed(outcome) => {
                let redirect = redirect.map(str::to_owned);
                self.evidence.note_failure(outcome, redirect)
            }
            End::Astray(outcome) => {
                let redirect = redirect.map(|target| without_path(target, &item.path).to_owned());
                self.evidence.note_failure(outcome, redirect)
            }
            End::Answered {
                status,
                body,
                format,
            } => {
                let is_manifest = status == 200
                    && format.is_some_and(|format| {
                        // `agents-txt` without a dialect is some other text at its place (DI-05).
                        !matches!(format.as_str(), "unrecognised" | "openapi" | "agents-txt")
                    });
                let is_unchanged = status == 304 && item.known.is_some();
                let signature = Signature::new(status, body);
                if item.source == Source::Canary {
                    self.record_canary(is_manifest, signature)
                } else if is_manifest || is_unchanged {
                    let is_strange = self
                        .evidence
                        .note_hit(item.kind(), is_manifest.then_some(signature));
                    // A server that answered everything alike may have given everybody this.
                    if is_strange || (self.was_alike && is_manifest) {
                        self.canary.call();
                    }
                    Conclusion::GoOn
                } else {
                    let redirect = redirect.map(str::to_owned);
                    self.evidence.note_no_manifest(status, signature, redirect)
                }
            }
        };
        match conclusion {
            Conclusion::GoOn => {}
            Conclusion::End(end) => self.end = Some(end),
            Conclusion::CatchAll if self.is_later => {
                self.agenda.retain(|item| item.source == Source::Known);
                if self.agenda.is_empty() {
                    self.end = Some(Ending::CatchAll);
                }
            }
            Conclusion::CatchAll => self.cap = self.cap.min(SHORT_CAP),
        }
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
        for path in agenda::pointed_paths(origin, policy) {
            self.add_reference(&path);
        }
    }

    /// Moves a path that a document of this host points at to the front.
    pub fn add_reference(&mut self, path_and_query: &str) {
        let is_path = path_and_query.starts_with('/') && path_and_query.len() <= 1024;
        if is_path
            && self.asked.iter().all(|it| it != path_and_query)
            && self.resume_after.is_none()
        {
            agenda::point(&mut self.agenda, path_and_query);
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

    /// One path a lease: none in the lease that fetched robots.txt, for the delay holds after it too.
    fn plan_slowly(&mut self, lease: &Lease, policy: &Policy, delay: Duration, extra: &[Probe]) {
        let Some((position, item)) = agenda::next_slow(lease, policy, extra) else {
            self.rotation = 0;
            return;
        };
        if self.requests > 0 {
            self.rotation = u32::try_from(position).unwrap_or(0);
            self.resume_after = Some(delay);
            return;
        }
        self.agenda.push_back(item);
        self.rotation = u32::try_from(position + 1).unwrap_or(0);
        let following = Lease {
            rotation: self.rotation,
            ..lease.clone()
        };
        if agenda::next_slow(&following, policy, extra).is_none() {
            self.rotation = 0;
        } else {
            self.resume_after = Some(delay);
        }
    }

    fn is_wanted(&self, item: &Item) -> bool {
        if self.asked.contains(&item.path) {
            return false;
        }
        let Some(kind) = item.kind() else {
            return true;
        };
        let is_table = item.source == Source::Table;
        let is_spare = is_table && item.path == probes::SPARE && !self.is_later;
        let is_needless = is_table && self.evidence.has_kind(kind);
        let is_alias_behind_catch_all =
            is_table && self.evidence.is_catch_all() && self.asked_kinds.contains(&kind);
        !(is_needless || is_alias_behind_catch_all || (is_spare && !self.evidence.has_hit()))
    }

    fn ask(&mut self, item: Item) -> Step {
        self.asked.push(item.path.clone());
        self.asked_kinds.extend(item.kind());
        let request = Request {
            path: item.path.clone(),
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

    fn record_canary(&mut self, is_manifest: bool, signature: Signature) -> Conclusion {
        if is_manifest && self.evidence.has_hit_like(signature) {
            self.canary = Canary::Unmasked;
            return Conclusion::End(Ending::Suspect);
        }
        Conclusion::GoOn
    }
}

#[cfg(test)]
mod tests;
