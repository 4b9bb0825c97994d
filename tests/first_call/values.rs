//! Values for the placeholders of a call, by their types and schemas alone.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use simweb::endpoints::{KEY, PASSWORD, TOKEN};
use std::collections::BTreeMap;

/// Facts of which a caller has one for most patterns: an account, a telephone number, a number.
const AT_HAND: [&str; 4] = ["12345-6", "+351 210 000 000", "1234567890", "AB-1234"];

/// Returns a value for each placeholder, by its text.
pub(super) fn for_placeholders(connect: &Value) -> BTreeMap<String, Value> {
    let placeholders = connect["placeholders"].as_array().into_iter().flatten();
    placeholders
        .map(|it| {
            let text = it["placeholder"].as_str().unwrap();
            (text.to_owned(), value(text, it))
        })
        .collect()
}

fn value(text: &str, placeholder: &Value) -> Value {
    match text {
        "{api_key}" => return json!(KEY),
        "{access_token}" => return json!(TOKEN),
        "{authorization}" => return json!(format!("Bearer {TOKEN}")),
        "{credentials}" => return json!(STANDARD.encode(PASSWORD)),
        "{uuid}" => return json!("0190c6a2-8f7e-4d1a-9a55-2f3b1c0d9e8f"),
        _ => {}
    }
    let mut schema = placeholder
        .get("schema")
        .cloned()
        .unwrap_or_else(|| json!({}));
    if schema.get("type").is_none()
        && let Some(kind) = placeholder.get("type")
    {
        schema["type"] = kind.clone();
    }
    of_schema(&schema)
}

/// Returns the simplest value that fits a schema.
fn of_schema(schema: &Value) -> Value {
    if let Some(first) = schema["enum"].get(0) {
        return first.clone();
    }
    match schema["type"].as_str() {
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or(json!(1)),
        Some("boolean") => json!(true),
        Some("array") => {
            let least = schema["minItems"].as_u64().unwrap_or(0);
            (0..least).map(|_| of_schema(&schema["items"])).collect()
        }
        Some("object") => {
            let members = schema["properties"].as_object().into_iter().flatten();
            let members = members.map(|(name, it)| (name.clone(), of_schema(it)));
            Value::Object(members.collect::<Map<_, _>>())
        }
        _ => match (schema["format"].as_str(), schema.get("pattern")) {
            (Some("date"), _) => json!("2026-12-24"),
            (Some("date-time"), _) => json!("2026-12-24T20:00:00Z"),
            (Some("uri"), _) => json!("https://caller.example/file"),
            (_, Some(pattern)) => {
                let fits =
                    |it: &&&str| jsonschema::is_valid(&json!({"pattern": pattern}), &json!(it));
                json!(
                    AT_HAND
                        .iter()
                        .find(fits)
                        .unwrap_or_else(|| panic!("nothing fits {pattern}"))
                )
            }
            _ => json!("it's a \"test\" & more"),
        },
    }
}

/// Returns a payment for an entry of `accepts`, as the header has it.
pub(super) fn payment(accepted: &Value) -> Value {
    let payment = json!({
        "x402Version": 1,
        "scheme": accepted["scheme"],
        "network": accepted["network"],
        "payload": {"signature": "0x00"},
    });
    json!(STANDARD.encode(payment.to_string()))
}

/// Replaces the placeholders of a request.
pub(super) fn filled(call: &Value, known: &BTreeMap<String, Value>) -> Value {
    let mut filled = call.clone();
    if let Some(body) = filled.get_mut("body") {
        *body = in_body(body, known);
    }
    filled["url"] = json!(in_text(call["url"].as_str().unwrap(), known, encoded));
    if let Some(headers) = filled["headers"].as_object_mut() {
        for value in headers.values_mut() {
            *value = json!(in_text(value.as_str().unwrap(), known, str::to_owned));
        }
    }
    filled
}

/// Replaces placeholders in a body; a text that is one placeholder becomes its value.
fn in_body(body: &Value, known: &BTreeMap<String, Value>) -> Value {
    match body {
        Value::String(text) => match known.get(text) {
            Some(value) => value.clone(),
            None => json!(in_text(text, known, str::to_owned)),
        },
        Value::Array(items) => items.iter().map(|it| in_body(it, known)).collect(),
        Value::Object(members) => {
            let members = members
                .iter()
                .map(|(name, it)| (name.clone(), in_body(it, known)));
            Value::Object(members.collect())
        }
        other => other.clone(),
    }
}

fn in_text(text: &str, known: &BTreeMap<String, Value>, write: impl Fn(&str) -> String) -> String {
    let mut text = text.to_owned();
    for (placeholder, value) in known {
        let value = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        text = text.replace(placeholder, &write(&value));
    }
    text
}

fn encoded(text: &str) -> String {
    let encoded: String = url::form_urlencoded::byte_serialize(text.as_bytes()).collect();
    encoded.replace('+', "%20")
}
