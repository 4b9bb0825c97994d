//! How the last visits to a machine or network went (P38).

/// How many visits are looked at.
const VISITS: u32 = 20;

/// The last visits, newest in the lowest bit; a set bit is one that failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Health {
    failures: u32,
    count: u32,
}

impl Health {
    pub(super) fn note(&mut self, has_failed: bool) {
        self.failures = (self.failures << 1 | u32::from(has_failed)) & ((1 << VISITS) - 1);
        self.count = (self.count + 1).min(VISITS);
    }

    /// True when at least half of the last 20 visits failed.
    pub(super) fn is_ill(self) -> bool {
        self.count == VISITS && self.failures.count_ones() * 2 >= VISITS
    }

    /// How many visits may go on at the same time, of `full` in good health.
    pub(super) fn limit(self, full: u32) -> u32 {
        if self.is_ill() {
            full.div_ceil(2)
        } else {
            full
        }
    }

    /// False when there is nothing to remember.
    pub(super) fn has_failures(self) -> bool {
        self.failures != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_twenty_failures_is_ill_and_successes_heal() {
        let mut health = Health::default();
        for turn in 0..19 {
            health.note(turn % 2 == 0);
        }
        assert!(!health.is_ill(), "only 19 visits");
        health.note(true);
        assert!(health.is_ill());
        assert_eq!(
            (health.limit(4), health.limit(2), health.limit(1)),
            (2, 1, 1)
        );
        for _ in 0..4 {
            health.note(false);
        }
        assert!(!health.is_ill());
        assert_eq!(health.limit(4), 4);
        for _ in 0..20 {
            health.note(false);
        }
        assert!(!health.has_failures());
    }
}
