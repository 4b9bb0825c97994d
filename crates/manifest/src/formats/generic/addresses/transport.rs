//! Members that are named after a transport of MCP (GP-12, GP-13).

use super::words::words;
use crate::formats::generic::names::GENERIC;
use serde_json::{Map, Value};

/// Members that hold an address for each transport.
const LISTS: [&str; 2] = ["transports", "transport"];
/// Words that only MCP uses of its transports.
const OF_MCP: [&str; 5] = ["mcp", "sse", "streamable", "streamablehttp", "stdio"];

/// Returns the transport of MCP that the member of an address is named after; `keys` are the names of
/// the members on the way to it.
///
/// `streamable_http` is a word of MCP anywhere, `sse` and `http` only in a list of transports; `http`
/// needs another sign of MCP there, as APIs of any kind use it.
pub(super) fn of_mcp(document: &Value, keys: &[&str], pointer: &str) -> Option<&'static str> {
    let (own, outer) = keys.split_last()?;
    let named = of_word(own).map(|transport| (transport, outer));
    let (transport, outer) = named.or_else(|| {
        let (own, outer) = outer.split_last().filter(|_| GENERIC.contains(own))?;
        Some((of_word(own)?, outer))
    })?;
    let is_below_mcp = outer.iter().any(|key| words(key).has(&["mcp"]));
    let is_list = |list: &&&str| LISTS.contains(list) || (is_below_mcp && **list == "endpoints");
    let list = outer.last().filter(is_list);
    let is_of_mcp = match transport {
        "streamable-http" => true,
        "sse" => list.is_some(),
        _ => list.is_some_and(|list| is_below_mcp || has_sign(document, pointer, list)),
    };
    is_of_mcp.then_some(transport)
}

/// Returns the transport that a member's name is.
fn of_word(name: &str) -> Option<&'static str> {
    let words = words(name);
    if words.has(&["streamable", "streamablehttp"]) {
        words
            .all(&["streamable", "streamablehttp", "http"])
            .then_some("streamable-http")
    } else if words.all(&["sse"]) {
        Some("sse")
    } else {
        words.all(&["http"]).then_some("http")
    }
}

/// Reports whether the list of transports on the way to an address, or what stands beside it, names
/// MCP.
fn has_sign(document: &Value, pointer: &str, list: &str) -> bool {
    let Some((outer, _)) = pointer.rsplit_once(&format!("/{list}/")) else {
        return false;
    };
    let around = document.pointer(outer).and_then(Value::as_object);
    around.is_some_and(|around| {
        states_mcp(around)
            || match around.get(list) {
                Some(Value::Object(members)) => members.keys().any(|key| is_sign(key)),
                Some(Value::Array(items)) => items
                    .iter()
                    .any(|item| item.as_object().is_some_and(states_mcp)),
                _ => false,
            }
    })
}

/// Reports whether an object says that it is about MCP.
fn states_mcp(members: &Map<String, Value>) -> bool {
    let stated = ["protocol", "transport", "type", "kind"].iter();
    let mut stated = stated.filter_map(|name| members.get(*name)?.as_str());
    stated.any(is_sign)
}

fn is_sign(word: &str) -> bool {
    words(word).has(&OF_MCP)
}
