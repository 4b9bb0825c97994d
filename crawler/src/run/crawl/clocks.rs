//! The time of a run.

use crate::clock::{Clock, Step};
use crate::membership::Membership;
use manifest::Timestamp;

/// Time of a run.
pub(super) struct Clocks {
    clock: Clock,
    /// Start of the run, which a restart after an outage does not change.
    start: Timestamp,
    /// True if the operator was informed that the machine's clock was set.
    is_step_reported: bool,
    /// True if the time is that of the database, for which the machine's clock does not matter.
    is_shared: bool,
}

impl Clocks {
    pub(super) fn new(clock: Clock) -> Self {
        Self {
            clock,
            start: clock.now(),
            is_step_reported: false,
            is_shared: false,
        }
    }

    /// Follows the time of the database, if several crawlers share that.
    pub(super) fn follow(&mut self, membership: &Membership) {
        if let Some((now, uptime)) = membership.time() {
            self.clock = self.clock.at_time(now, uptime);
            self.is_shared = true;
        }
    }

    /// Returns the current time.
    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Returns the start of the run.
    pub(super) fn start(&self) -> Timestamp {
        self.start
    }

    /// Returns the clock, for a task.
    pub(super) fn clock(&self) -> Clock {
        self.clock
    }

    /// Informs the operator once that the machine's clock was set: this run continues by its own
    /// clock.
    pub(super) fn report_step(&mut self) {
        if self.is_step_reported || self.is_shared {
            return;
        }
        let (by, way) = match self.clock.step() {
            None => return,
            Some(Step::Ahead(by)) => (by, "ahead"),
            Some(Step::Back(by)) => (by, "back"),
        };
        self.is_step_reported = true;
        tracing::warn!(
            "the clock of this machine was set {way} by {by:.0?}: this run continues by its own clock, and the \
             next run uses the new time"
        );
    }
}
