//! Pauses between requests (P16, P23, P24), as pure functions of `now`.

use manifest::Timestamp;
use std::time::Duration;
use store::RobotsState;

/// The smallest gap between requests; only the operator's own test hosts may have a smaller one
/// (P16).
pub const SMALLEST_GAP: Duration = Duration::from_secs(1);

/// Longest crawl delay that a visit waits for in place (P24).
pub const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// Minimum validity of a robots.txt (P31).
pub const SHORTEST_LIFE: Duration = Duration::from_mins(10);

/// Maximum validity of a robots.txt (P31).
pub const LONGEST_LIFE: Duration = Duration::from_hours(24);

/// Time after which a robots.txt that could not be read is requested again, unless its host names a
/// time (P29).
pub const UNREACHABLE_LIFE: Duration = Duration::from_hours(1);

/// Longest crawl delay under which paths other than robots.txt are requested (P24).
pub const LONGEST_DELAY: Duration = Duration::from_hours(24);

/// The effect of a host's crawl delay on a visit (P24).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Wait this long between requests, within the visit.
    InPlace(Duration),
    /// Send one request, and come back after this long.
    OnePerLease(Duration),
    /// Request only robots.txt.
    RobotsOnly,
}

impl Pace {
    /// Returns the pace for the crawler's own `delay` and the `crawl_delay` of robots.txt; the
    /// longer one counts.
    pub fn new(delay: Duration, crawl_delay: Option<Duration>) -> Self {
        match crawl_delay {
            Some(crawl_delay) if crawl_delay > LONGEST_DELAY => Self::RobotsOnly,
            Some(crawl_delay) if crawl_delay > LONGEST_WAIT => Self::OnePerLease(crawl_delay),
            Some(_) | None => Self::InPlace(delay.max(crawl_delay.unwrap_or_default())),
        }
    }
}

/// Factor between the last response time and the gap (P17).
const LATENCY_FACTOR: u32 = 5;
/// The longest gap due to slow answers (P17).
const LONGEST_LATENCY_GAP: Duration = Duration::from_secs(30);

/// Maximum number of concurrent visits at the start; the limit grows to the full number within
/// [`RAMP`] (P21).
const RAMP_START: usize = 64;

/// Delay of the ramp after a run that was killed: as long as a visit that finds nothing.
///
/// If something kills the crawler every few seconds, the visits at the front still finish, and few
/// others are interrupted with them.
pub const RAMP_DELAY: Duration = Duration::from_secs(15);

/// Duration of the ramp.
const RAMP: Duration = Duration::from_mins(1);

/// Returns the maximum number of concurrent visits at this time after the start; it grows to `full`
/// (P21).
pub fn ramp(full: usize, elapsed: Duration) -> usize {
    let first = RAMP_START.min(full);
    let elapsed = elapsed.min(RAMP).as_millis();
    let grown = (full - first) as u128 * elapsed / RAMP.as_millis();
    first + usize::try_from(grown).unwrap_or(0)
}

/// Returns the gap after an answer that took so long: five times its duration, up to 30 s (P17).
pub fn patience(took: Duration) -> Duration {
    took.saturating_mul(LATENCY_FACTOR).min(LONGEST_LATENCY_GAP)
}

/// Returns the longest pause between two requests to one host within a visit, including jitter.
pub fn longest_pause(delay: Duration, crawl_delay: Option<Duration>) -> Duration {
    let gap = delay.max(crawl_delay.unwrap_or_default().min(LONGEST_WAIT));
    gap.saturating_add(gap.min(LONGEST_DELAY) / 5)
}

/// The time of the next request to a host.
#[derive(Clone, Copy, Debug)]
pub struct HostGate {
    next: Option<Timestamp>,
}

impl HostGate {
    /// Creates the gate of a host without requests so far.
    pub fn new() -> Self {
        Self { next: None }
    }

    /// Returns the wait before the next request; zero if it may be sent now.
    pub fn wait(&self, now: Timestamp) -> Duration {
        self.next.map_or(Duration::ZERO, |next| next.since(now))
    }

    /// Records that a response ended at `now`: the next request waits for `gap` and up to a fifth
    /// more, which `jitter` chooses from 0 to 1 (P16).
    pub fn response_ended(&mut self, now: Timestamp, gap: Duration, jitter: f64) {
        let share = if jitter.is_finite() {
            jitter.clamp(0.0, 1.0)
        } else {
            1.0
        };
        self.next =
            Some(now.after(gap.saturating_add(gap.min(LONGEST_DELAY).mul_f64(share / 5.0))));
    }
}

impl Default for HostGate {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns the crawl delay of a stored robots.txt.
pub(crate) fn stored_delay(state: &RobotsState) -> Option<Duration> {
    let delay_ms = state.delay_ms?;
    Some(Duration::from_millis(delay_ms.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn p24_a_crawl_delay_decides_the_pace_of_a_visit() {
        for (seconds, pace) in [
            (None, Pace::InPlace(SECOND)),
            (Some(0), Pace::InPlace(SECOND)),
            (Some(5), Pace::InPlace(5 * SECOND)),
            (Some(30), Pace::InPlace(LONGEST_WAIT)),
            (Some(31), Pace::OnePerLease(31 * SECOND)),
            (Some(86_400), Pace::OnePerLease(LONGEST_DELAY)),
            (Some(86_401), Pace::RobotsOnly),
        ] {
            let crawl_delay = seconds.map(Duration::from_secs);
            assert_eq!(Pace::new(SECOND, crawl_delay), pace, "{seconds:?}");
        }
        assert_eq!(Pace::new(SECOND, Some(Duration::MAX)), Pace::RobotsOnly);
    }

    #[test]
    fn p21_visits_grow_to_their_full_number_within_a_minute() {
        let after = |seconds| ramp(1_024, SECOND * seconds);
        assert_eq!(
            [after(0), after(30), after(60), after(600)],
            [64, 544, 1_024, 1_024]
        );
        assert_eq!(ramp(5, Duration::ZERO), 5);
    }

    #[test]
    fn the_gap_begins_at_the_end_of_the_last_response() {
        let mut gate = HostGate::new();
        assert_eq!(gate.wait(Timestamp(50)), Duration::ZERO);
        gate.response_ended(Timestamp(10_000), SECOND, 0.0);
        assert_eq!(gate.wait(Timestamp(10_400)), Duration::from_millis(600));
        assert_eq!(gate.wait(Timestamp(11_000)), Duration::ZERO);
    }

    proptest! {
        #[test]
        fn jitter_adds_at_most_a_fifth(gap in 0_u64..100_000, jitter: f64) {
            let mut gate = HostGate::new();
            gate.response_ended(Timestamp(0), Duration::from_millis(gap), jitter);
            let wait = gate.wait(Timestamp(0));
            prop_assert!(wait >= Duration::from_millis(gap));
            prop_assert!(wait <= Duration::from_millis(gap + gap / 5 + 1));
        }
    }
}
