//! Results of the last visits to a machine or network (P38).

use std::collections::HashSet;

/// Number of visits considered.
const VISITS: u32 = 20;
/// Number of failing machines that make a network unhealthy: the owner of one or two must not stop
/// the others.
const MACHINES: usize = 3;

/// Last visits, the newest in the lowest bit; a set bit is a failure.
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

    /// Reports whether at least half of the last 20 visits failed.
    pub(super) fn is_ill(self) -> bool {
        self.count == VISITS && self.failures.count_ones() * 2 >= VISITS
    }

    /// Returns the number of concurrent visits permitted, of `full` in good health.
    pub(super) fn limit(self, full: u32) -> u32 {
        halved(full, self.is_ill())
    }

    /// Reports whether there is anything to remember.
    pub(super) fn has_failures(self) -> bool {
        self.failures != 0
    }
}

/// Last visits to the machines of a network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct NetworkHealth {
    visits: Health,
    /// Machines of these visits, newest first, by their index in the network.
    places: [u16; VISITS as usize],
}

impl NetworkHealth {
    pub(super) fn note(&mut self, place: u16, has_failed: bool) {
        self.visits.note(has_failed);
        self.places.rotate_right(1);
        self.places[0] = place;
    }

    /// Reports whether at least half of the last 20 visits failed, at several machines.
    pub(super) fn is_ill(&self) -> bool {
        let failing = || {
            let places = self.places.iter().enumerate();
            places.filter(|(turn, _)| self.visits.failures & 1 << turn != 0)
        };
        self.visits.is_ill()
            && failing().map(|(_, it)| it).collect::<HashSet<_>>().len() >= MACHINES
    }

    /// Returns the number of concurrent visits permitted, of `full` in good health.
    pub(super) fn limit(&self, full: u32) -> u32 {
        halved(full, self.is_ill())
    }

    /// Reports whether there is anything to remember.
    pub(super) fn has_failures(&self) -> bool {
        self.visits.has_failures()
    }
}

fn halved(full: u32, is_ill: bool) -> u32 {
    if is_ill { full.div_ceil(2) } else { full }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_failures_of_twenty_are_unhealthy_and_successes_restore_health() {
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

    #[test]
    fn p38_a_network_is_unhealthy_when_three_of_its_machines_fail() {
        for (machines, is_ill) in [(1, false), (2, false), (3, true), (20, true)] {
            let mut health = NetworkHealth::default();
            for turn in 0..20 {
                health.note(turn % machines, true);
            }
            assert_eq!(health.is_ill(), is_ill, "{machines}");
            assert_eq!(health.limit(4), if is_ill { 2 } else { 4 });
        }
        let mut health = NetworkHealth::default();
        for turn in 0..60 {
            // Three machines answer, and one always fails.
            health.note(turn % 4, turn % 4 == 0 || turn % 8 == 1);
        }
        assert!(!health.is_ill());
    }
}
