//! Cuts a robots.txt into lines and says what each one is.
//!
//! The rules are Google's, which accept common typos and a missing colon.

/// One line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    /// What stands before a comment.
    pub(super) field: Option<Field<'a>>,
    /// What stands after `#`.
    pub(super) comment: Option<&'a [u8]>,
}

/// A key and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field<'a> {
    /// What the key means.
    pub(super) key: Key<'a>,
    /// The value, trimmed.
    pub(super) value: &'a [u8],
}

/// What a key means.
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
/// The typos that Google accepts, and one that crawler-commons does.
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

/// Every line of a text, blank ones included.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = Line<'_>> {
    text.split(|octet| matches!(octet, b'\n' | b'\r'))
        .map(|line| {
            // What follows a NUL was never seen by matchers that read C strings.
            let line = line.split(|octet| *octet == 0).next().unwrap_or_default();
            match line.iter().position(|octet| *octet == b'#') {
                Some(position) => Line {
                    field: field(&line[..position]),
                    comment: Some(&line[position + 1..]),
                },
                None => Line {
                    field: field(line),
                    comment: None,
                },
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

/// Without a colon, a line counts when it has exactly two words.
fn two_words(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = line.iter().position(|octet| is_blank(*octet))?;
    let value = trim(&line[end..]);
    (!value.iter().any(|octet| is_blank(*octet))).then_some((&line[..end], value))
}

/// Keys are compared without case and by their beginning, so that `Disallowed` is read as meant.
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

/// Cuts ASCII white space off both ends; a no-break space is none.
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
