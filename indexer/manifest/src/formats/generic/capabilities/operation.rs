//! Marks of an operation of an API.

use super::{ENDPOINTS, INPUTS};
use crate::link;
use serde_json::Value;

/// Returns true for a path or URL, with or without a method before it.
pub(super) fn is_endpoint(text: &str) -> bool {
    let address = match text.split_once(' ') {
        Some((method, rest)) if method.bytes().all(|byte| byte.is_ascii_uppercase()) => rest,
        _ => text,
    };
    address.starts_with('/') || link::is_absolute(address)
}

/// Returns true for an object that is unmistakably an operation: it has an address, and a method or
/// an input (GP-14).
pub(super) fn is_operation(item: &Value) -> bool {
    let has = |names: &[&str]| names.iter().any(|name| item.get(*name).is_some());
    let address = ENDPOINTS.iter().find_map(|name| item.get(*name)?.as_str());
    let is_called = item.get("method").is_some_and(Value::is_string) || has(INPUTS);
    let schema = ["inputSchema", "input_schema"];
    let takes_schema = item.get("name").is_some() && has(&schema);
    takes_schema || (address.is_some_and(is_endpoint) && is_called)
}
