//! Markers by which the format of a JSON object is recognised, and the look-ups that they need.

use crate::format_id::FormatId;
use serde_json::{Map, Value};

/// Members of a JSON object.
pub(crate) type Object = Map<String, Value>;

/// Strength of a marker: stronger ones are tested before weaker ones of all formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Strength {
    /// A member that names the format or its version.
    Named,
    /// A combination of members that only this format has.
    Distinctive,
    /// Members that several formats have (`agents`, `intents`, `skills`, `capabilities`).
    Common,
    /// Members of a few names that any document may have.
    Weak,
    /// Any member at all that describes an agent.
    Last,
}

impl Strength {
    /// All strengths, strongest first.
    pub(crate) const ALL: [Self; 5] = [
        Self::Named,
        Self::Distinctive,
        Self::Common,
        Self::Weak,
        Self::Last,
    ];
}

/// A test on JSON objects; the first one that holds determines the format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Marker {
    /// Strength, which decides on the order.
    pub(crate) strength: Strength,
    /// Format of an object for which the test holds.
    pub(crate) format: FormatId,
    /// The test.
    pub(crate) holds: fn(&Object) -> bool,
}

impl Marker {
    /// Creates a marker that names its format.
    pub(crate) const fn named(format: FormatId, holds: fn(&Object) -> bool) -> Self {
        Self::of(Strength::Named, format, holds)
    }

    /// Creates a combination of members that only one format has.
    pub(crate) const fn distinctive(format: FormatId, holds: fn(&Object) -> bool) -> Self {
        Self::of(Strength::Distinctive, format, holds)
    }

    /// Creates a marker of members that several formats have.
    pub(crate) const fn common(format: FormatId, holds: fn(&Object) -> bool) -> Self {
        Self::of(Strength::Common, format, holds)
    }

    /// Creates a marker of members that any document may have.
    pub(crate) const fn weak(format: FormatId, holds: fn(&Object) -> bool) -> Self {
        Self::of(Strength::Weak, format, holds)
    }

    /// Creates a marker that is tested after all others.
    pub(crate) const fn last(format: FormatId, holds: fn(&Object) -> bool) -> Self {
        Self::of(Strength::Last, format, holds)
    }

    const fn of(strength: Strength, format: FormatId, holds: fn(&Object) -> bool) -> Self {
        Self {
            strength,
            format,
            holds,
        }
    }
}

/// Returns a member that is a text.
pub(crate) fn text<'o>(object: &'o Object, name: &str) -> Option<&'o str> {
    object.get(name).and_then(Value::as_str)
}

/// Returns a text in an inner object.
pub(crate) fn text_in<'o>(outer: &'o Object, name: &str, member: &str) -> Option<&'o str> {
    object(outer, name).and_then(|inner| text(inner, member))
}

/// Returns a member that is an array.
pub(crate) fn array<'o>(object: &'o Object, name: &str) -> Option<&'o Vec<Value>> {
    object.get(name).and_then(Value::as_array)
}

/// Returns a member that is an object.
pub(crate) fn object<'o>(outer: &'o Object, name: &str) -> Option<&'o Object> {
    outer.get(name).and_then(Value::as_object)
}

/// Tests the JSON-LD type, `@type` or `type`, which is a name or an array of names.
pub(crate) fn is_type(object: &Object, holds: impl Fn(&str) -> bool) -> bool {
    match object.get("@type").or_else(|| object.get("type")) {
        Some(Value::String(name)) => holds(name),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).any(holds),
        _ => false,
    }
}

/// Returns true for a name of the form `namespace/name`, as MCP requires.
pub(crate) fn has_namespaced_name(object: &Object) -> bool {
    text(object, "name").is_some_and(|name| {
        name.split_once('/').is_some_and(|(namespace, rest)| {
            !namespace.is_empty() && !rest.is_empty() && !name.contains(' ')
        })
    })
}
