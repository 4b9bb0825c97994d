//! Which paths one visit asks, in which order, and when it stops (P6 to P11, P24).
//!
//! A pure state machine: [`Plan::next`] says what to do, [`Plan::record`] takes what came of it.
//! The first request of a visit, `GET /robots.txt`, comes before the plan and is counted by it.
//!
//! A first visit asks the whole table of [`crate::probes`]; later ones ask what was there before, the
//! first four paths, and one of the rest in rotation. Paths that robots.txt or a document points at come
//! first. A manifest at one place of a file makes its other places needless.
//! A server that gives two paths the same page is taken for one that answers everything: it is then asked
//! only for the first place of each file, and, had we been there before, for nothing more.

mod agenda;
mod signature;

use crate::politeness::Pace;
use crate::probes::{self, Kind};
use crate::robots::Policy;
use agenda::{Item, Source};
use manifest::FormatId;
use sha2::{Digest, Sha256};
use signature::Signature;
use std::collections::{HashSet, VecDeque};
use std::time::Duration;
use store::{KnownDocument, Lease, Outcome};
use url::Url;

/// The most requests that one visit may send, robots.txt and redirects included (P7).
pub const REQUEST_CAP: u32 = 10;

/// The most requests to a host that answers everything with the same page, on a first visit, and to one
/// that had nothing, on later visits (P8).
const SHORT_CAP: u32 = 6;

/// The most requests for one path: itself and three redirects (P42).
const HOP_CAP: u32 = 4;

/// Failures of the connection after which a visit stops (P10).
const FAILURE_CAP: usize = 3;

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
    agenda: VecDeque<Item>,
    asked: HashSet<String>,
    asked_kinds: HashSet<Kind>,
    current: Option<Item>,
    canary: Canary,
    requests: u32,
    cap: u32,
    is_later: bool,
    rotation: u32,
    resume_after: Option<Duration>,
    hits: Vec<Hit>,
    pages: Vec<Page>,
    catch_all: Option<u16>,
    look: Option<u64>,
    absent: u32,
    gated: u32,
    server_errors: u32,
    failures: Vec<Outcome>,
    end: Option<Ending>,
}

/// A manifest that was found.
#[derive(Debug)]
struct Hit {
    kind: Option<Kind>,
    signature: Option<Signature>,
}

/// An answer that is neither a manifest nor a plain no.
#[derive(Debug, PartialEq, Eq)]
struct Page {
    signature: Option<Signature>,
    redirect: Option<String>,
}

/// The request that unmasks a server which gives everybody a manifest (P11).
#[derive(Debug, PartialEq, Eq)]
enum Canary {
    /// Not called for, under this path.
    Ready(String),
    /// To be sent next.
    Due(String),
    /// Sent, or impossible.
    Done,
    /// The server answered it with the manifest too.
    Unmasked,
}

/// Why a visit ends before its agenda does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    /// robots.txt leaves nothing, and this is what that counts as.
    Closed(Outcome),
    /// The rest waits for another lease.
    Slow,
    Budget,
    Throttled,
    Blocked,
    Failing,
    CatchAll,
    Suspect,
    Done,
}

impl Ending {
    fn reason(self) -> &'static str {
        match self {
            Self::Closed(_) => "robots.txt leaves nothing to ask",
            Self::Slow => "the crawl delay sends the rest to later leases",
            Self::Budget => "the budget of requests is used up",
            Self::Throttled => "the server wants to be left alone",
            Self::Blocked => "the server keeps us out",
            Self::Failing => "the connection failed too often",
            Self::CatchAll => "the server answers everything with the same page",
            Self::Suspect => "the server gives every path a manifest",
            Self::Done => "everything was asked",
        }
    }
}

impl Plan {
    /// Plans a visit to `origin` after `policy` came back, with `requests` sent for robots.txt so far:
    /// zero when `policy` was kept from an earlier visit ([`Policy::resumed`]).
    pub fn new(origin: &Url, lease: &Lease, policy: &Policy, requests: u32) -> Self {
        let is_later = agenda::is_later(lease);
        let mut plan = Self {
            agenda: VecDeque::new(),
            asked: HashSet::new(),
            asked_kinds: HashSet::new(),
            current: None,
            canary: Canary::Ready(canary_path(lease)),
            requests,
            cap: if is_later && lease.known.is_empty() {
                SHORT_CAP
            } else {
                REQUEST_CAP
            },
            is_later,
            rotation: lease.rotation,
            resume_after: None,
            hits: Vec::new(),
            pages: Vec::new(),
            catch_all: None,
            look: None,
            absent: 0,
            gated: 0,
            server_errors: 0,
            failures: Vec::new(),
            end: None,
        };
        if policy.is_closed() {
            plan.end = Some(Ending::Closed(policy.outcome()));
            return plan;
        }
        match Pace::new(Duration::ZERO, policy.crawl_delay()) {
            Pace::InPlace(_) => {
                plan.agenda = agenda::agenda(origin, lease, policy);
                plan.rotation = lease.rotation.wrapping_add(u32::from(is_later));
            }
            Pace::OnePerLease(delay) => plan.plan_slowly(lease, policy, delay),
            Pace::RobotsOnly => plan.end = Some(Ending::Closed(Outcome::RobotsDisallow)),
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
            if !self.is_wanted(&item) || !is_allowed(&item.path) {
                continue;
            }
            if self.requests >= self.cap {
                return self.stop(Ending::Budget);
            }
            return self.ask(item);
        }
        let end = match self.resume_after {
            Some(_) => Ending::Slow,
            None => Ending::Done,
        };
        self.stop(end)
    }

    /// Takes what came of the last step.
    pub fn record(&mut self, reply: &Reply<'_>) {
        self.requests = self.requests.saturating_add(reply.requests);
        let Some(item) = self.current.take() else {
            return;
        };
        let redirect = reply.redirect.map(|target| {
            target
                .split(['?', '#'])
                .next()
                .unwrap_or_default()
                .to_owned()
        });
        match reply.end {
            End::Failed(outcome) => self.record_failure(outcome, redirect),
            End::Answered {
                status,
                media_type,
                body,
                format,
            } => {
                let is_manifest = status == 200
                    && format.is_some_and(|format| {
                        // `agents-txt` without a dialect is some other text at its place (DI-05).
                        !matches!(format.as_str(), "unrecognised" | "openapi" | "agents-txt")
                    });
                let is_unchanged = status == 304 && item.known.is_some();
                let signature = Signature::new(status, media_type, body);
                if item.source == Source::Canary {
                    self.record_canary(is_manifest, signature);
                } else if is_manifest {
                    self.record_hit(item.kind(), Some(signature));
                } else if is_unchanged {
                    self.record_hit(item.kind(), None);
                } else {
                    self.record_no_manifest(status, signature, redirect);
                }
            }
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
            Pace::OnePerLease(_) | Pace::RobotsOnly => {
                self.end = Some(Ending::Closed(Outcome::RobotsDisallow));
            }
        }
        for path in agenda::pointed_paths(origin, policy) {
            self.add_reference(&path);
        }
    }

    /// Counts a request that belongs to no step, such as the robots.txt of a redirect's target (P42).
    pub fn count_request(&mut self) {
        self.requests = self.requests.saturating_add(1);
    }

    /// Moves a path that a document of this host points at to the front.
    pub fn add_reference(&mut self, path_and_query: &str) {
        let is_path = path_and_query.starts_with('/') && path_and_query.len() <= 1024;
        if is_path && !self.asked.contains(path_and_query) && self.resume_after.is_none() {
            agenda::point(&mut self.agenda, path_and_query);
        }
    }

    /// What the host's first answer to a path that it does not have looks like (P12).
    pub fn look(&self) -> Option<u64> {
        self.look
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
        match self.end {
            Some(Ending::Closed(outcome)) => return outcome,
            Some(Ending::Suspect) => return Outcome::Soft404,
            _ if !self.hits.is_empty() => return Outcome::Found,
            Some(Ending::Throttled) => return Outcome::Throttled,
            Some(Ending::Blocked) => return Outcome::Blocked,
            Some(
                Ending::Slow | Ending::Budget | Ending::Failing | Ending::CatchAll | Ending::Done,
            )
            | None => {}
        }
        if self.catch_all.is_some_and(|status| status < 400) {
            return Outcome::Soft404;
        }
        if let Some(outcome) = self.worst_failure() {
            return outcome;
        }
        if self.server_errors > 0 && self.absent == 0 {
            return Outcome::Down;
        }
        match self.end {
            Some(Ending::Budget | Ending::Slow) => Outcome::Budget,
            _ => Outcome::Empty,
        }
    }

    /// One path a lease: none in the lease that fetched robots.txt, for the delay holds after it too.
    fn plan_slowly(&mut self, lease: &Lease, policy: &Policy, delay: Duration) {
        let Some((position, item)) = agenda::next_slow(lease, policy) else {
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
        if agenda::next_slow(&following, policy).is_none() {
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
        let is_needless = is_table && self.hits.iter().any(|hit| hit.kind == Some(kind));
        let is_alias_behind_catch_all =
            is_table && self.catch_all.is_some() && self.asked_kinds.contains(&kind);
        !(is_needless || is_alias_behind_catch_all || (is_spare && self.hits.is_empty()))
    }

    fn ask(&mut self, item: Item) -> Step {
        self.asked.insert(item.path.clone());
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

    fn record_failure(&mut self, outcome: Outcome, redirect: Option<String>) {
        self.failures.push(outcome);
        if outcome == Outcome::Throttled {
            self.end = Some(Ending::Throttled);
        } else if self.failures.iter().filter(|o| is_transport(**o)).count() >= FAILURE_CAP {
            self.end = Some(Ending::Failing);
        } else if redirect.is_some() {
            self.record_page(
                None,
                Page {
                    signature: None,
                    redirect,
                },
            );
        }
    }

    fn record_hit(&mut self, kind: Option<Kind>, signature: Option<Signature>) {
        let is_known_twin = |other: Kind| {
            let pair = [Some(other), kind];
            pair == [Some(Kind::AgentCard), Some(Kind::AgentJson)]
                || pair == [Some(Kind::AgentJson), Some(Kind::AgentCard)]
        };
        let is_strange = signature.is_some()
            && kind.is_some()
            && self.hits.iter().any(|hit| {
                hit.signature == signature
                    && hit
                        .kind
                        .is_some_and(|other| Some(other) != kind && !is_known_twin(other))
            });
        self.hits.push(Hit { kind, signature });
        if is_strange {
            self.canary.call();
        }
    }

    fn record_canary(&mut self, is_manifest: bool, signature: Signature) {
        if is_manifest && self.hits.iter().any(|hit| hit.signature == Some(signature)) {
            self.canary = Canary::Unmasked;
            self.end = Some(Ending::Suspect);
        }
    }

    fn record_no_manifest(&mut self, status: u16, signature: Signature, redirect: Option<String>) {
        self.look.get_or_insert(signature.hash());
        match status {
            404 | 410 => self.absent += 1,
            429 | 503 => self.end = Some(Ending::Throttled),
            401..=403 => {
                self.gated += 1;
                if self.gated >= 2 {
                    self.end = Some(Ending::Blocked);
                }
            }
            _ => {
                self.server_errors += u32::from(status >= 500);
                let signature = Some(signature);
                self.record_page(
                    Some(status),
                    Page {
                        signature,
                        redirect,
                    },
                );
            }
        }
    }

    /// Notes a page, and draws the conclusion when it was seen before.
    fn record_page(&mut self, status: Option<u16>, page: Page) {
        let is_same = |other: &Page| {
            (page.signature.is_some() && other.signature == page.signature)
                || (page.redirect.is_some() && other.redirect == page.redirect)
        };
        let is_seen = self.pages.iter().any(is_same);
        self.pages.push(page);
        if !is_seen || self.catch_all.is_some() {
            return;
        }
        // A redirect that is not followed counts as the client error that it amounts to.
        self.catch_all = Some(status.unwrap_or(400));
        if self.is_later {
            self.agenda.retain(|item| item.source == Source::Known);
            if self.agenda.is_empty() {
                self.end = Some(Ending::CatchAll);
            }
        } else {
            self.cap = self.cap.min(SHORT_CAP);
        }
    }

    fn worst_failure(&self) -> Option<Outcome> {
        const WORST_FIRST: [Outcome; 8] = [
            Outcome::BlockedAddress,
            Outcome::TooLarge,
            Outcome::TlsError,
            Outcome::ProtocolError,
            Outcome::Timeout,
            Outcome::DnsError,
            Outcome::Down,
            Outcome::RedirectRefused,
        ];
        WORST_FIRST
            .into_iter()
            .find(|outcome| self.failures.contains(outcome))
    }
}

impl Canary {
    fn call(&mut self) {
        if let Self::Ready(path) = self {
            *self = Self::Due(std::mem::take(path));
        }
    }

    fn take_due(&mut self) -> Option<String> {
        match self {
            Self::Due(path) => {
                let path = std::mem::take(path);
                *self = Self::Done;
                Some(path)
            }
            Self::Ready(_) | Self::Done | Self::Unmasked => None,
        }
    }
}

/// A path that nobody can have foreseen: the lease's token is new for every visit.
fn canary_path(lease: &Lease) -> String {
    let digest = Sha256::digest(format!("{} {}", lease.domain, lease.token));
    let mut number = [0; 8];
    number.copy_from_slice(&digest[..8]);
    format!("/.well-known/{:016x}.json", u64::from_be_bytes(number))
}

fn is_transport(outcome: Outcome) -> bool {
    matches!(
        outcome,
        Outcome::Down
            | Outcome::DnsError
            | Outcome::TlsError
            | Outcome::Timeout
            | Outcome::ProtocolError
    )
}

#[cfg(test)]
mod tests;
