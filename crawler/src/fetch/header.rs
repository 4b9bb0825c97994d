//! Response headers: `Cache-Control`, validators (`ETag`, `Last-Modified`), and the lists and quoted
//! strings of which others consist.

use std::time::Duration;

/// Returns `max-age` of a `Cache-Control` header (RFC 9111 section 5.2.2.1).
pub fn max_age(cache_control: &str) -> Option<Duration> {
    elements(cache_control, ',').find_map(|directive| {
        let (name, value) = directive.split_once('=')?;
        if !name.trim().eq_ignore_ascii_case("max-age") {
            return None;
        }
        seconds(&unquoted(value.trim()))
    })
}

/// Returns the position of the `separator` that ends the first element of a list, outside of quoted
/// strings (RFC 9110 sections 5.6.1 and 5.6.4).
pub(super) fn end_of_element(list: &str, separator: char) -> usize {
    let mut is_quoted = false;
    let mut is_escaped = false;
    let end = list.find(|character| {
        let is_plain = !is_quoted && character == separator;
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            _ => {}
        }
        is_plain
    });
    end.unwrap_or(list.len())
}

/// Returns the elements of a list, untrimmed, the empty ones too.
pub(super) fn elements(list: &str, separator: char) -> impl Iterator<Item = &str> {
    let mut rest = Some(list);
    std::iter::from_fn(move || {
        let list = rest?;
        let end = end_of_element(list, separator);
        rest = list.get(end + separator.len_utf8()..);
        Some(&list[..end])
    })
}

/// Returns the text of a token or of a quoted string.
pub(super) fn unquoted(value: &str) -> String {
    let Some(quoted) = value.strip_prefix('"') else {
        return value.to_owned();
    };
    let mut characters = quoted.strip_suffix('"').unwrap_or(quoted).chars();
    let mut text = String::with_capacity(quoted.len());
    while let Some(character) = characters.next() {
        text.extend(match character {
            '\\' => characters.next(),
            other => Some(other),
        });
    }
    text
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
        assert_eq!(age("x=\"a, max-age=9\", max-age=60"), Some(60));
        assert_eq!(age("x=\"a, max-age=9"), None);
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

    proptest! {
        #[test]
        fn no_header_makes_a_reader_panic(
            start in "(max-age=|W/\"|[A-Z][a-z]{2}, [0-9]{1,2} [A-Z][a-z]{2} )?", text in "\\PC{0,3}|[0-9]{1,3}",
            times in 0_usize..30_000,
        ) {
            let value = format!("{start}{}", text.repeat(times));
            let validators = (entity_tag(value.as_bytes()), last_modified(value.as_bytes()));
            prop_assert!(max_age(&value).is_none() || validators == (None, None));
        }

        #[test]
        fn the_elements_of_a_list_are_the_whole_list(list in "[a-z,;\"\\\\ é]{0,40}") {
            let elements: Vec<&str> = elements(&list, ',').collect();
            prop_assert_eq!(elements.join(","), list);
        }
    }
}
