//! One spelling for rules and paths, so that comparing octets compares meanings (RFC 9309 section 2.2.2).
//!
//! Unreserved characters are decoded, hexadecimal digits are upper case, and everything that no URL
//! spells plainly is encoded.
//! `^` never survives that, so it serves as the end of a path: a rule's final `$` becomes `^`, and every path
//! gets one. Matching then needs neither regular expressions nor backtracking.

/// A rule's pattern in canonical spelling; `None` when it can match no path.
pub(super) fn rule(pattern: &[u8]) -> Option<String> {
    if !matches!(pattern.first(), Some(b'/' | b'*')) {
        return None;
    }
    let (pattern, is_anchored) = match pattern {
        [start @ .., b'$'] => (start, true),
        _ => (pattern, false),
    };
    let mut text = spell(pattern, true);
    if is_anchored {
        text.push('^');
    }
    Some(text)
}

/// A path with its query in canonical spelling.
pub(super) fn path(path_and_query: &str) -> String {
    let path = path_and_query.split('#').next().unwrap_or_default();
    let mut text = spell(path.as_bytes(), false);
    if text.is_empty() {
        text.push('/');
    }
    text.push('^');
    text
}

fn spell(octets: &[u8], is_rule: bool) -> String {
    let mut text = String::with_capacity(octets.len() + 8);
    let mut rest = octets;
    while let Some((&octet, tail)) = rest.split_first() {
        rest = tail;
        match octet {
            b'%' => match tail {
                [high, low, after @ ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                    rest = after;
                    let decoded = digit(*high) << 4 | digit(*low);
                    if is_unreserved(decoded) {
                        text.push(char::from(decoded));
                    } else {
                        encode(&mut text, decoded);
                    }
                }
                // A malformed escape is compared as it stands.
                _ => text.push('%'),
            },
            b'*' if is_rule => text.push('*'),
            _ if is_plain(octet) => text.push(char::from(octet)),
            _ => encode(&mut text, octet),
        }
    }
    text
}

fn encode(text: &mut String, octet: u8) {
    const DIGITS: [char; 16] = [
        '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F',
    ];
    text.push('%');
    text.push(DIGITS[usize::from(octet >> 4)]);
    text.push(DIGITS[usize::from(octet & 15)]);
}

fn digit(octet: u8) -> u8 {
    match octet {
        b'0'..=b'9' => octet - b'0',
        _ => (octet | 0x20) - b'a' + 10,
    }
}

fn is_unreserved(octet: u8) -> bool {
    octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'.' | b'_' | b'~')
}

/// Spelled plainly in a URL; `*` and `$` are not, because rules give them a meaning.
fn is_plain(octet: u8) -> bool {
    is_unreserved(octet)
        || matches!(
            octet,
            b'/' | b'?'
                | b':'
                | b'@'
                | b'['
                | b']'
                | b'!'
                | b'&'
                | b'\''
                | b'('
                | b')'
                | b'+'
                | b','
                | b';'
                | b'='
                | b'#'
        )
}
