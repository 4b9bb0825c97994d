//! JSON Schemas of the arguments and answers of a capability, which stand alone.

use super::arguments::{BUDGET, DEFAULT_BUDGET};
use super::budget::LEFT_OUT;
use crate::own::capability::Capability;
use crate::query;
use serde_json::{Map, Value, json};

/// Prefix of references in the description of the API.
const COMPONENTS: &str = "#/components/schemas/";
/// Prefix of references in a schema that stands alone.
const DEFINITIONS: &str = "#/$defs/";

/// Returns the schema of the arguments, with the budget.
pub(super) fn input(capability: &Capability) -> Map<String, Value> {
    let mut schema = capability.input_schema().to_value();
    let budget = json!({
        "type": "integer",
        "minimum": query::BUDGET.start(),
        "maximum": query::BUDGET.end(),
        "default": DEFAULT_BUDGET,
        "description": "Most characters of the answer; what is left out is named in `left_out`.",
    });
    if let Some(properties) = schema["properties"].as_object_mut() {
        properties.insert(BUDGET.to_owned(), budget);
    }
    object(schema)
}

/// Returns the schema of the successful answer of an operation that `document` describes; `None` if
/// it has none.
pub(super) fn output(document: &Value, operation: &Value) -> Option<Map<String, Value>> {
    let responses = operation["responses"].as_object()?;
    let successful = responses.iter().filter(|it| it.0.starts_with('2'));
    let schemas = successful.filter_map(|(_, response)| {
        let content = response.get("content")?.get("application/json")?;
        content.get("schema")
    });
    let components = &document["components"]["schemas"];
    let mut definitions = Map::new();
    let mut bodies: Vec<Value> = Vec::new();
    for schema in schemas {
        let body = match schema["$ref"].as_str() {
            Some(name) => components.get(name.strip_prefix(COMPONENTS)?)?,
            None => schema,
        };
        let mut body = body.clone();
        localize(&mut body, components, &mut definitions);
        let left_out = json!({
            "type": "array",
            "items": { "type": "string" },
            "description": "Parts that were left out or cut to keep the budget.",
        });
        let properties = body.get_mut("properties").and_then(Value::as_object_mut);
        properties?.insert(LEFT_OUT.to_owned(), left_out);
        if !bodies.contains(&body) {
            bodies.push(body);
        }
    }
    let mut root = match bodies.len() {
        0 => return None,
        1 => bodies.remove(0),
        // One body for each status, such as that of a submission and that of a known site.
        _ => json!({"type": "object", "anyOf": bodies}),
    };
    if !definitions.is_empty() {
        root["$defs"] = Value::Object(definitions);
    }
    (root["type"] == "object").then(|| object(root))
}

/// Makes the references in a schema local, and collects the definitions that they need.
fn localize(schema: &mut Value, components: &Value, definitions: &mut Map<String, Value>) {
    match schema {
        Value::Object(members) => {
            // Formats of numbers, which JSON Schema does not know: validators warn of them.
            if members
                .get("format")
                .and_then(Value::as_str)
                .is_some_and(is_of_number)
            {
                members.shift_remove("format");
            }
            if let Some(Value::String(reference)) = members.get_mut("$ref")
                && let Some(name) = reference.strip_prefix(COMPONENTS).map(str::to_owned)
            {
                *reference = format!("{DEFINITIONS}{name}");
                if !definitions.contains_key(&name) {
                    let mut definition = components[&name].clone();
                    definitions.insert(name.clone(), Value::Null);
                    localize(&mut definition, components, definitions);
                    definitions.insert(name, definition);
                }
            }
            for member in members.values_mut() {
                localize(member, components, definitions);
            }
        }
        Value::Array(items) => {
            for item in items {
                localize(item, components, definitions);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn is_of_number(format: &str) -> bool {
    ["int", "uint", "float", "double"]
        .iter()
        .any(|it| format.starts_with(it))
}

fn object(schema: Value) -> Map<String, Value> {
    match schema {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}
