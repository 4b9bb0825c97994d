//! Members that the model does not cover, kept as published within bounds.

use serde_json::{Map, Value};

/// Maximum number of values of no specification that are kept of an agent, and of their bytes.
pub(crate) const MAX_VALUES: usize = 200;
pub(crate) const MAX_VALUE_BYTES: usize = 16 * 1024;
/// Maximum number of members of a specification that are kept.
const MAX_MEMBERS: usize = 50;
/// Maximum size of all members together, in bytes of JSON text.
const MAX_BYTES: usize = 64 * 1024;

/// Returns the members of `object` that are not in `known`, in order, as long as they fit.
pub(crate) fn unknown(object: &Map<String, Value>, known: &[&str]) -> Map<String, Value> {
    let unknown = object
        .iter()
        .filter(|(name, _)| !known.contains(&name.as_str()));
    let (mut room, mut values) = (MAX_VALUE_BYTES, MAX_VALUES);
    let fitting = unknown.filter(|(name, value)| {
        let count = count(value);
        let fits = count <= values && fits(&mut room, name, value);
        values -= if fits { count } else { 0 };
        fits
    });
    fitting
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// Returns the number of values in a member.
fn count(value: &Value) -> usize {
    match value {
        Value::Null => 0,
        Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(members) => members.values().map(count).sum(),
    }
}

/// Returns members of a specification in order, as long as they fit.
pub(crate) fn kept(members: impl IntoIterator<Item = (String, Value)>) -> Map<String, Value> {
    let mut room = MAX_BYTES;
    members
        .into_iter()
        .filter(|(name, value)| fits(&mut room, name, value))
        .take(MAX_MEMBERS)
        .collect()
}

/// Takes the room for a member if there is enough.
fn fits(room: &mut usize, name: &str, value: &Value) -> bool {
    let size = name.len() + size(value);
    let fits = size <= *room;
    *room -= if fits { size } else { 0 };
    fits
}

/// Returns the length of a value as JSON text, without the escapes.
fn size(value: &Value) -> usize {
    const QUOTES: usize = 2;
    const NUMBER: usize = 8;
    match value {
        Value::Null | Value::Bool(_) => 4,
        Value::Number(_) => NUMBER,
        Value::String(text) => text.len() + QUOTES,
        Value::Array(items) => items.iter().map(|item| size(item) + 1).sum::<usize>() + QUOTES,
        Value::Object(members) => {
            let members = members.iter();
            let sizes = members.map(|(name, value)| name.len() + size(value) + QUOTES + 2);
            sizes.sum::<usize>() + QUOTES
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn unknown_members_are_kept_while_they_fit() {
        let long = "x".repeat(MAX_VALUE_BYTES);
        let many = vec![7; MAX_VALUES];
        let value = json!({"name": "a", "x-long": long, "x-short": [1], "x-many": many});
        let kept = unknown(value.as_object().unwrap(), &["name"]);
        assert_eq!(Value::Object(kept), json!({"x-short": [1]}));
    }
}
