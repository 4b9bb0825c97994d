//! What is a server of MCP where one is expected: at the paths of its cards.
//!
//! Before there was a card, sites wrote these files by hand with common words, which elsewhere
//! are those of other formats.

use super::json::Object;
use crate::formats::mcp::has_features;
use serde_json::Value;

/// True for a path at which clients of MCP look.
pub(super) fn is_place(path: &str) -> bool {
    const NAMES: [&str; 5] = [
        "mcp",
        "mcp.json",
        "server-card",
        "server-card.json",
        "mcp-server-card",
    ];
    let name = path.rsplit('/').next().unwrap_or_default();
    NAMES.contains(&name) || path.starts_with("/.well-known/mcp")
}

/// True when an object that was taken for `format` says at such a path that it is a server.
///
/// Formats with members of their own keep what is theirs.
pub(super) fn is_server(object: &Object, format: &str) -> bool {
    let has = |name: &str| object.contains_key(name);
    let lists_tools = object.get("tools").is_some_and(Value::is_array);
    let is_named = |server: &Value| server["name"].is_string();
    let has_server = object.get("server").is_some_and(is_named);
    let has_transport = has("transport") || has("transports");
    match format {
        "intentql" | "zervice-single" | "unrecognised" => {
            lists_tools || has_server || has_transport || has_features(object)
        }
        "a2a-agent-card" => {
            let is_card = has("skills") || has("supportedInterfaces") || has("protocolVersion");
            !is_card && (lists_tools || has_server || has_transport || has_features(object))
        }
        // What a profile says beyond this, no reader of cards would find.
        "profile" => has_server || (lists_tools && has_transport),
        _ => false,
    }
}
