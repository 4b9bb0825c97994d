//! Scanner for secrets in a text: one pass, linear in its length.

use super::{is_generated, is_random, is_secret_key, password};
use std::ops::Range;

/// Maximum number of bytes between a key and its value, and maximum length of a key.
const REACH: usize = 48;
/// Minimum length of a secret under a key, in bytes.
pub(super) const MIN_KEYED: usize = 20;
/// Minimum length of a secret in a query, in bytes; keys are shorter there.
const MIN_IN_QUERY: usize = 16;
/// Prefixes of well-known tokens.
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

/// Kinds of secrets to look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// Every secret.
    All,
    /// Every secret except signed tokens, which are public in a signature or a verifiable
    /// credential.
    Signed,
}

/// Returns the ranges of secrets, in order, without overlaps.
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

/// Returns the range of a token with a known prefix that begins at `at`.
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
    let is_secret = (body.len() >= 16 && is_generated(body)) || is_access_key(prefix, body);
    is_secret.then_some(at..end)
}

/// Reports whether `body` completes an AWS access key: 16 capitals and digits.
fn is_access_key(prefix: &str, body: &[u8]) -> bool {
    let is_of_key = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    ["AKIA", "ASIA"].contains(&prefix)
        && body.len() == 16
        && body.iter().all(is_of_key)
        && body.iter().any(u8::is_ascii_digit)
        && !body.ends_with(b"EXAMPLE")
}

/// Returns the range of a JSON Web Token that begins at `at`: three parts, the first a JSON object.
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

/// Returns the range of a PEM private key that begins at `at`, to its last line or the end of the
/// text.
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

/// Returns the range of the password in a URL whose authority begins at `at`, or of a random user
/// name without a password.
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

/// Returns the range of the secret after this `:` or `=`, if its key names a secret.
fn keyed(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let mut from = at + 1 + run(&bytes[at + 1..bytes.len().min(at + 1 + REACH)], is_between);
    for scheme in ["Bearer ", "bearer ", "Basic ", "Token "] {
        if bytes[from..].starts_with(scheme.as_bytes()) {
            from += scheme.len();
        }
    }
    let mut end = from + run(&bytes[from..], is_value);
    let value = &bytes[from..end];
    // Few values look like secrets, so the key is checked last.
    if value.len() < MIN_IN_QUERY || !is_generated(value) || super::is_address(value) {
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

/// Returns the range of the password after this `:` or `=`, if its key names a password.
fn memorable(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    // Most colons follow another letter, so the rest is skipped for them.
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
    // A line of its own contains nothing but the password; a sentence may continue with any word.
    let is_line = (start == 0 || bytes[start - 1] == b'\n')
        && bytes.get(end).is_none_or(|byte| b"\r\n".contains(byte));
    let is_one = password::is_value(value) && (is_line || password::is_marked(value));
    is_one.then_some(from..end)
}

/// Reports whether a byte may be between a key, its colon and its value.
fn is_between(byte: u8) -> bool {
    b" \t\r\n\"'`\\*".contains(&byte) || !byte.is_ascii()
}

/// Returns the key before this `:` or `=`, and its start.
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

/// Reports whether the key that begins at `start` is in the query of a URL.
fn is_in_query(bytes: &[u8], at: usize, start: usize) -> bool {
    bytes[at] == b'=' && start > 0 && b"?&;".contains(&bytes[start - 1])
}

/// Reports whether a key names a secret in the query of a URL, though not elsewhere.
fn is_query_key(key: &str) -> bool {
    ["key", "sig", "signature", "code", "auth"]
        .iter()
        .any(|name| key.eq_ignore_ascii_case(name))
        || key.to_ascii_lowercase().ends_with("-signature")
}

/// Returns the length of the longest prefix of `bytes` whose bytes all satisfy `is`.
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
