//! Operations of an OpenAPI document, with their parameters and JSON bodies.

use super::{Operation, security, servers, text_at};
use crate::agent::Param;
use crate::{json, schema, text};
use serde_json::{Map, Value, json};

/// Methods of a path item that do something for a caller. OPTIONS, HEAD and TRACE ask about a request,
/// and its other members do not describe operations.
const METHODS: [&str; 6] = ["get", "put", "post", "delete", "patch", "query"];
/// Maximum number of parameters of one operation.
const MAX_PARAMS: usize = 100;
/// Maximum number of accepted values of a parameter.
const MAX_CHOICES: usize = 100;
/// Maximum number of values in the schema of a body: many operations may refer to one schema.
const MAX_SCHEMA: usize = 500;
/// Maximum length of all texts in such a value, in bytes.
const MAX_TEXT: usize = 16 * 1024;

/// Returns the operations of a path item, in document order.
pub(super) fn operations(
    document: &Value,
    path: &str,
    item: &Map<String, Value>,
) -> impl Iterator<Item = Operation> {
    let shared = item.get("parameters");
    let of_path = item.get("servers").map(|it| json!({ "servers": it }));
    let of_path = of_path.and_then(|it| servers(&it).next());
    item.iter().filter_map(move |(method, operation)| {
        if !METHODS.contains(&method.as_str()) || !operation.is_object() {
            return None;
        }
        let mut params = params(document, operation.get("parameters"), shared);
        let schema = body(document, operation, shared);
        params.extend(schema.into_iter().flat_map(members));
        params.truncate(MAX_PARAMS);
        let tags = operation.get("tags").and_then(Value::as_array);
        let tags = tags.into_iter().flatten().filter_map(Value::as_str);
        Some(Operation {
            method: method.to_uppercase(),
            path: text::some(path)?,
            id: text_at(operation, "/operationId"),
            summary: text_at(operation, "/summary"),
            description: text_at(operation, "/description"),
            params,
            server: servers(operation).next().or_else(|| of_path.clone()),
            security: security::requirements(document, operation),
            body: schema.filter(|schema| is_complete(schema)).cloned(),
            tags: text::distinct(tags.take(MAX_PARAMS).filter_map(text::some)),
            deprecated: operation.get("deprecated") == Some(&Value::Bool(true)),
            pointer: format!("/paths/{}/{method}", json::escape(path)),
        })
    })
}

/// Returns the value itself, or the one in the same document that its `$ref` names.
pub(super) fn resolved<'v>(document: &'v Value, value: &'v Value) -> &'v Value {
    let target = value.get("$ref").and_then(Value::as_str);
    let target = target.and_then(|target| document.pointer(target.strip_prefix('#')?));
    target.unwrap_or(value)
}

/// Iterates over a list of parameters, each resolved.
fn items<'v>(
    document: &'v Value,
    list: Option<&'v Value>,
) -> impl Iterator<Item = &'v Value> + use<'v> {
    let list = list.and_then(Value::as_array).into_iter().flatten();
    list.take(MAX_PARAMS).map(|item| resolved(document, item))
}

/// Returns the parameters of an operation, then those of its path that it does not redefine.
fn params(document: &Value, own: Option<&Value>, shared: Option<&Value>) -> Vec<Param> {
    let mut params: Vec<Param> = Vec::new();
    for param in items(document, own)
        .chain(items(document, shared))
        .filter_map(param)
    {
        let is_same = |known: &Param| known.name == param.name && known.location == param.location;
        if !params.iter().any(is_same) {
            params.push(param);
        }
    }
    params
}

/// Reads a parameter; its type is in its schema, or, in Swagger 2, beside its name.
fn param(param: &Value) -> Option<Param> {
    let location = match param.get("in")?.as_str()? {
        "body" => return None,
        "formData" => "body",
        location => location,
    };
    let schema = param.get("schema").unwrap_or(param);
    let choices = schema.get("enum").and_then(Value::as_array);
    let choices = choices.into_iter().flatten().filter(|it| is_small(it));
    Some(Param {
        name: text_at(param, "/name")?,
        location: text::some(location),
        kind: text_at(schema, "/type"),
        description: text_at(param, "/description"),
        required: location == "path" || param.get("required") == Some(&Value::Bool(true)),
        default: schema.get("default").filter(|it| is_small(it)).cloned(),
        choices: choices.take(MAX_CHOICES).cloned().collect(),
    })
}

/// Returns the schema of an operation's JSON body.
fn body<'v>(
    document: &'v Value,
    operation: &'v Value,
    shared: Option<&'v Value>,
) -> Option<&'v Value> {
    let schema = if let Some(body) = operation.get("requestBody") {
        let types = resolved(document, body).get("content")?.as_object()?;
        let is_json = |name: &&String| name.contains("json");
        let name = types.keys().find(is_json)?;
        types.get(name)?.get("schema")?
    } else {
        // Swagger 2.
        let own = items(document, operation.get("parameters"));
        let mut params = own.chain(items(document, shared));
        let body = params.find(|it| it.get("in").is_some_and(|it| it == "body"))?;
        body.get("schema")?
    };
    Some(resolved(document, schema))
}

/// Returns the members of a body as parameters.
fn members(schema: &Value) -> Vec<Param> {
    let count = schema["properties"].as_object().map_or(0, Map::len);
    if count > MAX_PARAMS {
        return Vec::new();
    }
    let params = schema::params_of(schema).into_iter();
    params
        .map(|param| Param {
            location: Some("body".to_owned()),
            default: param.default.filter(is_small),
            choices: param
                .choices
                .into_iter()
                .filter(is_small)
                .take(MAX_CHOICES)
                .collect(),
            ..param
        })
        .collect()
}

/// Reports whether a value is a number, a truth value or a short text.
fn is_small(value: &Value) -> bool {
    match value {
        Value::Bool(_) | Value::Number(_) => true,
        Value::String(text) => text.len() <= 200,
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

/// Reports whether a schema refers to nothing outside of itself, and is small enough to be kept
/// with each operation that uses it.
fn is_complete(schema: &Value) -> bool {
    let (mut values, mut bytes) = (0, 0);
    let mut waiting = vec![schema];
    while let Some(value) = waiting.pop() {
        values += 1;
        match value {
            Value::Object(members) if members.contains_key("$ref") => return false,
            Value::Object(members) => {
                bytes += members.keys().map(String::len).sum::<usize>();
                waiting.extend(members.values());
            }
            Value::Array(items) => waiting.extend(items),
            Value::String(text) => bytes += text.len(),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
        if values + waiting.len() > MAX_SCHEMA || bytes > MAX_TEXT {
            return false;
        }
    }
    schema.is_object()
}
