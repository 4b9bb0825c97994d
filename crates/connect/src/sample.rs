//! Values for an example, made of the schema of a parameter alone.

use manifest::Timestamp;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// Maximum depth of a schema for which a value is made.
const MAX_DEPTH: usize = 4;
/// Maximum number of members of a made object.
const MAX_MEMBERS: usize = 20;
/// Time from now to a date of an example: it is in the future everywhere.
const AHEAD: Duration = Duration::from_hours(48);

/// Returns a value that a JSON Schema accepts, which may be only the usual name of a type; `None` for what only
/// the caller can know, such as a text without a format, and for a day if the value is to hold on any day.
pub(super) fn of(schema: &Value, now: Option<Timestamp>) -> Option<Value> {
    within(schema, now, MAX_DEPTH)
}

fn within(schema: &Value, now: Option<Timestamp>, depth: usize) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    let first = |name: &str| schema.get(name)?.as_array()?.first();
    let mut stated = ["default", "const", "example"].iter();
    let stated = stated.find_map(|name| schema.get(*name));
    let stated = stated
        .or_else(|| first("examples"))
        .or_else(|| first("enum"));
    if let Some(stated) = stated.filter(|it| !it.is_null()) {
        return Some(stated.clone());
    }
    let kind = kind(schema)?.to_ascii_lowercase();
    let format = schema.get("format").and_then(Value::as_str);
    let word = match kind.as_str() {
        "string" if schema.get("pattern").is_some() => return None,
        "string" => format?,
        kind => kind,
    };
    match word {
        "integer" | "int" | "number" | "float" | "double" | "decimal" => number(schema),
        "boolean" | "bool" => Some(json!(true)),
        "date" => Some(json!(day(now?))),
        "datetime" | "date-time" => Some(json!(format!("{}T12:00:00Z", day(now?)))),
        "time" => Some(json!("12:00:00Z")),
        "uuid" => Some(json!(super::UUID)),
        "array" => {
            let least = schema.get("minItems").and_then(Value::as_u64);
            let item = within(schema.get("items")?, now, depth)?;
            (least.unwrap_or(1) <= 1).then(|| json!([item]))
        }
        "object" => object(schema, now, depth),
        _ => None,
    }
}

/// Returns the type, or the first of several.
fn kind(schema: &Value) -> Option<&str> {
    match schema.get("type")? {
        Value::Array(kinds) => {
            let mut kinds = kinds.iter().filter_map(Value::as_str);
            kinds.find(|it| *it != "null")
        }
        kind => kind.as_str(),
    }
}

/// Returns the smallest number that is allowed, or 1.
fn number(schema: &Value) -> Option<Value> {
    let bound = |name: &str| schema.get(name).filter(|it| it.is_number());
    if let Some(least) = bound("minimum") {
        return Some(least.clone());
    }
    if let Some(above) = bound("exclusiveMinimum") {
        return Some(json!(above.as_i64()?.checked_add(1)?));
    }
    let most = bound("maximum").filter(|it| it.as_f64().is_some_and(|it| it < 1.0));
    Some(most.cloned().unwrap_or(json!(1)))
}

/// Returns an object of its required members; `None` if one of them is for the caller to fill in.
fn object(schema: &Value, now: Option<Timestamp>, depth: usize) -> Option<Value> {
    let required = schema.get("required").and_then(Value::as_array);
    let names = required.into_iter().flatten().filter_map(Value::as_str);
    let member = |name: &str| {
        let schema = schema.get("properties")?.get(name)?;
        Some((name.to_owned(), within(schema, now, depth)?))
    };
    let members: Option<Map<_, _>> = names.take(MAX_MEMBERS).map(member).collect();
    members.map(Value::Object)
}

/// Returns a day ahead.
fn day(now: Timestamp) -> String {
    now.after(AHEAD).to_rfc3339().chars().take(10).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 27 November 2026.
    const NOW: Option<Timestamp> = Some(Timestamp(1_795_737_600_000));

    #[test]
    fn a_value_is_stated_or_made_by_its_type() {
        for (schema, value) in [
            (json!({"type": "string", "default": "red"}), json!("red")),
            (json!({"type": "string", "enum": ["a", "b"]}), json!("a")),
            (json!({"type": "integer", "minimum": 2}), json!(2)),
            (json!({"type": "integer", "exclusiveMinimum": 2}), json!(3)),
            (json!({"type": "number", "maximum": 0.5}), json!(0.5)),
            (json!({"type": ["null", "boolean"]}), json!(true)),
            (
                json!({"type": "string", "format": "date"}),
                json!("2026-11-29"),
            ),
            (json!({"type": "datetime"}), json!("2026-11-29T12:00:00Z")),
            (
                json!({"type": "array", "items": {"type": "integer"}}),
                json!([1]),
            ),
            (
                json!({"type": "object", "required": ["day"], "properties": {"day": {"type": "date"}, "x": {}}}),
                json!({"day": "2026-11-29"}),
            ),
        ] {
            assert_eq!(of(&schema, NOW), Some(value), "{schema}");
        }
    }

    #[test]
    fn a_text_is_for_the_caller_and_so_is_what_needs_one() {
        for schema in [
            json!({}),
            json!({"type": "string"}),
            json!({"type": "string", "format": "email"}),
            json!({"type": "string", "format": "date", "pattern": "^2"}),
            json!({"type": "array", "items": {"type": "string"}}),
            json!({"type": "object", "required": ["x"], "properties": {"x": {"type": "string"}}}),
        ] {
            assert_eq!(of(&schema, NOW), None, "{schema}");
        }
    }

    #[test]
    fn a_value_for_any_day_has_no_date() {
        for kind in ["date", "date-time"] {
            assert_eq!(of(&json!({"type": kind}), None), None);
        }
        assert_eq!(of(&json!({"type": "time"}), None), Some(json!("12:00:00Z")));
    }
}
