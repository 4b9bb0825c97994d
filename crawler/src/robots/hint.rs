//! Manifests that a robots.txt points at (DS-03).
//!
//! Sites use fields of their own, such as `Agent-Card: https://…`, an `Allow` of the exact path, or
//! a comment.

use super::line::{Key, lines, trim};
use crate::probes;

/// A manifest that robots.txt points at (DS-03). It is only recorded here, not requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The name of the field in lower case, such as `agent-card`; `allow` or `comment` for indirect
    /// hints.
    pub field: String,
    /// A path on this host, or an absolute URL.
    pub target: String,
}

/// Maximum number of hints.
const HINT_CAP: usize = 16;

/// Maximum length of a target, in bytes.
const TARGET_CAP: usize = 2048;

/// Fields that point at a manifest, whatever its file name.
const FIELDS: [&str; 13] = [
    "agent",
    "agents",
    "agent-card",
    "agent-json",
    "agents-json",
    "agents-txt",
    "agents-well-known",
    "agentmap",
    "ai-catalog",
    "ard",
    "mcp",
    "openapi",
    "ai-plugin",
];

/// Returns the manifests that `text` points at, in order and without duplicates.
pub(super) fn hints(text: &[u8]) -> Vec<Hint> {
    let mut hints: Vec<Hint> = Vec::new();
    let mut add = |field: &str, target: &[u8]| {
        if let Some(target) = target_of(target)
            && hints.len() < HINT_CAP
            && hints.iter().all(|hint| hint.target != target)
        {
            hints.push(Hint {
                field: field.to_owned(),
                target,
            });
        }
    };
    for line in lines(text) {
        match line.field.map(|field| (field.key, field.value)) {
            Some((Key::Allow, value)) if is_probe(value) => add("allow", value),
            Some((Key::Other(key), value)) => {
                let key = String::from_utf8_lossy(key).to_ascii_lowercase();
                if FIELDS.contains(&key.as_str()) {
                    add(&key, value);
                }
            }
            _ => {}
        }
        for word in line
            .comment
            .unwrap_or_default()
            .split(u8::is_ascii_whitespace)
        {
            let word = unquoted(word);
            if is_probe(word) {
                add("comment", word);
            }
        }
    }
    hints
}

/// Reports whether a target is a path of the table, or a URL with such a path.
fn is_probe(target: &[u8]) -> bool {
    let path = match target.windows(3).position(|window| window == b"://") {
        Some(position) => {
            let rest = &target[position + 3..];
            match rest.iter().position(|octet| *octet == b'/') {
                Some(slash) => &rest[slash..],
                None => return false,
            }
        }
        None => target,
    };
    probes::ALL
        .iter()
        .any(|probe| probe.path.as_bytes() == path)
}

/// Returns a target that is a path or an http URL in printable ASCII.
fn target_of(value: &[u8]) -> Option<String> {
    let value = trim(value);
    let is_printable = value.iter().all(u8::is_ascii_graphic);
    let is_target =
        value.starts_with(b"/") || value.starts_with(b"https://") || value.starts_with(b"http://");
    (is_printable && is_target && value.len() <= TARGET_CAP)
        .then(|| String::from_utf8_lossy(value).into_owned())
}

fn unquoted(word: &[u8]) -> &[u8] {
    let is_quote = |octet: &u8| b"\"'`()<>[],;.".contains(octet);
    let Some(start) = word.iter().position(|octet| !is_quote(octet)) else {
        return &[];
    };
    let end = word
        .iter()
        .rposition(|octet| !is_quote(octet))
        .map_or(start, |position| position + 1);
    &word[start..end]
}
