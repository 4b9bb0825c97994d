//! Fills in what a leading document does not say from another one.

use crate::{Agent, Capability, text};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};

/// `leading` with what only `other` says; `source` is where `other` stands among the sources.
///
/// Capabilities are united by id or name, interfaces by URL; every other field is taken whole.
pub(super) fn fill(
    mut leading: Agent,
    other: &Agent,
    source: usize,
    provenance: &mut BTreeMap<String, usize>,
) -> Agent {
    let had_capabilities = !leading.capabilities.is_empty();
    let mut capabilities = std::mem::take(&mut leading.capabilities);
    for (path, index) in unite(&mut capabilities, &other.capabilities, source) {
        if had_capabilities {
            provenance.entry(path).or_insert(index);
        }
    }
    if !had_capabilities && !capabilities.is_empty() {
        provenance.insert("capabilities".to_owned(), source);
    }
    let mut interfaces = std::mem::take(&mut leading.interfaces);
    let had_interfaces = !interfaces.is_empty();
    for interface in &other.interfaces {
        if interfaces.iter().all(|known| known.url != interface.url) && interfaces.len() < 100 {
            let is_preferred = interface.preferred && !had_interfaces;
            let mut interface = interface.clone();
            interface.preferred = is_preferred;
            if had_interfaces {
                provenance.insert(format!("interfaces.{}", interface.url), source);
            }
            interfaces.push(interface);
        }
    }
    if !had_interfaces && !interfaces.is_empty() {
        provenance.insert("interfaces".to_owned(), source);
    }
    let is_default = |agent: &Agent, field: &str| agent.defaulted.iter().any(|it| it == field);
    if is_default(&leading, "name") && !is_default(other, "name") {
        leading.name.clone_from(&other.name);
        leading.defaulted.retain(|field| field != "name");
        provenance.insert("name".to_owned(), source);
    }
    let mut filled = Agent {
        defaulted: Vec::new(),
        ..other.clone()
    };
    filled.capabilities.clear();
    filled.interfaces.clear();
    let defaulted = std::mem::take(&mut leading.defaulted);
    let (mut merged, fields) = filled_in(&leading, &filled);
    for field in fields {
        if is_default(other, &field) {
            merged.defaulted.push(field.clone());
        }
        provenance.insert(field, source);
    }
    merged.defaulted.extend(defaulted);
    merged.capabilities = capabilities;
    merged.interfaces = interfaces;
    merged
}

/// Adds `others` to `capabilities`; returns the path of each fact that came from them.
fn unite(
    capabilities: &mut Vec<Capability>,
    others: &[Capability],
    source: usize,
) -> Vec<(String, usize)> {
    let mut by_key: HashMap<String, usize> = HashMap::new();
    for (place, capability) in capabilities.iter().enumerate() {
        by_key.entry(text::fold(&capability.id)).or_insert(place);
        by_key.entry(text::fold(&capability.name)).or_insert(place);
    }
    let own = capabilities.len();
    let mut facts = Vec::new();
    for other in others {
        let keys = [text::fold(&other.id), text::fold(&other.name)];
        let known = keys.iter().find_map(|key| by_key.get(key)).copied();
        match known {
            Some(place) if place < own => {
                let (merged, fields) = filled_in(&capabilities[place], other);
                let id = &merged.id;
                facts.extend(
                    fields
                        .iter()
                        .map(|field| (format!("capabilities.{id}.{field}"), source)),
                );
                capabilities[place] = merged;
            }
            // Two of one name in one document stay two.
            Some(_) | None => {
                facts.push((format!("capabilities.{}", other.id), source));
                for key in keys {
                    by_key.entry(key).or_insert(capabilities.len());
                }
                capabilities.push(other.clone());
            }
        }
    }
    facts
}

/// `leading` with the members that only `other` has, and the names of these members.
///
/// Goes through JSON, where an empty field is a missing member: so a new field of the model is
/// filled in without a line here.
fn filled_in<T: Clone + Serialize + DeserializeOwned>(leading: &T, other: &T) -> (T, Vec<String>) {
    let (Some(mut members), Some(others)) = (members(leading), members(other)) else {
        return (leading.clone(), Vec::new());
    };
    let mut fields = Vec::new();
    for (name, value) in others {
        if !members.contains_key(&name) {
            fields.push(name.clone());
            members.insert(name, value);
        }
    }
    match serde_json::from_value(Value::Object(members)) {
        Ok(merged) if !fields.is_empty() => (merged, fields),
        _ => (leading.clone(), Vec::new()),
    }
}

fn members(value: &impl Serialize) -> Option<Map<String, Value>> {
    match serde_json::to_value(value) {
        Ok(Value::Object(members)) => Some(members),
        _ => None,
    }
}
