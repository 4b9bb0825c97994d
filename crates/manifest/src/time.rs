//! Points in time as plain data.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Milliseconds since 1970-01-01T00:00:00Z.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Adds `duration`; saturates at the maximum.
    #[must_use]
    pub fn after(self, duration: Duration) -> Self {
        let milliseconds = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Self(self.0.saturating_add(milliseconds))
    }

    /// Returns the time since `earlier`; zero if `earlier` is later.
    pub fn since(self, earlier: Self) -> Duration {
        let milliseconds = self.0.saturating_sub(earlier.0);
        Duration::from_millis(u64::try_from(milliseconds).unwrap_or(0))
    }

    /// Formats the time as RFC 3339 with `Z`, such as `2026-11-24T09:30:00Z`.
    pub fn to_rfc3339(self) -> String {
        self.instant().to_string()
    }

    /// Formats the day in UTC, such as `2026-11-24`.
    pub fn date(self) -> String {
        self.format("%F")
    }

    /// Formats the time in UTC by a pattern of `strftime`.
    pub fn format(self, pattern: &str) -> String {
        self.instant().strftime(pattern).to_string()
    }

    /// Parses a time: RFC 3339, or a date, which begins at midnight UTC.
    pub fn parse(text: &str) -> Option<Self> {
        let instant = text.parse::<jiff::Timestamp>().ok().or_else(|| {
            let date: Date = text.parse().ok().filter(|_| text.len() == 10)?;
            Some(date.to_zoned(TimeZone::UTC).ok()?.timestamp())
        })?;
        Some(Self(instant.as_millisecond()))
    }

    /// Converts the time; one that has no date becomes the nearest that has.
    fn instant(self) -> jiff::Timestamp {
        let bounds = jiff::Timestamp::MIN.as_millisecond()..=jiff::Timestamp::MAX.as_millisecond();
        let milliseconds = self.0.clamp(*bounds.start(), *bounds.end());
        jiff::Timestamp::from_millisecond(milliseconds).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_parsed_with_or_without_its_hour() {
        let parsed = |text| Timestamp::parse(text).map(Timestamp::to_rfc3339);
        let midnight = Some("2026-01-01T00:00:00Z".to_owned());
        assert_eq!(parsed("2026-01-01"), midnight);
        assert_eq!(parsed("2026-01-01T01:00:00+01:00"), midnight);
        for wrong in ["", "2026", "yesterday", "2026-13-01", "2026-01-01T00:00"] {
            assert_eq!(parsed(wrong), None, "{wrong}");
        }
    }
}
