//! The time of this process: pure in what the two clocks of the machine say.

use manifest::Timestamp;
use std::time::Duration;

/// Difference between the wall clock and the clock of this process from which on the wall clock was
/// set.
const STEP: Duration = Duration::from_mins(1);

/// Wall clock at one moment, advanced by the boot clock: setting the machine's clock does not
/// affect a running crawl.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    wall: Timestamp,
    uptime: Duration,
}

/// Direction and size of a step of the wall clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Ahead(Duration),
    Back(Duration),
}

impl Clock {
    /// Starts the clock with the wall clock at this uptime.
    pub(super) fn new(wall: Timestamp, uptime: Duration) -> Self {
        Self { wall, uptime }
    }

    /// Returns the time at this uptime.
    pub(super) fn at(&self, uptime: Duration) -> Timestamp {
        self.wall.after(uptime.saturating_sub(self.uptime))
    }

    /// Returns the step by which the wall clock was set since the start, if it was.
    pub(super) fn step(&self, wall: Timestamp, uptime: Duration) -> Option<Step> {
        let own = self.at(uptime);
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
        let clock = Clock::new(Timestamp(5_000), HOUR);
        assert_eq!(clock.at(HOUR), Timestamp(5_000));
        assert_eq!(clock.at(HOUR + Duration::from_secs(2)), Timestamp(7_000));
        assert_eq!(clock.at(Duration::ZERO), Timestamp(5_000), "never back");
    }

    #[test]
    fn hs_100_a_clock_that_was_set_is_detected_and_a_slewed_one_is_not() {
        let clock = Clock::new(Timestamp(0).after(HOUR), HOUR);
        let wall =
            |milliseconds| Timestamp(0).after(2 * HOUR + Duration::from_millis(milliseconds));
        assert_eq!(clock.step(wall(0), 2 * HOUR), None);
        assert_eq!(clock.step(wall(59_000), 2 * HOUR), None);
        assert_eq!(
            clock.step(wall(3_600_000), 2 * HOUR),
            Some(Step::Ahead(HOUR))
        );
        assert_eq!(clock.step(wall(0), 3 * HOUR), Some(Step::Back(HOUR)));
    }
}
