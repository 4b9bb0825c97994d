//! The wait that a `Retry-After` header asks for, in every form that servers use (P35).

use super::header;
use jiff::civil::DateTime;
use jiff::fmt::rfc2822;
use jiff::{Span, SpanRelativeTo};
use manifest::Timestamp;
use std::time::{Duration, UNIX_EPOCH};

/// Maximum number of elements of a header that are read.
const MAX_ELEMENTS: usize = 32;

/// Time by which the westernmost clocks are behind UTC, for a time without a zone.
const WESTERNMOST: Duration = Duration::from_hours(12);

/// Returns the longest wait for which a value can stand, so that no pause is shorter than the server
/// meant: of a list, of a number with a fraction or a unit, and of a date in the future.
///
/// Any other value counts as absent (P35).
pub fn retry_after(value: &str, now: Timestamp) -> Option<Duration> {
    let elements: Vec<&str> = header::elements(value, ',').take(MAX_ELEMENTS).collect();
    // A comma separates the elements of a list, the day of the week from a date, and thousands.
    let dates = elements.windows(2).map(|pair| pair.join(","));
    let texts = elements.iter().map(|element| (*element).to_owned());
    let texts = texts.chain(dates).chain([value.to_owned()]);
    let waits = texts.filter_map(|text| wait(&header::unquoted(text.trim()), now));
    waits.chain(thousands(&elements)).max()
}

fn wait(text: &str, now: Timestamp) -> Option<Duration> {
    let text = text.trim();
    seconds(text).or_else(|| with_unit(text)).or_else(|| {
        let wait = date(text)?.since(now);
        (wait > Duration::ZERO).then_some(wait)
    })
}

/// Returns the duration of a number of seconds, rounded up.
fn seconds(number: &str) -> Option<Duration> {
    let is_number = number.starts_with(|first: char| first.is_ascii_digit());
    let seconds = number.parse::<f64>().ok().filter(|_| is_number)?;
    // A number that overflows stands for a very long time.
    let longest = Duration::from_secs(u32::MAX.into());
    let wait = Duration::try_from_secs_f64(seconds.ceil()).unwrap_or(longest);
    Some(wait.min(longest))
}

/// Returns the duration of a number with separated thousands, such as `7,200`.
fn thousands(groups: &[&str]) -> Option<Duration> {
    let (first, others) = groups.split_first()?;
    let is_grouped = (1..=3).contains(&first.len()) && others.iter().all(|it| it.len() == 3);
    let digits = groups.concat();
    let is_number = is_grouped && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| seconds(&digits))?
}

/// Returns the duration of numbers with units, such as `2 hours`, `1h30m` or `PT2H`.
fn with_unit(text: &str) -> Option<Duration> {
    let span: Span = text.parse().ok()?;
    let days = SpanRelativeTo::days_are_24_hours();
    Duration::try_from(span.to_duration(days).ok()?).ok()
}

/// Returns the time of a date: as HTTP has it, as mail has it, or by ISO 8601.
fn date(text: &str) -> Option<Timestamp> {
    if let Ok(date) = httpdate::parse_http_date(text) {
        return Some(Timestamp(0).after(date.duration_since(UNIX_EPOCH).ok()?));
    }
    let of_jiff = |time: jiff::Timestamp| Timestamp(time.as_millisecond());
    if let Ok(time) = text.parse() {
        return Some(of_jiff(time));
    }
    if let Ok(time) = rfc2822::parse(text) {
        return Some(of_jiff(time.timestamp()));
    }
    let local: DateTime = text.parse().ok()?;
    let is_day = !text.contains(':');
    let day = Duration::from_hours(24);
    let latest = WESTERNMOST + if is_day { day } else { Duration::ZERO };
    let time = local.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp();
    Some(of_jiff(time).after(latest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// 1994-11-06T08:49:37Z.
    const NOW: Timestamp = Timestamp(784_111_777_000);

    fn seconds_of(text: &str) -> Option<u64> {
        retry_after(text, NOW).map(|wait| wait.as_secs())
    }

    #[test]
    fn retry_after_is_seconds_or_a_future_date() {
        assert_eq!(seconds_of("120"), Some(120));
        assert_eq!(seconds_of("Sun, 06 Nov 1994 08:50:37 GMT"), Some(60));
        assert_eq!(seconds_of("Sun, 06 Nov 1994 08:49:37 GMT"), None);
        assert_eq!(seconds_of("Thu, 01 Jan 1970 00:00:00 GMT"), None);
        for absent in ["-1", "soon", "", ",", "inf", "NaN", "-2 hours"] {
            assert_eq!(seconds_of(absent), None, "{absent}");
        }
        assert_eq!(seconds_of("99999999999"), Some(u64::from(u32::MAX)));
    }

    /// P35, HS-113: no pause is shorter than the server asked for.
    #[test]
    fn p35_of_several_readings_the_longest_counts() {
        for (text, expected) in [
            ("7200.5", 7_201),
            ("7200,7200", 7_200),
            ("7200, 7200", 7_200),
            ("60, 7200", 7_200),
            ("7200, soon", 7_200),
            ("7,200", 7_200),
            ("\"7200\"", 7_200),
            ("7200s", 7_200),
            ("7200 seconds", 7_200),
            ("2 hours", 7_200),
            ("1h30m", 5_400),
            ("PT2H", 7_200),
            ("1 day", 86_400),
            ("1e400", u64::from(u32::MAX)),
            ("1994-11-06T08:50:37Z", 60),
            ("1994-11-06T08:50:37.250Z", 60),
            ("1994-11-06 09:50:37+01:00", 60),
            // The server's zone is unknown.
            ("1994-11-06T08:50:37", 60 + 12 * 3_600),
            ("1994-11-06", 15 * 3_600 + 10 * 60 + 23 + 12 * 3_600),
            ("Sun, 6 Nov 1994 08:50:37 +0000", 60),
            (
                "Sun, 06 Nov 1994 08:50:37 GMT, Sun, 06 Nov 1994 08:51:37 GMT",
                120,
            ),
            ("30, Sun, 06 Nov 1994 08:51:37 GMT", 120),
        ] {
            assert_eq!(seconds_of(text), Some(expected), "{text}");
        }
    }

    /// HS-100: a date is compared with a clock that may be wrong; the resulting wait is at most a
    /// day.
    #[test]
    fn hs_100_a_date_compared_with_a_wrong_clock_is_a_bounded_wait() {
        let now = 784_111_777_000;
        let date = "Sun, 06 Nov 1994 08:59:37 GMT";
        let wait = |clock| {
            let asked = retry_after(date, Timestamp(clock));
            crate::schedule::pause(asked, 1).as_secs()
        };
        assert_eq!(wait(now), 600);
        assert_eq!(wait(now - 3_600_000), 4_200, "an hour behind");
        assert_eq!(wait(now + 3_600_000), 60, "an hour ahead");
        assert_eq!(wait(0), 86_400, "a clock that was reset");
    }

    proptest! {
        #[test]
        fn no_header_makes_the_reader_panic(
            start in "(P|[A-Z][a-z]{2}, [0-9]{1,2} [A-Z][a-z]{2} )?", text in "\\PC{0,3}|[0-9]{1,3}|[0-9]{1,20}[a-z]",
            times in 0_usize..3_000, now: i64,
        ) {
            let wait = retry_after(&format!("{start}{}", text.repeat(times)), Timestamp(now));
            prop_assert!(wait.is_none_or(|wait| wait < Duration::MAX));
        }

        #[test]
        fn any_date_is_a_wait_or_none(
            day in 0_u8..40, month in "(Jan|Feb|Dec)", year in 0_u32..100_000, second in 0_u8..70, now: i64,
        ) {
            let date = format!("Fri, {day:02} {month} {year:04} 09:00:{second:02} GMT");
            let _ = (retry_after(&date, Timestamp(now)), header::last_modified(date.as_bytes()));
        }

        #[test]
        fn a_number_is_never_read_as_a_shorter_wait(number in 0_u32..90_000, rest in "(|, |,|s|\\.9| x|;)[0-9]{0,3}") {
            let wait = retry_after(&format!("{number}{rest}"), NOW);
            let least = Duration::from_secs(number.into());
            prop_assert!(wait.is_none_or(|wait| wait >= least));
        }
    }
}
