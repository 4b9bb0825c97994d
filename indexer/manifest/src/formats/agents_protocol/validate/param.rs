//! Validation of the parameters of a capability: AJ-12, AJ-13 and AJ-23.

use super::super::manifest::{Capability, Param};
use crate::finding::Findings;
use crate::formats::agents_protocol::rules::{AJ_12, AJ_13, AJ_23};
use crate::json;
use serde_json::Value;

const TYPES: [&str; 6] = ["string", "number", "integer", "boolean", "array", "object"];

/// Checks the parameters of the capability at `at`.
pub(super) fn validate(capability: &Capability, at: &str, findings: &mut Findings) {
    let at = format_args!("{at}/params");
    let what = "an object of parameters by name";
    let params = capability.params.check(&AJ_12, at, what, findings);
    for (name, field) in params.map_or(&[][..], |params| params.0.as_slice()) {
        let pointer = format!("{at}/{}", json::escape(name));
        let what = "an object with the parameter's type";
        if let Some(param) = field.require(&AJ_12, &pointer, what, findings) {
            self::param(param, capability.is_get(), &pointer, findings);
        }
    }
}

fn param(param: &Param, is_in_query: bool, at: &str, findings: &mut Findings) {
    let what = "string, number, integer, boolean, array or object";
    let pointer = format_args!("{at}/type");
    let kind = &param.kind;
    let kind = kind.require_text(&AJ_12, pointer, what, findings);
    if kind.is_some_and(|kind| !TYPES.contains(&kind)) {
        findings.add(&AJ_12, pointer, format!("unknown type; give {what}"));
    }
    if is_in_query && matches!(kind, Some("array" | "object")) {
        let message = "the format does not define lists or objects in a query string";
        findings.add(&AJ_23, at, message);
    }
    let pointer = format_args!("{at}/required");
    param
        .required
        .check(&AJ_12, pointer, "true or false", findings);
    let pointer = format_args!("{at}/description");
    param
        .description
        .check(&AJ_12, pointer, "a string", findings);
    let pointer = format_args!("{at}/items");
    param
        .items
        .check(&AJ_12, pointer, "a schema object", findings);
    if !param.items.is_absent() && kind != Some("array") {
        findings.add(&AJ_13, pointer, "only an array has items");
    }
    values(param, kind, at, findings);
}

/// Checks `enum` and `default` of a parameter.
fn values(param: &Param, kind: Option<&str>, at: &str, findings: &mut Findings) {
    let pointer = format_args!("{at}/enum");
    let choices = &param.choices;
    let choices = choices.check(&AJ_12, pointer, "a list of values", findings);
    if choices.is_some_and(Vec::is_empty) {
        findings.add(&AJ_13, pointer, "empty; give at least one value");
    }
    let Some(default) = param.default.get().filter(|default| !default.is_null()) else {
        return;
    };
    let pointer = format_args!("{at}/default");
    if kind.is_some_and(|kind| !fits(kind, default)) {
        findings.add(&AJ_13, pointer, "does not fit the parameter's type");
    } else if choices.is_some_and(|choices| !choices.is_empty() && !choices.contains(default)) {
        findings.add(&AJ_13, pointer, "not one of the parameter's enum");
    }
}

fn fits(kind: &str, value: &Value) -> bool {
    match kind {
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    }
}
