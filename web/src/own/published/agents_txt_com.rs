//! `agents.json` of agents-txt.com, the companion of the pointers in agents.txt.

use crate::own::registry::Registry;
use crate::own::{self, place};
use serde_json::{Value, json};

/// Returns the manifest. Its `version` is that of the format.
pub(super) fn manifest(registry: &Registry) -> Value {
    json!({
        "version": "1.0",
        "standard": "https://agents-txt.com",
        "site": {
            "name": own::NAME,
            "url": registry.url,
            "description": own::DESCRIPTION,
        },
        "mcp": [{
            "url": registry.at(place::MCP),
            "type": "streamable-http",
            "description": own::SHORT_DESCRIPTION,
        }],
        "a2a": [{"url": registry.at(place::AGENT_CARD)}],
    })
}
