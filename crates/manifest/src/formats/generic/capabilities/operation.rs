//! Marks of an operation of an API.

use crate::formats::generic::names::{ENDPOINTS, INPUTS};
use crate::{link, text};
use serde_json::{Map, Value};

/// Returns true for a path or URL, with or without a method before it.
pub(super) fn is_endpoint(text: &str) -> bool {
    let address = match text.split_once(' ') {
        Some((method, rest)) if method.bytes().all(|byte| byte.is_ascii_uppercase()) => rest,
        _ => text,
    };
    address.starts_with('/') || link::is_absolute(address)
}

/// Returns true for a text that is a method and a path, such as `GET /mugs`.
pub(super) fn is_call(item: &Value) -> bool {
    let text = item.as_str().unwrap_or_default();
    let parts = text.split_once(' ');
    parts.is_some_and(|(_, path)| is_endpoint(text) && !path.contains(char::is_whitespace))
}

/// Returns true for a text that is a path.
pub(super) fn is_path(item: &Value) -> bool {
    let text = item.as_str().unwrap_or_default();
    text.starts_with('/') && text.len() > 1 && !text.contains(char::is_whitespace)
}

/// Returns method and path of an operation without a name, as its name.
pub(super) fn call(members: &Map<String, Value>) -> Option<String> {
    let address = ENDPOINTS
        .iter()
        .find_map(|name| members.get(*name)?.as_str())?;
    let method = members.get("method").and_then(Value::as_str);
    let call = match method {
        Some(method) => format!("{method} {address}"),
        None => address.to_owned(),
    };
    is_call(&Value::from(call.clone())).then(|| text::some(&call))?
}

/// Returns true for an object that is unmistakably an operation: it has an address, and a method or
/// an input (GP-14).
pub(super) fn is_operation(item: &Value) -> bool {
    let has = |names: &[&str]| names.iter().any(|name| item.get(*name).is_some());
    let address = ENDPOINTS.iter().find_map(|name| item.get(*name)?.as_str());
    let has_method = address.is_some_and(|it| is_endpoint(it) && it.contains(' '));
    let is_called = has_method || item.get("method").is_some_and(Value::is_string) || has(INPUTS);
    let schema = ["inputSchema", "input_schema"];
    let takes_schema = item.get("name").is_some() && has(&schema);
    takes_schema || (address.is_some_and(is_endpoint) && is_called)
}
