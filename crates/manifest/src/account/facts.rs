//! The facts of a reading, by the values of which they can come.

use super::leaf::{Leaf, Scalar};
use super::names::{
    GROUPS, Own, around, each_word, hash, is_heading_of_format, last_name, letters, names, share,
    words, words_of_fact,
};
use super::reasons::Reasons;
use super::{Part, Reading};
use crate::body::{Body, Content};
use crate::rule::document::DI_10;
use crate::rule::profile::GP_03;
use crate::{
    Agent, CapabilityFact, Document, Fact, auth, json, link, payment, public_address, rate,
};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;

/// Number of the first agent among the owners.
const FIRST: u32 = 1;
/// Maximum number of facts with the same text of one agent or capability, or of all.
const MAX_SAME: usize = 20;
/// Maximum number of words of a line that states a fact beside others.
const MAX_WORDS: usize = 14;
/// Maximum number of ends of a path.
const MAX_ENDS: usize = 20;
/// Maximum number of facts that are named for one value.
pub(super) const MAX_FACTS: usize = 5;
/// Words for calls over plain HTTP.
const REST: [&str; 6] = [
    "httprest", "resthttp", "http", "https", "restapi", "httpapi",
];
/// Members that tell the format or its edition.
const OF_FORMAT: [&str; 12] = [
    "$schema",
    "schemaVersion",
    "schema_version",
    "specVersion",
    "spec_version",
    "protocolVersion",
    "protocol_version",
    "x402Version",
    "manifestVersion",
    "manifest_version",
    "@context",
    "@type",
];
/// The facts of a reading.
pub(super) struct Facts<'r> {
    document: &'r Document,
    is_text: bool,
    agents: &'r [Agent],
    /// The agent or capability whose facts are collected; 0 for all.
    owner: u32,
    /// Numbers of agents and capabilities, by their places.
    owners: HashMap<&'r str, u32>,
    /// Paths of the facts of an agent or capability, by the words of their text; and those of numbers and
    /// truth values.
    by_text: HashMap<(u32, u64), Vec<u32>>,
    by_value: HashMap<(u32, u64), Vec<u32>>,
    /// Paths of URLs by the ends of their paths.
    by_end: HashMap<(u32, u64), Vec<u32>>,
    /// The first path that is a description.
    description: Option<u32>,
    /// Paths of commands, with their letters.
    commands: Vec<(u32, String)>,
    /// All descriptions, one after the other, as letters: a line of prose may be a part of one.
    prose: String,
    paths: Vec<String>,
    /// Owner, last member and value of what is kept as published.
    kept: HashSet<(u32, u64, u64)>,
    reasons: Reasons,
    /// False for a document that describes no agent, which is kept as it is.
    has_agents: bool,
}

impl<'r> Facts<'r> {
    /// Collects the facts of a reading.
    pub(super) fn of(document: &'r Document, reading: &'r Reading, body: &Body<'_>) -> Self {
        let mut facts = Self {
            is_text: matches!(body.content, Content::Text),
            agents: &reading.agents,
            document,
            owner: 0,
            owners: HashMap::new(),
            by_text: HashMap::new(),
            by_value: HashMap::new(),
            by_end: HashMap::new(),
            description: None,
            commands: Vec::new(),
            prose: String::new(),
            paths: Vec::new(),
            kept: HashSet::new(),
            reasons: Reasons::of(&reading.findings),
            has_agents: !reading.agents.is_empty(),
        };
        let mut number = 0;
        for agent in &reading.agents {
            number += 1;
            facts.owners.entry(&agent.pointer).or_insert(number);
            for capability in &agent.capabilities {
                number += 1;
                facts.owners.entry(&capability.pointer).or_insert(number);
            }
        }
        for (index, reference) in reading.references.iter().enumerate() {
            // What others cannot reach is not followed, and kept among the publisher's words.
            if public_address::of_url(&reference.url).is_none() {
                facts.add(&reference.url, &format!("references/{index}/url"));
            }
        }
        let value = serde_json::to_value(&reading.mentions);
        let mentions = value.expect("mentions have text keys and no failing values");
        facts.collect(&mentions, &mut "mentions".to_owned());
        for (index, agent) in reading.agents.iter().enumerate() {
            facts.agent(agent, &format!("agents/{index}"));
        }
        facts
    }

    /// Collects the facts of the capabilities, each under its own number.
    pub(super) fn add_capabilities(&mut self) {
        for (index, agent) in self.agents.iter().enumerate() {
            for (at, capability) in agent.capabilities.iter().enumerate() {
                self.owner = self.number(&capability.pointer);
                let path = format!("agents/{index}/capabilities/{at}");
                for fact in CapabilityFact::ALL {
                    if let Some(value) = fact.value(capability) {
                        self.fact(fact.name(), &value, &path);
                    }
                }
            }
        }
        self.owner = 0;
    }

    /// Collects the facts of an agent itself.
    fn agent(&mut self, agent: &Agent, path: &str) {
        self.owner = self.number(&agent.pointer);
        for fact in Fact::ALL.iter().filter(|it| **it != Fact::Capabilities) {
            if let Some(value) = fact.value(agent) {
                self.fact(fact.name(), &value, path);
            }
        }
        let names = Value::from(agent.other_names.clone());
        self.collect(&names, &mut format!("{path}/other_names"));
        self.owner = 0;
    }

    fn fact(&mut self, name: &str, value: &Value, path: &str) {
        if matches!(name, "extensions" | "specified") {
            self.keep(name, value);
        } else {
            self.collect(value, &mut format!("{path}/{name}"));
        }
    }

    fn number(&self, place: &str) -> u32 {
        self.owners.get(place).copied().unwrap_or_default()
    }

    fn collect(&mut self, value: &Value, path: &mut String) {
        let outer = path.len();
        match value {
            Value::Object(members) => {
                for (name, value) in members {
                    path.push('/');
                    path.push_str(&json::escape(name));
                    self.collect(value, path);
                    path.truncate(outer);
                }
            }
            Value::Array(items) => {
                for (index, value) in items.iter().enumerate() {
                    let _ = write!(path, "/{index}");
                    self.collect(value, path);
                    path.truncate(outer);
                }
            }
            Value::String(text) => self.add(text, path),
            Value::Null => {}
            other => {
                let id = self.path(path);
                let key = hash(&other.to_string());
                for owner in [self.owner, 0] {
                    add_to(&mut self.by_value, (owner, key), id);
                }
            }
        }
    }

    fn keep(&mut self, name: &str, value: &Value) {
        match value {
            Value::Object(members) => members.iter().for_each(|(name, it)| self.keep(name, it)),
            Value::Array(items) => items.iter().for_each(|it| self.keep(name, it)),
            Value::String(text) => {
                self.kept.insert((self.owner, hash(name), hash(text)));
            }
            Value::Null => {}
            other => {
                let value = hash(&other.to_string());
                self.kept.insert((self.owner, hash(name), value));
            }
        }
    }

    fn path(&mut self, path: &str) -> u32 {
        let id = u32::try_from(self.paths.len()).unwrap_or(u32::MAX);
        self.paths.push(path.to_owned());
        if self.description.is_none() && path.ends_with("/description") {
            self.description = Some(id);
        }
        id
    }

    fn add(&mut self, text: &str, path: &str) {
        let id = self.path(path);
        if self.is_text && path.ends_with("/description") {
            self.prose.push(' ');
            self.prose.push_str(&letters(text));
        }
        if path.ends_with("/command") {
            self.commands.push((id, letters(text)));
        }
        let mut keys = vec![hash(text)];
        if path.ends_with("/detail") {
            let parts = text.trim_start_matches(payment::PLAN).split("; ");
            let values = parts.map(|it| it.split_once(": ").map_or(it, |(_, value)| value));
            keys.extend(
                values
                    .flat_map(|it| it.split(", "))
                    .take(MAX_SAME)
                    .map(hash),
            );
        }
        if let Some((_, rest)) = text.split_once("://") {
            // Every end of the path: a document may state the base elsewhere.
            let ends = rest.match_indices('/').map(|(at, _)| &rest[at + 1..]);
            for end in ends.filter(|end| !end.is_empty()).take(MAX_ENDS) {
                for owner in [self.owner, 0] {
                    add_to(&mut self.by_end, (owner, hash(end)), id);
                }
            }
        }
        for key in keys {
            for owner in [self.owner, 0] {
                add_to(&mut self.by_text, (owner, key), id);
            }
        }
    }

    /// Reports whether a value is neither used nor kept, and no finding says why.
    pub(super) fn is_lost(&self, leaf: &Leaf<'_, '_>, body: &Body<'_>) -> bool {
        let is_left_out = self.reason(leaf).is_some();
        !is_left_out
            && matches!(self.part(leaf, body, 1), Part::Dropped { rule } if rule.is_empty())
    }

    /// Returns what became of a value whose row does not say it, with at most so many of its facts.
    pub(super) fn part(&self, leaf: &Leaf<'_, '_>, body: &Body<'_>, most: usize) -> Part {
        if let Some(rule) = self.final_rule(leaf, body) {
            return Part::Dropped { rule };
        }
        let dropped = self.reason(leaf);
        let facts = if leaf.gives.is_kept {
            Vec::new()
        } else {
            self.used(leaf, most)
        };
        if !facts.is_empty() {
            return Part::Used { facts };
        }
        if let Some(facts) = of_format(leaf) {
            return Part::Used { facts };
        }
        if self.is_kept(leaf) || !self.has_agents {
            return Part::Kept;
        }
        Part::Dropped {
            rule: dropped.unwrap_or_default().to_owned(),
        }
    }

    /// Returns the rule by which a value is dropped whatever else it gives: it is a secret or a placeholder.
    pub(super) fn final_rule(&self, leaf: &Leaf<'_, '_>, body: &Body<'_>) -> Option<String> {
        let rule = self.reason(leaf)?;
        let is_secret = || body.secrets.iter().any(|it| it == leaf.place);
        let is_final = [DI_10.id, GP_03.id].contains(&rule) || is_secret();
        is_final.then(|| rule.to_owned())
    }

    /// Returns the rule by which a value is left out. An address that begins with a variable is kept: it says
    /// where something is, to those who know the variable.
    fn reason(&self, leaf: &Leaf<'_, '_>) -> Option<&'static str> {
        let is_template = || matches!(leaf.value, Scalar::Text(text) if link::is_template(text));
        let rule = self.reasons.rule(leaf.place)?;
        (rule != GP_03.id || !is_template()).then_some(rule)
    }

    fn is_kept(&self, leaf: &Leaf<'_, '_>) -> bool {
        let is_line = leaf.place.starts_with("line:");
        let name = names(leaf.place).next().filter(|_| !is_line);
        let unnamed = if is_line { super::LINES } else { super::ITEMS };
        let name = hash(name.as_deref().unwrap_or(unnamed));
        // What stands outside of all agents is kept with the first.
        let owners: Vec<u32> = self.owners_of(leaf.place).collect();
        let owners = if owners.is_empty() {
            vec![FIRST]
        } else {
            owners
        };
        let has = |value: u64| {
            owners
                .iter()
                .any(|owner| self.kept.contains(&(*owner, name, value)))
        };
        let Scalar::Text(text) = leaf.value else {
            return has(hash(&leaf.text()));
        };
        // An address may be kept as that to which it leads.
        let url = || link::absolute(&self.document.url, text).filter(|_| text.contains('/'));
        has(hash(text)) || url().is_some_and(|url| has(hash(&url)))
    }

    /// Returns the numbers of the capability and of the agent in whose parts of the document a place is.
    fn owners_of(&self, place: &str) -> impl Iterator<Item = u32> {
        let outer = around(place).chain([""]);
        outer.filter_map(|outer| self.owners.get(outer).copied())
    }

    /// Returns the facts that a value gives, at most so many.
    fn used(&self, leaf: &Leaf<'_, '_>, most: usize) -> Vec<String> {
        let found: BTreeSet<u32> = match leaf.value {
            Scalar::Other(value) => self.of_scalar(&value.to_string(), leaf.place),
            Scalar::Text(text) if leaf.place.starts_with("line:") => self.of_line(text, most),
            Scalar::Text(text) => self.of_text(text, leaf.place),
        };
        let paths = found.into_iter().map(|id| self.paths[id as usize].as_str());
        let own = Own::of(leaf.place);
        let related = paths.filter(|path| self.relates(leaf, &own, path));
        related.take(most).map(str::to_owned).collect()
    }

    /// Returns the facts with the letters of a text: those of the capability and of the agent in whose
    /// parts of the document it stands, or of any.
    fn look(&self, text: &str, place: &str) -> Vec<u32> {
        if text.trim().is_empty() {
            return Vec::new();
        }
        self.of_owners(&self.by_text, hash(text), place)
    }

    fn of_owners(&self, facts: &HashMap<(u32, u64), Vec<u32>>, key: u64, place: &str) -> Vec<u32> {
        if !facts.contains_key(&(0, key)) {
            return Vec::new();
        }
        let known = self
            .owners_of(place)
            .chain([0])
            .filter_map(|owner| facts.get(&(owner, key)));
        known.flatten().copied().collect()
    }

    /// Reports whether a value can give a fact by its place: it stands where the reader found the fact,
    /// or under a name that means the same. The same text elsewhere says something else.
    fn relates(&self, leaf: &Leaf<'_, '_>, own: &Own<'_>, path: &str) -> bool {
        let mut steps = path.split('/');
        let (Some("agents"), Some(index)) = (steps.next(), steps.next()) else {
            return true;
        };
        let agent = index.parse().ok().and_then(|it: usize| self.agents.get(it));
        let (Some(agent), Some(field)) = (agent, steps.next()) else {
            return true;
        };
        let item = steps.next().unwrap_or_default();
        let last = last_name(path);
        let is_within = |outer: &str| {
            let rest = leaf.place.strip_prefix(outer);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if leaf.place.starts_with("line:") {
            return is_line_used(leaf);
        }
        let of_field = agent.pointers.get(field);
        let of_its_item = || agent.pointers.get(&format!("{field}/{item}"));
        let of_item = || {
            let capability = item
                .parse()
                .ok()
                .and_then(|at: usize| agent.capabilities.get(at));
            capability.map(|it| &it.pointer)
        };
        if of_field.is_some_and(|place| *place == leaf.place) {
            return true;
        }
        let is_alike = |words: &[u64]| {
            let is_of = |fact: &str| {
                let mut named = Vec::new();
                each_word(fact, |word| named.push(hash(word)));
                share(words, &named) || share(words, words_of_fact(fact))
            };
            is_of(field) || is_of(last)
        };
        // A schema and the members of a list are copied with all that is in them, under the same names.
        let is_copied = [
            "input_schema",
            "output_schema",
            "params",
            "examples",
            "steps",
        ];
        if is_copied.iter().any(|part| path.contains(part)) {
            let is_in_its_part = of_item().is_none_or(|place| is_within(place));
            let name = last_name(leaf.place);
            let is_named = path.split('/').any(|step| step == name) || is_alike(own.near());
            return (field != "capabilities" || is_in_its_part) && is_named;
        }
        let may_be_address =
            matches!(leaf.value, Scalar::Text(text) if text.contains(['/', '.', '@', ':']));
        if may_be_address && is_address(path) {
            return true;
        }
        let is_meant = is_alike(own.near()) || (GROUPS.contains(&field) && is_alike(own.all()));
        // The name of a capability or of a scheme may be all there is of it.
        let around = leaf.place.rsplit_once('/').map_or("", |(around, _)| around);
        let is_bare = of_item()
            .is_some_and(|place| *place == leaf.place || *place == around && last != "url");
        is_meant || is_bare || of_its_item().is_some_and(|place| *place == leaf.place)
    }

    /// Returns the facts with the same number or truth value whose path shares a word with that of
    /// the value.
    fn of_scalar(&self, value: &str, place: &str) -> BTreeSet<u32> {
        let own = words(place);
        let same = self
            .of_owners(&self.by_value, hash(value), place)
            .into_iter();
        let lower = place.to_ascii_lowercase();
        let is_of_time = [
            "window", "period", "interval", "per", "ttl", "second", "time",
        ]
        .iter()
        .any(|word| lower.contains(word));
        let shares_word = |id: &u32| {
            let path = self.paths[*id as usize].as_str();
            let is_window = path.ends_with("/window_s") || path.ends_with("/ttl_s");
            share(&words(path), &own) && (!is_window || is_of_time)
        };
        let mut found: BTreeSet<u32> = same.filter(shares_word).collect();
        // The name of a flag that is set may be a tag.
        if value == "true" {
            let named = self.look(last_name(place), place).into_iter();
            found.extend(named.filter(|id| self.paths[*id as usize].contains("/tags/")));
        }
        // A number may be a text in the model: versions and prices.
        found.extend(self.look(value, place));
        found
    }

    fn of_text(&self, text: &str, place: &str) -> BTreeSet<u32> {
        let mut found: BTreeSet<u32> = self.look(text, place).into_iter().collect();
        let is_scalar = || {
            let text = text.trim();
            text.parse::<f64>().is_ok() || ["true", "false"].contains(&text)
        };
        if self.is_text && is_scalar() {
            found.extend(self.of_scalar(text.trim(), place));
        }
        if found.is_empty() || text.starts_with('/') {
            found.extend(self.joined(text, place));
        }
        if found.is_empty() {
            found.extend(self.parts(text, place));
        }
        if found.is_empty() {
            found.extend(self.translated(text, place));
        }
        found
    }

    /// Returns the facts that the parts of a list in one text give, if each part gives one. A line of a
    /// text format may state several things, in words that are no facts by themselves.
    fn parts(&self, text: &str, place: &str) -> Vec<u32> {
        let is_list = text.contains([',', ';', '|']) || text.split_whitespace().count() < 4;
        let parts = text.split([',', ';', '|', '\n', ' ']).map(str::trim);
        let parts = parts.filter(|part| part.len() > 2).take(MAX_SAME);
        let mut found = Vec::new();
        for part in parts.filter(|_| is_list) {
            let facts = self.look(part, place);
            if facts.is_empty() && !self.is_text {
                return Vec::new();
            }
            found.extend(facts);
        }
        found
    }

    /// Returns the facts that are URLs to which a path or another form of the address leads.
    fn joined(&self, text: &str, place: &str) -> Vec<u32> {
        let text = text.trim();
        let address = text.split_once(' ').map_or(text, |(_, rest)| rest);
        let address = address.strip_prefix("mailto:").unwrap_or(address);
        let template = link::template(address);
        let path = template.trim_matches('/');
        let mut found = self.look(path, place);
        // A word without a slash is no path.
        if template.contains('/') && !path.is_empty() {
            found.extend(self.of_owners(&self.by_end, hash(path), place));
        }
        if let Some(url) = link::guessed(&self.document.url, address) {
            found.extend(self.look(&url, place));
        }
        found
    }

    /// Returns the facts that a word of a format stands for.
    fn translated(&self, text: &str, place: &str) -> Vec<u32> {
        let lower = place.to_ascii_lowercase();
        let has = |word: &str| lower.contains(word);
        let mut found = Vec::new();
        if has("auth") || has("secur") || has("scheme") || has("type") {
            for way in auth::of_text(text).iter().filter(|it| it.scheme != "other") {
                let name = way.name.as_deref().map(|name| self.look(name, place));
                // The name of a header says the scheme only where the header itself is read.
                if name.is_none_or(|found| !found.is_empty()) {
                    found.extend(self.look(&way.scheme, place));
                }
            }
        }
        // A program's command is put together of a word and its arguments.
        if has("command") || has("args") {
            let word = letters(text);
            let commands = self.commands.iter();
            found.extend(
                commands
                    .filter(|(_, command)| command.contains(&word))
                    .map(|(id, _)| *id),
            );
        }
        if REST.contains(&letters(text).as_str()) {
            found.extend(self.look("rest", place));
        }
        if let Some(limit) = rate::parse("default", text) {
            let same = self.of_owners(&self.by_value, hash(&limit.limit.to_string()), place);
            let is_limit = |id: &u32| {
                let path = self.paths[*id as usize].as_str();
                path.contains("rate_limit") && path.ends_with("/limit")
            };
            found.extend(same.into_iter().filter(is_limit));
        }
        found
    }

    /// Returns facts that a line of a text format gives, at least so many if there are: in its value, its
    /// links, its words, or as a part of a longer text.
    fn of_line(&self, line: &str, most: usize) -> BTreeSet<u32> {
        let bare = line.trim_start_matches(['#', '-', '*', '>', '+', ' ', '\t', '|']);
        // A comment may end the line.
        let bare = bare.split(" #").next().unwrap_or(bare).trim_end();
        let mut found = BTreeSet::new();
        if let Some((_, value)) = bare.split_once(':') {
            found.extend(self.of_text(value, bare));
        }
        if found.len() < most {
            found.extend(self.of_text(bare, ""));
        }
        // A sentence is not used because a name or an address in it is.
        let is_short = bare.split_whitespace().count() <= MAX_WORDS;
        for mark in [": ", " - ", " — ", " – "] {
            if found.len() < most
                && let Some((name, value)) = bare.split_once(mark)
            {
                if is_short {
                    found.extend(self.of_text(name.trim_matches(['*', '`', '[', ']']), ""));
                }
                found.extend(self.of_text(value, name));
            }
        }
        let marks = ['(', ')', '[', ']', '`', '*', '<', '>', '"', '|'];
        for part in bare.split(marks).map(str::trim) {
            if is_short && part.len() > 3 && found.len() < most {
                found.extend(self.look(part, ""));
                let addresses = part.split_whitespace().filter(|it| it.contains('/'));
                let addresses = addresses.map(|it| it.trim_end_matches(['.', ',', ';']));
                found.extend(addresses.flat_map(|it| self.joined(it, "")));
            }
        }
        let value = bare.split_once(": ").map_or(bare, |(_, value)| value);
        let is_part = |text: &str| {
            let key = letters(text);
            key.len() > 12 && self.prose.contains(&key)
        };
        if found.is_empty() && (is_part(bare) || is_part(value)) {
            found.extend(self.description);
        }
        found
    }
}

/// Reports whether a fact is an address.
pub(super) fn is_address(path: &str) -> bool {
    let last = last_name(path);
    let ends = [
        "url", "endpoint", "homepage", "docs", "logo", "contact", "resource", "create", "delete",
        "command",
    ];
    ends.iter().any(|end| last.ends_with(end)) || path.starts_with("references")
}

/// Reports whether a line gives facts: one that permits or forbids a path does not.
fn is_line_used(leaf: &Leaf<'_, '_>) -> bool {
    let text = leaf.text().to_lowercase();
    let key = text.trim_start_matches(|it: char| !it.is_alphanumeric());
    !["allow", "disallow", "deny", "block"]
        .iter()
        .any(|word| key.starts_with(word))
}

/// Returns the fact that a member which tells the format or its edition gives.
fn of_format(leaf: &Leaf<'_, '_>) -> Option<Vec<String>> {
    if let Scalar::Text(line) = leaf.value
        && leaf.place.starts_with("line:")
    {
        return is_of_format(line).then(|| vec!["format".to_owned()]);
    }
    let is_at_top = leaf.place.matches('/').count() == 1;
    let name = names(leaf.place).next()?;
    let is_schema = ["$schema", "@context", "@type"].contains(&name.as_str());
    let tells = (is_at_top || is_schema) && OF_FORMAT.contains(&name.as_str());
    tells.then(|| vec!["format".to_owned()])
}

/// Reports whether a line of a text names the format or its edition, or is a heading of nothing but words of
/// formats. Any other comment or item says something of its own.
fn is_of_format(line: &str) -> bool {
    const KEYS: [&str; 5] = ["spec-version", "standard", "generated", "schema", "version"];
    let is_heading = line.starts_with(['#', '=', '-', '[']);
    let bare = line.trim_matches(|it: char| !it.is_alphanumeric());
    let (key, value) = bare.split_once(':').unwrap_or((bare, ""));
    let is_key = KEYS.contains(&key.trim().to_lowercase().replace(' ', "-").as_str());
    is_key || (is_heading && value.is_empty() && is_heading_of_format(bare))
}

/// Adds the path of a fact, unless there are many with the same key: one suffices to know that a value is
/// used.
fn add_to(facts: &mut HashMap<(u32, u64), Vec<u32>>, key: (u32, u64), id: u32) {
    let known = facts.entry(key).or_default();
    if known.len() < MAX_SAME {
        known.push(id);
    }
}
