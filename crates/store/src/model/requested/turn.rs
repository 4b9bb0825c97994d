//! Turns of the submissions that wait (P47): the networks of submitters take turns, so that one that
//! submits many waits longer, and the others do not.

use super::share::{RequestedVisits, allowance};
use crate::model::SubmissionKind;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

/// Submission that waits, and could be taken if its network is allowed a visit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Row of the submission; an earlier submission has a lower one.
    pub row: i64,
    /// Kind.
    pub kind: SubmissionKind,
    /// Keyed hash of the network that it came from; empty if that is not known.
    pub network: String,
}

/// Requested visits of 24 hours, by kind and network.
pub type Usage = BTreeMap<(SubmissionKind, String), RequestedVisits>;

/// Reports whether no network is allowed a visit of any kind.
pub fn is_used_up(usage: &Usage, visits: u64) -> bool {
    let none = RequestedVisits::default();
    let mut kinds = SubmissionKind::ALL.into_iter();
    kinds.all(|kind| allowance(visits, total(usage, kind), none) == 0)
}

/// Returns the requested visits of a kind, of all networks.
fn total(usage: &Usage, kind: SubmissionKind) -> RequestedVisits {
    let of_kind = usage.iter().filter(|(key, _)| key.0 == kind);
    of_kind.fold(RequestedVisits::default(), |sum, (_, used)| sum.and(*used))
}

/// Returns the rows of the candidates that are to be taken, at most `limit`, in order: rechecks first,
/// and within a kind always one of the network that had the fewest visits in the last 24 hours.
pub fn turns(candidates: &[Candidate], usage: &Usage, visits: u64, limit: usize) -> Vec<i64> {
    let mut taken = Vec::new();
    for kind in [SubmissionKind::Recheck, SubmissionKind::New] {
        let mut all = total(usage, kind);
        let one = RequestedVisits {
            granted: 1,
            pending: u64::from(kind == SubmissionKind::New),
            ..RequestedVisits::default()
        };
        let mut lines: BTreeMap<&str, Line> = BTreeMap::new();
        for candidate in candidates.iter().filter(|it| it.kind == kind) {
            let network = candidate.network.as_str();
            let line = lines.entry(network).or_insert_with(|| Line {
                used: usage
                    .get(&(kind, network.to_owned()))
                    .copied()
                    .unwrap_or_default(),
                rows: VecDeque::new(),
            });
            line.rows.push_back(candidate.row);
        }
        let mut heads: BinaryHeap<_> = lines
            .iter()
            .filter_map(|(network, line)| line.head(network))
            .collect();
        while taken.len() < limit
            && let Some(Reverse((_, _, network))) = heads.pop()
        {
            let Some(line) = lines.get_mut(network) else {
                continue;
            };
            if allowance(visits, all, line.used) == 0 {
                continue;
            }
            taken.extend(line.rows.pop_front());
            line.used = line.used.and(one);
            all = all.and(one);
            heads.extend(line.head(network));
        }
    }
    taken
}

/// Candidates of one kind and network, the earliest first.
struct Line {
    used: RequestedVisits,
    rows: VecDeque<i64>,
}

impl Line {
    /// Returns the key by which its first candidate is compared with those of other networks; `None`
    /// without any.
    fn head<'a>(&self, network: &'a str) -> Option<Reverse<(u64, i64, &'a str)>> {
        let visits = self.used.granted.saturating_add(self.used.unresolved);
        let row = *self.rows.front()?;
        Some(Reverse((visits, row, network)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use SubmissionKind::{New, Recheck};

    fn candidates(of: &[(SubmissionKind, &str, std::ops::Range<i64>)]) -> Vec<Candidate> {
        let rows = |(kind, network, rows): &(SubmissionKind, &str, std::ops::Range<i64>)| {
            let (kind, network) = (*kind, (*network).to_owned());
            let row = move |row| Candidate {
                row,
                kind,
                network: network.clone(),
            };
            rows.clone().map(row).collect::<Vec<_>>()
        };
        of.iter().flat_map(rows).collect()
    }

    #[test]
    fn p47_networks_take_turns() {
        let waiting = candidates(&[(New, "a", 0..5_000), (New, "b", 5_000..5_002)]);
        let taken = turns(&waiting, &Usage::new(), 0, 6);
        assert_eq!(taken, [0, 5_000, 1, 5_001, 2, 3]);
    }

    #[test]
    fn p47_a_network_that_had_many_visits_waits_for_those_that_had_fewer() {
        let waiting = candidates(&[(New, "a", 0..9), (New, "b", 9..12)]);
        let used = RequestedVisits {
            granted: 2,
            ..RequestedVisits::default()
        };
        let usage = Usage::from([((New, "a".to_owned()), used)]);
        assert_eq!(turns(&waiting, &usage, 0, 4), [9, 10, 0, 11]);
    }

    #[test]
    fn p47_rechecks_go_first_and_have_a_share_of_their_own() {
        let waiting = candidates(&[(New, "a", 0..500), (Recheck, "b", 500..1_000)]);
        let taken = turns(&waiting, &Usage::new(), 0, 500);
        assert_eq!(taken.len(), 100, "half of each share");
        assert!(taken[..50].iter().all(|row| *row >= 500));
        assert!(taken[50..].iter().all(|row| *row < 500));
    }

    #[test]
    fn p47_the_shares_are_used_up_if_both_are() {
        let used = RequestedVisits {
            granted: 50,
            ..RequestedVisits::default()
        };
        let of = |kind, network: &str| ((kind, network.to_owned()), used);
        let mut usage = Usage::from([of(New, "a"), of(New, "b"), of(Recheck, "a")]);
        assert!(!is_used_up(&usage, 0));
        usage.extend([of(Recheck, "b")]);
        assert!(is_used_up(&usage, 0) && !is_used_up(&usage, 1_010));
    }

    #[test]
    fn p47_names_under_way_may_not_exceed_the_lookups() {
        let waiting = candidates(&[(New, "a", 0..500), (New, "b", 500..501)]);
        let used = RequestedVisits {
            unresolved: 49,
            ..RequestedVisits::default()
        };
        let usage = Usage::from([((New, "a".to_owned()), used)]);
        assert_eq!(turns(&waiting, &usage, 0, 500), [500, 0]);
    }
}
