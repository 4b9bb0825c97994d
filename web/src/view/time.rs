//! Points in time: for programs, for people, and relative to now.

use manifest::Timestamp;

/// Point in time as a page shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    /// RFC 3339 with `Z`.
    pub(crate) iso: String,
    /// `20 Nov 2026, 19:46 UTC`.
    pub(crate) words: String,
    /// `2 hours ago`, `in 3 days`.
    pub(crate) distance: String,
}

impl Moment {
    /// Converts `at`, relative to `now`.
    pub(crate) fn of(at: Timestamp, now: Timestamp) -> Self {
        Self {
            iso: at.to_rfc3339(),
            words: at.format("%-d %b %Y, %H:%M UTC"),
            distance: distance(at, now),
        }
    }
}

fn distance(at: Timestamp, now: Timestamp) -> String {
    const MINUTE: u64 = 60;
    const HOUR: u64 = 60 * MINUTE;
    const DAY: u64 = 24 * HOUR;
    let is_past = at <= now;
    let seconds = now.since(at).max(at.since(now)).as_secs();
    let (number, unit) = match seconds {
        0..MINUTE => return if is_past { "just now" } else { "in a moment" }.to_owned(),
        MINUTE..HOUR => (seconds / MINUTE, "minute"),
        HOUR..DAY => (seconds / HOUR, "hour"),
        _ if seconds < 60 * DAY => (seconds / DAY, "day"),
        _ if seconds < 730 * DAY => (seconds / (30 * DAY), "month"),
        _ => (seconds / (365 * DAY), "year"),
    };
    let plural = if number == 1 { "" } else { "s" };
    if is_past {
        format!("{number} {unit}{plural} ago")
    } else {
        format!("in {number} {unit}{plural}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_has_three_forms() {
        let now = Timestamp(1_795_204_800_000);
        let moment = Moment::of(Timestamp(now.0 - 7_200_000), now);
        assert_eq!(moment.iso, "2026-11-20T18:00:00Z");
        assert_eq!(moment.words, "20 Nov 2026, 18:00 UTC");
        assert_eq!(moment.distance, "2 hours ago");
        assert_eq!(Moment::of(now, now).distance, "just now");
        let tomorrow = Timestamp(now.0 + 86_400_000);
        assert_eq!(Moment::of(tomorrow, now).distance, "in 1 day");
    }

    #[test]
    fn any_time_can_be_shown() {
        for milliseconds in [i64::MIN, -1, 0, i64::MAX] {
            Moment::of(Timestamp(milliseconds), Timestamp(0));
        }
    }
}
