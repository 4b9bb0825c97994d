//! Members that the model has no place for, kept as published within bounds.

use serde_json::{Map, Value};

/// Most members that are kept.
const MAX_MEMBERS: usize = 50;
/// Most bytes of JSON text that are kept, all members together.
const MAX_BYTES: usize = 64 * 1024;

/// The members of `object` whose names are not `known`, in order, while they fit.
pub(crate) fn unknown(object: &Map<String, Value>, known: &[&str]) -> Map<String, Value> {
    let unknown = object
        .iter()
        .filter(|(name, _)| !known.contains(&name.as_str()));
    kept(unknown.map(|(name, value)| (name.clone(), value.clone())))
}

/// The members in order, while they fit.
pub(crate) fn kept(members: impl IntoIterator<Item = (String, Value)>) -> Map<String, Value> {
    let mut room = MAX_BYTES;
    members
        .into_iter()
        .filter(|(name, value)| {
            let size = name.len() + value.to_string().len();
            let fits = size <= room;
            room -= if fits { size } else { 0 };
            fits
        })
        .take(MAX_MEMBERS)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn unknown_members_are_kept_while_they_fit() {
        let long = "x".repeat(MAX_BYTES);
        let value = json!({"name": "a", "x-long": long, "x-short": [1]});
        let kept = unknown(value.as_object().unwrap(), &["name"]);
        assert_eq!(Value::Object(kept), json!({"x-short": [1]}));
    }
}
