//! Limits of visits that visitors of the registry ask for (P47): pure functions over plain data.
//!
//! A visitor submits a new domain or asks for a recheck of a known one. Neither may turn the crawler
//! into a tool against a site, a registrable domain, or the registry itself.

use manifest::Timestamp;
use std::time::Duration;

/// Maximum number of requests of a recheck, robots.txt included.
pub const REQUESTS: u32 = 6;

/// Maximum number of new names below one registrable domain in 24 hours.
pub const NAMES_A_DAY: u32 = 20;

/// Maximum number of requested visits in 24 hours, as a divisor of all visits of that time.
pub const SHARE: u64 = 10;

/// Number of requested visits in 24 hours that need no other visits: a registry that makes fewer than
/// a thousand visits a day could otherwise take no submissions.
pub const FREE_VISITS: u64 = 100;

/// Maximum number of submissions and rechecks that wait at the same time.
pub const MOST_WAITING: u32 = 10_000;

/// Days for which the result of a submission is kept.
pub const KEPT_DAYS: u64 = 30;

/// Time over which names and visits are counted.
pub const DAY: Duration = Duration::from_hours(24);

/// Time without a recheck after which earlier rechecks no longer count.
pub const FORGIVEN: Duration = Duration::from_hours(7 * 24);

/// Waits from the last visit to the next recheck, by the number of rechecks before it; the last one
/// repeats.
pub const WAITS: [Duration; 5] = [
    Duration::ZERO,
    Duration::from_mins(10),
    Duration::from_hours(1),
    Duration::from_hours(6),
    DAY,
];

const HOUR_MS: i64 = 60 * 60 * 1000;

/// Rechecks of a domain that still count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Series {
    /// Their number.
    pub count: u32,
    /// Time of the last one; `None` without any.
    pub last: Option<Timestamp>,
}

impl Series {
    /// Returns the earliest time of the next recheck, `now` at the earliest.
    ///
    /// The time is never before `not_before`, when the host may be contacted again (P35).
    pub fn next(
        self,
        last_visit: Option<Timestamp>,
        not_before: Timestamp,
        now: Timestamp,
    ) -> Timestamp {
        let due = match (last_visit, self.last) {
            (Some(visit), Some(last)) => visit.after(self.wait()).min(last.after(FORGIVEN)),
            (None, _) | (_, None) => now,
        };
        due.max(not_before).max(now)
    }

    /// Returns the series with a recheck at `now`.
    #[must_use]
    pub fn with(self, now: Timestamp) -> Self {
        let is_forgiven = self.last.is_none_or(|last| last.after(FORGIVEN) <= now);
        let before = if is_forgiven { 0 } else { self.count };
        Self {
            count: before.saturating_add(1),
            last: Some(now),
        }
    }

    /// Returns the wait from the last visit to the next recheck.
    fn wait(self) -> Duration {
        let rechecks = usize::try_from(self.count).unwrap_or(usize::MAX);
        WAITS[rechecks.min(WAITS.len() - 1)]
    }
}

/// Returns the earliest time at which another name below a registrable domain may be submitted, `now`
/// at the earliest. `blocking` is the time of the [`NAMES_A_DAY`]th newest name there.
pub fn next_name(blocking: Option<Timestamp>, now: Timestamp) -> Timestamp {
    blocking.map_or(now, |at| at.after(DAY).max(now))
}

/// Returns the number of further requested visits that the `visits` of the last 24 hours allow, of
/// which `requested` were requested.
pub fn allowance(visits: u64, requested: u64) -> u64 {
    FREE_VISITS.max(visits / SHARE).saturating_sub(requested)
}

/// Visits that ended in an hour, and requested ones that were granted in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HourCount {
    /// Number of the hour since 1970.
    pub hour: i64,
    /// All visits.
    pub visits: u64,
    /// Requested visits.
    pub requested: u64,
}

/// Returns the earliest time at which a requested visit is allowed, `now` at the earliest, if no
/// further visit ends before: the counts of a day ago no longer matter then.
pub fn next_allowance(counts: &[HourCount], now: Timestamp) -> Timestamp {
    let starts = (1..).map(|hours| Timestamp(hour(now).saturating_add(hours) * HOUR_MS));
    let is_free = |at: &Timestamp| {
        let from = Hours::before(*at);
        let since = |hour| counts.iter().filter(move |it| it.hour >= hour);
        let visits = since(from.visits_from).map(|it| it.visits).sum();
        let requested = since(from.requested_from).map(|it| it.requested).sum();
        allowance(visits, requested) > 0
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

    const NOON: Timestamp = Timestamp(1_800_000_000_000);
    const MINUTE: i64 = 60_000;

    /// Times in minutes after the reference time, over a month.
    fn moment() -> impl Strategy<Value = Timestamp> {
        (0..30 * 24 * 60_i64).prop_map(|minute| Timestamp(NOON.0 + minute * MINUTE))
    }

    /// Rechecks a domain at each of `wishes` that P47 allows, each visit of `length`; returns the
    /// times.
    fn rechecks(wishes: &[Timestamp], length: Duration) -> Vec<Timestamp> {
        let mut series = Series::default();
        let mut last_visit = Some(NOON);
        let mut made = Vec::new();
        for now in wishes {
            if series.next(last_visit, Timestamp(0), *now) <= *now {
                series = series.with(*now);
                last_visit = Some(now.after(length));
                made.push(*now);
            }
        }
        made
    }

    #[test]
    fn p47_the_waits_are_none_10_minutes_1_6_and_24_hours() {
        let every_minute = (0..4 * 24 * 60).map(|it| Timestamp(NOON.0 + it * MINUTE));
        let every_minute: Vec<_> = every_minute.collect();
        let made = rechecks(&every_minute, Duration::ZERO);
        let minutes: Vec<_> = made.iter().map(|it| (it.0 - NOON.0) / MINUTE).collect();
        assert_eq!(minutes, [0, 10, 70, 430, 1870, 3310, 4750]);
    }

    #[test]
    fn p47_seven_quiet_days_are_forgiven() {
        let week = 7 * 24 * 60 * MINUTE;
        let wishes =
            [0, 10 * MINUTE, 70 * MINUTE, 70 * MINUTE + week].map(|it| Timestamp(NOON.0 + it));
        assert_eq!(rechecks(&wishes, Duration::ZERO).len(), 4);
        let again = Timestamp(wishes[3].0 + 10 * MINUTE);
        let all = [&wishes[..], &[again]].concat();
        assert_eq!(rechecks(&all, Duration::ZERO).last(), Some(&again));
    }

    #[test]
    fn p47_a_scheduled_visit_does_not_postpone_the_end_of_the_quiet_days() {
        let series = Series {
            count: 4,
            last: Some(NOON),
        };
        let visit = Timestamp(NOON.after(FORGIVEN).0 - MINUTE);
        assert_eq!(series.next(Some(visit), NOON, visit), NOON.after(FORGIVEN));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

        /// Between two rechecks lies the wait of the first one's place in its series.
        #[test]
        fn p47_rechecks_keep_their_waits(mut wishes: Vec<(u16, u8)>, length in 0_u64..600) {
            wishes.sort_unstable();
            let wishes: Vec<_> = wishes
                .iter()
                .map(|(minute, second)| Timestamp(NOON.0 + i64::from(*minute) * MINUTE + i64::from(*second)))
                .collect();
            let length = Duration::from_secs(length);
            let made = rechecks(&wishes, length);
            let mut place = 0;
            for pair in made.windows(2) {
                let gap = pair[1].since(pair[0]);
                place = if gap >= FORGIVEN { 0 } else { place + 1 };
                let wait = WAITS[place.min(WAITS.len() - 1)];
                prop_assert!(gap >= wait.min(FORGIVEN), "{gap:?} after {place} rechecks");
            }
            if let Some(first) = wishes.first() {
                prop_assert_eq!(made.first(), Some(first), "the first recheck waits for nothing");
            }
        }

        /// A time that an answer names is kept: asked then, there is no further wait.
        #[test]
        fn p47_the_time_of_the_next_recheck_is_exact(
            count in 0_u32..9, last in moment(), visit in moment(), not_before in moment(), now in moment(),
        ) {
            let series = Series { count, last: (count > 0).then_some(last) };
            let next = series.next(Some(visit), not_before, now);
            prop_assert!(next >= now && next >= not_before);
            prop_assert_eq!(series.next(Some(visit), not_before, next), next);
            if next > now {
                let before = Timestamp(next.0 - 1);
                prop_assert!(series.next(Some(visit), not_before, before) > before);
            }
        }

        /// Never before `not_before`, whatever the series.
        #[test]
        fn p47_a_host_that_asked_for_a_pause_gets_it(
            count in 0_u32..9, last in moment(), visit: Option<i32>, not_before in moment(), now in moment(),
        ) {
            let series = Series { count, last: Some(last) };
            let visit = visit.map(|it| Timestamp(NOON.0 + i64::from(it)));
            prop_assert!(series.next(visit, not_before, now) >= not_before);
        }

        /// At most 20 names of a registrable domain are new in any 24 hours.
        #[test]
        fn p47_twenty_names_a_day(mut wishes: Vec<u16>) {
            wishes.sort_unstable();
            let mut taken: Vec<Timestamp> = Vec::new();
            for minute in wishes {
                let now = Timestamp(NOON.0 + i64::from(minute) * MINUTE);
                let blocking = taken.iter().rev().nth(19).copied();
                if next_name(blocking, now) <= now {
                    taken.push(now);
                }
            }
            for end in &taken {
                let in_a_day = taken.iter().filter(|it| *it <= end && it.after(DAY) > *end);
                prop_assert!(in_a_day.count() <= 20);
            }
        }

        /// The stated time is the first at which a visit is allowed, if nothing else happens.
        #[test]
        fn p47_the_next_room_is_neither_early_nor_late(
            counts in proptest::collection::vec((0_u64..4_000, 0_u64..300), 0..26), minute in 0_i64..60,
        ) {
            let current = 1_000_000;
            let now = Timestamp(current * HOUR_MS + minute * MINUTE);
            let hours = (0..).map(|back| current - back);
            let counts: Vec<_> = hours
                .zip(counts)
                .map(|(hour, (visits, requested))| HourCount { hour, visits, requested })
                .collect();
            let room = |at: Timestamp| {
                let from = Hours::before(at);
                let sum = |from: i64, of: fn(&HourCount) -> u64| -> u64 {
                    counts.iter().filter(|it| it.hour >= from).map(of).sum()
                };
                allowance(sum(from.visits_from, |it| it.visits), sum(from.requested_from, |it| it.requested))
            };
            let next = next_allowance(&counts, now);
            prop_assert!(room(next) > 0);
            prop_assert!(next == now || (next > now && room(Timestamp(next.0 - 1)) == 0));
            prop_assert!(next <= now.after(Duration::from_hours(25)));
        }

        /// Whenever a visit is granted, at most a tenth of the visits of the last 24 hours is
        /// requested, or as many as need no others.
        #[test]
        fn p47_a_tenth_of_the_visits(hours in proptest::collection::vec((0_u64..4_000, 0_u64..2_000), 1..80)) {
            let mut counts: Vec<(u64, u64)> = Vec::new();
            for (now, (scheduled, wanted)) in (0_i64..).zip(hours) {
                let from = Hours::before(Timestamp(now * 3_600_000));
                counts.push((scheduled, 0));
                let since = |from: i64| usize::try_from(from).unwrap_or(0);
                let visits = counts[since(from.visits_from)..].iter().map(|it| it.0 + it.1).sum();
                let requested = counts[since(from.requested_from)..].iter().map(|it| it.1).sum();
                let granted = wanted.min(allowance(visits, requested));
                if let Some(hour) = counts.last_mut() {
                    hour.1 = granted;
                }
                if granted == 0 {
                    // Visits that gave room may be a day ago by now.
                    continue;
                }
                let day = &counts[since(now - 23)..];
                let all: u64 = day.iter().map(|it| it.0 + it.1).sum();
                let requested: u64 = day.iter().map(|it| it.1).sum();
                prop_assert!(requested <= (all / 10).max(100), "{requested} of {all}");
            }
        }
    }
}
