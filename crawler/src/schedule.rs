//! When to come back (P27 to P30, P35, P39 to P41): pure in `now` and chance.

use crate::plan::Remainder;
use manifest::Timestamp;
use std::time::Duration;
use store::{Lease, NextVisit, Outcome};

/// The longest `Retry-After` that is believed, and the shortest wait after one (P35).
const LONGEST_PLEA: Duration = Duration::from_hours(24);
const SHORTEST_PLEA: Duration = Duration::from_mins(1);

/// When a document that is missing is looked for again: a day at least, whatever chance makes of it (P40).
const SECOND_LOOK: Duration = Duration::from_hours(27);

/// The interval before a visit that asks only for what got no answer: within a day, whatever chance makes of it (P36).
const REST_VISIT: Duration = Duration::from_hours(20);

/// Visits that had to make room for each other come back so far apart.
const SPREAD: Duration = Duration::from_secs(30);

/// How often a visit that cost its site a request is put off in a row; then it has failed like any other.
const MOST_PUT_OFFS: u32 = 3;

/// The shortest time from one such visit to the next.
const ROBOTS_AGAIN: Duration = Duration::from_mins(2);

/// The same where paths were asked as well.
const PATHS_AGAIN: Duration = Duration::from_hours(1);

/// What a visit had asked of its site when it was broken off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Nothing.
    Nothing,
    /// Its robots.txt.
    Robots,
    /// Paths as well.
    Paths,
}

/// What a finished visit means for the next one.
#[derive(Clone, Debug)]
pub struct Finished {
    /// How it ended.
    pub outcome: Outcome,
    /// How far it came.
    pub contact: Contact,
    /// Whether a document is new, changed or gone.
    pub changed: bool,
    /// `Retry-After`, as the time to wait.
    pub retry_after: Option<Duration>,
    /// From [`crate::plan::Plan::resume_after`].
    pub resume_after: Option<Duration>,
    /// The longest `max-age` among the documents found (P40).
    pub max_age: Option<Duration>,
    /// From [`crate::plan::Plan::rotation`].
    pub rotation: u32,
    /// One of many alike at its address, of which robots.txt alone was asked (P12).
    pub is_parked: bool,
    /// What is not known of a document that was there before.
    pub doubt: Option<Doubt>,
    /// A path was answered with a server error, which counts as a failure of the host (P36).
    pub is_erring: bool,
    /// The work that it leaves to the next visit.
    pub remainder: Remainder,
}

/// What a visit leaves open of a document that was there before (P40).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Doubt {
    /// It was missing for the first time, so that a second look is to tell.
    Missing,
    /// The answer does not tell whether it is still there: an error, a refusal, a page for people. It is looked for
    /// again soon, and less often the longer that lasts.
    Untold,
}

/// How far a visit came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Contact {
    /// The name does not exist (NXDOMAIN).
    NoName,
    /// The name servers fail, so that nobody knows.
    NoAnswer,
    /// No connection: no address, refused, no route, or nobody answers.
    NoConnection,
    /// Somebody was there.
    Connected,
}

/// Decides when to come back to a domain, with `jitter` from 0 to 1 (P41).
///
/// A long crawl delay sets the time exactly; everything else is moved by up to a tenth either way, though
/// never before what the server asked for.
pub fn next(finished: &Finished, lease: &Lease, now: Timestamp, jitter: f64) -> NextVisit {
    // A site that publishes what we came for has not failed for an error elsewhere.
    let is_erring = finished.is_erring && finished.outcome != Outcome::Found;
    let is_untold = finished.doubt == Some(Doubt::Untold);
    let fails = if is_erring || is_untold || is_failure(finished.outcome) {
        if finished.remainder.has_progress {
            1
        } else {
            lease.fails.saturating_add(1)
        }
    } else {
        0
    };
    let rest = rest(finished, fails);
    if let Some(delay) = finished.resume_after {
        let due = now.after(delay.max(rest));
        return NextVisit {
            due,
            not_before: due,
            fails,
            interval_ms: lease.interval_ms,
            rotation: finished.rotation,
            unanswered: finished.remainder.unanswered.clone(),
            is_again: false,
        };
    }
    let interval = interval(finished, lease, fails);
    let wait = match finished.outcome {
        // What the domain names is asked for a few a day (P9).
        Outcome::Found if finished.remainder.has_more => interval.min(days(1)),
        _ => interval,
    };
    let due = now.after(jittered(wait, jitter).max(rest));
    NextVisit {
        due,
        not_before: now.after(rest),
        fails,
        interval_ms: u64::try_from(interval.as_millis()).ok(),
        rotation: finished.rotation,
        unanswered: finished.remainder.unanswered.clone(),
        is_again: false,
    }
}

/// How long a visit is put off that broke off because an address has no room, or wants to be left alone, for
/// `pause`; `None` when it has failed so often, with `fails` in a row, that it counts as any failure.
///
/// What costs the site nothing may be tried again soon. What costs it requests is tried twice as late with each
/// repetition, and up to half as much later, so that many that lead to one place do not come back together (P37,
/// P41).
pub fn put_off(pause: Duration, asked: Asked, fails: u32, jitter: f64) -> Option<Duration> {
    let first = match asked {
        Asked::Nothing => return Some(pause + SPREAD.mul_f64(jitter.clamp(0.0, 1.0))),
        Asked::Robots => ROBOTS_AGAIN,
        Asked::Paths => PATHS_AGAIN,
    };
    let doubled = first * (1 << fails.min(MOST_PUT_OFFS));
    let wait = pause.min(LONGEST_PLEA).max(doubled);
    (fails < MOST_PUT_OFFS).then(|| wait + wait.mul_f64(jitter.clamp(0.0, 1.0) / 2.0))
}

/// The interval after a visit, before chance moves it.
fn interval(finished: &Finished, lease: &Lease, fails: u32) -> Duration {
    if finished.is_parked {
        return days(90);
    }
    match finished.doubt.filter(|_| !is_failure(finished.outcome)) {
        Some(Doubt::Missing) => return SECOND_LOOK,
        Some(Doubt::Untold) => return SECOND_LOOK.max(ladder(fails)),
        None => {}
    }
    match finished.outcome {
        Outcome::Found => after_find(finished, lease),
        Outcome::Budget if !finished.remainder.unanswered.is_empty() => REST_VISIT,
        Outcome::Empty | Outcome::Budget => after_nothing(lease),
        Outcome::Soft404 => days(60),
        Outcome::Blocked if fails <= 1 => days(7),
        Outcome::Blocked
        | Outcome::RobotsDisallow
        | Outcome::OptedOut
        | Outcome::RedirectRefused
        | Outcome::BlockedAddress => days(30),
        Outcome::Throttled if fails <= 1 => finished.retry_after.map_or(ladder(fails), plea),
        Outcome::Throttled
        | Outcome::Down
        | Outcome::DnsError
        | Outcome::TlsError
        | Outcome::Timeout
        | Outcome::TooLarge
        | Outcome::ProtocolError => match finished.contact {
            Contact::NoName => match fails {
                0 | 1 => days(7),
                2 => days(30),
                3 => days(90),
                _ => days(180),
            },
            Contact::Connected if !finished.remainder.unanswered.is_empty() => match fails {
                0 | 1 => REST_VISIT,
                _ => doubled_days(fails),
            },
            Contact::NoConnection => doubled_days(fails),
            Contact::NoAnswer | Contact::Connected => ladder(fails),
        },
    }
}

/// Manifests are looked at more often the more often they change (P40).
fn after_find(finished: &Finished, lease: &Lease) -> Duration {
    let start = match (lease.last_outcome, lease.interval_ms) {
        (Some(Outcome::Found), Some(milliseconds)) => Duration::from_millis(milliseconds),
        _ => return days(7),
    };
    let factor = if finished.changed { 0.8 } else { 1.4 };
    let interval = start.min(days(365)).mul_f64(factor);
    let wish = finished.max_age.unwrap_or_default();
    interval.max(wish).clamp(days(1), days(30))
}

/// Where nothing is, visits become rarer (P39).
fn after_nothing(lease: &Lease) -> Duration {
    match (lease.last_outcome, lease.interval_ms) {
        (Some(Outcome::Empty | Outcome::Budget), Some(milliseconds)) => {
            let interval = Duration::from_millis(milliseconds).min(days(365));
            interval.mul_f64(1.5).clamp(days(30), days(90))
        }
        _ => days(30),
    }
}

/// How long the host must be left alone whatever else makes it due (P35).
fn rest(finished: &Finished, fails: u32) -> Duration {
    match (finished.retry_after, finished.outcome) {
        (None, Outcome::Throttled) | (Some(_), _) => pause(finished.retry_after, fails),
        (None, _) => Duration::ZERO,
    }
}

/// How long a host that answered 429 or 503 is left alone, with its address: as it said, or longer
/// with each of its `fails`, this one included (P35).
pub fn pause(retry_after: Option<Duration>, fails: u32) -> Duration {
    retry_after.map_or_else(
        || {
            let doublings = fails.saturating_sub(1).min(20);
            (SHORTEST_PLEA * (1 << doublings)).min(LONGEST_PLEA)
        },
        plea,
    )
}

fn plea(retry_after: Duration) -> Duration {
    retry_after.clamp(SHORTEST_PLEA, LONGEST_PLEA)
}

/// The waits after a host that answers badly (P29): the first hours, then days, weeks and months.
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

fn is_failure(outcome: Outcome) -> bool {
    match outcome {
        Outcome::Found
        | Outcome::Empty
        | Outcome::Soft404
        | Outcome::RobotsDisallow
        | Outcome::OptedOut
        | Outcome::Budget => false,
        Outcome::Blocked
        | Outcome::Throttled
        | Outcome::Down
        | Outcome::DnsError
        | Outcome::TlsError
        | Outcome::Timeout
        | Outcome::TooLarge
        | Outcome::ProtocolError
        | Outcome::BlockedAddress
        | Outcome::RedirectRefused => true,
    }
}

/// Returns a day, doubled with each failure after the first, and 30 at most (P30).
fn doubled_days(fails: u32) -> Duration {
    days(1 << fails.saturating_sub(1).min(5)).min(days(30))
}

fn days(count: u64) -> Duration {
    Duration::from_hours(24 * count)
}

#[cfg(test)]
mod tests;
