//! Derivations of facts from the bytes of a document, by a closed list and without the readers.

use manifest::{Document, Reading};
use serde_json::Value;
use std::collections::HashSet;
use url::Url;

/// A way in which a fact comes from a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Derivation {
    /// The text of a value or the name of a member, or a part of it, apart from case and punctuation.
    Copied,
    /// An address that the document states, or a path of it below an address that it states or is at.
    Joined,
    /// A word of the model for one of the document.
    Translated,
    /// A rule of the format, where the document says nothing.
    Defaulted,
    /// Made from other facts: ids, positions in a path, states.
    Computed,
}

/// Members of an agent that are no facts.
const NO_FACTS: [&str; 7] = [
    "pointer",
    "pointers",
    "withheld",
    "defaulted",
    "extensions",
    "specified",
    "other_names",
];
/// Members whose value is a word of the model: what it stands for is in the document, or follows from
/// its format.
const WORDS: [&str; 8] = [
    "protocol",
    "transport",
    "scheme",
    "in",
    "type",
    "effect",
    "scope",
    "flows",
];

/// Paths that a format defines for documents that state none.
const DEFAULTS: [&str; 2] = ["/.well-known/agents/api", "/.well-known/agents/api/session"];

/// The texts of a document.
pub(super) struct Derivations {
    /// Letters and digits of each value and of each name.
    texts: HashSet<String>,
    /// All of them, one after the other.
    all: String,
    /// Addresses, also those to which relative ones lead.
    addresses: HashSet<String>,
    bases: Vec<Url>,
    paths: Vec<String>,
    defaulted: Vec<Vec<String>>,
    format: String,
}

impl Derivations {
    pub(super) fn of(document: &Document, reading: &Reading) -> Self {
        let mut derivations = Self {
            texts: HashSet::new(),
            all: String::new(),
            addresses: HashSet::new(),
            bases: vec![document.url.clone()],
            paths: Vec::new(),
            defaulted: reading
                .agents
                .iter()
                .map(|it| it.defaulted.clone())
                .collect(),
            format: reading.format.to_string(),
        };
        let text = match std::str::from_utf8(&document.body) {
            Ok(text) => text.to_owned(),
            Err(_) => document.body.iter().map(|byte| char::from(*byte)).collect(),
        };
        match serde_json::from_str::<Value>(&text) {
            Ok(value) => derivations.collect(&value),
            Err(_) => {
                for line in text.lines() {
                    derivations.add(line);
                    let mut parts =
                        line.split([' ', '(', ')', '<', '>', '`', '"', '|', '*', ',', '[', ']']);
                    let mut values: Vec<&str> = parts.by_ref().collect();
                    values.extend(line.split_once(':').map(|(_, value)| value.trim()));
                    for part in values {
                        derivations.add(part.trim_end_matches(['.', ';']));
                    }
                }
            }
        }
        derivations.all.push_str(&letters(&text));
        derivations
    }

    fn collect(&mut self, value: &Value) {
        match value {
            Value::Object(members) => {
                for (name, value) in members {
                    self.add(name);
                    self.collect(value);
                }
            }
            Value::Array(items) => items.iter().for_each(|it| self.collect(it)),
            Value::String(text) => self.add(text),
            Value::Null => {}
            other => {
                self.texts.insert(letters(&other.to_string()));
                self.all.push_str(&letters(&other.to_string()));
                self.all.push(' ');
            }
        }
    }

    fn add(&mut self, text: &str) {
        let key = letters(text);
        self.all.push_str(&key);
        self.all.push(' ');
        self.texts.insert(key);
        let address = text.split_once(' ').map_or(text, |(_, rest)| rest).trim();
        if address.len() > 2_000 || address.is_empty() {
            return;
        }
        self.paths.push(path_of(address));
        let words = text.split_whitespace().filter(|it| it.contains('/'));
        self.paths.extend(words.take(30).map(path_of));
        for base in [self.bases[0].clone()] {
            for form in [address.to_owned(), format!("https://{address}")] {
                if let Ok(url) = base.join(&form) {
                    self.addresses.insert(address_of(url.as_str()));
                    if form == address
                        && url.has_host()
                        && self.bases.len() < 50
                        && text.contains("://")
                    {
                        self.bases.push(url);
                    }
                }
            }
        }
    }

    /// Returns the facts of the agents of a reading that are texts or numbers, by their paths.
    pub(super) fn facts(reading: &Reading) -> Vec<(String, String)> {
        fn walk(value: &Value, path: &str, facts: &mut Vec<(String, String)>) {
            match value {
                Value::Object(members) => {
                    for (name, value) in members {
                        if !NO_FACTS.contains(&name.as_str()) {
                            walk(value, &format!("{path}/{name}"), facts);
                        }
                    }
                }
                Value::Array(items) => {
                    for (index, value) in items.iter().enumerate() {
                        walk(value, &format!("{path}/{index}"), facts);
                    }
                }
                Value::String(text) => facts.push((path.to_owned(), text.clone())),
                Value::Number(number) => facts.push((path.to_owned(), number.to_string())),
                Value::Null | Value::Bool(_) => {}
            }
        }
        let mut facts = Vec::new();
        for (index, agent) in reading.agents.iter().enumerate() {
            walk(
                &serde_json::to_value(agent).unwrap(),
                &index.to_string(),
                &mut facts,
            );
        }
        facts
    }

    /// Returns how a fact comes from the document.
    pub(super) fn of_fact(&self, path: &str, value: &str) -> Option<Derivation> {
        let mut steps = path.split('/');
        let agent: usize = steps.next()?.parse().ok()?;
        let field = steps.next()?;
        let own = path.rsplit('/').next()?;
        let defaulted = &self.defaulted[agent];
        let key = letters(value);
        if self.texts.contains(&key) {
            return Some(Derivation::Copied);
        }
        let is_text = value.contains(' ');
        if (value.contains("://") && !is_text)
            || value.starts_with('/')
            || ["url", "endpoint"].contains(&own)
        {
            if let Some(found) = self.joined(value) {
                return Some(found);
            }
        } else if self.all.contains(&key) {
            return Some(Derivation::Copied);
        }
        if defaulted
            .iter()
            .any(|it| it == field || it == &format!("{field}.{own}"))
        {
            return Some(Derivation::Defaulted);
        }
        // Members of a way to pay that the model has no field for, each with its name.
        if own == "detail" {
            let parts = value.trim_start_matches("plan: ").split("; ");
            let mut parts = parts.map(|it| it.split_once(": ").map_or(it, |(_, value)| value));
            let has = |part: &str| part.split(", ").all(|it| self.all.contains(&letters(it)));
            return parts.all(has).then_some(Derivation::Joined);
        }
        // Cut, or put together of parts.
        let parts = value.split([' ', ',', ';', ':', '.', '/', '(', ')', '\u{2026}']);
        let mut parts = parts.map(letters).filter(|it| !it.is_empty());
        if is_text && parts.all(|part| self.all.contains(&part)) {
            return Some(Derivation::Copied);
        }
        if DEFAULTS.iter().any(|path| value.ends_with(path)) {
            return Some(Derivation::Defaulted);
        }
        let package = value.rsplit(' ').next().unwrap_or_default();
        let named = package
            .rsplit_once('@')
            .filter(|(name, _)| !name.is_empty());
        let package = named.map_or(package, |(name, _)| name);
        if field == "programs" && self.texts.contains(&letters(package)) {
            return Some(Derivation::Translated);
        }
        if own == "name" && self.bases.iter().any(|it| it.path() == value) {
            return Some(Derivation::Copied);
        }
        if WORDS.contains(&own) || path.contains("/flows/") {
            return self.is_word(own, value).then_some(Derivation::Translated);
        }
        // A number that is too large for a program is read as the largest one.
        let is_largest = value.parse() == Ok(f64::MAX) || value.starts_with("1e+308");
        let is_computed = is_largest
            || ["id", "key", "state", "window_s", "ttl_s"].contains(&own)
            || path.contains("/signatures/")
            || (["limit", "note"].contains(&own) && field == "rate_limits");
        is_computed.then_some(Derivation::Computed)
    }

    /// Reports whether a word of the model has a reason in the document or in its format.
    fn is_word(&self, member: &str, word: &str) -> bool {
        let has = |words: &[&str]| words.iter().any(|it| self.all.contains(it));
        if member != "protocol" {
            return true;
        }
        match word {
            "a2a" => self.format.starts_with("a2a") || has(&["a2a", "agentcard", "jsonrpc"]),
            "mcp" => self.format.starts_with("mcp") || has(&["mcp", "modelcontext", "streamable"]),
            "openapi" => self.format == "ai-plugin" || has(&["openapi", "swagger"]),
            "graphql" => has(&["graphql"]),
            "websocket" => has(&["ws", "websocket"]),
            _ => true,
        }
    }

    fn joined(&self, value: &str) -> Option<Derivation> {
        let address = address_of(value);
        if self.addresses.contains(&address) {
            return Some(Derivation::Joined);
        }
        let path = path_of(value);
        if self.paths.contains(&path) && !value.contains("://") {
            return Some(Derivation::Copied);
        }
        let below = |base: &Url| {
            let base = address_of(base.as_str());
            let origin = base.split('/').next().unwrap_or_default().to_owned();
            [base, origin].into_iter().any(|base| {
                let rest = address.strip_prefix(&base);
                rest.is_some_and(|rest| {
                    let rest = path_of(rest);
                    rest.is_empty() || self.paths.contains(&rest)
                })
            })
        };
        self.bases.iter().any(below).then_some(Derivation::Joined)
    }
}

/// Returns the letters and digits of a text in lower case.
pub(super) fn letters(text: &str) -> String {
    let kept = text.chars().filter(|it| it.is_alphanumeric());
    kept.flat_map(char::to_lowercase).collect()
}

/// Returns host and path of an address, without differences of writing.
fn address_of(url: &str) -> String {
    let url = url.split_once("://").map_or(url, |(_, rest)| rest);
    path_of(url)
}

/// Returns an address without the variables of its query, which are named by their parameters.
fn without_variables(text: &str) -> String {
    let Some((path, query)) = text.split_once('?') else {
        return text.to_owned();
    };
    let is_variable = |value: &str| {
        let is_marked = value.starts_with(['{', '<', '[']) || value.starts_with("%7B");
        is_marked
            || (value.len() > 1 && value.chars().all(|it| it.is_ascii_uppercase() || it == '_'))
    };
    let pairs = query.split('&').map(|pair| match pair.split_once('=') {
        Some((name, value)) if is_variable(value) => name,
        _ => pair,
    });
    format!("{path}?{}", pairs.collect::<Vec<_>>().join("&"))
}

fn path_of(text: &str) -> String {
    let text = without_variables(text);
    // Braces mark a variable.
    let text = text.replace("%7B", "").replace("%7D", "");
    let text = text.replace(['{', '}', '<', '>', '[', ']'], "");
    let template = text.split('/').map(|step| match step.strip_prefix(':') {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ => step.to_owned(),
    });
    let joined = template.collect::<Vec<_>>().join("/").to_lowercase();
    joined
        .trim_matches(['/', '.', '`', '<', '>', '"'])
        .to_owned()
}
