//! The account of a document: what became of each value that it states.
//!
//! Every value is in exactly one part: it is *used* for a fact, *kept* as the publisher's own words, or
//! *dropped* with a finding that says why. The account is made from the document and its reading when it
//! is asked for; nothing of it is stored.

use crate::body::{Body, Content};
use crate::extension::{MAX_VALUE_BYTES, MAX_VALUES};
use crate::rule::document::DI_14;
use crate::rule::profile::GP_03;
use crate::{Agent, Document, Finding, Reading, link, text};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};

mod facts;
mod leaf;
mod names;
mod parts;
mod reasons;

use facts::Facts;
use leaf::{Kept, Leaf};
pub(crate) use parts::Rows;
use parts::{Owner, Parts};

/// Name under which lines of a text are kept.
const LINES: &str = "lines";
/// Name under which items of a document that is a list are kept.
const ITEMS: &str = "items";

/// Maximum length of a value in an account, in characters.
pub const MAX_VALUE: usize = 200;

/// The parts of the values of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Account {
    /// Number of values that are used for a fact.
    pub used: usize,
    /// Number of values that are kept as published.
    pub kept: usize,
    /// Number of values that are neither.
    pub dropped: usize,
    /// The values, in the order of the document.
    pub values: Vec<Accounted>,
}

/// One value of a document with what became of it.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Accounted {
    /// Position: a JSON pointer, or `line:N` in a text format.
    pub place: String,
    /// The value as text, cut to 200 characters; `[redacted]` if it is a secret.
    pub value: String,
    /// Part of the account.
    #[serde(flatten)]
    pub part: Part,
}

/// Part of an account.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(tag = "part", rename_all = "snake_case")]
pub enum Part {
    /// Used for these facts, by their paths in the agents of the reading, such as
    /// `agents/0/name`.
    Used {
        /// The facts.
        facts: Vec<String>,
    },
    /// Kept as the publisher wrote it.
    Kept,
    /// Neither used nor kept, for the reason that a finding of this rule gives.
    Dropped {
        /// Id of the rule.
        rule: String,
    },
}

/// Keeps the values of a document that no reader used, with the agent or the capability in whose part
/// of the document they stand, and reports how many found no room (DI-14).
pub(crate) fn keep(document: &Document, body: &Body<'_>, format: Rows, reading: &mut Reading) {
    if reading.agents.is_empty() {
        return;
    }
    if let Content::Json(value) = &body.content {
        remove_placeholders(reading, value);
    }
    let lost = lost(document, body, format, reading);
    if lost.is_empty() {
        return;
    }
    let owners = match &body.content {
        Content::Json(value) => Owners::of(reading, value),
        _ => Owners::default(),
    };
    let mut rooms: Vec<Room> = reading.agents.iter().map(Room::of).collect();
    let (fitting, beyond): (Vec<_>, Vec<_>) = lost.into_iter().partition(|(place, value)| {
        let ((agent, _), _) = owners.around(place);
        rooms[agent].take(value)
    });
    if let Content::Json(value) = &body.content {
        let places = fitting.iter().map(|(place, _)| place.as_str());
        put(reading, value, &owners, places);
    } else {
        for (_, line) in fitting {
            put_line(reading, line);
        }
    }
    if let Some((first, _)) = beyond.first() {
        let count = beyond.len();
        let message = format!(
            "{count} values, beginning with this one, are neither used nor kept; leave out what no caller needs"
        );
        reading.findings.push(Finding::at(&DI_14, first, message));
    }
}

/// Room for values that are kept of one agent.
struct Room {
    values: usize,
    bytes: usize,
}

impl Room {
    /// Returns the room that is left beside what an agent keeps already.
    fn of(agent: &Agent) -> Self {
        let mut room = Self {
            values: MAX_VALUES,
            bytes: MAX_VALUE_BYTES,
        };
        let mut add = |leaf: Leaf<'_, '_>| {
            room.values = room.values.saturating_sub(1);
            room.bytes = room.bytes.saturating_sub(leaf.text().len());
        };
        let of_capabilities = agent.capabilities.iter().map(|it| &it.extensions);
        for kept in of_capabilities.chain([&agent.extensions]) {
            kept.values()
                .for_each(|value| leaf::of_value(value, &mut add));
        }
        room
    }

    /// Takes the room for a value if there is enough.
    fn take(&mut self, value: &str) -> bool {
        let has_room = self.values > 0 && value.len() <= self.bytes;
        if has_room {
            self.values -= 1;
            self.bytes -= value.len();
        }
        has_room
    }
}

/// Returns the places and values that are neither used nor kept, and have no finding.
///
/// The rows of a format tell most values. What they do not tell is looked for among the facts of the agents,
/// and only then among those of the capabilities, which may be many.
fn lost(
    document: &Document,
    body: &Body<'_>,
    format: Rows,
    reading: &Reading,
) -> Vec<(String, String)> {
    let parts = Parts::of(&reading.agents, format);
    let mut facts = None;
    let mut has_capabilities = false;
    let mut lost = Vec::new();
    leaf::of_body(body, &parts, &mut |leaf| {
        if parts.is_stated(&leaf) || parts.is_at_fact(&leaf) {
            return;
        }
        let facts = facts.get_or_insert_with(|| Facts::of(document, reading, body));
        let mut is_lost = facts.is_lost(&leaf, body);
        if is_lost && !has_capabilities && !leaf.gives.is_kept {
            facts.add_capabilities();
            has_capabilities = true;
            is_lost = facts.is_lost(&leaf, body);
        }
        if is_lost {
            lost.push((leaf.place.to_owned(), leaf.text().into_owned()));
        }
    });
    lost
}

/// The agents and capabilities of a reading, by their places in the document.
#[derive(Default)]
struct Owners(HashMap<String, Owner>);

impl Owners {
    fn of(reading: &Reading, document: &Value) -> Self {
        let mut owners = HashMap::new();
        // Parts that are kept are members of objects.
        let mut add = |place: &str, owner| {
            if document.pointer(place).is_some_and(Value::is_object) {
                owners.entry(place.to_owned()).or_insert(owner);
            }
        };
        for (index, agent) in reading.agents.iter().enumerate() {
            add(&agent.pointer, (index, None));
            for (at, capability) in agent.capabilities.iter().enumerate() {
                if !capability.pointer.is_empty() {
                    add(&capability.pointer, (index, Some(at)));
                }
            }
        }
        Self(owners)
    }

    /// Returns the innermost owner around a place with its own place; what stands outside of all agents
    /// is kept with the first.
    fn around<'p>(&self, place: &'p str) -> (Owner, &'p str) {
        let outer = names::around(place).skip(1);
        let mut found = outer.filter_map(|outer| Some((*self.0.get(outer)?, outer)));
        found.next().unwrap_or(((0, None), ""))
    }
}

/// Returns the members that an agent or a capability keeps as published.
fn kept_of(reading: &mut Reading, (agent, capability): Owner) -> &mut Map<String, Value> {
    let agent = &mut reading.agents[agent];
    match capability {
        Some(at) => &mut agent.capabilities[at].extensions,
        None => &mut agent.extensions,
    }
}

/// Puts values of a document among the extensions of the agents and capabilities in whose parts they
/// stand.
fn put<'p>(
    reading: &mut Reading,
    document: &Value,
    owners: &Owners,
    places: impl Iterator<Item = &'p str>,
) {
    let mut parts: BTreeMap<Owner, Kept> = BTreeMap::new();
    for place in places {
        let (owner, outer) = owners.around(place);
        if let Some(part) = document.pointer(outer) {
            parts
                .entry(owner)
                .or_default()
                .add(part, &place[outer.len()..]);
        }
    }
    for (owner, kept) in parts {
        kept.put(kept_of(reading, owner));
    }
}

/// Removes placeholders from what is kept as published: they state nothing (GP-03).
fn remove_placeholders(reading: &mut Reading, document: &Value) {
    let of_rule = reading.findings.iter().filter(|it| it.rule == &GP_03);
    let places: Vec<String> = of_rule.flat_map(Finding::places).collect();
    if places.is_empty() {
        return;
    }
    let owners = Owners::of(reading, document);
    let is_template = |place: &str| {
        let text = document.pointer(place).and_then(Value::as_str);
        text.is_some_and(link::is_template)
    };
    let placeholders = places.iter().filter(|it| it.starts_with('/'));
    for place in placeholders.filter(|it| !is_template(it)) {
        let (owner, outer) = owners.around(place);
        leaf::remove(kept_of(reading, owner), &place[outer.len()..]);
    }
}

/// Puts a line of a text among the extensions of the first agent.
fn put_line(reading: &mut Reading, line: String) {
    let lines = reading.agents[0].extensions.entry(LINES);
    if let Value::Array(lines) = lines.or_insert_with(|| Value::Array(Vec::new())) {
        lines.push(line.into());
    }
}

/// Returns the account of a document that was read.
pub(crate) fn of(document: &Document, body: &Body<'_>, format: Rows, reading: &Reading) -> Account {
    let parts = Parts::of(&reading.agents, format);
    let mut facts = Facts::of(document, reading, body);
    facts.add_capabilities();
    let mut account = Account::default();
    leaf::of_body(body, &parts, &mut |leaf| {
        let part = match facts.final_rule(&leaf, body) {
            None if parts.is_stated(&leaf) => Part::Used {
                facts: parts.stated(&leaf),
            },
            _ => facts.part(&leaf, body, facts::MAX_FACTS),
        };
        let part = match part {
            Part::Dropped { rule } if rule.is_empty() && parts.is_at_fact(&leaf) => Part::Used {
                facts: parts.facts_at(&leaf),
            },
            part => part,
        };
        match part {
            Part::Used { .. } => account.used += 1,
            Part::Kept => account.kept += 1,
            Part::Dropped { .. } => account.dropped += 1,
        }
        account.values.push(Accounted {
            value: text::clean(&leaf.text(), MAX_VALUE),
            place: leaf.place.to_owned(),
            part,
        });
    });
    account
}
