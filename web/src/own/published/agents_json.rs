//! `agents.json` of the agents.txt protocol, and the Interaction API that it describes.

use crate::own::capability::{CAPABILITIES, Capability};
use crate::own::parameter::Parameter;
use crate::own::registry::Registry;
use crate::own::{self, FLOWS, place};
use serde_json::{Map, Value, json};

/// Members of a parameter's schema that the format has.
const MEMBERS: [&str; 3] = ["type", "default", "enum"];

/// Returns the manifest.
pub(super) fn manifest(registry: &Registry) -> Value {
    let mut site = json!({
        "name": own::NAME,
        "url": registry.url,
        "description": own::DESCRIPTION,
    });
    if let Some(contact) = &registry.contact {
        site["contact"] = json!(contact);
    }
    let flows =
        FLOWS.map(|it| json!({"name": it.name, "description": it.description, "steps": it.steps}));
    let mut manifest = json!({
        "schema_version": "1.0",
        "site": site,
        "capabilities": CAPABILITIES.iter().map(capability).collect::<Vec<_>>(),
        "session": {
            "create": place::SESSION,
            "delete": place::SESSION,
            "ttl_seconds": own::SESSION_TTL_S,
        },
        "flows": flows,
        "audit": {
            "enabled": true,
            "endpoint": place::with_colons(place::AUDIT),
            "description": "Signed record of the calls of a session that has ended.",
        },
        "docs_url": registry.at(place::DOCS),
    });
    if let Some(limit) = registry.requests_per_minute {
        // Both names, since clients read either (C-01).
        manifest["rate_limit"] =
            json!({"requests_per_minute": limit, "max_requests_per_minute": limit});
    }
    manifest
}

fn capability(capability: &Capability) -> Value {
    let parameters = capability.parameters();
    let parameters: Map<String, Value> = parameters
        .iter()
        .map(|it| (it.name.to_owned(), parameter(it)))
        .collect();
    json!({
        "name": capability.name,
        "description": capability.description,
        "endpoint": place::with_colons(&capability.interaction_address()),
        "method": capability.method.as_str(),
        "params": parameters,
        "requires_session": capability.needs_session,
        "human_handoff": capability.needs_person,
    })
}

fn parameter(parameter: &Parameter) -> Value {
    let mut described = Map::new();
    for member in MEMBERS {
        if let Some(value) = parameter.schema.get(member) {
            described.insert(member.to_owned(), value.clone());
        }
    }
    described.insert("description".to_owned(), json!(parameter.description));
    described.insert("required".to_owned(), json!(parameter.is_required));
    Value::Object(described)
}
