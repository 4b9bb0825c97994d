//! One visit to one domain: robots.txt, then the paths of the plan, over one connection.
//!
//! Generic over [`Fetch`], so that tests visit a map of answers under a paused clock.
//! What to ask is decided by [`crate::plan`], what may be asked by [`crate::robots`], when to come
//! back by [`crate::schedule`]; this module carries it out and writes down what happened.

mod elsewhere;
mod findings;
mod host;
mod judge;
mod led;
mod place;
mod session;
mod shared;
#[cfg(test)]
mod tests;

use crate::contained::contained;
use crate::fetch::{Fetch, FetchError, Limits, Request};
use crate::pace::uplink::Reach;
use crate::pace::{Ending, Fingerprint};
use crate::plan::{End, Plan, Reply, Step};
use crate::politeness::PATIENCE;
use crate::probes::{self, Probe};
use crate::robots::Policy;
use crate::schedule::{self, Asked};
pub(crate) use elsewhere::elsewhere;
use findings::Findings;
use judge::judge;
pub use led::LedTo;
use manifest::fault::Fault;
use manifest::{Domain, Reading, Timestamp};
use rand::rngs::StdRng;
use session::{Home, Session};
pub use shared::{SharedExclusions, SharedGate};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use store::{KnownDocument, Lease, NextVisit, Outcome, Receipt, RobotsState, Visit};
use url::{Position, Url};

/// What does not change from visit to visit.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What robots.txt files call us.
    pub token: String,
    /// Between two requests to one host.
    pub delay: Duration,
    /// Paths that are asked besides those of the table.
    pub extra: Vec<Probe>,
    /// Whether http is tried where nobody answers https (P14).
    pub http_fallback: bool,
    /// The pace of the addresses that hosts share.
    pub gate: SharedGate,
    /// Who is left alone, whoever leads there.
    pub exclusions: SharedExclusions,
    /// The robots.txt files that others lead to.
    pub led_to: LedTo,
}

/// How a visit begins.
#[derive(Clone, Debug)]
pub enum Entrance {
    /// [`crate::pace::Gate::enter`] let it in at this address, where a site is expected to look like this.
    Open(IpAddr, Option<Fingerprint>),
    /// There is no address to go to.
    Closed(FetchError),
}

/// Hears of a visit while it goes on.
pub trait Observer: Sync {
    /// The host asks for this pause between requests.
    fn crawl_delay(&self, delay: Duration) -> impl Future<Output = ()> + Send {
        let _ = delay;
        std::future::ready(())
    }

    /// The host is owed a pause that is longer than usual, because it answers slowly (P17).
    fn owed(&self, pause: Duration) -> impl Future<Output = ()> + Send {
        let _ = pause;
        std::future::ready(())
    }

    /// What is kept of the robots.txt of a domain that a redirect leads to (P31).
    fn kept_robots(&self, domain: &Domain) -> impl Future<Output = Option<RobotsState>> + Send {
        let _ = domain;
        std::future::ready(None)
    }

    /// A host asks to be left alone (P35).
    fn throttled(&self, plea: Plea) -> impl Future<Output = ()> + Send {
        let _ = plea;
        std::future::ready(())
    }

    /// A request was made and judged.
    fn receipt(&self, receipt: &Receipt) {
        let _ = receipt;
    }
}

/// Hears nothing.
impl Observer for () {}

/// A host's wish to be left alone, and what it means for others (P35).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plea {
    /// The host that made it.
    pub host: Domain,
    /// For how long.
    pub pause: Duration,
    /// Its address, when that pauses as well, and for how long.
    pub address: Option<(IpAddr, Duration)>,
}

/// A finished visit, with the reading of each of its documents.
#[derive(Debug)]
pub struct Visited {
    /// For the store.
    pub visit: Visit,
    /// One per document of the visit, in the same order.
    pub readings: Vec<Reading>,
    /// What it means for its address.
    pub ending: Ending,
    /// Whether anybody answered.
    pub reach: Reach,
    /// Its address, or one that it led to, had no room or wants to be left alone: nobody's fault, so that
    /// the visit is to be made again so much later (P19, P35).
    pub put_off: Option<Duration>,
}

/// Looks the domain of `lease` up: the address at which a visit may ask for entry.
pub async fn look_up<F: Fetch>(fetch: &F, lease: &Lease) -> Result<IpAddr, FetchError> {
    let origin = origin(lease).ok_or(FetchError::Protocol("a name that makes no URL"))?;
    let request = Request::new(origin, lease.port, Limits::ROBOTS);
    let found = contained(fetch.resolve(&request)).await;
    found.unwrap_or_else(|fault| Err(broken(&request.url, &fault)))
}

/// Returns the failure of a request that met a fault of ours: it has an end, a receipt and a next time like any other.
fn broken(url: &Url, fault: &Fault) -> FetchError {
    tracing::error!(%url, "asking broke off: {fault}");
    FetchError::Protocol("a fault of ours")
}

/// Visits the domain of `lease`, from `started` on. Whoever let it in also ends it
/// ([`crate::pace::Gate::leave`]).
pub async fn visit<F: Fetch, O: Observer>(
    fetch: &F,
    observer: &O,
    settings: &Settings,
    lease: Lease,
    entrance: Entrance,
    started: Timestamp,
    random: &mut StdRng,
) -> Visited {
    let mut session = Session::new(fetch, observer, settings, &lease, started, random);
    let mut findings = Findings::default();
    let outcome = match (origin(&lease), entrance) {
        (Some(origin), Entrance::Open(address, expected)) => {
            session.admit(&origin, address);
            let asked = ask(&mut session, &mut findings, &lease, &origin, expected);
            match contained(asked).await {
                Ok(outcome) => outcome,
                Err(fault) => {
                    session.settle(Outcome::ProtocolError.as_str(), &fault.to_string());
                    findings.broken(&origin, &fault)
                }
            }
        }
        (_, Entrance::Closed(error)) => findings.failed(&error),
        (None, Entrance::Open(..)) => Outcome::ProtocolError,
    };
    if outcome == Outcome::OptedOut {
        findings.documents.clear();
        findings.gone = known_urls(&lease);
    }
    let ended = session.now();
    let jitter = session.jitter();
    let finished = findings.finished(outcome, &lease);
    let ending = findings.ending(outcome, session.requests, session.is_at_home());
    let busy = findings.busy.filter(|_| outcome == Outcome::Throttled);
    let asked = match session.requests {
        0 => Asked::Nothing,
        _ if findings.probes > 0 => Asked::Paths,
        _ => Asked::Robots,
    };
    let put_off = busy.and_then(|pause| schedule::put_off(pause, asked, lease.fails, jitter));
    let next = match put_off {
        Some(pause) => again(&lease, ended.after(pause), session.requests > 0),
        None => schedule::next(&finished, &lease, ended, jitter),
    };
    let is_exhausted = session.is_exhausted;
    let (requests, bytes, receipts) = (session.requests, session.bytes, session.receipts);
    let (documents, readings) = findings.documents.into_iter().unzip();
    Visited {
        visit: Visit {
            started,
            ended,
            outcome,
            detail: findings.detail,
            requests,
            bytes,
            receipts,
            documents,
            gone: findings.gone,
            missing: findings.missing,
            unchanged: findings.unchanged,
            named: findings.named,
            asked: findings.asked,
            robots: findings.robots,
            next,
            lease,
        },
        readings,
        ending,
        reach: match findings.reach {
            _ if is_exhausted => Reach::Unasked,
            Some(reach) if requests == 0 => reach,
            // Who answered anything was there.
            Some(_) | None => Reach::Reached,
        },
        put_off,
    }
}

fn origin(lease: &Lease) -> Option<Url> {
    let text = match lease.port {
        Some(port) => format!("https://{}:{port}/", lease.domain),
        None => format!("https://{}/", lease.domain),
    };
    Url::parse(&text).ok()
}

/// The same visit again, at that time; what cost the site a request counts, so that it grows rare.
fn again(lease: &Lease, due: Timestamp, has_asked: bool) -> NextVisit {
    NextVisit {
        due,
        not_before: due,
        fails: lease.fails.saturating_add(u32::from(has_asked)),
        interval_ms: lease.interval_ms,
        rotation: lease.rotation,
        unanswered: lease.unanswered.clone(),
        is_again: true,
    }
}

fn known_urls(lease: &Lease) -> Vec<String> {
    let known = lease.known.iter();
    known.map(|document| document.requested.clone()).collect()
}

async fn ask<F: Fetch, O: Observer>(
    session: &mut Session<'_, F, O>,
    findings: &mut Findings,
    lease: &Lease,
    origin: &Url,
    expected: Option<Fingerprint>,
) -> Outcome {
    let mut origin = origin.clone();
    let policy = if let Some((policy, state)) = kept_policy(lease, session.now()) {
        findings.robots = Some(state);
        session.adopt(&origin, Arc::clone(&policy)).await;
        policy
    } else {
        let kept = conditional(lease, &session.settings.extra);
        let mut robots = session.robots(&origin, kept).await;
        if let Some(plain) = session.plain_origin(&origin, robots.error.as_ref()) {
            origin = plain;
            robots = session.robots(&origin, None).await;
            // Https is asked first again next time, and is another origin: nothing of this is kept for it.
            robots.state = RobotsState {
                etag: None,
                last_modified: None,
                expires: session.now(),
                ..robots.state
            };
        }
        findings.retry_after = robots.policy.retry_after();
        findings.robots = Some(robots.state);
        if let Some(error) = robots.error {
            return findings.failed(&error);
        }
        if let Some(url) = robots.moved_to {
            session.move_to(&url, Arc::clone(&robots.policy));
        }
        robots.policy
    };
    if policy.is_closed() {
        findings.detail = Some(policy.why().to_owned());
        return policy.outcome();
    }
    if origin.scheme() == "http" && policy.crawl_delay().is_some_and(|delay| delay > PATIENCE) {
        // One path a lease would never come further than https and robots.txt.
        findings.detail = Some("a crawl delay this long is kept over https alone".to_owned());
        return Outcome::RobotsDisallow;
    }
    let had_something = lease.last_outcome == Some(Outcome::Found) || !lease.known.is_empty();
    if let Some(expected) = expected.filter(|it| !had_something && it.robots == policy.hash()) {
        findings.is_parked = true;
        findings.look = Some(expected);
        findings.detail =
            Some("one of many alike at its address; only robots.txt asked".to_owned());
        return expected.outcome;
    }
    probe_all(session, findings, lease, &origin, &policy).await
}

/// The policy of the last visit, when asking again would cost the one request that a long crawl
/// delay leaves us (P24, P31).
fn kept_policy(lease: &Lease, now: Timestamp) -> Option<(Arc<Policy>, RobotsState)> {
    let state = lease.robots.as_ref()?;
    let policy = Policy::resumed(state, now)?;
    Some((Arc::new(policy), state.clone()))
}

/// What was kept of robots.txt, when it says enough of the paths that this visit will ask for (P31).
fn conditional<'a>(lease: &'a Lease, extra: &[Probe]) -> Option<&'a RobotsState> {
    let robots = lease.robots.as_ref();
    robots.filter(|state| says_enough(state, lease, extra))
}

/// True when what was kept of a robots.txt says enough of the paths that a visit will ask for.
fn says_enough(state: &RobotsState, lease: &Lease, extra: &[Probe]) -> bool {
    let in_table = |known: &KnownDocument| {
        Url::parse(&known.requested).is_ok_and(|url| probes::has(&url[Position::BeforePath..]))
    };
    let is_all = extra.is_empty() && state.hints.is_empty() && lease.named.is_empty();
    state.is_open || (is_all && lease.known.iter().all(in_table))
}

async fn probe_all<F: Fetch, O: Observer>(
    session: &mut Session<'_, F, O>,
    findings: &mut Findings,
    lease: &Lease,
    origin: &Url,
    policy: &Policy,
) -> Outcome {
    let extra = &session.settings.extra;
    let mut plan = Plan::new(origin, lease, policy, session.requests, extra);
    let mut last_error = None;
    let mut home: Option<Home> = None;
    let before = session.requests;
    let why = loop {
        if home.is_none()
            && let Some(moved) = session.new_home().cloned()
        {
            plan.move_to(&moved.origin, &moved.policy);
            findings.retry_after = moved.policy.retry_after();
            home = Some(moved);
        }
        let is_allowed = |path: &str| {
            let there = home.as_ref().map(|home| &home.policy);
            policy.allows(path) && there.is_none_or(|policy| policy.allows(path))
        };
        let step = match plan.next(is_allowed) {
            Step::Probe(step) => step,
            Step::Stop(why) => break why,
        };
        let mut probed = session.probe(origin, &step).await;
        if let Some(pause) = session.plea(&probed.end) {
            session.leave_alone(pause).await;
            if session.is_led() {
                probed.end = Err(FetchError::LeftAlone(pause));
            }
        }
        let judged = judge(session, findings, lease, origin, &step, &probed);
        plan.record(&Reply {
            requests: probed.sent,
            redirect: probed.redirect.as_ref().map(Url::as_str),
            end: match &probed.end {
                Ok((_, response)) => End::Answered {
                    status: response.status,
                    body: &response.body,
                    format: judged.format,
                },
                Err(error) if error.leads_astray() => End::Astray(error.outcome()),
                Err(error) => End::Failed(error.outcome()),
            },
        });
        for (target, document) in judged.named {
            plan.point(&target, document);
        }
        if let Err(error) = probed.end {
            last_error = Some(error);
        }
    };
    findings.probes = session.requests - before;
    let outcome = plan.outcome();
    if plan.is_suspect() || outcome == Outcome::Soft404 {
        findings.documents.clear();
    }
    if !plan.is_throttled() {
        findings.retry_after = None;
    }
    findings.resume_after = plan.resume_after();
    findings.rotation = Some(plan.rotation());
    findings.named = plan.named();
    findings.asked = plan.asked().to_vec();
    findings.remainder = Some(plan.remainder());
    let look = plan.look().map(|answer| Fingerprint {
        robots: policy.hash(),
        outcome,
        answer,
    });
    // Without a robots.txt hosts are alike that have nothing in common, and one that points at manifests has some.
    let may_be_parked = policy.hash() != 0 && policy.hints().is_empty();
    let is_nothing = matches!(outcome, Outcome::Empty | Outcome::Soft404);
    findings.look = look.filter(|_| may_be_parked && is_nothing);
    match last_error {
        Some(error) if error.outcome() == outcome => findings.failed(&error),
        Some(_) | None => {
            findings.detail = (outcome != Outcome::Found).then(|| why.to_owned());
            outcome
        }
    }
}
