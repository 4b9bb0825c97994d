//! Conversion between a capability's parameters and the JSON Schema of its input.

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
                required: required.contains(name.as_str()),
                default: property.get("default").cloned(),
                choices: property["enum"].as_array().cloned().unwrap_or_default(),
            })
        })
        .collect()
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
}
