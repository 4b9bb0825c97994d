//! The canonical form of rules and paths, in which comparing octets compares meanings (RFC 9309
//! section 2.2.2).
//!
//! Unreserved characters are decoded, hexadecimal digits are in upper case, and all characters that
//! do not appear literally in URLs are encoded. `^` is one of these, so it can mark the end of a
//! path: a rule's final `$` becomes `^`, and `^` is appended to every path. Matching then needs
//! neither regular expressions nor backtracking.

/// Returns a rule's pattern in canonical form; `None` if it can match no path.
pub(super) fn rule(pattern: &[u8]) -> Option<String> {
    if !matches!(pattern.first(), Some(b'/' | b'*')) {
        return None;
    }
    let (pattern, is_anchored) = match pattern {
        [start @ .., b'$'] => (start, true),
        _ => (pattern, false),
    };
    let mut text = canonicalize(pattern, true);
    if is_anchored {
        text.push('^');
    }
    Some(text)
}

/// Returns a path with its query in canonical form.
pub(super) fn path(path_and_query: &str) -> String {
    let path = path_and_query.split('#').next().unwrap_or_default();
    let mut text = canonicalize(path.as_bytes(), false);
    if text.is_empty() {
        text.push('/');
    }
    text.push('^');
    text
}

/// Reports whether a pattern matches a path, both in canonical form.
///
/// This explains decisions; it does not make them.
pub(super) fn matches(pattern: &str, path: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = path.strip_prefix(first) else {
        return false;
    };
    for piece in pieces {
        match rest.split_once(piece) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    true
}

fn canonicalize(octets: &[u8], is_rule: bool) -> String {
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
                // A malformed escape is compared literally.
                _ => text.push('%'),
            },
            b'*' if is_rule => text.push('*'),
            _ if is_literal(octet) => text.push(char::from(octet)),
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

/// Reports whether an octet appears literally in a URL; `*` and `$` are excluded because rules give
/// them a meaning.
fn is_literal(octet: u8) -> bool {
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
