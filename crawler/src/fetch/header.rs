//! The two response headers whose values mean a time.

use manifest::Timestamp;
use std::time::Duration;

/// `max-age` of a `Cache-Control` header (RFC 9111 section 5.2.2.1).
pub fn max_age(cache_control: &str) -> Option<Duration> {
    cache_control.split(',').find_map(|directive| {
        let (name, value) = directive.split_once('=')?;
        if !name.trim().eq_ignore_ascii_case("max-age") {
            return None;
        }
        seconds(value.trim().trim_matches('"'))
    })
}

/// The wait that a `Retry-After` header asks for: seconds, or a date in the future.
///
/// Anything else counts as not sent (P35).
pub fn retry_after(value: &str, now: Timestamp) -> Option<Duration> {
    if let Some(wait) = seconds(value.trim()) {
        return Some(wait);
    }
    let date = httpdate::parse_http_date(value.trim()).ok()?;
    let since_epoch = date.duration_since(std::time::UNIX_EPOCH).ok()?;
    let wait = Timestamp(0).after(since_epoch).since(now);
    (wait > Duration::ZERO).then_some(wait)
}

fn seconds(digits: &str) -> Option<Duration> {
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    // A number that does not fit is a very long time.
    let seconds = digits.parse::<u32>().unwrap_or(u32::MAX);
    Some(Duration::from_secs(seconds.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn max_age_is_found_among_directives() {
        let age = |text| max_age(text).map(|age| age.as_secs());
        assert_eq!(age("public, Max-Age=600, immutable"), Some(600));
        assert_eq!(age("max-age=\"60\""), Some(60));
        assert_eq!(age("s-maxage=60"), None);
        assert_eq!(age("max-age=-1"), None);
        assert_eq!(
            age("max-age=99999999999999999999"),
            Some(u64::from(u32::MAX))
        );
    }

    #[test]
    fn retry_after_is_seconds_or_a_date_to_come() {
        // 1994-11-06T08:49:37Z.
        let now = Timestamp(784_111_777_000);
        let wait = |text| retry_after(text, now).map(|wait| wait.as_secs());
        assert_eq!(wait("120"), Some(120));
        assert_eq!(wait("Sun, 06 Nov 1994 08:50:37 GMT"), Some(60));
        assert_eq!(wait("Sun, 06 Nov 1994 08:49:37 GMT"), None);
        assert_eq!(wait("Thu, 01 Jan 1970 00:00:00 GMT"), None);
        assert_eq!(wait("-1"), None);
        assert_eq!(wait("soon"), None);
        assert_eq!(wait("99999999999"), Some(u64::from(u32::MAX)));
    }

    /// Row 100: a date is read by a clock that may be wrong, and what comes of it stays within a day.
    #[test]
    fn row_100_a_date_read_by_a_wrong_clock_is_a_wait_within_bounds() {
        let now = 784_111_777_000;
        let date = "Sun, 06 Nov 1994 08:59:37 GMT";
        let wait = |clock| {
            let asked = retry_after(date, Timestamp(clock));
            crate::schedule::pause(asked, 1).as_secs()
        };
        assert_eq!(wait(now), 600);
        assert_eq!(wait(now - 3_600_000), 4_200, "an hour behind");
        assert_eq!(wait(now + 3_600_000), 60, "an hour ahead");
        assert_eq!(wait(0), 86_400, "since the battery ran out");
    }
}
