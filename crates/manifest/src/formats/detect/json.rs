//! Detection of the format of a JSON value: the markers of all formats, by strength and in the order
//! of the registry (`docs/formats.md`, "Detection").

use crate::entry::Entry;
use crate::format::Format as _;
use crate::format_id::FormatId;
use crate::formats::a2a::{self, A2aAgentCard};
use crate::formats::agents_protocol_json::AgentsProtocolJson;
use crate::formats::ai_plugin::AiPlugin;
use crate::formats::generic::{self, Profile};
use crate::formats::intentql::IntentQl;
use crate::formats::mcp::{self, McpServerCard};
use crate::formats::mcp_catalog::{self, McpCatalog};
use crate::formats::side_documents;
use crate::formats::wrapped_agents::{self, WrappedAgents};
use crate::formats::zervice::{self, Zervice};
use crate::marker::{self, Marker, Object, Strength};
use crate::openapi;
use serde_json::Value;

/// Returns the format of a JSON value found at `path`, which is empty for an item of a list.
pub(super) fn format(value: &Value, path: &str, known: &[Entry]) -> FormatId {
    let marked = |object| by_sign(object, known).is_some_and(|it| it == openapi::ID);
    if let Some(format) = side_documents::by_place(value, path)
        && !value.as_object().is_some_and(marked)
    {
        return format;
    }
    if mcp_catalog::by_place(value, path) {
        return McpCatalog::ID;
    }
    let object = match value {
        Value::Object(object) => object,
        Value::Array(items)
            if items.is_empty() && by_path(path, known) == Some(McpServerCard::ID) =>
        {
            return McpServerCard::ID;
        }
        Value::Array(items) => return array_format(items),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            return FormatId::UNRECOGNISED;
        }
    };
    let format = by_sign(object, known).unwrap_or(FormatId::UNRECOGNISED);
    if mcp::is_place(path) {
        if mcp::is_server(object, format) {
            return McpServerCard::ID;
        }
        if format == FormatId::UNRECOGNISED && wrapped_agents::has_servers(object) {
            return WrappedAgents::ID;
        }
    }
    if resembles_only(object, format) {
        return Profile::ID;
    }
    let is_open = [Profile::ID, zervice::SINGLE, FormatId::UNRECOGNISED].contains(&format);
    let by_path = || by_path(path, known).filter(|_| is_open && is_ambiguous(object));
    by_path().unwrap_or(format)
}

/// Reports whether an object lacks members that its format requires, and the generic profile
/// explains more of it (GP-11).
///
/// Only formats are in question whose markers are common words.
fn resembles_only(object: &Object, format: FormatId) -> bool {
    let schema = match format {
        zervice::SINGLE => &zervice::AGENT,
        AiPlugin::ID => AiPlugin::SHAPE.unwrap_or(&zervice::AGENT),
        IntentQl::ID => IntentQl::SHAPE.unwrap_or(&zervice::AGENT),
        A2aAgentCard::ID => return a2a::resembles_only(object) && generic::is_readable(object),
        _ => return false,
    };
    let fit = schema.fit(object);
    !fit.lacking.is_empty()
        && generic::is_readable(object)
        && generic::explained(object) > fit.present
}

/// Returns the format of the strongest marker that the object has.
fn by_sign(object: &Object, known: &[Entry]) -> Option<FormatId> {
    let of_formats = || known.iter().flat_map(|entry| entry.markers);
    let mut markers = Strength::ALL.into_iter().flat_map(|strength| {
        let of_strength = move |marker: &&Marker| marker.strength == strength;
        [&openapi::MARKER]
            .into_iter()
            .chain(of_formats())
            .filter(of_strength)
    });
    markers
        .find(|marker| (marker.holds)(object))
        .map(|marker| marker.format)
}

/// Returns the format of an array: Zervice, whose reader detects each element by itself.
///
/// The exception is an array of documents of the agents.txt protocol.
fn array_format(items: &[Value]) -> FormatId {
    let is_protocol = |item: &Value| {
        item.get("site").is_some_and(Value::is_object) && item.get("schema_version").is_some()
    };
    let is_agent = |item: &Value| {
        const MEMBERS: [&str; 5] = [
            "url",
            "capabilities",
            "skills",
            "endpoint",
            "supportedInterfaces",
        ];
        MEMBERS.iter().any(|name| item.get(*name).is_some())
    };
    let are_objects = !items.is_empty() && items.iter().all(Value::is_object);
    if are_objects && items.iter().all(is_protocol) {
        AgentsProtocolJson::ID
    } else if are_objects && !items.iter().any(is_agent) {
        // A list of something else.
        FormatId::UNRECOGNISED
    } else {
        Zervice::ID
    }
}

/// Returns true for content that could be in several formats: `{name, description, version}`, also
/// with an empty `capabilities` array, and `{entries: []}`.
fn is_ambiguous(object: &Object) -> bool {
    const BARE: [&str; 5] = ["name", "description", "version", "capabilities", "$schema"];
    let is_empty_array = |name| marker::array(object, name).is_some_and(Vec::is_empty);
    let is_bare = object.keys().all(|key| BARE.contains(&key.as_str()))
        && marker::text(object, "name").is_some_and(|name| !name.trim().is_empty())
        && object.contains_key("version")
        && (!object.contains_key("capabilities") || is_empty_array("capabilities"));
    is_bare || (object.len() == 1 && is_empty_array("entries"))
}

/// Returns the format that claims the name of the file; used for ambiguous content only.
fn by_path(path: &str, known: &[Entry]) -> Option<FormatId> {
    let name = path.rsplit('/').next()?;
    let claims = |entry: &&Entry| entry.claims.contains(&name);
    known.iter().find(claims).map(|entry| entry.id)
}
