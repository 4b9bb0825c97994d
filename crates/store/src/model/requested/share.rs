//! Shares of the visits that are requested (P47): rechecks have one, new names have one, and of each a
//! network of submitters has half at most.
//!
//! A new name that turns out not to resolve costs a lookup instead of a visit, and such lookups have a
//! share too.

use manifest::Timestamp;
use std::time::Duration;

/// Maximum number of requested visits of a kind in 24 hours, as a divisor of all visits of that time;
/// as many lookups of new names may find no address, since every visit begins with a lookup.
pub const SHARE: u64 = 10;

/// Number of requested visits of a kind in 24 hours that need no other visits: a registry that makes
/// fewer than a thousand visits a day could otherwise take no submissions.
pub const FREE_VISITS: u64 = 100;

/// Part of all that one network of submitters has at most, as a divisor.
pub const NETWORK: u64 = 2;

/// Time over which names and visits are counted.
pub const DAY: Duration = Duration::from_hours(24);

const HOUR_MS: i64 = 60 * 60 * 1000;

/// Requested visits of one kind in 24 hours, of all networks or of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestedVisits {
    /// Visits that were granted, except those that found no address.
    pub granted: u64,
    /// Visits that found no address.
    pub unresolved: u64,
    /// Those of the granted visits that may still find no address.
    pub pending: u64,
}

impl RequestedVisits {
    /// Returns both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            granted: self.granted.saturating_add(other.granted),
            unresolved: self.unresolved.saturating_add(other.unresolved),
            pending: self.pending.saturating_add(other.pending),
        }
    }

    /// Returns the number of further visits below a limit.
    fn remaining(self, limit: u64) -> u64 {
        let lookups = self.unresolved.saturating_add(self.pending);
        limit.saturating_sub(self.granted.max(lookups))
    }
}

/// Returns the number of further requested visits of a kind that one network is allowed, given the
/// `visits` of the last 24 hours, and the requested ones of the kind: of all networks, and its own.
pub fn allowance(visits: u64, all: RequestedVisits, own: RequestedVisits) -> u64 {
    let limit = FREE_VISITS.max(visits / SHARE);
    all.remaining(limit).min(own.remaining(limit / NETWORK))
}

/// Visits that ended in an hour, and the requested ones of a kind: of all networks, and of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HourCount {
    /// Number of the hour since 1970.
    pub hour: i64,
    /// All visits.
    pub visits: u64,
    /// Requested visits.
    pub all: RequestedVisits,
    /// Requested visits of the network.
    pub own: RequestedVisits,
}

/// Returns the earliest time at which a network is allowed a requested visit, `now` at the earliest, if
/// no further visit ends before: the counts of a day ago no longer matter then.
pub fn next_allowance(counts: &[HourCount], now: Timestamp) -> Timestamp {
    let starts = (1..).map(|hours| Timestamp(hour(now).saturating_add(hours) * HOUR_MS));
    let is_free = |at: &Timestamp| {
        let from = Hours::before(*at);
        let since = |hour| counts.iter().filter(move |it| it.hour >= hour);
        let visits = since(from.visits_from).map(|it| it.visits).sum();
        let requested = |of: fn(&HourCount) -> RequestedVisits| {
            let used = since(from.requested_from).map(of);
            used.fold(RequestedVisits::default(), RequestedVisits::and)
        };
        allowance(visits, requested(|it| it.all), requested(|it| it.own)) > 0
    };
    // A clock that was ahead may have left counts of hours to come.
    let mut times = std::iter::once(now).chain(starts).take(24 + 2);
    times.find(is_free).unwrap_or_else(|| now.after(DAY))
}

/// Hours of counts that make up the last 24 hours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hours {
    /// First hour in which requested visits count. With the current hour they cover at least 24 hours.
    pub requested_from: i64,
    /// First hour in which all visits count. With the current hour they cover at most 24 hours, so that
    /// the share holds in the 24 hours before each requested visit.
    pub visits_from: i64,
}

impl Hours {
    /// Returns the hours before `now`.
    pub fn before(now: Timestamp) -> Self {
        let current = hour(now);
        Self {
            requested_from: current.saturating_sub(24),
            visits_from: current.saturating_sub(23),
        }
    }
}

/// Returns the number of the hour since 1970.
pub fn hour(at: Timestamp) -> i64 {
    at.0.div_euclid(HOUR_MS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MINUTE: i64 = 60_000;

    fn granted(granted: u64) -> RequestedVisits {
        RequestedVisits {
            granted,
            ..RequestedVisits::default()
        }
    }

    #[test]
    fn p47_a_network_has_half_of_each_share() {
        let none = RequestedVisits::default();
        assert_eq!(allowance(0, none, none), 50);
        assert_eq!(allowance(4_000, none, none), 200);
        assert_eq!(allowance(0, granted(50), granted(50)), 0);
        assert_eq!(allowance(0, granted(50), none), 50, "another network");
        assert_eq!(allowance(0, granted(100), none), 0);
    }

    #[test]
    fn p47_a_name_that_does_not_resolve_costs_a_lookup_and_no_visit() {
        let used = |unresolved, pending| RequestedVisits {
            granted: pending,
            unresolved,
            pending,
        };
        let all = used(50, 0);
        assert_eq!(allowance(0, all, used(50, 0)), 0);
        assert_eq!(allowance(0, all, RequestedVisits::default()), 50);
        // Those under way may find no address.
        assert_eq!(allowance(0, used(60, 30), RequestedVisits::default()), 10);
        assert_eq!(allowance(0, used(60, 40), RequestedVisits::default()), 0);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

        /// The stated time is the first at which a visit is allowed, if nothing else happens.
        #[test]
        fn p47_the_next_room_is_neither_early_nor_late(
            counts in proptest::collection::vec((0_u64..4_000, 0_u64..300, 0_u64..100), 0..26),
            minute in 0_i64..60,
        ) {
            let current = 1_000_000;
            let now = Timestamp(current * HOUR_MS + minute * MINUTE);
            let hours = (0..).map(|back| current - back);
            let counts: Vec<_> = hours
                .zip(counts)
                .map(|(hour, (visits, others, own))| HourCount {
                    hour,
                    visits,
                    all: granted(others + own),
                    own: granted(own),
                })
                .collect();
            let room = |at: Timestamp| {
                let from = Hours::before(at);
                let sum = |from: i64, of: fn(&HourCount) -> u64| -> u64 {
                    counts.iter().filter(|it| it.hour >= from).map(of).sum()
                };
                let all = granted(sum(from.requested_from, |it| it.all.granted));
                let own = granted(sum(from.requested_from, |it| it.own.granted));
                allowance(sum(from.visits_from, |it| it.visits), all, own)
            };
            let next = next_allowance(&counts, now);
            prop_assert!(room(next) > 0);
            prop_assert!(next == now || (next > now && room(Timestamp(next.0 - 1)) == 0));
            prop_assert!(next <= now.after(Duration::from_hours(25)));
        }

        /// Whenever a visit is granted, at most a tenth of the visits of the last 24 hours is
        /// requested in its kind, or as many as need no others; and half of that by one network.
        #[test]
        fn p47_a_tenth_of_the_visits(
            hours in proptest::collection::vec((0_u64..4_000, [0_u64..2_000, 0_u64..2_000]), 1..80),
        ) {
            // All visits, and the requested ones of two networks.
            let mut counts: Vec<(u64, [u64; 2])> = Vec::new();
            for (now, (scheduled, wanted)) in (0_i64..).zip(hours) {
                let from = Hours::before(Timestamp(now * HOUR_MS));
                counts.push((scheduled, [0, 0]));
                let since = |from: i64| usize::try_from(from).unwrap_or(0);
                for (network, wanted) in wanted.into_iter().enumerate() {
                    let visits = counts[since(from.visits_from)..].iter().map(|it| it.0 + it.1[0] + it.1[1]);
                    let own = |network: usize| -> u64 {
                        counts[since(from.requested_from)..].iter().map(|it| it.1[network]).sum()
                    };
                    let all = granted(own(0) + own(1));
                    let new = wanted.min(allowance(visits.sum(), all, granted(own(network))));
                    if let Some(hour) = counts.last_mut() {
                        hour.1[network] = new;
                    }
                    if new == 0 {
                        // Visits that gave room may be a day ago by now.
                        continue;
                    }
                    let day = &counts[since(now - 23)..];
                    let all: u64 = day.iter().map(|it| it.0 + it.1[0] + it.1[1]).sum();
                    let of = |network: usize| -> u64 { day.iter().map(|it| it.1[network]).sum() };
                    let most = (all / 10).max(100);
                    prop_assert!(of(0) + of(1) <= most, "{} and {} of {all}", of(0), of(1));
                    prop_assert!(of(network) <= most / 2, "{} of {all}", of(network));
                }
            }
        }
    }
}
