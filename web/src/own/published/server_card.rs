//! The card of the registry's MCP server.

use crate::own::registry::Registry;
use crate::own::{self, place};
use serde_json::{Value, json};

/// Returns the card. Tools are not part of it: a client lists them.
pub(super) fn manifest(registry: &Registry) -> Value {
    json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
        "name": format!("{}/{}", registry.namespace(), own::SLUG),
        "title": own::NAME,
        "description": own::SHORT_DESCRIPTION,
        "version": own::VERSION,
        "websiteUrl": registry.at("/"),
        "remotes": [{"type": "streamable-http", "url": registry.at(place::MCP)}],
    })
}
