//! Addresses on which hundreds of parked domains all look the same (P12).

use store::Outcome;

/// Domains of one look in a row that make a fleet.
const FLEET: u32 = 20;
/// One visit in so many is whole even then, as a control.
const CONTROL: u32 = 50;

/// What a site without a manifest looks like: its robots.txt, and its answer to what is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint {
    /// Hash of its robots.txt.
    pub robots: u64,
    /// How it ended.
    pub outcome: Outcome,
    /// Hash of its first answer to a path that it does not have.
    pub answer: u64,
}

/// The looks of the last domains of an address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Fleet {
    look: Option<Fingerprint>,
    alike: u32,
    visits: u32,
}

impl Fleet {
    /// Notes a visit that ended with this look; one with a manifest has none, and ends the row.
    pub(super) fn note(&mut self, look: Option<Fingerprint>) {
        if look.is_some() && look == self.look {
            self.alike = self.alike.saturating_add(1);
        } else {
            *self = Self {
                look,
                alike: u32::from(look.is_some()),
                visits: 0,
            };
        }
    }

    /// What the next domain will look like, when it may be taken for one of the fleet.
    pub(super) fn expects(&mut self) -> Option<Fingerprint> {
        if self.alike < FLEET {
            return None;
        }
        self.visits = self.visits.wrapping_add(1);
        self.look.filter(|_| !self.visits.is_multiple_of(CONTROL))
    }

    /// True when several domains looked alike.
    pub(super) fn is_growing(self) -> bool {
        self.alike > 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARKED: Fingerprint = Fingerprint {
        robots: 1,
        outcome: Outcome::Soft404,
        answer: 2,
    };

    #[test]
    fn twenty_alike_make_a_fleet_and_one_in_fifty_is_a_control() {
        let mut fleet = Fleet::default();
        for _ in 0..19 {
            fleet.note(Some(PARKED));
        }
        assert_eq!(fleet.expects(), None);
        fleet.note(Some(PARKED));
        let expected = (0..200).filter(|_| fleet.expects() == Some(PARKED));
        assert_eq!(expected.count(), 196);
    }

    #[test]
    fn one_that_looks_different_ends_the_row() {
        let mut fleet = Fleet::default();
        for _ in 0..20 {
            fleet.note(Some(PARKED));
        }
        fleet.note(None);
        assert_eq!(fleet.expects(), None);
        for _ in 0..20 {
            fleet.note(Some(PARKED));
        }
        let other = Fingerprint {
            answer: 3,
            ..PARKED
        };
        fleet.note(Some(other));
        assert_eq!(fleet.expects(), None);
    }
}
