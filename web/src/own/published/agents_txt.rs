//! `agents.txt`: the keys of the agents.txt protocol in both of its revisions, and pointers.
//!
//! Blocks of the dialect of well-known URIs are left out: a parser of another dialect would take
//! their descriptions for the site's.

use crate::own::capability::CAPABILITIES;
use crate::own::registry::Registry;
use crate::own::{self, FLOWS, place};

/// Returns the manifest.
pub(super) fn manifest(registry: &Registry) -> String {
    let names: Vec<&str> = CAPABILITIES.iter().map(|it| it.name).collect();
    let json = registry.at(place::AGENTS_JSON);
    let line = |key: &str, value: &str| format!("{key}: {value}\n");
    let mut text = format!("# agents.txt of {}\n# JSON: {json}\n\n", own::NAME);
    text += &line("Site", own::NAME);
    text += &line("Name", own::NAME);
    text += &line("URL", &registry.url);
    text += &line("Description", own::DESCRIPTION);
    if let Some(contact) = &registry.contact {
        text += &line("Contact", contact);
    }
    text += &line("Docs", &registry.at(place::DOCS));
    text += "\n";
    text += &line("Agents-JSON", &json);
    text += &line("Capabilities-URL", &json);
    text += &line("Agent-API", &registry.at(place::INTERACTION));
    text += &line("MCP", &registry.at(place::MCP));
    text += &line("A2A", &registry.at(place::AGENT_CARD));
    text += "\n";
    for name in &names {
        text += &line("Allow", name);
    }
    text += &line("Capabilities", &names.join(", "));
    for flow in FLOWS {
        let steps = flow.steps.join(", ");
        text += "\n";
        text += &line("Flow", &format!("{} → {steps}", flow.name));
        text += &line("Flow-Description", flow.description);
    }
    text += "\n";
    if let Some(limit) = registry.requests_per_minute {
        text += &line("Rate-Limit", &format!("{limit}/minute"));
    }
    text += &line("Session-Endpoint", &registry.at(place::SESSION));
    text += &line("Session-TTL", &format!("{}s", own::SESSION_TTL_S));
    text += &line("Audit", "true");
    text += &line(
        "Audit-Endpoint",
        &registry.at(&place::with_colons(place::AUDIT)),
    );
    text
}
