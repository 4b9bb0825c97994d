//! Where secrets stand in a text: one pass, linear in its length.

use super::{is_made, is_random, is_secret_key, password};
use std::ops::Range;

/// Most bytes between a key and its value, and the longest key.
const REACH: usize = 48;
/// Fewest bytes of a value that is a secret under a key.
pub(super) const MIN_KEYED: usize = 20;
/// Fewest bytes of a value that is a secret in a query, where keys are plainer.
const MIN_IN_QUERY: usize = 16;
/// How tokens begin that say themselves what they are.
const PREFIXES: [&str; 25] = [
    "sk-",
    "sk_live_",
    "sk_test_",
    "rk_live_",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xoxa-",
    "xoxb-",
    "xoxp-",
    "xoxs-",
    "xapp-",
    "AKIA",
    "ASIA",
    "AIza",
    "npm_",
    "pypi-",
    "hf_",
    "whsec_",
    "shpat_",
    "ya29.",
];

/// What a text is read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// Every secret.
    All,
    /// Every secret but signed tokens, which belong where they stand: a signature or a credential
    /// for everybody to verify.
    Signed,
}

/// The places of secrets, in order, without overlaps.
pub(super) fn secrets(text: &str, scope: Scope) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let secret = match bytes[at] {
            b':' if bytes[at..].starts_with(b"://") => password(bytes, at + 3),
            b':' | b'=' => keyed(bytes, at),
            b'-' if bytes[at..].starts_with(b"-----BEGIN ") => private_key(text, at),
            b'e' if scope == Scope::All => signed(bytes, at),
            b'A' | b'g' | b'h' | b'n' | b'p' | b'r' | b's' | b'w' | b'x' | b'y' => token(bytes, at),
            _ => None,
        };
        at = secret.as_ref().map_or(at + 1, |range| range.end);
        found.extend(secret);
    }
    found
}

/// A token with a prefix that begins here.
fn token(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    if at > 0 && is_word(bytes[at - 1]) {
        return None;
    }
    let rest = &bytes[at..];
    let prefix = PREFIXES
        .iter()
        .find(|prefix| prefix.as_bytes()[0] == rest[0] && rest.starts_with(prefix.as_bytes()))?;
    let end = at + prefix.len() + run(&rest[prefix.len()..], is_word);
    let body = &bytes[at + prefix.len()..end];
    let is_secret = (body.len() >= 16 && is_made(body)) || is_access_key(prefix, body);
    is_secret.then_some(at..end)
}

/// The rest of a key of one well-known cloud: sixteen capitals and digits, in any order.
fn is_access_key(prefix: &str, body: &[u8]) -> bool {
    let is_of_key = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    ["AKIA", "ASIA"].contains(&prefix)
        && body.len() == 16
        && body.iter().all(is_of_key)
        && body.iter().any(u8::is_ascii_digit)
        && !body.ends_with(b"EXAMPLE")
}

/// A JSON Web Token that begins here: three parts, the first a JSON object.
fn signed(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let is_part = |byte| is_word(byte) || byte == b'.';
    if !bytes[at..].starts_with(b"eyJ") || (at > 0 && is_part(bytes[at - 1])) {
        return None;
    }
    let length = run(&bytes[at..], is_part);
    let token = &bytes[at..at + length];
    let parts = token.split(|byte| *byte == b'.').count();
    (length > 60 && parts >= 3).then_some(at..at + length)
}

/// A private key in PEM that begins here, to its last line or the end of the text.
fn private_key(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = &text.as_bytes()[at..];
    let header = &rest[..rest.len().min(64)];
    let is_private = header.windows(11).any(|window| window == b"PRIVATE KEY");
    if !is_private {
        return None;
    }
    let end = text[at..].find("-----END ").map(|end| {
        let line = &text[at + end..];
        let after = line.find(['\n', '\\', '"']).unwrap_or(line.len());
        at + end + after
    });
    Some(at..end.unwrap_or(text.len()))
}

/// The password of a URL whose authority begins here, or a random user name without one.
fn password(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let ends = |byte: u8| byte.is_ascii_whitespace() || b"/?#\"'<>\\,".contains(&byte);
    let authority = &bytes[at..bytes.len().min(at + 512)];
    let authority = &authority[..run(authority, |byte| !ends(byte))];
    let host = authority.iter().rposition(|byte| *byte == b'@')?;
    let user = authority[..host].iter().position(|byte| *byte == b':');
    let secret = user.map_or(0, |user| user + 1)..host;
    let value = &authority[secret.clone()];
    let is_named = value.iter().any(|byte| b"{}[]*$%".contains(byte));
    let is_secret = match user {
        Some(_) => !value.is_empty() && !is_named && value != super::IN_URL.as_bytes(),
        None => value.len() >= MIN_IN_QUERY && is_random(value),
    };
    is_secret.then_some(at + secret.start..at + secret.end)
}

/// The secret that stands after this `:` or `=`, when a key that says so stands before it.
fn keyed(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let mut from = at + 1 + run(&bytes[at + 1..bytes.len().min(at + 1 + REACH)], is_between);
    for scheme in ["Bearer ", "bearer ", "Basic ", "Token "] {
        if bytes[from..].starts_with(scheme.as_bytes()) {
            from += scheme.len();
        }
    }
    let mut end = from + run(&bytes[from..], is_value);
    let value = &bytes[from..end];
    // Few values look like secrets, so the key is asked for last.
    if value.len() < MIN_IN_QUERY || !is_made(value) || super::is_address(value) {
        return memorable(bytes, at);
    }
    let (start, key) = key(bytes, at)?;
    let is_in_query = is_in_query(bytes, at, start);
    let is_named = is_secret_key(key) || (is_in_query && is_query_key(key));
    if !is_named || (!is_in_query && value.len() < MIN_KEYED) {
        return memorable(bytes, at);
    }
    end += run(&bytes[end..], |byte| byte == b'=');
    Some(from..end)
}

/// The password that stands after this `:` or `=`, when the key is one of a password.
fn memorable(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    // Most colons follow another letter, so nothing else is looked at.
    let before = &bytes[at.saturating_sub(REACH)..at];
    let last = before.iter().rfind(|byte| !is_between(**byte))?;
    if !b"dDeE".contains(last) {
        return None;
    }
    let (start, key) = key(bytes, at)?;
    if !super::is_password_key(key) {
        return None;
    }
    let is_gap = |byte: u8| b" \t\"'`\\*".contains(&byte);
    let from = at + 1 + run(&bytes[at + 1..bytes.len().min(at + 1 + REACH)], is_gap);
    let is_in_query = is_in_query(bytes, at, start);
    let ends = |byte: u8| {
        byte.is_ascii_whitespace()
            || b"\"'`,;<>(){}[]\\".contains(&byte)
            || (is_in_query && b"&#".contains(&byte))
    };
    let reach = &bytes[from..bytes.len().min(from + 2 * REACH)];
    let value = &reach[..run(reach, |byte| !ends(byte))];
    let value = str::from_utf8(value).ok()?;
    let value = value.trim_end_matches(['.', '!', '?', ':']);
    let end = from + value.len();
    // A line of its own says nothing but the password; a sentence may go on with any word.
    let is_line = (start == 0 || bytes[start - 1] == b'\n')
        && bytes.get(end).is_none_or(|byte| b"\r\n".contains(byte));
    let is_one = password::is_value(value) && (is_line || password::is_marked(value));
    is_one.then_some(from..end)
}

/// What may stand between a key, its colon and its value.
fn is_between(byte: u8) -> bool {
    b" \t\r\n\"'`\\*".contains(&byte) || !byte.is_ascii()
}

/// The key before this `:` or `=`, and where it begins.
fn key(bytes: &[u8], at: usize) -> Option<(usize, &str)> {
    let begin = at.saturating_sub(REACH);
    let before = &bytes[begin..at];
    let last = before.iter().rposition(|byte| !is_between(*byte))? + 1;
    let is_key = |byte: u8| is_word(byte) || byte == b' ';
    let length = before[..last]
        .iter()
        .rev()
        .take_while(|byte| is_key(**byte));
    let start = last - length.count();
    let key = str::from_utf8(&before[start..last]).ok()?;
    Some((begin + start, key))
}

/// True when the key that begins at `start` is one in the query of a URL.
fn is_in_query(bytes: &[u8], at: usize, start: usize) -> bool {
    bytes[at] == b'=' && start > 0 && b"?&;".contains(&bytes[start - 1])
}

/// Names that mean a secret in the query of a URL, and something else anywhere else.
fn is_query_key(key: &str) -> bool {
    ["key", "sig", "signature", "code", "auth"]
        .iter()
        .any(|name| key.eq_ignore_ascii_case(name))
        || key.to_ascii_lowercase().ends_with("-signature")
}

/// The length of the start of `bytes` that `is` holds for.
fn run(bytes: &[u8], is: impl Fn(u8) -> bool) -> usize {
    bytes
        .iter()
        .position(|byte| !is(*byte))
        .unwrap_or(bytes.len())
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'
}

fn is_value(byte: u8) -> bool {
    is_word(byte) || b".+/~%".contains(&byte)
}
