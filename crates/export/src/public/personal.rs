//! Removal of e-mail addresses and telephone numbers from what is handed on in bulk.
//!
//! A manifest may name a person to contact. Its site shows that, and so do the pages of the agent;
//! a collection of all agents would be a collection of addresses, so exports and the feed carry
//! none. Nothing distinguishes the address of a person from that of an office, so all are removed.

use regex::{Captures, Regex};
use serde_json::Value;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Text in the place of what was removed.
const REMOVED: &str = "[removed]";

/// Names of members that hold telephone numbers, without punctuation and in lower case.
const LABELS: [&str; 11] = [
    "cell",
    "fax",
    "mobile",
    "mobilenumber",
    "phone",
    "phonenumber",
    "tel",
    "telephone",
    "telephonenumber",
    "telnumber",
    "whatsapp",
];

/// Fewest and most digits of a telephone number (E.164 allows 15).
const DIGITS: std::ops::RangeInclusive<usize> = 7..=15;

/// Depth of JSON below which everything is removed, which no listing reaches.
const MAX_DEPTH: usize = 128;

/// An address, also percent-encoded, or written as `name [at] site [dot] example`.
static EMAIL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i)[^\s@<>()\[\]{},;:"/\\|=&?]+(?:@|%40|\s?[\[({]\s?at\s?[\])}]\s?)(?:[\w-]+(?:\.|\s?[\[({]\s?dot\s?[\])}]\s?))+(?:xn--[a-z0-9-]+|[^\W\d_]{2,})"#,
    )
});

/// Telephone numbers as URIs.
static URI: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(tel:|sms:|callto:|wa\.me/|whatsapp://send\?phone=|whatsapp\.com/send/?\?phone=)[+%]?[\d%().\-]{5,}",
    )
});

/// Digits after the name of a telephone.
static LABELLED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b((?:tel|telephone|phone|mobile|cell|fax|whatsapp|sms)\b[^\d+\n]{0,12})(\+?\(?\d[\d\s().\-/]{5,24}\d)",
    )
});

/// Numbers with the code of a country, and North American ones.
static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\+\(?\d[\d\s().\-/]{6,24}\d|(?:1[ .-])?(?:\(\d{3}\)\s?|\d{3}[ .-])\d{3}[ .-]\d{4}")
});

#[expect(clippy::expect_used, reason = "the pattern is constant, and tested")]
fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a valid pattern")
}

/// Removes e-mail addresses and telephone numbers from every text and name in a value.
pub fn redact(value: &mut Value) {
    walk(value, false, 0);
}

fn walk(value: &mut Value, is_labelled: bool, depth: usize) {
    if depth > MAX_DEPTH {
        *value = Value::Null;
        return;
    }
    match value {
        Value::String(text) => {
            if is_labelled && DIGITS.contains(&digits(text)) {
                REMOVED.clone_into(text);
            } else if let Cow::Owned(redacted) = redacted(text) {
                *text = redacted;
            }
        }
        Value::Number(number) => {
            if is_labelled && DIGITS.contains(&digits(&number.to_string())) {
                *value = Value::from(REMOVED);
            }
        }
        Value::Array(items) => {
            for item in items {
                walk(item, is_labelled, depth + 1);
            }
        }
        Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                walk(member, is_labelled || is_label(name), depth + 1);
            }
            if members.keys().any(|name| is_personal(name)) {
                let renamed = std::mem::take(members).into_iter();
                *members = renamed
                    .map(|(name, member)| (redacted(&name).into_owned(), member))
                    .collect();
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

/// Returns a text without e-mail addresses and telephone numbers.
pub fn redacted(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    if text.contains(['@', '%', '[', '(', '{']) {
        text = replaced(text, &EMAIL, |_, _| Some(REMOVED.to_owned()));
    }
    if digits(&text) < *DIGITS.start() {
        return text;
    }
    text = replaced(text, &URI, |found, _| {
        Some(format!("{}{REMOVED}", &found[1]))
    });
    text = replaced(text, &LABELLED, |found, _| {
        let is_number = DIGITS.contains(&digits(&found[2]));
        is_number.then(|| format!("{}{REMOVED}", &found[1]))
    });
    replaced(text, &NUMBER, |found, whole| {
        let found = found.get_match();
        let is_number = DIGITS.contains(&digits(found.as_str()));
        let (before, after) = (&whole[..found.start()], &whole[found.end()..]);
        let is_apart = !is_joined(before.chars().rev()) && !is_joined(after.chars());
        (is_number && is_apart).then(|| REMOVED.to_owned())
    })
}

/// Reports whether a text has something to remove.
fn is_personal(text: &str) -> bool {
    matches!(redacted(text), Cow::Owned(_))
}

/// Replaces the matches for which there is a replacement, given the match and the whole text.
fn replaced<'t>(
    text: Cow<'t, str>,
    pattern: &Regex,
    replacement: impl Fn(&Captures<'_>, &str) -> Option<String>,
) -> Cow<'t, str> {
    let mut built = String::new();
    let mut copied = 0;
    for found in pattern.captures_iter(&text) {
        let whole = found.get_match();
        if let Some(with) = replacement(&found, &text) {
            built.push_str(&text[copied..whole.start()]);
            built.push_str(&with);
            copied = whole.end();
        }
    }
    if copied == 0 {
        return text;
    }
    built.push_str(&text[copied..]);
    Cow::Owned(built)
}

/// Reports whether the characters beside digits, the nearest first, make them part of something
/// else, such as an id. A dot that no digit follows ends a sentence.
fn is_joined(mut beside: impl Iterator<Item = char>) -> bool {
    match beside.next() {
        Some('.') => beside.next().is_some_and(|it| it.is_ascii_digit()),
        Some(nearest) => nearest.is_alphanumeric() || matches!(nearest, '-' | '_' | '+'),
        None => false,
    }
}

fn digits(text: &str) -> usize {
    text.bytes().filter(u8::is_ascii_digit).count()
}

fn is_label(name: &str) -> bool {
    let plain: String = name
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|it| it.to_ascii_lowercase())
        .collect();
    LABELS.contains(&plain.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn addresses_are_removed_from_texts() {
        for (text, expected) in [
            ("mailto:jane@a.example", "mailto:[removed]"),
            ("Write to jane.doe+x@mail.a.example.", "Write to [removed]."),
            (
                "<jane@a.example>, (bob@b.example)",
                "<[removed]>, ([removed])",
            ),
            ("jane (at) a [dot] example", "[removed]"),
            (
                "https://a.example/u/jane%40a.example",
                "https://a.example/u/[removed]",
            ),
            ("jürgen@bücher.example", "[removed]"),
            ("пример@почта.xn--p1ai", "[removed]"),
        ] {
            assert_eq!(redacted(text), expected, "{text}");
        }
    }

    #[test]
    fn telephone_numbers_are_removed_from_texts() {
        for (text, expected) in [
            ("+49 (0)30 123456-78", "[removed]"),
            ("Call +1 (678) 901-2345 now", "Call [removed] now"),
            ("910.228.8034", "[removed]"),
            ("or call +49 30 1234567.", "or call [removed]."),
            ("(555) 123-4567 or 1-800-555-0199", "[removed] or [removed]"),
            ("Tel. 030 1234567", "Tel. [removed]"),
            ("phone number: 0171/2345678", "phone number: [removed]"),
            ("tel:+4930123456", "tel:[removed]"),
            ("https://wa.me/4915112345678", "https://wa.me/[removed]"),
        ] {
            assert_eq!(redacted(text), expected, "{text}");
        }
    }

    #[test]
    fn other_texts_stay_as_they_are() {
        for text in [
            "2026-11-20T12:00:00Z",
            "2025-07-04 11:45:59",
            "550e8400-e29b-41d4-a716-446655440000",
            "192.168.100.200",
            "npx -y server@1.2.3",
            "@scope/package@latest",
            "UTC+01:00, 10+ years, C++ 17",
            "eip155:8453 0x742d35Cc6634C0532925a3b844Bc9e7595f2bD18",
            "up to 1000000000 tokens (at least 5)",
            "https://a.example/v1/items/1234567890123",
            "Versions 1.0.0 to 10.20.3000",
            "phone",
        ] {
            assert_eq!(redacted(text), text);
            assert!(matches!(redacted(text), Cow::Borrowed(_)));
        }
    }

    #[test]
    fn every_part_of_a_value_is_searched() {
        let mut value = json!({
            "contact": "jane@a.example",
            "extensions": { "Phone-Number": 4_930_123_456_u64, "x": [{ "tel": "030 12 34 56 7" }] },
            "schema": { "properties": { "phone": { "type": "string", "maxLength": 15 } } },
            "jane@a.example": true,
            "limit": 4_930_123_456_u64,
        });
        redact(&mut value);
        let expected = json!({
            "contact": "[removed]",
            "extensions": { "Phone-Number": "[removed]", "x": [{ "tel": "[removed]" }] },
            "schema": { "properties": { "phone": { "type": "string", "maxLength": 15 } } },
            "[removed]": true,
            "limit": 4_930_123_456_u64,
        });
        assert_eq!(value, expected);
    }
}
