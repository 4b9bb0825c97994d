//! The Portable Agent Manifest of JSON Agents, which `ajson://<host>/agents/agentdex` resolves to.
//!
//! The tools are those of the native API. The policies state what the server does: it answers
//! reading calls without authentication, and limits and logs those that cause visits to sites.

use crate::own::capability::{CAPABILITIES, Capability};
use crate::own::registry::Registry;
use crate::own::{self, parameter};
use serde_json::{Value, json};

/// Returns the manifest.
pub(super) fn manifest(registry: &Registry) -> Value {
    let mut author = json!({"organization": own::NAME});
    let mailbox = registry.contact.as_ref().filter(|it| !it.contains('/'));
    if let Some(mailbox) = mailbox {
        author["email"] = json!(mailbox);
    }
    let tools: Vec<_> = CAPABILITIES.iter().map(|it| tool(registry, it)).collect();
    json!({
        "manifest_version": "1.0",
        "profiles": ["core", "gov"],
        "agent": {
            "id": registry.ajson(),
            "name": own::NAME,
            "description": own::DESCRIPTION,
            "version": own::VERSION,
            "homepage": registry.at("/"),
            "authors": [author],
            "license": own::LICENSE,
            "tags": own::TAGS,
        },
        "tools": tools,
        "modalities": {"input": ["text", "json"], "output": ["json"]},
        "policies": policies(),
    })
}

fn tool(registry: &Registry, capability: &Capability) -> Value {
    let parameters = capability.api_parameters();
    json!({
        "id": capability.name,
        "name": capability.name,
        "description": capability.description,
        "type": "http",
        "endpoint": registry.at(&capability.api_address()),
        "input_schema": parameter::object(&parameters),
        "auth": {"method": "none"},
        "metadata": {"title": capability.title, "method": capability.method.as_str()},
    })
}

/// Returns the rules for calls, whose conditions name the tools of the table.
fn policies() -> Value {
    let named = |is_change: bool| {
        let tools = CAPABILITIES
            .iter()
            .filter(|it| it.needs_session == is_change)
            .map(|it| format!("'{}'", it.name));
        format!("tool.id in [{}]", tools.collect::<Vec<_>>().join(", "))
    };
    json!([
        {
            "id": "open-reading",
            "description": "Anyone may read.",
            "effect": "allow",
            "action": "tool.call",
            "where": named(false),
        },
        {
            "id": "recorded-changes",
            "description": "Calls that change what is visited or listed are recorded.",
            "effect": "audit",
            "action": "tool.call",
            "where": named(true),
        },
        {
            "id": "no-other-calls",
            "description": "There are no other tools.",
            "effect": "deny",
            "action": "tool.call",
            "where": format!("not ({} or {})", named(false), named(true)),
        },
    ])
}
