//! When to take domains from the frontier: many at once, for each time costs a transaction.

use std::time::Duration;
use tokio::time::Instant;

/// Room for this share of all visits is filled at once.
const SHARE: usize = 8;

/// Less room waits so long for more.
const GATHER: Duration = Duration::from_millis(100);

/// When the frontier is asked next.
#[derive(Debug)]
pub(super) struct Leasing {
    /// It may have something then.
    poll_at: Instant,
    /// Little room is gathered until then.
    gather_until: Instant,
}

impl Leasing {
    /// It may have something now.
    pub(super) fn new(now: Instant) -> Self {
        Self {
            poll_at: now,
            gather_until: now,
        }
    }

    /// When to ask for `room` of the `allowed` visits; `None` without room.
    pub(super) fn due(&self, room: usize, allowed: usize) -> Option<Instant> {
        match room {
            0 => None,
            _ if room.saturating_mul(SHARE) >= allowed => Some(self.poll_at),
            _ => Some(self.poll_at.max(self.gather_until)),
        }
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
        let mut leasing = Leasing::new(start);
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
        let mut leasing = Leasing::new(start);
        leasing.ask(start);
        let later = start + Duration::from_secs(1);
        leasing.poll_at(later);
        assert_eq!(leasing.due(80, 80), Some(later));
        assert_eq!(leasing.due(1, 80), Some(later));
    }
}
