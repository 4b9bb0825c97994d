//! Intents, actions and skills of the drafts.

use crate::agent::Param;
use crate::{Capability, json, link, schema, text};
use serde_json::{Map, Value};
use url::Url;

/// Returns the capabilities in a list or map at the pointer `at`.
pub(super) fn actions(at: &str, list: &Value, base: &Url) -> Vec<Capability> {
    match list {
        Value::Array(items) => items
            .iter()
            .enumerate()
            .filter_map(|(index, item)| action(None, item, format!("{at}/{index}"), base))
            .collect(),
        Value::Object(members) => members
            .iter()
            .filter_map(|(name, item)| {
                let pointer = format!("{at}/{}", json::escape(name));
                action(Some(name), item, pointer, base)
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn action(key: Option<&str>, item: &Value, pointer: String, base: &Url) -> Option<Capability> {
    let text_of = |names: &[&str]| {
        let texts = names.iter().filter_map(|name| item[*name].as_str());
        texts.into_iter().find_map(text::some)
    };
    let (name, endpoint) = match (key, item) {
        (None, Value::String(name)) => (text::some(name)?, None),
        (Some(key), Value::String(endpoint)) => (text::some(key)?, Some(endpoint.as_str())),
        (key, Value::Object(_)) => {
            let name = text_of(&["name", "id", "title", "type", "intent"]);
            (name.or_else(|| text::some(key?))?, endpoint(item))
        }
        _ => return None,
    };
    let (method, endpoint) = split(endpoint);
    let input = ["input_schema", "parameters", "params", "inputs", "input"]
        .iter()
        .map(|name| &item[*name])
        .find_map(Value::as_object);
    let params = input.map_or_else(Vec::new, params);
    let methods = item
        .pointer("/endpoints/0/methods/0")
        .and_then(Value::as_str);
    Some(Capability {
        id: text_of(&["id"]).unwrap_or_else(|| name.clone()),
        description: text_of(&["description", "intent"]).filter(|text| *text != name),
        name,
        method: text_of(&["method"])
            .or_else(|| text::some(methods?))
            .or(method)
            .map(|method| method.to_uppercase()),
        url: endpoint.and_then(|it| link::absolute_template(base, it)),
        endpoint: endpoint.and_then(|it| text::some(&link::template(it))),
        input_schema: match input {
            Some(schema) if schema.contains_key("properties") => Some(schema.clone().into()),
            _ => schema::of_params(&params),
        },
        params,
        output_schema: Some(&item["output_schema"])
            .filter(|it| it.is_object())
            .cloned(),
        pointer,
        ..Capability::default()
    })
}

/// Returns the parameters of a JSON Schema, or of a map from names to types or to objects with a
/// type.
fn params(input: &Map<String, Value>) -> Vec<Param> {
    if input.contains_key("properties") {
        return schema::params_of(&Value::Object(input.clone()));
    }
    let param = |(name, value): (&String, &Value)| {
        let kind = value.as_str().or_else(|| value["type"].as_str());
        Some(Param {
            name: text::some(name)?,
            kind: kind.and_then(text::some),
            description: value["description"].as_str().and_then(text::some),
            required: value["required"] == Value::Bool(true),
            ..Param::default()
        })
    };
    input.iter().filter_map(param).collect()
}

/// Returns the address, given alone or as the first of several.
fn endpoint(item: &Value) -> Option<&str> {
    let named = ["endpoint", "path", "url", "action"]
        .iter()
        .map(|name| &item[*name]);
    let first = item.pointer("/endpoints/0/path");
    let mut addresses = named.chain(first).filter_map(Value::as_str);
    addresses.find(|address| address.contains('/'))
}

/// Splits a path with a method, such as `GET /path`.
fn split(endpoint: Option<&str>) -> (Option<String>, Option<&str>) {
    let Some(endpoint) = endpoint else {
        return (None, None);
    };
    match endpoint.trim().split_once(' ') {
        Some((method, path)) if method.bytes().all(|byte| byte.is_ascii_uppercase()) => {
            (Some(method.to_owned()), Some(path.trim()))
        }
        _ => (None, Some(endpoint)),
    }
}
