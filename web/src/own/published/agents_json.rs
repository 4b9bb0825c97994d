//! `agents.json` of the agents.txt protocol, and the Interaction API that it describes.

use crate::own::capability::{CAPABILITIES, Capability};
use crate::own::parameter::Parameter;
use crate::own::registry::Registry;
use crate::own::{self, FLOWS, place};
use crate::rate::{COSTLY, Effort, VISITS_AN_HOUR};
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
        "capabilities": CAPABILITIES.iter().map(|it| capability(it, registry)).collect::<Vec<_>>(),
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

fn capability(capability: &Capability, registry: &Registry) -> Value {
    let parameters = capability.parameters();
    let parameters: Map<String, Value> = parameters
        .iter()
        .map(|it| (it.name.to_owned(), parameter(it)))
        .collect();
    json!({
        "name": capability.name,
        "description": description(capability, registry),
        "endpoint": place::with_colons(&capability.interaction_address()),
        "method": capability.method.as_str(),
        "params": parameters,
        "requires_session": capability.needs_session,
        "human_handoff": capability.needs_person,
    })
}

/// Returns the description of a capability, with its effort: the format has a limit only for the whole
/// site.
fn description(capability: &Capability, registry: &Registry) -> String {
    let text = capability.description;
    let effort = Effort::of(&capability.method, capability.api_path);
    if registry.requests_per_minute.is_none() {
        return text.to_owned();
    }
    match effort {
        Effort::Small | Effort::Question => text.to_owned(),
        Effort::Large => format!("{text} A call counts as {COSTLY} requests."),
        Effort::Visit => format!(
            "{text} A call counts as {COSTLY} requests, and a client may make {VISITS_AN_HOUR} of this \
             kind an hour."
        ),
    }
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
