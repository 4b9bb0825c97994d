//! Splits a robots.txt into lines and classifies them.
//!
//! The grammar is Google's, which accepts common typos and a missing colon.

/// A line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    /// Its number, from 1.
    pub(super) number: u32,
    /// The part before a comment.
    pub(super) field: Option<Field<'a>>,
    /// The part after `#`.
    pub(super) comment: Option<&'a [u8]>,
}

/// A key and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field<'a> {
    /// The meaning of the key.
    pub(super) key: Key<'a>,
    /// The value, trimmed.
    pub(super) value: &'a [u8],
}

/// The meaning of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key<'a> {
    /// `User-agent`.
    UserAgent,
    /// `Allow`.
    Allow,
    /// `Disallow`.
    Disallow,
    /// `Crawl-delay`.
    CrawlDelay,
    /// `Content-Signal` or `Content-Usage`.
    Signal,
    /// Anything else, as written.
    Other(&'a [u8]),
}

const USER_AGENT: [&str; 3] = ["user-agent", "useragent", "user agent"];
const ALLOW: [&str; 1] = ["allow"];
/// Typos accepted by Google, and one accepted by crawler-commons.
const DISALLOW: [&str; 7] = [
    "disallow",
    "dissallow",
    "dissalow",
    "disalow",
    "diasllow",
    "disallaw",
    "desallow",
];
const CRAWL_DELAY: [&str; 3] = ["crawl-delay", "crawldelay", "crawl delay"];
const SIGNAL: [&str; 2] = ["content-signal", "content-usage"];

/// Returns every line of a text, including blank ones.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let is_end = |octet: &u8| matches!(octet, b'\n' | b'\r');
    let mut number = 0_u32;
    let mut is_after_return = false;
    text.split_inclusive(is_end).map(move |piece| {
        // The second octet of CR LF is not a line of its own.
        number += u32::from(!(is_after_return && piece == b"\n"));
        is_after_return = piece.ends_with(b"\r");
        let line = piece.strip_suffix(b"\n").unwrap_or(piece);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        // Matchers that use C strings ignore everything after a NUL.
        let line = line.split(|octet| *octet == 0).next().unwrap_or_default();
        let (before, comment) = match line.iter().position(|octet| *octet == b'#') {
            Some(position) => (&line[..position], Some(&line[position + 1..])),
            None => (line, None),
        };
        Line {
            number,
            field: field(before),
            comment,
        }
    })
}

fn field(line: &[u8]) -> Option<Field<'_>> {
    let line = trim(line);
    let (key, value) = match line.iter().position(|octet| *octet == b':') {
        Some(position) => (trim(&line[..position]), trim(&line[position + 1..])),
        None => two_words(line)?,
    };
    (!key.is_empty()).then(|| Field {
        key: meaning(key),
        value,
    })
}

/// Splits a line without a colon; it counts only if it has exactly two words.
fn two_words(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = line.iter().position(|octet| is_blank(*octet))?;
    let value = trim(&line[end..]);
    (!value.iter().any(|octet| is_blank(*octet))).then_some((&line[..end], value))
}

/// Returns the meaning of a key, compared by its beginning and without regard to case, so that
/// `Disallowed` is accepted.
fn meaning(key: &[u8]) -> Key<'_> {
    let begins = |names: &[&str]| {
        names.iter().any(|name| {
            key.get(..name.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
        })
    };
    if begins(&USER_AGENT) {
        Key::UserAgent
    } else if begins(&ALLOW) {
        Key::Allow
    } else if begins(&DISALLOW) {
        Key::Disallow
    } else if begins(&CRAWL_DELAY) {
        Key::CrawlDelay
    } else if begins(&SIGNAL) {
        Key::Signal
    } else {
        Key::Other(key)
    }
}

/// Trims ASCII white space on both ends; a no-break space is not trimmed.
pub(super) fn trim(octets: &[u8]) -> &[u8] {
    let Some(start) = octets.iter().position(|octet| !is_space(*octet)) else {
        return &[];
    };
    let end = octets
        .iter()
        .rposition(|octet| !is_space(*octet))
        .map_or(start, |position| position + 1);
    &octets[start..end]
}

fn is_blank(octet: u8) -> bool {
    matches!(octet, b' ' | b'\t')
}

fn is_space(octet: u8) -> bool {
    matches!(octet, b' ' | b'\t' | 0x0b | 0x0c | b'\n' | b'\r')
}
