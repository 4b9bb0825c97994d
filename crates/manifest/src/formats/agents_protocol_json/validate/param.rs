//! Validation of the parameters of a capability: AJ-13 and AJ-23.

use crate::finding::Findings;
use crate::formats::agents_protocol_json::manifest::{Capability, Param};
use crate::formats::agents_protocol_json::rules::{AJ_13, AJ_23};
use crate::json;
use serde_json::Value;

/// Checks the parameters of the capability at `at`.
pub(super) fn validate(capability: &Capability, at: &str, findings: &mut Findings) {
    for (name, param) in capability.params.members() {
        let pointer = format!("{at}/params/{}", json::escape(name));
        self::param(param, capability.is_get(), &pointer, findings);
    }
}

fn param(param: &Param, is_in_query: bool, at: &str, findings: &mut Findings) {
    let kind = param.kind.raw();
    if is_in_query && matches!(kind, Some("array" | "object")) {
        let message = "the format does not define lists or objects in a query string";
        findings.add(&AJ_23, at, message);
    }
    if !param.items.is_absent() && kind != Some("array") {
        findings.add(&AJ_13, format!("{at}/items"), "only an array has items");
    }
    default(param, kind, at, findings);
}

/// Checks that the default of a parameter fits its type and its `enum`.
fn default(param: &Param, kind: Option<&str>, at: &str, findings: &mut Findings) {
    let choices = param.choices.get();
    let Some(default) = param.default.get().filter(|default| !default.is_null()) else {
        return;
    };
    let pointer = format_args!("{at}/default");
    if kind.is_some_and(|kind| !fits(kind, default)) {
        findings.add(&AJ_13, pointer, "does not fit the parameter's type");
    } else if choices.is_some_and(|choices| !choices.is_empty() && !choices.contains(default)) {
        findings.add(
            &AJ_13,
            pointer,
            "not one of the parameter's enum; use one of its values, or add this one",
        );
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
