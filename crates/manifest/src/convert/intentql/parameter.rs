//! Conversion of JSON Schema to IntentQL's own small schema language.

use crate::text;
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// Losses in the conversion of a schema.
#[derive(Default)]
pub(super) struct Fit {
    /// True if the language cannot express something in the schema.
    pub(super) has_lost: bool,
    /// True if an integer became a number.
    pub(super) has_integers: bool,
}

/// Converts `schema` to a parameter; returns `None` if the language does not have its type.
pub(super) fn of(schema: &Value, required: bool, fit: &mut Fit) -> Option<Value> {
    let kind = match schema["type"].as_str()? {
        "string" if is_date(schema) => "date",
        "integer" => {
            fit.has_integers = true;
            "number"
        }
        kind @ ("string" | "number" | "boolean" | "array" | "object") => kind,
        _ => return None,
    };
    let mut parameter = json!({"type": kind});
    if required {
        parameter["required"] = json!(true);
    }
    for (keyword, value) in schema.as_object().into_iter().flatten() {
        if let Some((name, value)) = member(kind, keyword, value, fit) {
            parameter[name] = value;
        }
    }
    if kind == "object"
        && let Some(properties) = of_object(schema, fit)
    {
        parameter["properties"] = Value::Object(properties);
    }
    Some(parameter)
}

/// Converts the properties of an object schema; returns `None` for any other schema.
pub(super) fn of_object(schema: &Value, fit: &mut Fit) -> Option<Map<String, Value>> {
    let properties = schema.get("properties")?.as_object()?;
    let required = schema["required"].as_array().into_iter().flatten();
    let required: HashSet<&str> = required.filter_map(Value::as_str).collect();
    let mut named = Map::new();
    for (name, schema) in properties {
        match of(schema, required.contains(name.as_str()), fit) {
            Some(parameter) => {
                named.insert(name.clone(), parameter);
            }
            None => fit.has_lost = true,
        }
    }
    Some(named)
}

fn is_date(schema: &Value) -> bool {
    matches!(schema["format"].as_str(), Some("date" | "date-time"))
}

/// Converts one keyword of a schema of type `kind`; returns `None` if it is not written.
fn member(
    kind: &str,
    keyword: &str,
    value: &Value,
    fit: &mut Fit,
) -> Option<(&'static str, Value)> {
    let number = || value.is_number().then(|| value.clone());
    let count = || value.as_u64().map(Value::from);
    let text = |value: &Value| value.as_str().and_then(text::some);
    let found = match (keyword, kind) {
        ("type" | "required", _) | ("properties", "object") => return None,
        ("format", "date") if value == "date" => return None,
        ("description", _) => text(value).map(|it| ("description", json!(it))),
        ("default", _) if value.is_null() => return None,
        ("default", _) => Some(("default", value.clone())),
        ("example", _) => Some(("example", value.clone())),
        ("enum", _) => value.is_array().then(|| ("enum", value.clone())),
        ("minLength", "string") | ("minimum", "number") => number().map(|it| ("min", it)),
        ("maxLength", "string") | ("maximum", "number") => number().map(|it| ("max", it)),
        ("pattern", "string") => value.as_str().map(|it| ("pattern", json!(it.trim()))),
        ("minItems", "array") => count().map(|it| ("min_items", it)),
        ("maxItems", "array") => count().map(|it| ("max_items", it)),
        ("items", "array") => of(value, false, fit).map(|it| ("items", it)),
        _ => None,
    };
    fit.has_lost |= found.is_none();
    found
}
