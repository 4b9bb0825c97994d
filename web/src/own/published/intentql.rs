//! `agent.json` of IntentQL, which describes the native API.
//!
//! The format promises answers with a member `data`. Those of the native API have other members,
//! which the documentation in `metadata` states. The description for programs is not named: a reader
//! would list each of its operations as another capability.

use crate::own::capability::{CAPABILITIES, Capability};
use crate::own::parameter::Parameter;
use crate::own::registry::Registry;
use crate::own::{self, place};
use serde_json::{Map, Value, json};

/// Members of a JSON Schema, with the names that the format gives them.
const MEMBERS: [(&str, &str); 5] = [
    ("default", "default"),
    ("enum", "enum"),
    ("minimum", "min"),
    ("maximum", "max"),
    ("pattern", "pattern"),
];

/// Returns the manifest.
pub(super) fn manifest(registry: &Registry) -> Value {
    let capabilities: Map<String, Value> = CAPABILITIES
        .iter()
        .map(|it| (it.name.to_owned(), capability(it)))
        .collect();
    let mut metadata = json!({"documentation": registry.at(place::DOCS)});
    if let Some(contact) = &registry.contact {
        metadata["contact"] = json!(contact);
    }
    let mut manifest = json!({
        "name": own::NAME,
        "version": own::VERSION,
        "description": own::DESCRIPTION,
        "base_url": registry.at(place::API),
        "capabilities": capabilities,
        "metadata": metadata,
    });
    if let Some(limit) = registry.requests_per_minute {
        manifest["rate_limits"] = json!({
            "default": format!("{limit}/minute"),
            "reset_header": "X-RateLimit-Reset",
            "remaining_header": "X-RateLimit-Remaining",
        });
    }
    manifest
}

fn capability(capability: &Capability) -> Value {
    let parameters = capability.api_parameters();
    let parameters: Map<String, Value> = parameters
        .iter()
        .map(|it| (it.name.to_owned(), parameter(it)))
        .collect();
    json!({
        "description": capability.description,
        "method": capability.method.as_str(),
        "endpoint": capability.api_path,
        "parameters": parameters,
        "auth_required": false,
    })
}

fn parameter(parameter: &Parameter) -> Value {
    let kind = match parameter.kind() {
        "integer" => "number",
        kind => kind,
    };
    let mut described = json!({
        "type": kind,
        "required": parameter.is_required,
        "description": parameter.description,
    });
    for (member, name) in MEMBERS {
        if let Some(value) = parameter.schema.get(member) {
            described[name] = value.clone();
        }
    }
    described
}
