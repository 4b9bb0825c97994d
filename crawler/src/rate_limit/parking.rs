//! Parked domains: addresses at which many domains have the same fingerprint (P12).

use store::Outcome;

/// Number of consecutive domains with one fingerprint from which on they are parked.
const PARKED_FROM: u32 = 20;
/// One visit in this number is complete even in a parking, as a control.
const CONTROL: u32 = 50;

/// Fingerprint of a site without a manifest: its robots.txt, and its answer to a missing path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint {
    /// Hash of its robots.txt.
    pub robots: u64,
    /// Outcome of the visit.
    pub outcome: Outcome,
    /// Hash of its first answer to a missing path.
    pub answer: u64,
}

/// Fingerprints of the last domains at an address.
///
/// Its sites may be unrelated, and a new site must not count as parked because a stranger has many
/// names there: a parking consists of twenty sites, not twenty names. Names of one site count for
/// that site only, which owns them all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Parking {
    look: Option<Fingerprint>,
    same_looks: u32,
    /// The first sites with this fingerprint.
    sites: Vec<u64>,
    visits: u32,
}

impl Parking {
    /// Records a visit to a `site` with this fingerprint; a site with a manifest has none and ends
    /// the sequence.
    pub(super) fn note(&mut self, site: u64, look: Option<Fingerprint>) {
        if look.is_none() || look != self.look {
            *self = Self {
                look,
                ..Self::default()
            };
        }
        if look.is_some() {
            self.same_looks = self.same_looks.saturating_add(1);
            if self.sites.len() < PARKED_FROM as usize && !self.sites.contains(&site) {
                self.sites.push(site);
            }
        }
    }

    /// Returns the expected fingerprint of the next domain, one of `site`, if it may be part of the
    /// parking.
    pub(super) fn expects(&mut self, site: u64) -> Option<Fingerprint> {
        let is_parking = self.sites.len() >= PARKED_FROM as usize;
        if !is_parking && (self.same_looks < PARKED_FROM || self.sites != [site]) {
            return None;
        }
        self.visits = self.visits.wrapping_add(1);
        self.look.filter(|_| !self.visits.is_multiple_of(CONTROL))
    }

    /// Reports whether several domains had the same fingerprint.
    pub(super) fn is_growing(&self) -> bool {
        self.same_looks > 1
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
    fn twenty_equal_fingerprints_make_a_fleet_and_one_in_fifty_is_a_control() {
        let mut parking = Parking::default();
        for site in 0..19 {
            parking.note(site, Some(PARKED));
        }
        assert_eq!(parking.expects(99), None);
        parking.note(19, Some(PARKED));
        let expected = (0..200).filter(|site| parking.expects(*site) == Some(PARKED));
        assert_eq!(expected.count(), 196);
    }

    #[test]
    fn p12_the_names_of_one_site_count_for_that_site_only() {
        let mut parking = Parking::default();
        for _ in 0..1_000 {
            parking.note(1, Some(PARKED));
        }
        assert_eq!(parking.expects(2), None);
        assert_eq!(parking.expects(1), Some(PARKED));
        for turn in 0..1_000 {
            parking.note(turn % 19, Some(PARKED));
        }
        assert_eq!(parking.expects(99), None, "nineteen sites are no parking");
        assert_eq!(parking.sites.len(), 19);
    }

    #[test]
    fn a_different_fingerprint_ends_the_fleet() {
        let mut parking = Parking::default();
        let all = |parking: &mut Parking| (0..20).for_each(|site| parking.note(site, Some(PARKED)));
        all(&mut parking);
        parking.note(20, None);
        assert_eq!(parking.expects(99), None);
        all(&mut parking);
        let other = Fingerprint {
            answer: 3,
            ..PARKED
        };
        parking.note(21, Some(other));
        assert_eq!(parking.expects(99), None);
    }
}
