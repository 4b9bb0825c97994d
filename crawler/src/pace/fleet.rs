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
///
/// Its sites may have nothing to do with each other, and one that comes later must not be taken for parked because a
/// stranger has a crowd of names there: a fleet is twenty sites, not twenty names. Names of one site alone speak for
/// that site, which owns them all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Fleet {
    look: Option<Fingerprint>,
    alike: u32,
    /// The first sites that look like this.
    sites: Vec<u64>,
    visits: u32,
}

impl Fleet {
    /// Notes a visit to a `site` that ended with this look; one with a manifest has none, and ends the row.
    pub(super) fn note(&mut self, site: u64, look: Option<Fingerprint>) {
        if look.is_none() || look != self.look {
            *self = Self {
                look,
                ..Self::default()
            };
        }
        if look.is_some() {
            self.alike = self.alike.saturating_add(1);
            if self.sites.len() < FLEET as usize && !self.sites.contains(&site) {
                self.sites.push(site);
            }
        }
    }

    /// Returns the look that is expected of the next domain, one of `site`, when it may be taken for one of the fleet.
    pub(super) fn expects(&mut self, site: u64) -> Option<Fingerprint> {
        let is_fleet = self.sites.len() >= FLEET as usize;
        if !is_fleet && (self.alike < FLEET || self.sites != [site]) {
            return None;
        }
        self.visits = self.visits.wrapping_add(1);
        self.look.filter(|_| !self.visits.is_multiple_of(CONTROL))
    }

    /// True when several domains looked alike.
    pub(super) fn is_growing(&self) -> bool {
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
        for site in 0..19 {
            fleet.note(site, Some(PARKED));
        }
        assert_eq!(fleet.expects(99), None);
        fleet.note(19, Some(PARKED));
        let expected = (0..200).filter(|site| fleet.expects(*site) == Some(PARKED));
        assert_eq!(expected.count(), 196);
    }

    #[test]
    fn p12_the_names_of_one_site_speak_for_that_site_alone() {
        let mut fleet = Fleet::default();
        for _ in 0..1_000 {
            fleet.note(1, Some(PARKED));
        }
        assert_eq!(fleet.expects(2), None);
        assert_eq!(fleet.expects(1), Some(PARKED));
        for turn in 0..1_000 {
            fleet.note(turn % 19, Some(PARKED));
        }
        assert_eq!(fleet.expects(99), None, "nineteen sites are no fleet");
        assert_eq!(fleet.sites.len(), 19);
    }

    #[test]
    fn one_that_looks_different_ends_the_row() {
        let mut fleet = Fleet::default();
        let all = |fleet: &mut Fleet| (0..20).for_each(|site| fleet.note(site, Some(PARKED)));
        all(&mut fleet);
        fleet.note(20, None);
        assert_eq!(fleet.expects(99), None);
        all(&mut fleet);
        let other = Fingerprint {
            answer: 3,
            ..PARKED
        };
        fleet.note(21, Some(other));
        assert_eq!(fleet.expects(99), None);
    }
}
