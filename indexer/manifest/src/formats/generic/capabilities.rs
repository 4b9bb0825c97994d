//! Capabilities of a profile, in any of the usual shapes.

use super::lookup::find;
use super::{ProfileReader, interfaces};
use crate::agent::Agent;
use crate::format::Format as _;
use crate::formats::erc_8004::Erc8004;
use crate::rule::profile::GP_04;
use crate::{Capability, json, link, text};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// Members that list capabilities, the best first.
pub(super) const NAMES: &[&str] = &[
    "capabilities",
    "skills",
    "actions",
    "tools",
    "services",
    "intents",
    "flows",
    "endpoints",
    "expertise",
];

/// Maximum number of capabilities of one profile.
const MAX_CAPABILITIES: usize = 500;

impl ProfileReader<'_> {
    /// Adds the capabilities of every member that lists some, each name once; booleans become tags.
    pub(super) fn capabilities(&mut self, object: &Map<String, Value>, agent: &mut Agent) {
        let lists_addresses = self.input.format == Erc8004::ID;
        let mut names = HashSet::new();
        for found in find(object, NAMES) {
            // These members often list other things, so they count only as a last resort.
            let is_last_resort = matches!(found.pointer.as_str(), "/endpoints" | "/expertise");
            if is_last_resort && !agent.capabilities.is_empty() {
                continue;
            }
            if lists_addresses && interfaces::LISTS.contains(&&found.pointer[1..]) {
                continue;
            }
            let mut capabilities = Vec::new();
            match found.value {
                Value::Array(items) => {
                    for (index, item) in items.iter().enumerate().take(MAX_CAPABILITIES) {
                        let pointer = format!("{}/{index}", found.pointer);
                        capabilities.extend(self.capability(None, item, &pointer));
                    }
                }
                Value::Object(members) => {
                    for (name, item) in members.iter().take(MAX_CAPABILITIES) {
                        let pointer = format!("{}/{}", found.pointer, json::escape(name));
                        if item == &Value::Bool(true) {
                            agent.tags.extend(text::some(name));
                        } else if interfaces::protocol(name, item).is_none() {
                            capabilities.extend(self.capability(Some(name), item, &pointer));
                        }
                    }
                }
                _ => {}
            }
            // A member may repeat a name; names of an earlier member are left out.
            capabilities.retain(|it| !names.contains(&text::fold(&it.name)));
            names.extend(capabilities.iter().map(|it| text::fold(&it.name)));
            if !capabilities.is_empty() {
                self.use_pointer("capabilities", &found.pointer);
                agent.capabilities.append(&mut capabilities);
            }
        }
        agent.capabilities.truncate(MAX_CAPABILITIES);
        agent.tags = text::distinct(std::mem::take(&mut agent.tags));
    }

    /// Reads one capability: a name, an object, or (in a map) an address or a text under its name.
    fn capability(&mut self, key: Option<&str>, item: &Value, pointer: &str) -> Option<Capability> {
        match (key, item) {
            (None, Value::String(name)) => {
                let name = self
                    .unless_placeholder(pointer, name)
                    .and_then(text::some)?;
                Some(named(name, pointer))
            }
            (Some(key), Value::String(value)) => {
                let mut capability = named(text::some(key)?, pointer);
                let value = self.unless_placeholder(pointer, value)?;
                if is_endpoint(value) {
                    self.set_endpoint(&mut capability, value);
                } else {
                    capability.description = text::some(value);
                }
                Some(capability)
            }
            (key, Value::Object(members)) => {
                let text_of = |names: &[&'static str]| {
                    find(members, names)
                        .find_map(|found| found.value.as_str())
                        .and_then(text::some)
                };
                let name = text_of(&["name", "id", "title", "tool_name"])
                    .or_else(|| key.and_then(text::some))?;
                let mut capability = named(name, pointer);
                capability.id = text_of(&["id"]).unwrap_or_else(|| capability.name.clone());
                capability.description = text_of(&["description", "summary", "purpose"]);
                capability.method = text_of(&["method"]).map(|method| method.to_uppercase());
                capability.input_schema = find(
                    members,
                    &["inputSchema", "input_schema", "parameters", "params"],
                )
                .find(|found| found.value.is_object())
                .map(|found| found.value.clone());
                capability.tags = super::texts(members, &["tags"]);
                capability.examples = super::texts(members, &["examples"]);
                self.endpoint(members, &mut capability, pointer);
                Some(capability)
            }
            _ => None,
        }
    }

    /// Reads the endpoint, and reports `null` and the empty string (GP-04).
    fn endpoint(
        &mut self,
        members: &Map<String, Value>,
        capability: &mut Capability,
        pointer: &str,
    ) {
        for found in find(members, &["endpoint", "url", "path"]) {
            let pointer = format!("{pointer}{}", found.pointer);
            match found.value {
                Value::String(endpoint) if !endpoint.trim().is_empty() => {
                    if let Some(endpoint) = self.unless_placeholder(&pointer, endpoint) {
                        self.set_endpoint(capability, endpoint);
                        return;
                    }
                }
                Value::Null | Value::String(_) => {
                    let message = "empty; name the endpoint or leave the member out";
                    self.findings.add(&GP_04, &pointer, message);
                }
                _ => {}
            }
        }
    }

    /// Sets endpoint and URL, and the method if the endpoint is written as `GET /path`.
    fn set_endpoint(&self, capability: &mut Capability, endpoint: &str) {
        let endpoint = match endpoint.trim().split_once(' ') {
            Some((method, rest)) if method.bytes().all(|byte| byte.is_ascii_uppercase()) => {
                capability.method = Some(method.to_owned());
                rest.trim()
            }
            _ => endpoint.trim(),
        };
        capability.endpoint = text::some(&link::template(endpoint));
        capability.url = link::absolute_template(&self.input.document.url, endpoint);
    }
}

/// Returns true for a path or URL, with or without a method before it.
fn is_endpoint(text: &str) -> bool {
    let address = match text.split_once(' ') {
        Some((method, rest)) if method.bytes().all(|byte| byte.is_ascii_uppercase()) => rest,
        _ => text,
    };
    address.starts_with('/') || link::is_absolute(address)
}

fn named(name: String, pointer: &str) -> Capability {
    Capability {
        id: name.clone(),
        name,
        pointer: pointer.to_owned(),
        ..Capability::default()
    }
}
