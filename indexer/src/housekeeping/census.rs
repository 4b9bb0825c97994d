//! The counts of a day.

use manifest::Timestamp;
use search::{Detected, Facet, facet_values};
use std::collections::BTreeMap;
use store::{Census, Stats, StoredAgent};

/// Most top-level domains, protocols and schemes in a row; agents with others count as `other`. The
/// values come from documents of others.
const MAX_VALUES: usize = 500;

/// Counts that are not complete yet.
#[derive(Debug)]
pub(super) struct Count {
    /// Time of the count.
    pub(super) started: Timestamp,
    counts: Census,
}

impl Count {
    pub(super) fn new(started: Timestamp) -> Self {
        Self {
            started,
            counts: Census::default(),
        }
    }

    /// Counts an agent.
    pub(super) fn add(&mut self, agent: &StoredAgent) {
        let counts = &mut self.counts;
        counts.agents += 1;
        counts.capabilities += agent.listing.agent.capabilities.len() as u64;
        for (facet, tally) in [
            (Facet::Format, &mut counts.formats),
            (Facet::Protocol, &mut counts.protocols),
            (Facet::Level, &mut counts.levels),
            (Facet::Auth, &mut counts.auth),
            (Facet::Tld, &mut counts.tlds),
        ] {
            for value in facet_values(facet, agent, Detected::default()) {
                raise(tally, value);
            }
        }
    }

    /// Completes the counts by those of domains and findings.
    pub(super) fn finish(self, stats: Stats) -> Census {
        Census {
            domains: stats.domains,
            outcomes: stats.outcomes,
            findings: stats.findings,
            ..self.counts
        }
    }
}

/// Raises the count of a value.
fn raise(tally: &mut BTreeMap<String, u64>, value: String) {
    let value = if tally.len() < MAX_VALUES || tally.contains_key(&value) {
        value
    } else {
        "other".to_owned()
    };
    *tally.entry(value).or_default() += 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_hostile_documents_are_bounded() {
        let mut tally = BTreeMap::new();
        for number in 0..MAX_VALUES + 7 {
            raise(&mut tally, format!("p{number}"));
        }
        raise(&mut tally, "p0".to_owned());
        assert_eq!(tally.len(), MAX_VALUES + 1);
        assert_eq!((tally["p0"], tally["other"]), (2, 7));
    }
}
