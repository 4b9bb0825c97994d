//! Speed of a client that sends or reads.
//!
//! Only the time counts for which the client is waited for. It is divided into periods; a client that
//! takes a whole period for too few bytes is too slow.

use std::time::Duration;
use tokio::time::Instant;

/// Fewest bytes a second. A page of 50 kB takes 50 s then, so that slower clients only cost.
const SLOWEST: u64 = 1_000;

/// Bytes and time of the current period.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// Time since which the client is waited for, while it is.
    since: Option<Instant>,
    /// Time for which it was waited for before.
    waited: Duration,
    bytes: u64,
    /// Time at which a period was over that had too few bytes.
    late: Option<Instant>,
}

impl Pace {
    /// Returns the time since which the client is waited for, while it is.
    pub(super) fn since(&self) -> Option<Instant> {
        self.since
    }

    /// Waits for the client from now on, unless it is waited for already.
    pub(super) fn wait(&mut self, now: Instant) {
        self.since.get_or_insert(now);
    }

    /// Counts bytes, and waits no longer.
    pub(super) fn moved(&mut self, bytes: usize, period: Duration, now: Instant) {
        if let Some(since) = self.since.take() {
            self.waited += now.saturating_duration_since(since);
        }
        if self.waited >= period {
            if self.bytes < least(self.waited) {
                self.late.get_or_insert(now);
            }
            (self.waited, self.bytes) = (Duration::ZERO, 0);
        }
        self.bytes = self.bytes.saturating_add(bytes as u64);
    }

    /// Returns the time at which the client is too slow if it moves nothing until then; `None` while it
    /// is not waited for.
    pub(super) fn deadline(&self, period: Duration) -> Option<Instant> {
        let is_fast = self.bytes >= least(period);
        let remaining = if is_fast {
            period
        } else {
            period.saturating_sub(self.waited)
        };
        self.late
            .or_else(|| self.since.map(|since| since + remaining))
    }
}

/// Returns the fewest bytes for a time.
fn least(time: Duration) -> u64 {
    let milliseconds = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    milliseconds.saturating_mul(SLOWEST) / 1_000
}
