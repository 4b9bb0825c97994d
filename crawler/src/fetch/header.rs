//! Response headers: times (`Cache-Control`, `Retry-After`) and validators (`ETag`,
//! `Last-Modified`).

use manifest::Timestamp;
use std::time::Duration;

/// Returns `max-age` of a `Cache-Control` header (RFC 9111 section 5.2.2.1).
pub fn max_age(cache_control: &str) -> Option<Duration> {
    cache_control.split(',').find_map(|directive| {
        let (name, value) = directive.split_once('=')?;
        if !name.trim().eq_ignore_ascii_case("max-age") {
            return None;
        }
        seconds(value.trim().trim_matches('"'))
    })
}

/// Returns the wait that a `Retry-After` header asks for: seconds, or a date in the future.
///
/// Any other value counts as absent (P35).
pub fn retry_after(value: &str, now: Timestamp) -> Option<Duration> {
    if let Some(wait) = seconds(value.trim()) {
        return Some(wait);
    }
    let date = httpdate::parse_http_date(value.trim()).ok()?;
    let since_epoch = date.duration_since(std::time::UNIX_EPOCH).ok()?;
    let wait = Timestamp(0).after(since_epoch).since(now);
    (wait > Duration::ZERO).then_some(wait)
}

/// Maximum length of a stored entity-tag or date.
const VALIDATOR_BYTES: usize = 256;

/// Returns an `ETag` header that is exactly one entity-tag of visible ASCII (RFC 9110 section
/// 8.8.3). Any other value could change the meaning of `If-None-Match`.
pub fn entity_tag(value: &[u8]) -> Option<&str> {
    let quoted = value.strip_prefix(b"W/").unwrap_or(value);
    let opaque = quoted.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    let is_whole = opaque
        .iter()
        .all(|byte| byte.is_ascii_graphic() && *byte != b'"');
    let is_kept = is_whole && value.len() <= VALIDATOR_BYTES;
    std::str::from_utf8(value).ok().filter(|_| is_kept)
}

/// Returns a `Last-Modified` header that is an HTTP date (RFC 9110 section 5.6.7).
pub fn last_modified(value: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(value).ok()?;
    let is_kept = text.len() <= VALIDATOR_BYTES && httpdate::parse_http_date(text).is_ok();
    is_kept.then_some(text)
}

fn seconds(digits: &str) -> Option<Duration> {
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    // A number that overflows stands for a very long time.
    let seconds = digits.parse::<u32>().unwrap_or(u32::MAX);
    Some(Duration::from_secs(seconds.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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

    /// P40: a value that is not an entity-tag is dropped.
    #[test]
    fn an_entity_tag_is_quoted_and_of_visible_ascii() {
        for kept in ["\"\"", "\"one\"", "W/\"a-1!~\"", "\"a,b\""] {
            assert_eq!(entity_tag(kept.as_bytes()), Some(kept));
        }
        let longest = format!("\"{}\"", "x".repeat(254));
        assert!(entity_tag(longest.as_bytes()).is_some());
        let longer = format!("\"{}\"", "x".repeat(255));
        for dropped in [
            &b""[..],
            b"\"",
            b"*",
            b"one",
            b"abc def, *",
            b"w/\"one\"",
            b"W/ \"one\"",
            b"\"one\", \"two\"",
            b"\"a b\"",
            b"\"a\tb\"",
            b"\"a\x7fb\"",
            b"\"\xE9\xFF\"",
            b"\xE9\xFF",
            "\"\u{e9}\"".as_bytes(),
            longer.as_bytes(),
        ] {
            assert_eq!(entity_tag(dropped), None, "{dropped:?}");
        }
    }

    #[test]
    fn a_last_modified_is_a_date() {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT";
        assert_eq!(last_modified(date.as_bytes()), Some(date));
        for dropped in [&b""[..], b"garbage", b"784111777", b"\xE9\xFF"] {
            assert_eq!(last_modified(dropped), None, "{dropped:?}");
        }
    }

    #[test]
    fn retry_after_is_seconds_or_a_future_date() {
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
        fn no_header_makes_a_reader_panic(
            start in "(max-age=|W/\"|[A-Z][a-z]{2}, [0-9]{1,2} [A-Z][a-z]{2} )?", text in "\\PC{0,3}|[0-9]{1,3}",
            times in 0_usize..30_000, now: i64,
        ) {
            let value = format!("{start}{}", text.repeat(times));
            let wait = retry_after(&value, Timestamp(now));
            prop_assert!(wait.is_none_or(|wait| wait <= Duration::from_millis(u64::MAX)));
            let validators = (entity_tag(value.as_bytes()), last_modified(value.as_bytes()));
            prop_assert!(max_age(&value).is_none() || validators == (None, None));
        }

        #[test]
        fn any_date_is_a_wait_or_none(
            day in 0_u8..40, month in "(Jan|Feb|Dec)", year in 0_u32..100_000, second in 0_u8..70, now: i64,
        ) {
            let date = format!("Fri, {day:02} {month} {year:04} 09:00:{second:02} GMT");
            let _ = (retry_after(&date, Timestamp(now)), last_modified(date.as_bytes()));
        }
    }
}
