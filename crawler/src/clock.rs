//! The time of this process, from the two clocks of the machine that its creator passes.

use manifest::Timestamp;
use std::time::Duration;

/// Difference between the wall clock and the clock of this process from which on the wall clock was
/// set.
const STEP: Duration = Duration::from_mins(1);

/// Wall clock at one moment, advanced by the boot clock: setting the machine's clock does not
/// affect a running crawl (HS-100).
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    wall: fn() -> Timestamp,
    uptime: fn() -> Duration,
    start: (Timestamp, Duration),
    /// Wall clock at an uptime.
    wall_then: (Timestamp, Duration),
}

/// Direction and size of a step of the wall clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Ahead(Duration),
    Back(Duration),
}

impl Clock {
    /// Starts the clock. `wall` reads the wall clock, `uptime` one that cannot be set.
    pub fn start(wall: fn() -> Timestamp, uptime: fn() -> Duration) -> Self {
        let then = (wall(), uptime());
        Self {
            wall,
            uptime,
            start: then,
            wall_then: then,
        }
    }

    /// Returns the same clock with the time of a database at an `uptime`: crawlers of a fleet have that time
    /// in common, whatever their machines show and however fast their clocks run.
    #[must_use]
    pub fn at_time(self, now: Timestamp, uptime: Duration) -> Self {
        Self {
            start: (now, uptime),
            ..self
        }
    }

    /// Returns the current time, on which due times and leases depend.
    pub fn now(&self) -> Timestamp {
        let now = self.at((self.uptime)());
        // Follows tokio's clock in tests that pause it.
        #[cfg(test)]
        let now = now.after(tokio::time::Instant::now().into_std() - std::time::Instant::now());
        now
    }

    /// Returns the step by which the wall clock was set since the start, if it was.
    pub(crate) fn step(&self) -> Option<Step> {
        self.step_at((self.wall)(), (self.uptime)())
    }

    fn at(&self, uptime: Duration) -> Timestamp {
        let (wall, start) = self.start;
        wall.after(uptime.saturating_sub(start))
    }

    fn step_at(&self, wall: Timestamp, uptime: Duration) -> Option<Step> {
        let (then, start) = self.wall_then;
        let own = then.after(uptime.saturating_sub(start));
        let (ahead, back) = (wall.since(own), own.since(wall));
        if ahead >= STEP {
            Some(Step::Ahead(ahead))
        } else if back >= STEP {
            Some(Step::Back(back))
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_hours(1);

    #[test]
    fn hs_100_time_advances_with_the_monotonic_clock() {
        let clock = Clock::start(|| Timestamp(5_000), || HOUR);
        assert_eq!(clock.at(HOUR), Timestamp(5_000));
        assert_eq!(clock.at(HOUR + Duration::from_secs(2)), Timestamp(7_000));
        assert_eq!(clock.at(Duration::ZERO), Timestamp(5_000), "never back");
    }

    #[test]
    fn hs_100_the_time_of_a_database_is_no_step_of_the_clock() {
        let clock = Clock::start(|| Timestamp(500_000), || HOUR);
        let clock = clock.at_time(Timestamp(9_000), HOUR);
        assert_eq!(clock.at(HOUR), Timestamp(9_000));
        assert_eq!(clock.step_at(Timestamp(500_000), HOUR), None);
    }

    #[test]
    fn hs_100_a_clock_that_was_set_is_detected_and_a_slewed_one_is_not() {
        let clock = Clock::start(|| Timestamp(0).after(HOUR), || HOUR);
        let wall =
            |milliseconds| Timestamp(0).after(2 * HOUR + Duration::from_millis(milliseconds));
        assert_eq!(clock.step_at(wall(0), 2 * HOUR), None);
        assert_eq!(clock.step_at(wall(59_000), 2 * HOUR), None);
        assert_eq!(
            clock.step_at(wall(3_600_000), 2 * HOUR),
            Some(Step::Ahead(HOUR))
        );
        assert_eq!(clock.step_at(wall(0), 3 * HOUR), Some(Step::Back(HOUR)));
    }
}
