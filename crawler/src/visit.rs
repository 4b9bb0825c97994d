//! One visit to one domain: robots.txt, then the paths of the plan, over one connection.
//!
//! Generic over [`Fetch`], so that tests visit a map of answers under a paused clock.
//! [`crate::plan`] chooses the paths, [`crate::robots`] permits them, and [`crate::schedule`]
//! computes the time of the next visit; this module sends the requests and records the results.

mod claim;
mod discovery;
mod findings;
mod host;
mod judge;
mod permit;
mod robots_cache;
mod session;
mod shared;
#[cfg(test)]
mod tests;

use crate::contained::contained;
use crate::crawl_delay::{LONGEST_WAIT, stored_delay};
use crate::fetch::{Fetch, FetchError, Limits, Request, edge};
use crate::observer::Observer;
use crate::plan::{End, Plan, Reply, Step, request_cap};
use crate::probes::Probe;
use crate::rate_limit::uplink::Reach;
use crate::rate_limit::{Ending, Fingerprint};
use crate::robots::Policy;
use crate::schedule::{self, VisitStage};
pub use claim::{ClaimToken, FileFinding, TokenFinding, look_in_dns, look_in_file};
pub(crate) use discovery::discoveries;
use findings::{Findings, broken};
use judge::{judge, linked};
use manifest::{Domain, Reading, Timestamp};
use rand::rngs::StdRng;
pub use robots_cache::RobotsCache;
use session::robots::is_sufficient;
use session::{Home, Session};
pub(crate) use shared::TakenTurn;
pub use shared::{Sender, Settings, SharedExclusions, SharedGate};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use store::{Lease, Outcome, RobotsState, Visit};
use url::Url;

/// The admission of a visit.
#[derive(Clone, Debug)]
pub enum Admission {
    /// Admitted by [`crate::rate_limit::Gate::enter`] at this address, with the fingerprint that sites
    /// there are expected to have.
    Open(IpAddr, Option<Fingerprint>),
    /// At this address, whose network another crawler has: each request waits for a turn.
    Guest(IpAddr),
    /// There is no address to connect to.
    Closed(FetchError),
}

/// A finished visit, with the reading of each of its documents.
#[derive(Debug)]
pub struct FinishedVisit {
    /// The record for the store.
    pub visit: Visit,
    /// One reading per document of the visit, in the same order.
    pub readings: Vec<Reading>,
    /// Its effect on the limits of its address.
    pub ending: Ending,
    /// Evidence on whether the network can be reached.
    pub reach: Reach,
    /// Reason why it ended early, if it did.
    pub interruption: Option<Interruption>,
    /// Time from its end until each of its hosts may receive the next request, except slow ones.
    pub pause: Duration,
    /// Hosts whose crawl delay is longer than a visit waits (P24), each with the time until its next
    /// request.
    pub slow_hosts: Vec<(Domain, Duration)>,
}

/// Reason why a visit ended early, which is no failure of the site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interruption {
    /// Its address or that of a redirect's target had no permit left or is in a pause: the visit is
    /// repeated after this time (P19, P35).
    Busy(Duration),
    /// The crawler is stopping: the next visit continues it.
    Stop,
}

/// Looks up the domain of `lease` and returns the address at which the visit needs a permit.
pub async fn look_up<F: Fetch>(fetch: &F, lease: &Lease) -> Result<IpAddr, FetchError> {
    let origin = origin(lease).ok_or(FetchError::Protocol("the name does not form a URL"))?;
    let request = Request::new(origin, lease.port, Limits::ROBOTS);
    let found = contained(fetch.resolve(&request)).await;
    found.unwrap_or_else(|fault| Err(broken(&request.url, &fault)))
}

/// Visits the domain of `lease`, from `started` on. The caller that admitted the visit also ends it
/// ([`crate::rate_limit::Gate::leave`]).
pub async fn visit<F: Fetch, O: Observer>(
    fetch: &F,
    observer: &O,
    settings: &Settings,
    lease: Lease,
    admission: Admission,
    started: Timestamp,
    random: &mut StdRng,
) -> FinishedVisit {
    let mut session = Session::new(fetch, observer, settings, &lease, started, random);
    let mut findings = Findings::default();
    let outcome = match (origin(&lease), admission) {
        (_, Admission::Closed(error)) => findings.failed(&error),
        (None, _) => Outcome::ProtocolError,
        (Some(origin), admission) => {
            let mut expected = None;
            if let Admission::Open(address, fingerprint) = admission {
                session.admit(&origin, address);
                expected = fingerprint;
            }
            let asked = ask(&mut session, &mut findings, &lease, &origin, expected);
            match contained(asked).await {
                Ok(outcome) => outcome,
                Err(fault) => {
                    session.settle(Outcome::ProtocolError.as_str(), &fault.to_string());
                    findings.broken(&origin, &fault)
                }
            }
        }
    };
    if outcome == Outcome::OptedOut {
        findings.documents.clear();
        findings.gone = known_urls(&lease);
    }
    let ended = session.now();
    let jitter = session.jitter();
    let requests_left = lease
        .requests_left
        .map(|_| request_cap(&lease).saturating_sub(session.requests));
    // A requested visit ends with its last request (P47).
    let is_over = requests_left == Some(0);
    findings.resume_after.take_if(|_| is_over);
    let result = findings.result(outcome, &lease, ended);
    let edge = findings.edge_of(outcome).cloned();
    let ending = findings.ending(outcome, session.requests, session.is_at_home());
    let stage = match session.requests {
        0 => VisitStage::Nothing,
        _ if findings.probes > 0 => VisitStage::Paths,
        _ => VisitStage::Robots,
    };
    let busy = findings
        .busy
        .filter(|_| outcome == Outcome::Throttled)
        .and_then(|pause| schedule::postponement(pause, stage, lease.fails, jitter));
    let interruption = match busy {
        _ if is_over => None,
        Some(pause) => Some(Interruption::Busy(pause)),
        None => session.is_stopped.then_some(Interruption::Stop),
    };
    let mut next = match interruption {
        Some(Interruption::Busy(pause)) => {
            schedule::repeated(&lease, ended.after(pause), session.requests > 0)
        }
        Some(Interruption::Stop) => {
            let delay = findings.robots.as_ref().and_then(stored_delay);
            let due = ended.after(session.pause().max(delay.unwrap_or_default()));
            schedule::continued(&result, &lease, ended, due, jitter)
        }
        None => schedule::next(&result, &lease, ended, jitter),
    };
    if interruption.is_some() || result.resume_after.is_some() {
        next.requests_left = requests_left;
    }
    let (pause, slow_hosts) = session.rest();
    let reach = match findings.reach {
        _ if session.is_exhausted => Reach::Unasked,
        Some(reach) if session.requests == 0 => reach,
        // A host that answered at all was reached.
        Some(_) | None => Reach::Reached,
    };
    let (requests, bytes, receipts) = (session.requests, session.bytes, session.receipts);
    let (documents, readings) = findings.documents.into_iter().unzip();
    FinishedVisit {
        visit: Visit {
            started,
            ended,
            outcome,
            detail: findings.detail,
            requests,
            bytes,
            receipts,
            edge,
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
        reach,
        interruption,
        pause,
        slow_hosts,
    }
}

fn origin(lease: &Lease) -> Option<Url> {
    let text = match lease.port {
        Some(port) => format!("https://{}:{port}/", lease.domain),
        None => format!("https://{}/", lease.domain),
    };
    Url::parse(&text).ok()
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
    let mut links = Vec::new();
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
            // The next visit tries https first, which is another origin: nothing of this answer is
            // kept for it.
            robots.state = RobotsState {
                etag: None,
                last_modified: None,
                validated_url: None,
                expires: session.now(),
                ..robots.state
            };
        }
        if let Some(error) = robots.error.as_ref().filter(|error| error.is_stop()) {
            findings.detail = Some(error.to_string());
            return error.outcome();
        }
        findings.retry_after = robots.policy.retry_after();
        findings.robots = Some(robots.state);
        if let Some(error) = robots.error {
            return findings.failed(&error);
        }
        links = robots.links;
        let outcome = robots.policy.outcome();
        findings.edge = robots.edge.map(|answer| (outcome, answer));
        if let Some(url) = robots.moved_to {
            session.move_to(&url, Arc::clone(&robots.policy));
        }
        robots.policy
    };
    if policy.is_closed() {
        findings.detail = Some(policy.why().to_owned());
        return policy.outcome();
    }
    if origin.scheme() == "http"
        && policy
            .crawl_delay()
            .is_some_and(|delay| delay > LONGEST_WAIT)
    {
        // With one path per lease, a visit would never get beyond https and robots.txt.
        findings.detail = Some("a crawl delay this long is supported over https only".to_owned());
        return Outcome::RobotsDisallow;
    }
    let had_something = lease.last_outcome == Some(Outcome::Found) || !lease.known.is_empty();
    let may_be_parked = !had_something && lease.requests_left.is_none();
    if let Some(expected) = expected.filter(|it| may_be_parked && it.robots == policy.hash()) {
        findings.is_parked = true;
        findings.look = Some(expected);
        findings.detail = Some(
            "one of many identical sites at its address; only robots.txt was requested".to_owned(),
        );
        return expected.outcome;
    }
    let mut plan = Plan::new(
        &origin,
        lease,
        &policy,
        session.requests,
        &session.settings.extra,
    );
    let robots = origin
        .join("/robots.txt")
        .unwrap_or_else(|_| origin.clone());
    for (target, document) in linked(&origin, None, lease, &robots, &links) {
        plan.point(&target, document);
    }
    probe_all(session, findings, lease, &origin, &policy, plan).await
}

/// Returns the policy of the last visit, if requesting it again would use up the one request that a
/// long crawl delay allows (P24, P31).
fn kept_policy(lease: &Lease, now: Timestamp) -> Option<(Arc<Policy>, RobotsState)> {
    let state = lease.robots.as_ref()?;
    let policy = Policy::resumed(state, now)?;
    Some((Arc::new(policy), state.clone()))
}

/// Returns the stored state of robots.txt, if it covers the paths that this visit will request
/// (P31).
fn conditional<'a>(lease: &'a Lease, extra: &[Probe]) -> Option<&'a RobotsState> {
    let robots = lease.robots.as_ref();
    robots.filter(|state| is_sufficient(state, lease, extra))
}

async fn probe_all<F: Fetch, O: Observer>(
    session: &mut Session<'_, F, O>,
    findings: &mut Findings,
    lease: &Lease,
    origin: &Url,
    policy: &Policy,
    mut plan: Plan,
) -> Outcome {
    let mut last_error = None;
    let mut home: Option<Home> = None;
    let before = session.requests;
    let allows = |home: Option<&Home>, path: &str| {
        policy.allows(path) && home.is_none_or(|home| home.policy.allows(path))
    };
    let why = loop {
        if home.is_none()
            && let Some(moved) = session.new_home().cloned()
        {
            plan.move_to(&moved.origin, &moved.policy);
            findings.retry_after = moved.policy.retry_after();
            home = Some(moved);
        }
        let step = match plan.next(|path| allows(home.as_ref(), path)) {
            Step::Probe(step) => step,
            Step::Stop(why) => break why,
        };
        let mut probed = session.probe(origin, &step).await;
        if matches!(&probed.end, Err(error) if error.is_stop()) {
            let why = plan.break_off(probed.sent);
            session.settle(Outcome::Budget.as_str(), why);
            break why;
        }
        if let Some(pause) = session.pause_of(&probed.end) {
            session.record_pause(pause).await;
            if session.is_redirected() {
                probed.end = Err(FetchError::TargetPaused(pause));
            }
        }
        let assessment = judge(session, findings, lease, origin, &step, &probed);
        plan.record(&Reply {
            requests: probed.sent,
            redirect: probed.redirect.as_ref().map(Url::as_str),
            end: match &probed.end {
                Ok(_) if assessment.is_withheld => End::Withheld,
                Ok((_, response)) => End::Answered {
                    status: response.status,
                    is_challenge: edge::is_challenge(&response.edge),
                    body: &response.body,
                    format: assessment.format,
                },
                Err(error) if error.is_misdirecting() => End::Astray(error.outcome()),
                Err(error) => End::Failed(error.outcome()),
            },
        });
        for (target, document) in assessment.named {
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
    // Hosts without a robots.txt would share a fingerprint with nothing in common, and a robots.txt
    // that points at manifests is not that of a parked site.
    let may_be_parked = policy.hash() != 0 && policy.hints().is_empty();
    let is_nothing = matches!(outcome, Outcome::Empty | Outcome::Soft404);
    findings.look = look.filter(|_| may_be_parked && is_nothing);
    match last_error {
        Some(error) if error.outcome() == outcome => findings.failed(&error),
        Some(_) | None => {
            let coverage = || plan.coverage(|path| allows(home.as_ref(), path));
            let detail = match outcome {
                Outcome::Found => None,
                // The answer itself is kept (P49).
                outcome if outcome.is_refusal_of_path() => None,
                Outcome::Empty => coverage().or_else(|| Some(why.to_owned())),
                _ => Some(why.to_owned()),
            };
            let details: Vec<_> = findings.withheld().into_iter().chain(detail).collect();
            findings.detail = (!details.is_empty()).then(|| details.join("; "));
            outcome
        }
    }
}
