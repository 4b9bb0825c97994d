//! `Key: Value` lines, in order and by key, each with its position.

use super::lines::{Line, Pair, Position};
use crate::{link, secret, text};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// Maximum number of lines that are kept as published, of a file or a block.
const MAX_PUBLISHED: usize = 50;
/// Maximum number of addresses of one line.
const MAX_ADDRESSES: usize = 10;

/// One `Key: Value` line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Directive {
    /// Key in lower case, with `-` for spaces and underscores.
    pub(super) key: String,
    /// Key as written.
    pub(super) written: String,
    /// Position of the key.
    pub(super) at: Position,
    /// Value as written, without an inline comment.
    pub(super) value: String,
    /// Position of the value.
    pub(super) value_at: Position,
    /// True if an inline comment was cut off.
    pub(super) had_comment: bool,
    /// True if the value was a secret (DI-10); later lines must not be appended to it.
    pub(super) was_secret: bool,
}

impl Directive {
    /// Creates the directive of `pair`, a part of `line`.
    pub(super) fn new(line: &Line<'_>, pair: &Pair<'_>) -> Self {
        Self {
            key: pair.key.clone(),
            written: pair.written.to_owned(),
            at: line.place(pair.written),
            value: pair.value.to_owned(),
            value_at: line.place(pair.value),
            had_comment: pair.had_comment,
            was_secret: pair.value == secret::REDACTED,
        }
    }

    /// Returns the non-empty comma-separated parts of the value, each with its position.
    pub(super) fn parts(&self) -> impl Iterator<Item = (Position, &str)> {
        let mut next = self.value_at;
        let parts = self.value.split(',').map(move |part| {
            let indent = &part[..part.len() - part.trim_start().len()];
            let at = next.after(indent);
            next = next.after(part).after(",");
            (at, part.trim())
        });
        parts.filter(|(_, part)| !part.is_empty())
    }

    /// Returns the first word of the value, since an address has no spaces.
    pub(super) fn address(&self) -> &str {
        self.value.split_whitespace().next().unwrap_or_default()
    }

    /// Returns the addresses of a list of them; of another value the first word.
    pub(super) fn addresses(&self) -> impl Iterator<Item = &str> {
        let words = self
            .value
            .split([',', ' ', '\t'])
            .filter(|word| !word.is_empty());
        let is_further = |word: &&str| link::is_absolute(word) || word.starts_with('/');
        let first = words.clone().take(1);
        first
            .chain(words.skip(1).filter(is_further))
            .take(MAX_ADDRESSES)
    }

    /// Returns the address of a document: a value with a `/` or a file's ending.
    pub(super) fn document(&self) -> Option<&str> {
        let address = self.address();
        let is_file = [".json", ".txt", ".yaml", ".yml"]
            .iter()
            .any(|ending| address.ends_with(ending));
        (address.contains('/') || is_file).then_some(address)
    }
}

/// Lines of a file or a block, in order and by key.
#[derive(Clone, Debug, Default)]
pub(super) struct Directives {
    in_order: Vec<Directive>,
    by_key: HashMap<String, Vec<usize>>,
}

impl Directives {
    pub(super) fn add(&mut self, directive: Directive) {
        let places = self.by_key.entry(directive.key.clone()).or_default();
        places.push(self.in_order.len());
        self.in_order.push(directive);
    }

    /// Returns the line added last.
    pub(super) fn last_mut(&mut self) -> Option<&mut Directive> {
        self.in_order.last_mut()
    }

    /// Returns every line, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Directive> {
        self.in_order.iter()
    }

    /// Returns every line with this key that has a value.
    pub(super) fn all(&self, key: &str) -> impl Iterator<Item = &Directive> {
        let places = self.by_key.get(key).map_or(&[][..], Vec::as_slice);
        let lines = places.iter().map(|place| &self.in_order[*place]);
        lines.filter(|line| !line.value.is_empty())
    }

    /// Returns the first line with this key that has a value.
    pub(super) fn first(&self, key: &str) -> Option<&Directive> {
        self.all(key).next()
    }

    /// Returns the first line with any of these keys, in the order of `keys`.
    pub(super) fn any(&self, keys: &[&str]) -> Option<&Directive> {
        keys.iter().find_map(|key| self.first(key))
    }

    /// Returns the cleaned value of the first line with this key.
    pub(super) fn text(&self, key: &str) -> Option<String> {
        self.first(key).and_then(|line| text::some(&line.value))
    }

    /// Returns the value of the first line with this key, if it is an absolute URL.
    pub(super) fn url(&self, key: &str) -> Option<String> {
        let value = self.text(key)?;
        link::is_absolute(&value).then_some(value)
    }

    /// Returns the comma-separated values of all lines with this key, each once.
    pub(super) fn list(&self, key: &str) -> Vec<String> {
        let parts = self.all(key).flat_map(|line| line.value.split(','));
        text::distinct(parts.filter_map(text::some))
    }
}

/// Returns lines as published, by key; a repeated key has a list of values.
pub(super) fn published<'d>(lines: impl Iterator<Item = &'d Directive>) -> Map<String, Value> {
    let mut published: Map<String, Value> = Map::new();
    for line in lines.take(MAX_PUBLISHED) {
        let Some(value) = text::some(&line.value) else {
            continue;
        };
        match published.get_mut(&line.key) {
            None => {
                published.insert(line.key.clone(), json!(value));
            }
            Some(Value::Array(values)) => values.push(json!(value)),
            Some(first) => *first = json!([first.clone(), value]),
        }
    }
    published
}
