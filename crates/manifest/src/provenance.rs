//! Positions of facts in a document, and excerpts for findings.

use crate::agent::Agent;
use crate::format::Fields;
use crate::{Fact, Finding, json, secret, text};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// Maximum length of an excerpt, in characters.
const MAX_EXCERPT: usize = 120;

/// Records in `agent` the position of each of its fields: the first of the pointers that exists.
pub(crate) fn locate(agent: &mut Agent, fields: Fields, value: &Value) {
    for (fact, places) in fields {
        if agent.pointers.contains_key(fact.name()) || !fact.is_in(agent) {
            continue;
        }
        let mut pointers = places
            .iter()
            .map(|place| format!("{}{place}", agent.pointer));
        if let Some(pointer) = pointers.find(|pointer| value.pointer(pointer).is_some()) {
            agent.set_place(*fact, pointer);
        }
    }
    locate_interfaces(agent, value);
}

/// Records the position of each interface of several whose URL stands in the document as it is.
fn locate_interfaces(agent: &mut Agent, value: &Value) {
    let mut indexes: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, interface) in agent.interfaces.iter().enumerate() {
        indexes.entry(&interface.url).or_default().push(index);
    }
    // The first has the position of the field, and bindings at one URL cannot be told apart.
    let wanted: HashMap<&str, usize> = indexes
        .into_iter()
        .filter_map(|(url, indexes)| {
            Some((
                url,
                indexes
                    .first()
                    .copied()
                    .filter(|it| *it > 0 && indexes.len() == 1)?,
            ))
        })
        .collect();
    let Some(own) = value.pointer(&agent.pointer).filter(|_| !wanted.is_empty()) else {
        return;
    };
    let mut found = BTreeMap::new();
    find(own, &agent.pointer, &wanted, &mut found);
    let found = found
        .into_iter()
        .map(|(index, pointer)| (Fact::Interfaces.item(index), pointer));
    agent.pointers.extend(found);
}

/// Adds the pointer of the first string in `value`, which is at `pointer`, for each of the `wanted`.
///
/// The depth is that of a parsed document, which is bounded.
fn find(
    value: &Value,
    pointer: &str,
    wanted: &HashMap<&str, usize>,
    found: &mut BTreeMap<usize, String>,
) {
    match value {
        Value::String(text) => {
            if let Some(index) = wanted.get(text.as_str()) {
                found.entry(*index).or_insert_with(|| pointer.to_owned());
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                find(item, &format!("{pointer}/{index}"), wanted, found);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                find(
                    member,
                    &format!("{pointer}/{}", json::escape(name)),
                    wanted,
                    found,
                );
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Adds an excerpt to each finding: the value at its pointer, or its line.
pub(crate) fn quote(findings: &mut [Finding], value: &Value, lines: &str) {
    // Lines are split once, regardless of the number of findings.
    let has_lines = findings.iter().any(|finding| finding.line.is_some());
    let shown = secret::hidden(if has_lines { lines } else { "" });
    let lines: Vec<&str> = shown.lines().collect();
    for finding in findings
        .iter_mut()
        .filter(|finding| finding.excerpt.is_none())
    {
        let line = finding.line.and_then(|line| lines.get(line as usize - 1));
        if let Some(line) = line {
            let indent = line.chars().take_while(|it| it.is_whitespace()).count();
            let column = u32::try_from(indent + 1).unwrap_or(u32::MAX);
            finding.column.get_or_insert(column);
            // A long line is cut first: the time must not depend on its length times the number of
            // findings.
            let cut: String = line.chars().take(8 * MAX_EXCERPT).collect();
            finding.excerpt = Some(text::clean(&cut, MAX_EXCERPT));
        } else if !finding.pointer.is_empty() {
            finding.excerpt = value.pointer(&finding.pointer).map(excerpt);
        }
    }
}

/// Formats a value as one short line of JSON.
fn excerpt(value: &Value) -> String {
    let short = match value {
        Value::Array(items) if items.len() > 3 => format!("[… {} items]", items.len()),
        Value::Object(members) if members.len() > 3 => {
            let names: Vec<_> = members.keys().take(8).map(String::as_str).collect();
            format!("{{{}, …}}", names.join(", "))
        }
        Value::String(text) => {
            let cut: String = text.chars().take(MAX_EXCERPT).collect();
            Value::from(cut).to_string()
        }
        small => small.to_string(),
    };
    text::clean(&short, MAX_EXCERPT)
}
