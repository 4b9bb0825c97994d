//! The state of a host within one visit: its crawl delay, and the time of its next request.

use crate::crawl_delay::{HostGate, Pace, SMALLEST_GAP, patience};
use manifest::Timestamp;
use std::net::IpAddr;
use std::time::Duration;

/// A host that a visit sends requests to.
#[derive(Default)]
pub(super) struct Host {
    /// True if its address lies inside `--allow-address`: one of the operator's own test hosts.
    pub(super) is_own: bool,
    /// True after an answer of 421 or with a faulty head: HTTP/1.1 from now on (P13).
    pub(super) only_http1: bool,
    /// Its address, once looked up.
    pub(super) address: Option<IpAddr>,
    gate: HostGate,
    crawl_delay: Option<Duration>,
    /// The end of the last answer, and the time it took.
    last: Option<(Timestamp, Duration)>,
}

impl Host {
    /// Returns the wait before the next request.
    pub(super) fn wait(&self, now: Timestamp) -> Duration {
        self.gate.wait(now)
    }

    /// Records the end of an answer, or of a failure: the next request waits for the usual `delay`
    /// at least.
    pub(super) fn answered(
        &mut self,
        ended: Timestamp,
        took: Duration,
        delay: Duration,
        jitter: f64,
    ) {
        self.last = Some((ended, took));
        self.pace(delay, jitter);
    }

    /// Records the crawl delay of its robots.txt, which counts from the end of that answer.
    pub(super) fn slow_down(&mut self, crawl_delay: Duration, delay: Duration, jitter: f64) {
        self.crawl_delay = Some(crawl_delay);
        self.pace(delay, jitter);
    }

    /// Computes the time of the next request (P16, P17, P24).
    fn pace(&mut self, delay: Duration, jitter: f64) {
        let Some((ended, took)) = self.last else {
            return;
        };
        let is_hurried = self.is_own && delay < SMALLEST_GAP;
        let (delay, patience) = if is_hurried {
            (delay, Duration::ZERO)
        } else {
            (delay.max(SMALLEST_GAP), patience(took))
        };
        let gap = match Pace::new(delay, self.crawl_delay) {
            Pace::InPlace(gap) => gap,
            // No further request is sent under such a delay.
            Pace::OnePerLease(_) | Pace::RobotsOnly => delay,
        };
        self.gate.response_ended(ended, gap.max(patience), jitter);
    }
}
