//! Detection and removal of values that look like secrets (DI-10).
//!
//! A secret is published by accident: its owner is told the position, and the registry shows the
//! secret to no one. It is removed before any reader sees the content.

use crate::finding::{Findings, more};
use crate::rule::document::DI_10;
use crate::{Finding, json};
use scan::Scope;
use serde_json::{Map, Value};
use std::borrow::Cow;

mod password;
mod scan;
#[cfg(test)]
mod tests;

/// Replacement of a secret.
pub(crate) const REDACTED: &str = "[redacted]";
/// Replacement within a URL or a word, where brackets would be invalid.
const IN_URL: &str = "redacted";
/// Maximum number of secrets of one document that are reported; all are removed.
const MAX_REPORTED: usize = 100;
/// Minimum length of a text that can contain a secret, in bytes: a URL with a password.
const MIN_TEXT: usize = 12;
/// Minimum length of the name of a member that is a secret, in bytes.
const MIN_NAME: usize = 20;
/// Minimum length of a credential in the member for credentials, in bytes.
const MIN_CREDENTIAL: usize = 8;
const MESSAGE: &str = "looks like a secret: remove it here and revoke it; we did not keep it";

/// Replaces strings that look like secrets, reports each, and returns their JSON pointers.
pub(crate) fn redact(value: &mut Value, findings: &mut Findings) -> Vec<String> {
    let mut pointers = Vec::new();
    walk(value, "", &Place::Root, &mut pointers);
    for pointer in &pointers {
        findings.add(&DI_10, pointer, MESSAGE);
    }
    pointers
}

/// Replaces the secrets in a text and reports each; line breaks are kept.
pub(crate) fn redact_lines<'t>(text: Cow<'t, str>, findings: &mut Findings) -> Cow<'t, str> {
    let secrets = scan::secrets(&text, Scope::All);
    if secrets.is_empty() {
        return text;
    }
    let (mut line, mut start, mut end) = (1, 0, 0);
    for secret in secrets.iter().take(MAX_REPORTED) {
        let passed = &text[end..secret.start];
        line += u32::try_from(passed.matches('\n').count()).unwrap_or(u32::MAX);
        start = passed
            .rfind('\n')
            .map_or(start, |newline| end + newline + 1);
        let column = text[start..secret.start].chars().count() + 1;
        end = secret.start;
        findings.push(Finding {
            column: Some(u32::try_from(column).unwrap_or(u32::MAX)),
            ..Finding::at_line(&DI_10, line, MESSAGE)
        });
    }
    if secrets.len() > MAX_REPORTED {
        findings.push(more("secrets", secrets.len() - MAX_REPORTED));
    }
    Cow::Owned(replaced(&text, &secrets))
}

/// Reports whether a line may contain a secret. False positives are acceptable, because the line is
/// then merely not shown.
pub(crate) fn is_in_line(line: &str) -> bool {
    let is_part = |it: char| it.is_ascii_alphanumeric() || "-_+=~".contains(it);
    let mut words = line.split(|it| !is_part(it));
    words.any(|word| word.len() >= 16 && is_random(word.as_bytes()))
        || line.contains("\"credentials\"")
        || !scan::secrets(line, Scope::All).is_empty()
}

/// Returns the text without its secrets; line breaks are kept.
pub(crate) fn hidden(text: &str) -> Cow<'_, str> {
    match &scan::secrets(text, Scope::All)[..] {
        [] => Cow::Borrowed(text),
        secrets => Cow::Owned(replaced(text, secrets)),
    }
}

/// Replaces each of the given ranges.
fn replaced(text: &str, secrets: &[std::ops::Range<usize>]) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut end = 0;
    for secret in secrets {
        safe.push_str(&text[end..secret.start]);
        let stands_alone = safe.is_empty() || safe.ends_with([' ', '\t', '\n', '"', '\'', '`']);
        safe.push_str(if stands_alone { REDACTED } else { IN_URL });
        let lines = text[secret.clone()].matches('\n').count();
        safe.extend(std::iter::repeat_n('\n', lines));
        end = secret.end;
    }
    safe.push_str(&text[end..]);
    safe
}

/// Returns the string under this key without its secrets; `None` if it has none.
fn without(key: &str, text: &str) -> Option<String> {
    if is_password_key(key) && password::is_value(text.trim()) {
        return Some(REDACTED.to_owned());
    }
    if text.len() < MIN_TEXT {
        return None;
    }
    if is_secret(key, text) {
        return Some(REDACTED.to_owned());
    }
    let scope = if text.contains("eyJ") && is_public(&letters(key)) {
        Scope::Signed
    } else {
        Scope::All
    };
    let secrets = scan::secrets(text, scope);
    (!secrets.is_empty()).then(|| replaced(text, &secrets))
}

/// Reports whether `value` under this `key` is a secret, as opposed to a word about secrets.
fn is_secret(key: &str, value: &str) -> bool {
    let value = value.trim();
    let schemes = ["Bearer ", "Basic ", "Token "];
    let scheme = schemes.iter().find_map(|scheme| value.strip_prefix(scheme));
    let value = scheme.unwrap_or(value);
    let is_of_token = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.+/=~".contains(&byte);
    value.len() >= scan::MIN_KEYED
        && value.bytes().all(is_of_token)
        && is_generated(value.as_bytes())
        && !is_address(value.as_bytes())
        && is_secret_key(key)
}

/// Reports whether a text is a credential in the member that A2A 0.1 had for credentials, not a
/// hint where to get one (A2-17). It need not look random, because some publishers put passwords
/// there.
fn is_credential_at(place: &Place<'_>, text: &str) -> bool {
    matches!(
        place,
        Place::Member(Place::Member(_, "authentication"), "credentials")
    ) && is_credential(text)
}

/// Reports whether a text is a single word and not a URL.
pub(crate) fn is_credential(text: &str) -> bool {
    text.len() >= MIN_CREDENTIAL && !text.contains([' ', '/'])
}

/// Reports whether a key names a secret value.
fn is_secret_key(key: &str) -> bool {
    const WORDS: [&str; 9] = [
        "secret",
        "password",
        "passwd",
        "token",
        "apikey",
        "privatekey",
        "accesskey",
        "credential",
        "authorization",
    ];
    let key = letters(key);
    WORDS.into_iter().any(|word| key.contains(word)) && !is_public(&key)
}

/// Reports whether a key names a password.
fn is_password_key(key: &str) -> bool {
    // Most keys differ in their last letter already.
    let last = key.bytes().rfind(u8::is_ascii_alphanumeric);
    let is_likely = last.is_some_and(|it| b"de".contains(&it.to_ascii_lowercase()));
    is_likely && password::is_key(&letters(key))
}

/// Reports whether a key, normalized by [`letters`], names a public value: a URL, an identifier, a
/// hash, a public key or a signature.
fn is_public(key: &str) -> bool {
    const WORDS: [&str; 17] = [
        "url",
        "uri",
        "endpoint",
        "docs",
        "public",
        "address",
        "contract",
        "verif",
        "signature",
        "proof",
        "jws",
        "protected",
        "attestation",
        "hash",
        "digest",
        "sha256",
        "thumbprint",
    ];
    key.ends_with("id") || key == "vc" || WORDS.into_iter().any(|word| key.contains(word))
}

/// Returns the letters and digits of a key in lower case, so that `X-API-Key` becomes `xapikey`.
fn letters(key: &str) -> String {
    key.chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|character| character.to_ascii_lowercase())
        .collect()
}

/// Reports whether a value is an account or contract on a blockchain: `0x` and 40 hexadecimal
/// digits.
fn is_address(value: &[u8]) -> bool {
    value.len() == 42 && value.starts_with(b"0x") && value[2..].iter().all(u8::is_ascii_hexdigit)
}

/// Reports whether letters and digits are mixed more than in names: several changes between them,
/// and few repeated bytes.
fn is_random(value: &[u8]) -> bool {
    let changes = value
        .windows(2)
        .filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit())
        .count();
    let mut seen = [false; 256];
    for byte in value {
        seen[usize::from(*byte)] = true;
    }
    let distinct = seen.into_iter().filter(|seen| *seen).count();
    changes >= 4 && distinct >= 10
}

/// Reports whether a value looks generated: digits and letters mixed, or letters that form no
/// words.
fn is_generated(value: &[u8]) -> bool {
    is_random(value) || is_jumbled(value)
}

/// Reports whether a value of letters forms no words: capitals within words, or hardly a vowel.
fn is_jumbled(value: &[u8]) -> bool {
    if value.len() < 16 || !value.iter().all(u8::is_ascii_alphanumeric) {
        return false;
    }
    let cases = value.chunk_by(|one, other| one.is_ascii_uppercase() == other.is_ascii_uppercase());
    let (mut runs, mut odd) = (0, 0);
    for run in cases {
        runs += 1;
        odd += usize::from((run.len() == 1) != run[0].is_ascii_uppercase());
    }
    let is_vowel = |byte: &u8| b"aeiouyAEIOUY".contains(byte);
    let vowels = value.iter().filter(|byte| is_vowel(byte)).count();
    let clusters = value.split(is_vowel).map(<[u8]>::len);
    let is_unspeakable =
        vowels * 5 < value.len() || (vowels * 10 < value.len() * 3 && clusters.max() >= Some(6));
    let mut letters = value.to_ascii_lowercase();
    letters.sort_unstable();
    letters.dedup();
    let is_odd = odd >= 4 && runs * 4 >= value.len();
    letters.len() >= 10 && (is_odd || is_unspeakable)
}

/// Position of the walk; its pointer is written only when something is reported.
enum Place<'p> {
    Root,
    Member(&'p Self, &'p str),
    Item(&'p Self, usize),
}

impl Place<'_> {
    fn pointer(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Member(parent, name) => format!("{}/{}", parent.pointer(), json::escape(name)),
            Self::Item(parent, index) => format!("{}/{index}", parent.pointer()),
        }
    }
}

fn walk(value: &mut Value, key: &str, place: &Place<'_>, pointers: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            let safe = if is_credential_at(place, text) {
                Some(REDACTED.to_owned())
            } else {
                without(key, text)
            };
            if let Some(safe) = safe {
                *text = safe;
                if pointers.len() < MAX_REPORTED {
                    pointers.push(place.pointer());
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                walk(item, key, &Place::Item(place, index), pointers);
            }
        }
        Value::Object(members) => {
            for name in hide_names(members) {
                if pointers.len() < MAX_REPORTED {
                    pointers.push(Place::Member(place, &name).pointer());
                }
            }
            let label = label(members).filter(|label| is_secret_key(label));
            let label =
                label.map_or_else(|| Cow::Borrowed(key), |label| Cow::Owned(label.to_owned()));
            for (name, member) in members.iter_mut() {
                let key = if is_holder(name) { &*label } else { name };
                walk(member, key, &Place::Member(place, name), pointers);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Replaces the names of members that are secrets themselves, and returns what stands in their place.
fn hide_names(members: &mut Map<String, Value>) -> Vec<String> {
    let is_secret =
        |name: &str| name.len() >= MIN_NAME && !scan::secrets(name, Scope::All).is_empty();
    let mut hidden = Vec::new();
    if members.keys().any(|name| is_secret(name)) {
        let shown = std::mem::take(members).into_iter().map(|(name, value)| {
            if is_secret(&name) {
                hidden.push(format!("{REDACTED} {}", hidden.len() + 1));
                (hidden[hidden.len() - 1].clone(), value)
            } else {
                (name, value)
            }
        });
        *members = shown.collect();
    }
    hidden
}

/// Returns the name in an object such as `{"name": "X-API-Key", "value": "…"}`.
fn label(members: &Map<String, Value>) -> Option<&str> {
    let has_value = members.keys().any(|name| is_holder(name));
    let names = ["name", "key", "header"].iter();
    let mut labels = names.filter_map(|name| members.get(*name)?.as_str());
    has_value.then(|| labels.next())?
}

/// Reports whether a member holds a value whose key is beside or above it.
fn is_holder(name: &str) -> bool {
    matches!(name, "value" | "default" | "const" | "example")
}
