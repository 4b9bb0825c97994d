//! Look-up of members by their usual names, `outer.inner` for nested ones.

use crate::json;
use serde_json::{Map, Value};

/// A member that was found.
pub(super) struct FoundMember<'v> {
    /// JSON pointer.
    pub(super) pointer: String,
    /// Value.
    pub(super) value: &'v Value,
}

/// Returns the members of `object` that have one of `names`, in the order of `names`.
pub(super) fn find<'v>(
    object: &'v Map<String, Value>,
    names: &[&'static str],
) -> impl Iterator<Item = FoundMember<'v>> {
    // Most names are absent; a name of a length that no member has needs no search.
    let bit = |name: &str| 1_u64 << (name.len() % 64);
    let lengths = object.keys().fold(0, |lengths, name| lengths | bit(name));
    names.iter().filter_map(move |name| {
        let (outer, inner) = name
            .split_once('.')
            .map_or((*name, None), |(outer, inner)| (outer, Some(inner)));
        if lengths & bit(outer) == 0 {
            return None;
        }
        let value = get(object, outer)?;
        let value = inner.map_or(Some(value), |inner| get(value.as_object()?, inner))?;
        let pointer = name.split('.').fold(String::new(), |pointer, step| {
            pointer + "/" + &*json::escape(step)
        });
        Some(FoundMember { pointer, value })
    })
}

/// Returns a member. Most objects are small and are asked for many names, which a scan answers
/// faster than a hash of each name.
pub(super) fn get<'v>(object: &'v Map<String, Value>, name: &str) -> Option<&'v Value> {
    const SMALL: usize = 16;
    if object.len() > SMALL {
        return object.get(name);
    }
    let mut members = object.iter();
    members.find_map(|(known, value)| (known == name).then_some(value))
}
