//! The schedule of visits (P27 to P30, P35, P39 to P41): pure in `now` and jitter.

use crate::plan::Remainder;
use manifest::Timestamp;
use std::time::Duration;
use store::{LAPSED_INTERVAL, Lease, NextVisit, Outcome};

/// Maximum `Retry-After` that is obeyed, and minimum wait after one (P35).
const LONGEST_PAUSE: Duration = Duration::from_hours(24);
const SHORTEST_PAUSE: Duration = Duration::from_mins(1);

/// Wait before a missing document is requested again: at least a day, whatever the jitter (P40).
const SECOND_LOOK: Duration = Duration::from_hours(27);

/// Interval before a visit that requests only unanswered paths: within a day, whatever the jitter
/// (P36).
const REST_VISIT: Duration = Duration::from_hours(20);

/// Interval between visits that were postponed because of each other.
const SPREAD: Duration = Duration::from_secs(30);

/// Maximum number of consecutive postponements of a visit that sent requests to its site; after
/// that it counts as failed.
const MAX_POSTPONEMENTS: u32 = 3;

/// Minimum time between two such visits.
const ROBOTS_AGAIN: Duration = Duration::from_mins(2);

/// The same if paths were requested as well.
const PATHS_AGAIN: Duration = Duration::from_hours(1);

/// Requests that an interrupted visit had sent to its site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VisitStage {
    /// None.
    Nothing,
    /// robots.txt.
    Robots,
    /// Paths as well.
    Paths,
}

/// Results of a finished visit that determine the next one.
#[derive(Clone, Debug)]
pub struct VisitResult {
    /// Its outcome.
    pub outcome: Outcome,
    /// Its progress.
    pub contact: Contact,
    /// True if a document is new, changed or gone.
    pub changed: bool,
    /// `Retry-After` as a duration.
    pub retry_after: Option<Duration>,
    /// From [`crate::plan::Plan::resume_after`].
    pub resume_after: Option<Duration>,
    /// Status of the answer that decided an outcome which is a refusal (P49).
    pub refused_with: Option<u16>,
    /// Maximum `max-age` of the documents found (P40).
    pub max_age: Option<Duration>,
    /// From [`crate::plan::Plan::rotation`].
    pub rotation: u32,
    /// True for a member of a fleet, of which only robots.txt was requested (P12).
    pub is_parked: bool,
    /// Uncertainty about a document that was found before.
    pub doubt: Option<Doubt>,
    /// True if a path was answered with a server error, which counts as a failure of the host
    /// (P36).
    pub is_erring: bool,
    /// Work left to the next visit.
    pub remainder: Remainder,
}

/// Uncertainty about a document that was found before (P40).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Doubt {
    /// It is missing for less than a day; a later visit decides.
    Missing,
    /// The answer was inconclusive: an error, a refusal, an HTML page. It is requested again soon,
    /// and less often the longer that lasts.
    Inconclusive,
}

/// Progress of a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Contact {
    /// The name does not exist (NXDOMAIN).
    NoName,
    /// The name servers failed.
    NoAnswer,
    /// No connection: no address, refused, no route, or no answer.
    NoConnection,
    /// The host answered.
    Connected,
}

/// Computes the next visit to a domain, with `jitter` from 0 to 1 (P41).
///
/// A long crawl delay determines the time exactly; every other time is moved by up to a tenth
/// either way, but never before the time that the server asked for.
pub fn next(result: &VisitResult, lease: &Lease, now: Timestamp, jitter: f64) -> NextVisit {
    let result = &VisitResult {
        outcome: scheduled(result),
        ..result.clone()
    };
    // A site with manifests has not failed because of an error on another path.
    let is_erring = result.is_erring && result.outcome != Outcome::Found;
    let is_untold = result.doubt == Some(Doubt::Inconclusive);
    let fails = if is_erring || is_untold || result.outcome.is_failure() {
        if result.remainder.has_progress {
            1
        } else {
            raised(result, lease)
        }
    } else {
        0
    };
    let rest = rest(result, fails);
    if let Some(delay) = result.resume_after {
        let due = now.after(delay.max(rest));
        return NextVisit {
            due,
            not_before: due,
            fails,
            interval_ms: lease.interval_ms,
            rotation: result.rotation,
            unanswered: result.remainder.unanswered.clone(),
            requests_left: None,
            is_again: false,
        };
    }
    let interval = interval(result, lease, fails);
    let wait = match result.outcome {
        // Named documents are requested a few per day (P9).
        Outcome::Found if result.remainder.has_more => interval.min(days(1)),
        _ => interval,
    };
    let due = now.after(jittered(wait, jitter).max(rest));
    NextVisit {
        due,
        not_before: now.after(rest),
        fails,
        interval_ms: u64::try_from(interval.as_millis()).ok(),
        rotation: result.rotation,
        unanswered: result.remainder.unanswered.clone(),
        requests_left: None,
        is_again: false,
    }
}

/// Returns the next visit after one that ended early because the crawler stopped: for the paths that
/// are left (P36), at `due`, or within a day if a manifest was found. This is neither a failure nor
/// an interruption (P37).
pub fn continued(
    result: &VisitResult,
    lease: &Lease,
    now: Timestamp,
    due: Timestamp,
    jitter: f64,
) -> NextVisit {
    if result.outcome == Outcome::Found {
        let mut result = result.clone();
        result.remainder.has_more = true;
        return next(&result, lease, now, jitter);
    }
    let unanswered = &result.remainder.unanswered;
    NextVisit {
        due,
        not_before: due,
        fails: lease.fails,
        interval_ms: lease.interval_ms,
        rotation: result.rotation,
        unanswered: unanswered.clone(),
        requests_left: None,
        // Unless some paths of a site without manifests were answered, nothing new is known.
        is_again: !lease.known.is_empty() || *unanswered == lease.unanswered,
    }
}

/// Returns the same visit, to be repeated at `due`. If it has sent a request, it counts as a failure,
/// so that the repetitions become less frequent.
pub fn repeated(lease: &Lease, due: Timestamp, has_asked: bool) -> NextVisit {
    NextVisit {
        due,
        not_before: due,
        fails: lease.fails.saturating_add(u32::from(has_asked)),
        interval_ms: lease.interval_ms,
        rotation: lease.rotation,
        unanswered: lease.unanswered.clone(),
        requests_left: None,
        is_again: true,
    }
}

/// Returns the outcome with whose schedule the next visit is planned: refusals of paths are scheduled
/// like those of robots.txt, and a challenge by its status; with another status, it is a page for
/// every path (P49).
fn scheduled(result: &VisitResult) -> Outcome {
    match (result.outcome, result.refused_with) {
        (Outcome::RateLimited, _) | (Outcome::Challenged, Some(429 | 503)) => Outcome::Throttled,
        (Outcome::LoginRequired | Outcome::PaymentRequired | Outcome::Refused, _)
        | (Outcome::Challenged, Some(401..=403)) => Outcome::Blocked,
        (Outcome::Challenged, _) => Outcome::Soft404,
        (outcome, _) => outcome,
    }
}

/// Returns the number of failures after another one. Rechecks must not make a site's visits rare
/// (P47), but a host that asks for pauses gets them (P35).
fn raised(result: &VisitResult, lease: &Lease) -> u32 {
    if lease.requests_left.is_some() && result.outcome != Outcome::Throttled {
        lease.fails.max(1)
    } else {
        lease.fails.saturating_add(1)
    }
}

/// Returns the postponement of a visit that was interrupted because an address was busy or asked
/// for a `pause`; `None` after so many consecutive `fails` that it counts as failed.
///
/// A visit that sent no request may be tried again soon. The postponement of other visits doubles
/// with each repetition and has up to 50 % jitter, so that many visits to one place do not return
/// together (P37, P41).
pub fn postponement(
    pause: Duration,
    stage: VisitStage,
    fails: u32,
    jitter: f64,
) -> Option<Duration> {
    let first = match stage {
        VisitStage::Nothing => return Some(pause + SPREAD.mul_f64(jitter.clamp(0.0, 1.0))),
        VisitStage::Robots => ROBOTS_AGAIN,
        VisitStage::Paths => PATHS_AGAIN,
    };
    let doubled = first * (1 << fails.min(MAX_POSTPONEMENTS));
    let wait = pause.min(LONGEST_PAUSE).max(doubled);
    (fails < MAX_POSTPONEMENTS).then(|| wait + wait.mul_f64(jitter.clamp(0.0, 1.0) / 2.0))
}

/// Returns the interval after a visit, before jitter.
fn interval(result: &VisitResult, lease: &Lease, fails: u32) -> Duration {
    if result.is_parked {
        return days(90);
    }
    match result.doubt.filter(|_| !result.outcome.is_failure()) {
        Some(Doubt::Missing) => return SECOND_LOOK,
        Some(Doubt::Inconclusive) => return SECOND_LOOK.max(ladder(fails)),
        None => {}
    }
    match result.outcome {
        Outcome::Found => after_find(result, lease),
        Outcome::Budget if !result.remainder.unanswered.is_empty() => REST_VISIT,
        Outcome::Empty | Outcome::Budget => after_nothing(lease),
        Outcome::Soft404 | Outcome::Challenged => days(60),
        Outcome::Blocked if fails <= 1 => days(7),
        Outcome::Blocked
        | Outcome::LoginRequired
        | Outcome::PaymentRequired
        | Outcome::Refused
        | Outcome::RobotsDisallow
        | Outcome::OptedOut
        | Outcome::RedirectRefused
        | Outcome::BlockedAddress => days(30),
        Outcome::Throttled if fails <= 1 => result.retry_after.map_or(ladder(fails), bounded_pause),
        Outcome::Throttled
        | Outcome::RateLimited
        | Outcome::Down
        | Outcome::DnsError
        | Outcome::TlsError
        | Outcome::Timeout
        | Outcome::TooLarge
        | Outcome::ProtocolError => match result.contact {
            Contact::NoName => match fails {
                0 | 1 => days(7),
                2 => days(30),
                3 => days(90),
                _ => LAPSED_INTERVAL,
            },
            Contact::Connected if !result.remainder.unanswered.is_empty() => match fails {
                0 | 1 => REST_VISIT,
                _ => doubled_days(fails),
            },
            Contact::NoConnection => doubled_days(fails),
            Contact::NoAnswer | Contact::Connected => ladder(fails),
        },
    }
}

/// Returns the interval for a site with manifests: the more often they change, the shorter (P40).
fn after_find(result: &VisitResult, lease: &Lease) -> Duration {
    let start = match (lease.last_outcome, lease.interval_ms) {
        (Some(Outcome::Found), Some(milliseconds)) => Duration::from_millis(milliseconds),
        _ => return days(7),
    };
    let factor = match (result.changed, lease.requests_left) {
        (true, _) => 0.8,
        // So many rechecks would make the scheduled visits rare (P47).
        (false, Some(_)) => 1.0,
        (false, None) => 1.4,
    };
    let interval = start.min(days(365)).mul_f64(factor);
    let wish = result.max_age.unwrap_or_default();
    interval.max(wish).clamp(days(1), days(30))
}

/// Returns the growing interval for a site without manifests (P39).
fn after_nothing(lease: &Lease) -> Duration {
    match (lease.last_outcome, lease.interval_ms) {
        (Some(Outcome::Empty | Outcome::Budget), Some(milliseconds)) => {
            let interval = Duration::from_millis(milliseconds).min(days(365));
            let factor = if lease.requests_left.is_some() {
                1.0
            } else {
                1.5
            };
            interval.mul_f64(factor).clamp(days(30), days(90))
        }
        _ => days(30),
    }
}

/// Returns the time for which the host must not be contacted, whatever else makes it due (P35).
fn rest(result: &VisitResult, fails: u32) -> Duration {
    match (result.retry_after, result.outcome) {
        (None, Outcome::Throttled) | (Some(_), _) => pause(result.retry_after, fails),
        (None, _) => Duration::ZERO,
    }
}

/// Returns the block of a host and its address after 429 or 503: its `Retry-After`, or an
/// exponential back-off by the number of consecutive `fails`, including this one (P35).
pub fn pause(retry_after: Option<Duration>, fails: u32) -> Duration {
    retry_after.map_or_else(
        || {
            let doublings = fails.saturating_sub(1).min(20);
            (SHORTEST_PAUSE * (1 << doublings)).min(LONGEST_PAUSE)
        },
        bounded_pause,
    )
}

fn bounded_pause(retry_after: Duration) -> Duration {
    retry_after.clamp(SHORTEST_PAUSE, LONGEST_PAUSE)
}

/// Returns the wait after an unreachable robots.txt (P29): hours at first, then days, weeks and
/// months.
fn ladder(fails: u32) -> Duration {
    match fails {
        0 | 1 => Duration::from_hours(1),
        2 => Duration::from_hours(6),
        3..=9 => days(1),
        10..=13 => days(7),
        _ => days(30),
    }
}

fn jittered(interval: Duration, jitter: f64) -> Duration {
    let share = if jitter.is_finite() {
        jitter.clamp(0.0, 1.0)
    } else {
        0.5
    };
    interval.mul_f64(0.9 + 0.2 * share)
}

/// Returns a day, doubled with each failure after the first, 30 days at most (P30).
fn doubled_days(fails: u32) -> Duration {
    days(1 << fails.saturating_sub(1).min(5)).min(days(30))
}

fn days(count: u64) -> Duration {
    Duration::from_hours(24 * count)
}

#[cfg(test)]
mod tests;
