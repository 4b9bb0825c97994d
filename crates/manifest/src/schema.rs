//! Conversion between a capability's parameters and the JSON Schema of its input, and the reader
//! of the notations that sites use for either (GP-15).

use crate::agent::Param;
use crate::text;
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// Returns the object schema of `params`; `None` if there are none.
pub(crate) fn of_params(params: &[Param]) -> Option<Value> {
    if params.is_empty() {
        return None;
    }
    let mut properties = Map::new();
    let mut required = Vec::new();
    for param in params {
        let mut property = Map::new();
        if let Some(kind) = &param.kind {
            property.insert("type".to_owned(), json!(kind));
        }
        if let Some(description) = &param.description {
            property.insert("description".to_owned(), json!(description));
        }
        if let Some(default) = &param.default {
            property.insert("default".to_owned(), default.clone());
        }
        if !param.choices.is_empty() {
            property.insert("enum".to_owned(), json!(param.choices));
        }
        properties.insert(param.name.clone(), Value::Object(property));
        if param.required {
            required.push(param.name.as_str());
        }
    }
    let mut schema = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    Some(schema)
}

/// Returns the properties of an object schema as parameters; empty for any other schema.
pub(crate) fn params_of(schema: &Value) -> Vec<Param> {
    let required = schema["required"].as_array().into_iter().flatten();
    let required: HashSet<&str> = required.filter_map(Value::as_str).collect();
    let properties = schema["properties"].as_object();
    properties
        .into_iter()
        .flatten()
        .filter_map(|(name, property)| {
            Some(Param {
                name: text::some(name)?,
                location: None,
                kind: property["type"].as_str().and_then(text::some),
                description: property["description"].as_str().and_then(text::some),
                required: required.contains(name.as_str()) || is_yes(&property["required"]),
                default: property.get("default").cloned(),
                choices: property["enum"].as_array().cloned().unwrap_or_default(),
            })
        })
        .collect()
}

/// Maximum number of parameters that are read of one capability.
const MAX_PARAMS: usize = 200;

/// Reads the input that a capability takes: a JSON Schema, a map from names to schemas, types or
/// texts, or a list of parameters.
///
/// A schema is kept as published. No schema is derived from words that are no JSON types, such as
/// `string?`; they are kept as descriptions (GP-15).
pub(crate) fn published(value: &Value) -> (Vec<Param>, Option<Value>) {
    let params: Vec<Param> = match value {
        schema if is_schema(schema) => return (params_of(schema), Some(schema.clone())),
        Value::Object(members) => {
            // Where some are marked as optional, the others are not.
            let is_optional = |value: &Value| value.as_str().is_some_and(says_optional);
            let is_required = |value: &Value| value.as_str().is_some_and(|it| notation(it).1);
            let marks_some =
                members.values().any(is_optional) && !members.values().any(is_required);
            let is_needed = |value: &Value| marks_some && value.is_string() && !is_optional(value);
            let members = members.iter().take(MAX_PARAMS);
            members
                .filter_map(|(name, value)| {
                    let param = param(text::some(name)?, value);
                    let required = param.required || is_needed(value);
                    Some(Param { required, ..param })
                })
                .collect()
        }
        Value::Array(items) => {
            let items = items.iter().take(MAX_PARAMS);
            items.filter_map(listed_param).collect()
        }
        _ => return (Vec::new(), None),
    };
    let is_typed = params.iter().all(|param| param.kind.is_some());
    let schema = of_params(&params).filter(|_| is_typed);
    (params, schema)
}

/// Reports whether a value is a JSON Schema of an object.
pub(crate) fn is_schema(value: &Value) -> bool {
    const COMBINED: [&str; 5] = ["$ref", "allOf", "anyOf", "oneOf", "$schema"];
    let Some(members) = value.as_object() else {
        return false;
    };
    members.get("properties").is_some_and(Value::is_object)
        || members
            .get("type")
            .and_then(Value::as_str)
            .is_some_and(|kind| kind == "object" || (members.len() == 1 && is_json_type(kind)))
        || COMBINED.iter().any(|name| members.contains_key(*name))
}

/// Returns a parameter of a list: its name, or an object that names it.
fn listed_param(item: &Value) -> Option<Param> {
    match item {
        Value::String(name) => Some(Param {
            name: text::some(name)?,
            ..Param::default()
        }),
        item => Some(param(text::some(item["name"].as_str()?)?, item)),
    }
}

/// Returns the parameter `name` as its schema, its type or a text describes it.
fn param(name: String, value: &Value) -> Param {
    match value {
        Value::String(word) if is_json_type(word) => Param {
            name,
            kind: text::some(word),
            ..Param::default()
        },
        Value::String(words) => {
            let (kind, required) = notation(words);
            Param {
                name,
                kind: kind.and_then(text::some),
                required,
                description: text::some(words),
                ..Param::default()
            }
        }
        Value::Object(members) => {
            let word = |key: &str| members.get(key).and_then(Value::as_str);
            let stated = word("type");
            let location = word("in").or_else(|| word("location"));
            Param {
                name,
                location: location.and_then(text::some),
                kind: stated.filter(|it| is_json_type(it)).and_then(text::some),
                description: word("description")
                    .or(stated.filter(|it| !is_json_type(it)))
                    .and_then(text::some),
                required: members.get("required").is_some_and(is_yes),
                default: members.get("default").cloned(),
                choices: members
                    .get("enum")
                    .and_then(Value::as_array)
                    .cloned()
                    .unwrap_or_default(),
            }
        }
        // A sample value or a list of choices names the parameter and says no more.
        _ => Param {
            name,
            ..Param::default()
        },
    }
}

/// Reports whether the notation of a parameter marks it as optional, as `string?` does.
fn says_optional(words: &str) -> bool {
    let first = words.split_whitespace().next().unwrap_or_default();
    first.ends_with('?') || words.to_ascii_lowercase().contains("optional")
}

/// Reports whether a value says yes: `true`, or a word for it.
fn is_yes(value: &Value) -> bool {
    let word = value.as_str().map(str::to_ascii_lowercase);
    value == &Value::Bool(true)
        || word.is_some_and(|it| ["true", "yes", "required"].contains(&it.trim()))
}

/// Reads `string (required), its meaning`: the type, if it is one of JSON, and whether the parameter
/// is required.
fn notation(words: &str) -> (Option<&str>, bool) {
    let end = words.find(|it: char| !it.is_ascii_alphabetic());
    let (first, rest) = words.split_at(end.unwrap_or(words.len()));
    let is_apart = rest
        .trim_start()
        .starts_with(|it: char| "(,:;-–—".contains(it) || it.is_ascii_digit());
    let lower = words.to_ascii_lowercase();
    let mut marks = lower.split(|it: char| !it.is_ascii_alphabetic() && it != ' ');
    let is_required = marks.any(|mark| mark.trim() == "required");
    (
        (is_apart && is_json_type(first)).then_some(first),
        is_required,
    )
}

fn is_json_type(word: &str) -> bool {
    const TYPES: [&str; 7] = [
        "string", "number", "integer", "boolean", "array", "object", "null",
    ];
    TYPES.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_become_an_object_schema() {
        let param = |name: &str, required| Param {
            name: name.to_owned(),
            kind: Some("string".to_owned()),
            required,
            ..Param::default()
        };
        assert_eq!(of_params(&[]), None);
        assert_eq!(
            of_params(&[param("q", true), param("page", false)]),
            Some(json!({
                "type": "object",
                "properties": {"q": {"type": "string"}, "page": {"type": "string"}},
                "required": ["q"],
            }))
        );
    }

    #[test]
    fn an_object_schema_becomes_parameters() {
        let schema = json!({
            "type": "object",
            "properties": {"q": {"type": "string"}, "page": true, "by": {"enum": ["age"]}},
            "required": ["q"],
        });
        let params = params_of(&schema);
        let names: Vec<_> = params
            .iter()
            .map(|param| (&*param.name, param.required))
            .collect();
        assert_eq!(names, [("q", true), ("page", false), ("by", false)]);
        assert_eq!(params[0].kind.as_deref(), Some("string"));
        assert_eq!(params[2].choices, [json!("age")]);
        assert_eq!(params_of(&json!({"type": "string"})), []);
        assert_eq!(params_of(&json!(["properties"])), []);
    }

    #[test]
    fn gp_15_a_schema_is_kept_as_published_or_not_at_all() {
        let schema = json!({"type": "object", "properties": {"q": {"type": "string?"}}});
        assert_eq!(published(&schema).1, Some(schema));
        let (params, schema) = published(&json!({"q": "string", "when": "ISO8601"}));
        assert_eq!(schema, None);
        assert_eq!(params[0].kind.as_deref(), Some("string"));
        assert_eq!(
            (params[1].kind.as_deref(), params[1].description.as_deref()),
            (None, Some("ISO8601"))
        );
        let (params, _) = published(&json!({
            "ticker": "string (required)", "plate": "number plate of the car", "q": "string?",
        }));
        let read = params
            .iter()
            .map(|it| (&*it.name, it.kind.as_deref(), it.required));
        assert_eq!(
            read.collect::<Vec<_>>(),
            [
                ("ticker", Some("string"), true),
                ("plate", None, false),
                ("q", None, false)
            ]
        );
        let (params, schema) = published(&json!([
            {"name": "q", "type": "string", "required": true, "in": "query"},
            {"name": "page", "type": "integer", "default": 1},
        ]));
        assert_eq!(params[0].location.as_deref(), Some("query"));
        assert_eq!(schema.unwrap()["required"], json!(["q"]));
        let (params, schema) = published(&json!(["q", "page"]));
        assert_eq!((params.len(), schema), (2, None));
        assert_eq!(published(&json!("q")), (Vec::new(), None));
    }
}
