//! The catalogues of ARD and AI Catalog, which list the registry's card, server and registry API.

use crate::own::capability::CAPABILITIES;
use crate::own::registry::Registry;
use crate::own::{self, place};
use serde_json::{Value, json};

/// Most typical questions of an entry (ARD-05).
const MAX_QUERIES: usize = 5;

/// Returns the manifest of ARD: the agent and the registry API, each with the typical questions by which
/// registries find it.
pub(super) fn ard(registry: &Registry) -> Value {
    let mut api = entry(
        registry,
        "registry",
        "application/ai-registry+json",
        place::ARD,
    );
    api["representativeQueries"] = json!(queries());
    document(registry, &[card(registry), api])
}

/// Returns the catalogue of every document of an interface.
///
/// The entry of the MCP server has nothing of its own: with a description or questions it would be a second
/// agent of the same name.
pub(super) fn catalog(registry: &Registry) -> Value {
    let media_type = "application/mcp-server-card+json";
    let server = entry(registry, "server", media_type, place::SERVER_CARD[0]);
    let api = entry(
        registry,
        "registry",
        "application/ai-registry+json",
        place::ARD,
    );
    document(registry, &[card(registry), server, api])
}

fn document(registry: &Registry, entries: &[Value]) -> Value {
    json!({
        "specVersion": "1.0",
        "host": {
            "displayName": own::NAME,
            "documentationUrl": registry.at(place::DOCS),
        },
        "entries": entries,
    })
}

fn card(registry: &Registry) -> Value {
    let names: Vec<_> = CAPABILITIES.iter().map(|it| it.name).collect();
    let media_type = "application/a2a-agent-card+json";
    let mut card = entry(registry, "agent", media_type, place::AGENT_CARD);
    card["description"] = json!(own::DESCRIPTION);
    card["tags"] = json!(own::TAGS);
    card["capabilities"] = json!(names);
    card["representativeQueries"] = json!(queries());
    card
}

fn entry(registry: &Registry, kind: &str, media_type: &str, path: &str) -> Value {
    json!({
        "identifier": registry.urn(kind),
        "displayName": own::NAME,
        "type": media_type,
        "url": registry.at(path),
        "version": own::VERSION,
    })
}

fn queries() -> Vec<&'static str> {
    let examples = CAPABILITIES.iter().filter_map(|it| it.examples.first());
    examples.take(MAX_QUERIES).copied().collect()
}
