//! What one visit knows of a host: how long it must be left alone, and how it wants to be asked.

use crate::politeness::{HostGate, Pace};
use manifest::Timestamp;
use std::net::IpAddr;
use std::time::Duration;

/// The gap that nobody may undercut but the owner of the host (P16).
pub(super) const SMALLEST_GAP: Duration = Duration::from_secs(1);
/// A slow host is given this many times its last response time (P17).
const LATENCY_FACTOR: u32 = 5;
/// The longest wait for the sake of a slow host (P17).
const LONGEST_LATENCY_GAP: Duration = Duration::from_secs(30);

/// A host that a visit asks.
#[derive(Default)]
pub(super) struct Host {
    /// Its address is inside `--allow-address`: our own test host.
    pub(super) is_own: bool,
    /// It took a request for somebody else's: HTTP/1.1 from now on (P13).
    pub(super) only_http1: bool,
    /// Where it is, once it was looked up.
    pub(super) address: Option<IpAddr>,
    gate: HostGate,
    crawl_delay: Option<Duration>,
    /// When the last answer ended, and how long it took.
    last: Option<(Timestamp, Duration)>,
}

impl Host {
    /// How long to wait before the next request.
    pub(super) fn wait(&self, now: Timestamp) -> Duration {
        self.gate.wait(now)
    }

    /// Notes that an answer ended, or failed: the next request waits for our usual `delay` at least.
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

    /// Notes the crawl delay of its robots.txt, which counts from the answer that said so.
    pub(super) fn slow_down(&mut self, crawl_delay: Duration, delay: Duration, jitter: f64) {
        self.crawl_delay = Some(crawl_delay);
        self.pace(delay, jitter);
    }

    /// Sets when it may be asked again (P16, P17, P24).
    fn pace(&mut self, delay: Duration, jitter: f64) {
        let Some((ended, took)) = self.last else {
            return;
        };
        let is_hurried = self.is_own && delay < SMALLEST_GAP;
        let (delay, patience) = if is_hurried {
            (delay, Duration::ZERO)
        } else {
            let patience = took.saturating_mul(LATENCY_FACTOR).min(LONGEST_LATENCY_GAP);
            (delay.max(SMALLEST_GAP), patience)
        };
        let gap = match Pace::new(delay, self.crawl_delay) {
            Pace::InPlace(gap) => gap,
            // Nothing else is asked under such a delay.
            Pace::OnePerLease(_) | Pace::RobotsOnly => delay,
        };
        self.gate.response_ended(ended, gap.max(patience), jitter);
    }
}
