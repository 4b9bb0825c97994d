//! The time of this process: pure in what the two clocks of the machine say.

use manifest::Timestamp;
use std::time::Duration;

/// The wall clock has moved so far against the time of this process: it was set.
const STEP: Duration = Duration::from_mins(1);

/// The wall clock as it was once, counted on since: setting the machine's clock moves nothing that goes on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    wall: Timestamp,
    uptime: Duration,
}

/// Which way the wall clock was set, and how far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Ahead(Duration),
    Back(Duration),
}

impl Clock {
    /// It is `wall` now, after so much `uptime`.
    pub(super) fn new(wall: Timestamp, uptime: Duration) -> Self {
        Self { wall, uptime }
    }

    /// The time after so much uptime.
    pub(super) fn at(&self, uptime: Duration) -> Timestamp {
        self.wall.after(uptime.saturating_sub(self.uptime))
    }

    /// Returns the step by which the wall clock was set since the beginning, if it was.
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
    fn row_100_time_goes_on_at_the_pace_of_the_machine() {
        let clock = Clock::new(Timestamp(5_000), HOUR);
        assert_eq!(clock.at(HOUR), Timestamp(5_000));
        assert_eq!(clock.at(HOUR + Duration::from_secs(2)), Timestamp(7_000));
        assert_eq!(clock.at(Duration::ZERO), Timestamp(5_000), "never back");
    }

    #[test]
    fn row_100_a_clock_that_was_set_is_noticed_and_one_that_is_steered_is_not() {
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
