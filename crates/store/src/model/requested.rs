//! Limits of visits that visitors of the registry ask for (P47): pure functions over plain data.
//!
//! A visitor submits a new domain or asks for a recheck of a known one. Neither may turn the crawler
//! into a tool against a site, a registrable domain, or the registry itself.

pub(crate) mod circumstances;
mod share;
mod turn;

pub use share::*;
pub use turn::*;

use manifest::Timestamp;
use std::time::Duration;

/// Maximum number of requests of a recheck of a site of which nothing is known, robots.txt included.
pub const REQUESTS: u32 = 12;

/// Maximum number of requests of a recheck of a site with manifests.
pub const REQUESTS_OF_KNOWN: u32 = 6;

/// Maximum number of new names below one registrable domain in 24 hours.
pub const NAMES_A_DAY: u32 = 20;

/// Maximum number of those names that one network submits.
pub const NAMES_OF_NETWORK: u32 = NAMES_A_DAY / 2;

/// Maximum number of submissions and rechecks that wait at the same time.
pub const MAX_WAITING: u32 = 10_000;

/// Maximum number of those that one network submitted.
pub const MAX_WAITING_OF_NETWORK: u32 = MAX_WAITING / 10;

/// Days for which the result of a submission is kept.
pub const KEPT_DAYS: u64 = 30;

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

/// The same for the owner of the domain, who has proved it by a token.
pub const OWNER_WAITS: [Duration; 5] = [
    Duration::ZERO,
    Duration::from_mins(1),
    Duration::from_mins(2),
    Duration::from_mins(5),
    Duration::from_mins(10),
];

/// Rechecks of a domain that still count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Series {
    /// Their number.
    pub count: u32,
    /// Time of the last one; `None` without any.
    pub last: Option<Timestamp>,
}

impl Series {
    /// Returns the earliest time of the next recheck after these `waits`, `now` at the earliest.
    ///
    /// The time is never before `not_before`, when the host may be contacted again (P35).
    pub fn next(
        self,
        waits: &[Duration],
        last_visit: Option<Timestamp>,
        not_before: Timestamp,
        now: Timestamp,
    ) -> Timestamp {
        let due = match (last_visit, self.last) {
            (Some(visit), Some(last)) => visit.after(self.wait(waits)).min(last.after(FORGIVEN)),
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
    fn wait(self, waits: &[Duration]) -> Duration {
        let rechecks = usize::try_from(self.count).unwrap_or(usize::MAX);
        let wait = waits.get(rechecks).or(waits.last());
        wait.copied().unwrap_or_default()
    }
}

/// Returns the earliest time at which another name below a registrable domain may be submitted, `now`
/// at the earliest. `blocking` are the times of the [`NAMES_A_DAY`]th newest name there and of the
/// [`NAMES_OF_NETWORK`]th newest of the same network.
pub fn next_name(blocking: [Option<Timestamp>; 2], now: Timestamp) -> Timestamp {
    let ends = blocking.into_iter().flatten().map(|at| at.after(DAY));
    ends.max().map_or(now, |end| end.max(now))
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
        rechecks_after(&WAITS, wishes, length)
    }

    /// Rechecks a domain like [`rechecks`], after other waits.
    fn rechecks_after(
        waits: &[Duration],
        wishes: &[Timestamp],
        length: Duration,
    ) -> Vec<Timestamp> {
        let mut series = Series::default();
        let mut last_visit = Some(NOON);
        let mut made = Vec::new();
        for now in wishes {
            if series.next(waits, last_visit, Timestamp(0), *now) <= *now {
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
    fn p47_the_waits_of_an_owner_are_1_2_5_and_10_minutes() {
        let every_minute = (0..60).map(|it| Timestamp(NOON.0 + it * MINUTE));
        let every_minute: Vec<_> = every_minute.collect();
        let made = rechecks_after(&OWNER_WAITS, &every_minute, Duration::ZERO);
        let minutes: Vec<_> = made.iter().map(|it| (it.0 - NOON.0) / MINUTE).collect();
        assert_eq!(minutes, [0, 1, 3, 8, 18, 28, 38, 48, 58]);
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
        let next = series.next(&WAITS, Some(visit), NOON, visit);
        assert_eq!(next, NOON.after(FORGIVEN));
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
            for waits in [WAITS, OWNER_WAITS] {
                let next = series.next(&waits, Some(visit), not_before, now);
                prop_assert!(next >= now && next >= not_before);
                prop_assert_eq!(series.next(&waits, Some(visit), not_before, next), next);
                if next > now {
                    let before = Timestamp(next.0 - 1);
                    prop_assert!(series.next(&waits, Some(visit), not_before, before) > before);
                }
            }
        }

        /// Never before `not_before`, whatever the series.
        #[test]
        fn p47_a_host_that_asked_for_a_pause_gets_it(
            count in 0_u32..9, last in moment(), visit: Option<i32>, not_before in moment(), now in moment(),
        ) {
            let series = Series { count, last: Some(last) };
            let visit = visit.map(|it| Timestamp(NOON.0 + i64::from(it)));
            for waits in [WAITS, OWNER_WAITS] {
                prop_assert!(series.next(&waits, visit, not_before, now) >= not_before);
            }
        }

        /// At most 20 names of a registrable domain are new in any 24 hours, and 10 of one network.
        #[test]
        fn p47_twenty_names_a_day_and_ten_of_a_network(mut wishes: Vec<(u16, bool)>) {
            wishes.sort_unstable();
            let mut taken: Vec<(Timestamp, bool)> = Vec::new();
            for (minute, network) in wishes {
                let now = Timestamp(NOON.0 + i64::from(minute) * MINUTE);
                let newest = taken.iter().rev();
                let all = newest.clone().nth(19).map(|it| it.0);
                let own = newest.filter(|it| it.1 == network).nth(9).map(|it| it.0);
                if next_name([all, own], now) <= now {
                    taken.push((now, network));
                }
            }
            for (end, network) in &taken {
                let in_a_day = taken.iter().filter(|it| it.0 <= *end && it.0.after(DAY) > *end);
                prop_assert!(in_a_day.clone().count() <= 20);
                prop_assert!(in_a_day.filter(|it| it.1 == *network).count() <= 10);
            }
        }
    }
}
