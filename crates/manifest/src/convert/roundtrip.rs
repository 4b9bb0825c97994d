//! Conversion of a document to the format that it already has.
//!
//! The model holds only what the formats have in common. To keep the rest, the conversion starts
//! from the document itself and changes only what must change.

use super::losses::Report;
use super::origin::Source;
use super::{Target, check, unwritten_members};
use crate::{Agent, json};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// Members that identify the items of a list.
const NAMES: [&str; 5] = ["id", "identifier", "name", "uri", "url"];

/// Returns the document as it is, if nothing has to change.
pub(super) fn whole(agents: &[Agent], report: &mut Report<'_>) -> Option<String> {
    let origin = report.origin;
    let source = source(report).filter(|it| it.errors.is_empty() && it.agents == agents)?;
    let mut value = source.value.clone();
    let is_one = report.target == Target::Zervice || value.is_object();
    let mut is_signed = false;
    if report.target == Target::A2a || report.target == Target::A2a03 {
        // A signature is valid only for exactly the signed bytes.
        let card = value.as_object_mut().filter(|_| !source.is_as_served);
        is_signed = card.is_some_and(|card| card.remove("signatures").is_some());
    }
    for method in methods(&mut value, report.target) {
        *method = Value::String(method.as_str().unwrap_or_default().to_ascii_uppercase());
    }
    let body = if source.text.is_empty() {
        is_one.then(|| format!("{value:#}\n"))?
    } else {
        source.text.clone()
    };
    check(&body, origin, report.target).ok()?;
    if is_signed {
        let what = "the signatures, which are valid for the signed bytes only";
        report.lost("/signatures", what);
    }
    for place in &source.secrets {
        report.lost(place, "a value that looks like a secret");
    }
    Some(body)
}

/// Returns the source if it has the format and generation of the target.
pub(super) fn source<'o>(report: &Report<'o>) -> Option<&'o Source> {
    let source = report.origin.source()?;
    let is_same = report.origin.format == report.target.format().as_str()
        || report.origin.is_well_known_text(report.target);
    let is_text = source.text.is_empty() == (report.target != Target::AgentsTxt);
    let fits = match report.target {
        Target::A2a => {
            source.generation.as_deref() == Some("1.0") && source.value.get("url").is_none()
        }
        Target::A2a03 => source.generation.as_deref() == Some("0.3"),
        // Earlier forms of a catalogue are read, but not written.
        Target::Ard => {
            let value = &source.value;
            value["specVersion"].is_string()
                && value["host"]["displayName"].is_string()
                && value["entries"].is_array()
        }
        // Agent cards among the services are read, but not written.
        Target::Zervice => services(&source.value).all(|it| it["capabilities"].is_array()),
        Target::OpenApi => false,
        _ => true,
    };
    Some(source).filter(|_| is_same && is_text && fits)
}

/// Iterates over the services of a Zervice file, which may be one object without a list.
fn services(value: &Value) -> impl Iterator<Item = &Value> {
    let items = value.as_array().into_iter().flatten();
    items.chain(Some(value).filter(|it| it.is_object()))
}

/// Iterates over the HTTP methods of an `agents.json`, which may be in lower case.
fn methods(value: &mut Value, target: Target) -> impl Iterator<Item = &mut Value> {
    let is_one = target == Target::AgentsJson;
    let capabilities = value.get_mut("capabilities").filter(|_| is_one);
    let items = capabilities.and_then(Value::as_array_mut);
    let methods = items.into_iter().flatten();
    methods.filter_map(|it| it.get_mut("method").filter(|it| it.is_string()))
}

/// Adds to the written document everything else of the source that may be kept, and reports each
/// member that is lost.
pub(super) fn complete(agents: &[Agent], body: String, report: &mut Report<'_>) -> String {
    let Some(known) = report.origin.source() else {
        return body;
    };
    if report.target == Target::AgentsTxt {
        unwritten_members::account_for_lines(&body, &known.text, report);
        return body;
    }
    if report.origin.format != report.target.format().as_str() {
        return body;
    }
    let Ok(written) = serde_json::from_str::<Value>(&body) else {
        return body;
    };
    // The items of an invalid list cannot be identified reliably enough.
    let is_list = |source: &Source| source.value.is_array();
    let sound = source(report).filter(|it| !is_list(it) || it.errors.is_empty());
    let written_places = report.owners();
    let extended = sound.and_then(|source| {
        let mut value = written.clone();
        let addition = Addition {
            source,
            is_unchanged: source.agents == agents,
            left_out: report.left_out_places(),
            above: above(&written_places),
            written: written_places.clone(),
        };
        addition.add(&mut value, &source.value, "");
        let body = format!("{value:#}\n");
        check(&body, report.origin, report.target).ok()?;
        Some((value, body))
    });
    let is_extended = extended.is_some();
    let (value, body) = extended.unwrap_or((written, body));
    if is_extended {
        report.forget_losses();
    }
    unwritten_members::account(&value, &known.value, report);
    body
}

/// Adds the other members of the source to the written document.
struct Addition<'s> {
    source: &'s Source,
    /// True if the agents are exactly those of the source.
    is_unchanged: bool,
    /// Positions that were left out on purpose.
    left_out: HashSet<String>,
    /// Positions of agents and capabilities, which are written already, maybe under another name.
    written: HashSet<String>,
    /// Positions of the objects and lists that contain these agents and capabilities.
    above: HashSet<String>,
}

/// Returns the positions of the objects and lists that contain `places`.
fn above(places: &HashSet<String>) -> HashSet<String> {
    let mut above = HashSet::new();
    for place in places {
        let mut rest = place.as_str();
        while let Some((parent, _)) = rest.rsplit_once('/') {
            if !above.insert(parent.to_owned()) {
                break;
            }
            rest = parent;
        }
    }
    above
}

impl Addition<'_> {
    fn add(&self, written: &mut Value, source: &Value, pointer: &str) {
        match (written, source) {
            (Value::Object(written), Value::Object(source)) => {
                self.add_members(written, source, pointer);
            }
            (Value::Array(written), Value::Array(source)) => {
                self.add_items(written, source, pointer);
            }
            (Value::String(written), Value::String(source)) if written.is_empty() => {
                written.clone_from(source);
            }
            _ => {}
        }
    }

    fn add_members(
        &self,
        written: &mut Map<String, Value>,
        source: &Map<String, Value>,
        pointer: &str,
    ) {
        for (name, value) in source {
            let pointer = format!("{pointer}/{}", json::escape(name));
            if let Some(written) = written.get_mut(name) {
                self.add(written, value, &pointer);
            } else if name != "signatures"
                && self.may_stay(&pointer)
                && let Some(rest) = self.unwritten(value, &pointer)
            {
                written.insert(name.clone(), rest);
            }
        }
    }

    /// Returns `value` without the agents and capabilities in it, which are written elsewhere and
    /// would be read twice; `None` if nothing remains.
    fn unwritten(&self, value: &Value, pointer: &str) -> Option<Value> {
        if self.written.contains(pointer) {
            return None;
        }
        if !self.above.contains(pointer) {
            return Some(value.clone());
        }
        let members = value.as_object()?.iter();
        let rest = members.filter_map(|(name, value)| {
            let pointer = format!("{pointer}/{}", json::escape(name));
            Some((name.clone(), self.unwritten(value, &pointer)?))
        });
        let rest: Map<_, _> = rest.collect();
        (!rest.is_empty()).then_some(Value::Object(rest))
    }

    fn add_items(&self, written: &mut Vec<Value>, source: &[Value], pointer: &str) {
        let has_written = self.written.contains(pointer) || self.above.contains(pointer);
        let is_free = !has_written && self.may_stay(pointer);
        if is_free && self.is_unchanged {
            source.clone_into(written);
            return;
        }
        for (index, item) in source.iter().enumerate() {
            let pointer = format!("{pointer}/{index}");
            match written.iter_mut().find(|it| is_same_item(it, item)) {
                Some(same) => self.add(same, item, &pointer),
                None if self.written.contains(&pointer) => {}
                None if item.is_object() && self.may_stay(&pointer) => written.push(item.clone()),
                None => {}
            }
        }
    }

    /// Returns false for values that break a rule or were left out on purpose.
    fn may_stay(&self, pointer: &str) -> bool {
        let is_below = |place: &String| unwritten_members::is_at(place, pointer);
        let mut odd = self.source.errors.iter().chain(&self.source.warnings);
        !odd.any(is_below) && !self.left_out.contains(pointer)
    }
}

fn is_same_item(one: &Value, other: &Value) -> bool {
    let name = |item: &Value| {
        let mut names = NAMES.iter().filter_map(|name| item.get(name)?.as_str());
        names.next().map(str::to_owned)
    };
    let is_part = |one: &Map<String, Value>| {
        let mut members = one.iter();
        members.all(|(name, value)| other.get(name) == Some(value))
    };
    name(one).is_some_and(|it| Some(it) == name(other))
        || one.as_object().is_some_and(is_part)
        || one == other
}
