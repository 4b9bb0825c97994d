//! Detection of MCP servers at the paths of their cards.
//!
//! Before MCP had server cards, sites wrote such files by hand, with members that identify other
//! formats elsewhere.

use super::has_features;
use crate::format::Format as _;
use crate::format_id::FormatId;
use crate::formats::a2a::A2aAgentCard;
use crate::formats::generic::Profile;
use crate::formats::intentql::IntentQl;
use crate::formats::zervice;
use crate::marker::Object;
use serde_json::Value;

/// Returns true for a path that MCP clients request.
pub(in crate::formats) fn is_place(path: &str) -> bool {
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

/// Returns true if an object at such a path, detected as `format`, describes an MCP server.
///
/// A format that was detected by members of its own is never overridden.
pub(in crate::formats) fn is_server(object: &Object, format: FormatId) -> bool {
    let has = |name: &str| object.contains_key(name);
    let lists_tools = object.get("tools").is_some_and(Value::is_array);
    let is_named = |server: &Value| server["name"].is_string();
    let has_server = object.get("server").is_some_and(is_named);
    let has_transport = has("transport") || has("transports");
    match format {
        IntentQl::ID | zervice::SINGLE | FormatId::UNRECOGNISED => {
            lists_tools || has_server || has_transport || has_features(object)
        }
        A2aAgentCard::ID => {
            let is_card = has("skills") || has("supportedInterfaces") || has("protocolVersion");
            !is_card && (lists_tools || has_server || has_transport || has_features(object))
        }
        // The card reader ignores the other members of a profile, so more evidence is needed.
        Profile::ID => has_server || (lists_tools && has_transport),
        _ => false,
    }
}
