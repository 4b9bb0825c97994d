//! Objects that describe no agent themselves but contain descriptions: they are unwrapped, and each
//! item is read in its own format.
//!
//! No specification defines this, but it is common to publish several agents under `agents`, MCP
//! servers under `servers` or `mcpServers`, and one agent in an envelope. The format of each item
//! is detected separately; an item in no known format is read as a generic profile. Strings, and
//! items with only a name and a URL, are mentions of an agent.

use super::generic;
use crate::finding::Findings;
use crate::format::{Format, Input};
use crate::marker::{self, Marker};
use crate::reference;
use crate::rule::document::DI_30;
use crate::rule::profile::{GP_01, GP_05};
use crate::{Agent, Fact, Finding, FormatId, Mention, Reading, Reference, json, link, text};
use serde_json::{Map, Value};

mod servers;
#[cfg(test)]
mod tests;

pub(super) use servers::has_servers;

/// Members that may contain the one agent that a document is about.
const ENVELOPES: &[&str] = &[
    "agent",
    "agentCard",
    "agent_card",
    "card",
    "document",
    "subject",
    "service",
    "a",
];
/// Maximum number of items that are read.
const MAX_ITEMS: usize = 200;

const WRAPPER: FormatId = FormatId::habit("agents-wrapper");

/// Reader of such lists and maps.
pub(crate) struct WrappedAgents;

/// Readings of the items.
#[derive(Default)]
pub(crate) struct Manifest {
    /// Pointer to the list or the single item.
    at: String,
    is_envelope: bool,
    readings: Vec<Reading>,
    addresses: Vec<Reference>,
    mentions: Vec<Mention>,
    mentioned: usize,
    /// Items with neither a description nor an address.
    others: usize,
    /// Findings on the list itself.
    findings: Findings,
}

/// Reports whether there is something to unwrap besides `agents`: MCP servers, or one agent.
pub(super) fn holds_agent(object: &Map<String, Value>) -> bool {
    let names_mcp = ["mcp_version", "mcpVersion"];
    let names_mcp = names_mcp.iter().any(|name| object.contains_key(*name));
    (names_mcp || object.contains_key("mcpServers")) && has_servers(object)
        || envelope(object).is_some()
}

/// Returns the only member that describes a service by name; `None` if there are several.
fn envelope(object: &Map<String, Value>) -> Option<(&'static str, &Value)> {
    let members = ENVELOPES.iter();
    let members = members.filter_map(|name| Some((*name, object.get(*name)?)));
    let mut described = members.filter(|(_, it)| it.as_object().is_some_and(generic::is_service));
    let only = described.next();
    only.filter(|_| described.next().is_none())
}

impl Format for WrappedAgents {
    type Manifest = Manifest;

    const ID: FormatId = FormatId::habit("wrapped-agents");
    const ALSO: &'static [FormatId] = &[WRAPPER];
    const TITLE: &'static str = "agents.json with a list";
    const MARKERS: &'static [Marker] = &[
        Marker::distinctive(Self::ID, |o| {
            marker::array(o, "agents")
                .is_some_and(|agents| !agents.is_empty() && agents.iter().all(Value::is_object))
        }),
        Marker::weak(WRAPPER, |o| match o.get("agents") {
            Some(Value::Object(_)) => true,
            Some(Value::Array(items)) => items
                .iter()
                .any(|item| item.is_string() || item.is_object()),
            _ => false,
        }),
        Marker::last(Self::ID, holds_agent),
    ];
    const PLACES: &'static [&'static str] = &["/.well-known/agents.json", "/agents.json"];

    fn parse(input: &Input<'_>) -> Manifest {
        let mut manifest = Manifest::default();
        let Some(object) = input.value.as_object() else {
            return manifest;
        };
        match object.get("agents") {
            Some(Value::Array(items)) => {
                "/agents".clone_into(&mut manifest.at);
                manifest.findings.rest("/agents", items.len(), MAX_ITEMS);
                for (index, item) in items.iter().enumerate().take(MAX_ITEMS) {
                    manifest.add(input, item, &format!("/agents/{index}"));
                }
            }
            Some(Value::Object(members)) => {
                "/agents".clone_into(&mut manifest.at);
                manifest.findings.rest("/agents", members.len(), MAX_ITEMS);
                for (name, item) in members.iter().take(MAX_ITEMS) {
                    let pointer = format!("/agents/{}", json::escape(name));
                    manifest.add(input, &named(name, item), &pointer);
                    manifest.name_by_key(item, &pointer);
                }
            }
            Some(_) | None if has_servers(object) => manifest.add_servers(input, object),
            Some(_) | None => {
                if let Some((name, item)) = envelope(object) {
                    manifest.at = format!("/{name}");
                    manifest.is_envelope = true;
                    manifest.add(input, item, &format!("/{name}"));
                }
            }
        }
        manifest
    }

    fn validate(manifest: &Manifest, _: &Input<'_>, findings: &mut Findings) {
        let message = if manifest.is_envelope {
            "no specification has this envelope; what it holds was read on its own"
        } else {
            "no specification has a list like this; each item was read on its own"
        };
        findings.add(&GP_01, &manifest.at, message);
        if manifest.mentioned > 0 {
            let message = format!(
                "{} items only mention an agent; describe it here or publish its own agent card",
                manifest.mentioned
            );
            findings.add(&GP_01, &manifest.at, message);
        }
        findings.extend(manifest.findings.clone());
        if manifest.describes_no_agent() {
            let message = "this does not describe a service (no item has an address, or says \
                what it does for others), so it is kept, but not listed; give both for each item \
                that is a service";
            findings.add(&GP_05, &manifest.at, message);
        }
        // GP-05 above covers all items, so their DI-30 findings would only repeat it.
        let is_reported = |it: &&Finding| !manifest.describes_no_agent() || it.rule != &DI_30;
        let readings = manifest.readings.iter();
        for finding in readings.flat_map(|it| &it.findings).filter(is_reported) {
            findings.push(finding.clone());
        }
    }

    fn normalize(manifest: &Manifest, _: &Input<'_>) -> Vec<Agent> {
        let agents = manifest.readings.iter().flat_map(|reading| &reading.agents);
        agents.cloned().collect()
    }

    fn references(manifest: &Manifest, _: &Input<'_>) -> Vec<Reference> {
        let described = manifest
            .readings
            .iter()
            .flat_map(|reading| &reading.references);
        manifest
            .addresses
            .iter()
            .chain(described)
            .cloned()
            .collect()
    }

    fn mentions(manifest: &Manifest, _: &Input<'_>) -> Vec<Mention> {
        let readings = manifest.readings.iter();
        let nested = readings.flat_map(|reading| &reading.mentions);
        manifest.mentions.iter().chain(nested).cloned().collect()
    }
}

impl Manifest {
    /// Reports whether this is a list of people, game characters and the like (GP-05).
    fn describes_no_agent(&self) -> bool {
        self.others > 0 && self.others == self.readings.len() && self.mentioned == 0
    }

    fn add(&mut self, input: &Input<'_>, item: &Value, pointer: &str) {
        if let Some(address) = mention(item) {
            let reference = reference::to(input.document, rel(address), address, pointer);
            let foreign = reference
                .iter()
                .filter(|it| !link::is_own(input.document, &it.url));
            self.mentions.extend(foreign.map(|reference| Mention {
                name: name(item),
                publisher: None,
                url: Some(reference.url.clone()),
                pointer: pointer.to_owned(),
            }));
            self.addresses.extend(reference);
            self.mentioned += 1;
        } else if item.is_object() {
            let reading = input.item(item, pointer);
            let is_unknown = reading.format == FormatId::UNRECOGNISED && !is_of_service(item);
            self.others += usize::from(is_unknown);
            self.readings.push(reading);
        }
    }

    /// Moves the position of the name to the item if its key gave the name.
    fn name_by_key(&mut self, item: &Value, pointer: &str) {
        if item.get("name").is_some() {
            return;
        }
        let last = self.readings.last_mut();
        let agents = last.map_or(&mut [][..], |reading| &mut reading.agents);
        for agent in agents.iter_mut().filter(|it| it.pointer == pointer) {
            let place = agent.pointers.get_mut(Fact::Name.name());
            if let Some(place) = place.filter(|place| place.strip_prefix(pointer) == Some("/name"))
            {
                pointer.clone_into(place);
            }
        }
    }
}

/// Returns the item with its key as name, unless it has a name.
fn named(key: &str, item: &Value) -> Value {
    let mut item = item.clone();
    if let Value::Object(members) = &mut item {
        members.entry("name").or_insert_with(|| key.into());
    }
    item
}

/// Reports whether an item has an address, or describes capabilities in common members.
fn is_of_service(item: &Value) -> bool {
    const WORDS: [&str; 6] = ["url", "endpoint", "mcp", "a2a", "skills", "capabilities"];
    let mut members = item.as_object().into_iter().flatten();
    members.any(|(name, value)| {
        let name = name.to_ascii_lowercase();
        WORDS.iter().any(|word| name.contains(word))
            || value.as_str().is_some_and(link::is_absolute)
    })
}

/// Returns the address in an item without a description; empty if it has none.
fn mention(item: &Value) -> Option<&str> {
    match item {
        Value::String(text) if link::is_absolute(text) => Some(text),
        Value::String(_) => Some(""),
        Value::Object(members) if members.keys().all(|key| key == "name" || key == "url") => Some(
            members
                .get("url")
                .and_then(Value::as_str)
                .unwrap_or_default(),
        ),
        _ => None,
    }
}

/// Returns the name in an item; empty if it has none.
fn name(item: &Value) -> String {
    let name = item.get("name").and_then(Value::as_str);
    name.and_then(text::some).unwrap_or_default()
}

fn rel(address: &str) -> &'static str {
    let names_card = ["agent-card.json", "agent.json"];
    if names_card.iter().any(|name| address.ends_with(name)) {
        "agent-card"
    } else {
        "agent"
    }
}
