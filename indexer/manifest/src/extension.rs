//! Members that the model does not cover, kept as published within bounds.

use serde_json::{Map, Value};

/// Maximum number of members that are kept.
const MAX_MEMBERS: usize = 50;
/// Maximum size of all members together, in bytes of JSON text.
const MAX_BYTES: usize = 64 * 1024;

/// Returns the members of `object` that are not in `known`, in order, as long as they fit.
pub(crate) fn unknown(object: &Map<String, Value>, known: &[&str]) -> Map<String, Value> {
    let unknown = object
        .iter()
        .filter(|(name, _)| !known.contains(&name.as_str()));
    kept(unknown.map(|(name, value)| (name.clone(), value.clone())))
}

/// Returns the members in order, as long as they fit.
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
