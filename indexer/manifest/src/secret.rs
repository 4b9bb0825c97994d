//! Finds and removes values that look like secrets (DI-10).
//!
//! A published secret is its owner's accident: the owner is told where it stands, and nobody
//! else gets to see it through us.

use crate::finding::Findings;
use crate::json;
use serde_json::Value;

/// What stands where a secret stood.
pub(crate) const REDACTED: &str = "[redacted]";

/// Replaces secret-looking strings, reports each, and returns their JSON pointers.
pub(crate) fn redact(value: &mut Value, findings: &mut Findings) -> Vec<String> {
    let mut pointers = Vec::new();
    walk(value, "", &mut String::new(), &mut pointers);
    for pointer in &pointers {
        let message = "looks like a secret: remove it here and revoke it; we did not keep it";
        findings.report("DI-10", pointer, message);
    }
    pointers
}

/// A line of text as it may be shown: a secret that it gives under a key, or a token in it, is replaced.
pub(crate) fn redact_line(line: &str) -> String {
    if let Some((key, value)) = line.split_once(':')
        && is_secret(key, value)
    {
        return format!("{key}: {REDACTED}");
    }
    let is_token = |word: &&str| is_known_token(word.trim_matches(['"', '\'', '`', ',']));
    let tokens: Vec<&str> = line.split_whitespace().filter(is_token).collect();
    let shown = line.to_owned();
    tokens
        .into_iter()
        .fold(shown, |line, token| line.replace(token, REDACTED))
}

/// True when a line of any text may hold a secret. It errs on the side of silence: to show a line is a courtesy.
pub(crate) fn is_in_line(line: &str) -> bool {
    let is_part = |it: char| it.is_ascii_alphanumeric() || "-_+=~".contains(it);
    let mut words = line.split(|it| !is_part(it));
    words.any(|word| word.len() >= 16 && is_random(word)) || redact_line(line) != line
}

/// True when a `value` under this `key` is a secret rather than a word about secrets.
pub(crate) fn is_secret(key: &str, value: &str) -> bool {
    let value = value.trim();
    let value = value.strip_prefix("Bearer ").unwrap_or(value);
    let of_token_characters = value
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"-_.+/=~".contains(&byte));
    if !of_token_characters || value.contains("://") {
        return false;
    }
    is_known_token(value) || (is_secret_key(key) && value.len() >= 20 && is_random(value))
}

/// Tokens that say themselves what they are.
fn is_known_token(value: &str) -> bool {
    const PREFIXES: [&str; 12] = [
        "sk-",
        "sk_live_",
        "rk_live_",
        "ghp_",
        "gho_",
        "github_pat_",
        "glpat-",
        "xoxb-",
        "xoxp-",
        "AKIA",
        "AIza",
        "npm_",
    ];
    let is_jwt = value.starts_with("eyJ") && value.len() > 60 && value.matches('.').count() == 2;
    is_jwt
        || PREFIXES.into_iter().any(|prefix| {
            value
                .strip_prefix(prefix)
                .is_some_and(|rest| rest.len() >= 16 && is_random(rest))
        })
}

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
    const PUBLIC: [&str; 6] = ["url", "uri", "endpoint", "docs", "public", "address"];
    let key: String = key
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|character| character.to_ascii_lowercase())
        .collect();
    WORDS.into_iter().any(|word| key.contains(word))
        && !PUBLIC.into_iter().any(|word| key.contains(word))
}

/// Letters and digits mixed beyond what names do: digits at several places, few repeated bytes.
fn is_random(value: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit();
    let changes = value
        .as_bytes()
        .windows(2)
        .filter(|pair| is_digit(pair[0]) != is_digit(pair[1]))
        .count();
    let mut seen = [false; 256];
    value
        .bytes()
        .for_each(|byte| seen[usize::from(byte)] = true);
    let distinct = seen.into_iter().filter(|seen| *seen).count();
    changes >= 4 && distinct >= 10
}

fn walk(value: &mut Value, key: &str, pointer: &mut String, pointers: &mut Vec<String>) {
    let length = pointer.len();
    match value {
        Value::String(text) if is_secret(key, text) => {
            REDACTED.clone_into(text);
            pointers.push(pointer.clone());
        }
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                pointer.push('/');
                pointer.push_str(&index.to_string());
                walk(item, key, pointer, pointers);
                pointer.truncate(length);
            }
        }
        Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                pointer.push('/');
                pointer.push_str(&json::escape(name));
                walk(member, name, pointer, pointers);
                pointer.truncate(length);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn secrets_are_reported_and_removed_and_words_about_them_are_not() {
        // The secret is put together here, so that no scanner takes this file for a leak.
        let secret = format!("{}4f9a1c7e2b8d{}", "a1b2c3d4e5f6", "0a9b8c7d6e5f");
        let mut value = json!({
            "auth": {"api_key": secret, "type": "api_key", "token_url": "https://a.example/token1234567890abcd"},
            "keys": [{"password": "see the documentation"}, {"token": "short1"}],
            "description": "Give your token in the header",
        });
        let mut findings = Findings::default();
        assert_eq!(redact(&mut value, &mut findings), ["/auth/api_key"]);
        assert_eq!(value["auth"]["api_key"], REDACTED);
        assert_eq!(value["auth"]["type"], "api_key");
        let findings = findings.into_vec();
        assert_eq!((findings.len(), findings[0].rule.as_str()), (1, "DI-10"));
    }

    #[test]
    fn tokens_that_name_themselves_are_secrets_under_any_key() {
        let token = format!("sk-{}", "a1B2c3D4e5F6g7H8i9J0");
        assert!(is_secret("note", &token));
        assert!(!is_secret("note", "sk-learn-compatible-pipelines"));
    }
}
