//! When to take domains from the frontier: many at once, for each time costs a transaction.

use std::time::Duration;
use tokio::time::Instant;

/// Room for this share of all visits is filled at once.
const SHARE: usize = 8;

/// Less room waits so long for more.
const GATHER: Duration = Duration::from_millis(200);

/// How long no visit begins after there were too many files open for one (row 100).
pub(super) const EXHAUSTED: Duration = Duration::from_secs(10);

/// When the frontier is asked next, and for how many.
#[derive(Debug)]
pub(super) struct Leasing {
    /// Visits at the same time.
    most: usize,
    /// There were too many files open: nothing begins until then.
    exhausted_until: Instant,
    /// It may have something then.
    poll_at: Instant,
    /// Little room is gathered until then.
    gather_until: Instant,
}

impl Leasing {
    /// It may have something now, for so many visits at the same time.
    pub(super) fn new(most: usize, now: Instant) -> Self {
        Self {
            most,
            exhausted_until: now,
            poll_at: now,
            gather_until: now,
        }
    }

    /// When to ask for `room` of the `allowed` visits; `None` without room.
    pub(super) fn due(&self, room: usize, allowed: usize) -> Option<Instant> {
        let poll_at = self.poll_at.max(self.exhausted_until);
        match room {
            0 => None,
            _ if room.saturating_mul(SHARE) >= allowed => Some(poll_at),
            _ => Some(poll_at.max(self.gather_until)),
        }
    }

    /// Visits at the same time.
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// Notes that there were too many files open for one more of so many visits: none begins for a while,
    /// and then half as many; how many, unless that is known already.
    pub(super) fn shrink(&mut self, in_flight: usize, now: Instant) -> Option<usize> {
        if now < self.exhausted_until {
            return None;
        }
        self.exhausted_until = now + EXHAUSTED;
        self.most = (in_flight / 2).clamp(1, self.most.max(1));
        Some(self.most)
    }

    /// Notes that it is asked now.
    pub(super) fn ask(&mut self, now: Instant) {
        self.gather_until = now + GATHER;
    }

    /// It may have something then, and not before.
    pub(super) fn poll_at(&mut self, at: Instant) {
        self.poll_at = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn much_room_is_filled_at_once_and_little_a_moment_later() {
        let start = Instant::now();
        let mut leasing = Leasing::new(80, start);
        assert_eq!(leasing.due(0, 80), None);
        assert_eq!(leasing.due(1, 80), Some(start));
        leasing.ask(start);
        assert_eq!(leasing.due(9, 80), Some(start + GATHER));
        assert_eq!(leasing.due(10, 80), Some(start));
        assert_eq!(leasing.due(1, 1), Some(start));
    }

    #[test]
    fn an_empty_frontier_is_left_alone_whatever_the_room() {
        let start = Instant::now();
        let mut leasing = Leasing::new(80, start);
        leasing.ask(start);
        let later = start + Duration::from_secs(1);
        leasing.poll_at(later);
        assert_eq!(leasing.due(80, 80), Some(later));
        assert_eq!(leasing.due(1, 80), Some(later));
    }

    /// Row 100: whoever finds no more files to open asks for less.
    #[test]
    fn too_many_files_halve_the_visits_once_a_pause() {
        let start = Instant::now();
        let mut leasing = Leasing::new(80, start);
        assert_eq!(leasing.shrink(60, start), Some(30));
        assert_eq!(leasing.shrink(58, start), None, "of the same burst");
        assert_eq!(leasing.due(30, 30), Some(start + EXHAUSTED));
        let later = start + EXHAUSTED;
        assert_eq!(leasing.shrink(1, later), Some(1));
        assert_eq!(leasing.most(), 1);
    }
}
