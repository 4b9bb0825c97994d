//! The schedule of leasing: many domains at once, because each query costs a transaction.

use std::time::Duration;
use tokio::time::Instant;

/// Share of all visits that must be free for an immediate query.
const SHARE: usize = 8;

/// Time to wait for more free visits if fewer are free.
const GATHER: Duration = Duration::from_millis(200);

/// Time without new visits after file descriptors ran out (HS-100).
pub(super) const EXHAUSTED: Duration = Duration::from_secs(10);

/// Time and size of the next query of the frontier.
#[derive(Debug)]
pub(super) struct Leasing {
    /// Concurrent visits.
    most: usize,
    /// Time before which no visit begins, because file descriptors ran out.
    exhausted_until: Instant,
    /// Time from which the frontier may have due domains.
    poll_at: Instant,
    /// Time until which a few free visits are accumulated.
    gather_until: Instant,
}

impl Leasing {
    /// Returns a schedule for this number of concurrent visits, with an immediate query.
    pub(super) fn new(most: usize, now: Instant) -> Self {
        Self {
            most,
            exhausted_until: now,
            poll_at: now,
            gather_until: now,
        }
    }

    /// Returns the time to query for `room` of the `allowed` visits; `None` without room.
    pub(super) fn due(&self, room: usize, allowed: usize) -> Option<Instant> {
        let poll_at = self.poll_at.max(self.exhausted_until);
        match room {
            0 => None,
            _ if room.saturating_mul(SHARE) >= allowed => Some(poll_at),
            _ => Some(poll_at.max(self.gather_until)),
        }
    }

    /// Returns the number of concurrent visits.
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// Records that file descriptors ran out with this many visits in flight: none begins for a
    /// while, and then half as many. Returns the new number unless it was reduced already.
    pub(super) fn shrink(&mut self, in_flight: usize, now: Instant) -> Option<usize> {
        if now < self.exhausted_until {
            return None;
        }
        self.exhausted_until = now + EXHAUSTED;
        self.most = (in_flight / 2).clamp(1, self.most.max(1));
        Some(self.most)
    }

    /// Records that the frontier is queried now.
    pub(super) fn ask(&mut self, now: Instant) {
        self.gather_until = now + GATHER;
    }

    /// Sets the time from which the frontier may have due domains.
    pub(super) fn poll_at(&mut self, at: Instant) {
        self.poll_at = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn much_room_is_filled_immediately_and_little_after_a_delay() {
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
    fn an_empty_frontier_is_polled_later_whatever_the_room() {
        let start = Instant::now();
        let mut leasing = Leasing::new(80, start);
        leasing.ask(start);
        let later = start + Duration::from_secs(1);
        leasing.poll_at(later);
        assert_eq!(leasing.due(80, 80), Some(later));
        assert_eq!(leasing.due(1, 80), Some(later));
    }

    /// HS-100: running out of file descriptors reduces the number of visits.
    #[test]
    fn too_many_files_halve_the_visits_once_per_pause() {
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
