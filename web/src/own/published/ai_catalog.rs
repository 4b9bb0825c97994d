//! The catalogue of ARD and AI Catalog, which lists the registry's card, server and registry API.

use crate::own::capability::CAPABILITIES;
use crate::own::registry::Registry;
use crate::own::{self, place};
use serde_json::{Value, json};

/// Most typical questions of an entry (ARD-05).
const MAX_QUERIES: usize = 5;

/// Returns the catalogue.
///
/// Only the entry of the card describes the registry. The one of the MCP server would otherwise be
/// a second agent of the same name.
pub(super) fn manifest(registry: &Registry) -> Value {
    let names: Vec<_> = CAPABILITIES.iter().map(|it| it.name).collect();
    let examples = CAPABILITIES.iter().filter_map(|it| it.examples.first());
    let queries: Vec<_> = examples.take(MAX_QUERIES).collect();
    let entry = |kind: &str, media_type: &str, path: &str| {
        json!({
            "identifier": registry.urn(kind),
            "displayName": own::NAME,
            "type": media_type,
            "url": registry.at(path),
            "version": own::VERSION,
        })
    };
    let mut card = entry(
        "agent",
        "application/a2a-agent-card+json",
        place::AGENT_CARD,
    );
    card["description"] = json!(own::DESCRIPTION);
    card["tags"] = json!(own::TAGS);
    card["capabilities"] = json!(names);
    card["representativeQueries"] = json!(queries);
    let server = entry(
        "server",
        "application/mcp-server-card+json",
        place::SERVER_CARD[0],
    );
    let api = entry("registry", "application/ai-registry+json", place::ARD);
    json!({
        "specVersion": "1.0",
        "host": {
            "displayName": own::NAME,
            "documentationUrl": registry.at(place::DOCS),
        },
        "entries": [card, server, api],
    })
}
