//! Lists of capabilities: which values are lists of them, and those inside of other entries.

use super::operation::{is_call, is_operation};
use crate::formats::generic::lookup::find;
use crate::formats::generic::names::{ENDPOINTS, SERVERS};
use crate::{json, link};
use serde_json::{Map, Value};
use std::fmt::{self, Display, Formatter};

/// Maximum number of entries of a list whose own calls are read.
const MAX_ENTRIES: usize = 500;
/// Maximum number of servers whose tools are read.
const MAX_SERVERS: usize = 50;

/// Reports whether the values of a map are descriptions of tools; the features of a protocol are flags.
pub(super) fn is_list_of_descriptions(value: &Value) -> bool {
    let members = value.as_object().filter(|members| !members.is_empty());
    members.is_some_and(|members| {
        members.values().all(|item| {
            let has = |name: &str| {
                item.get(name)
                    .is_some_and(|it| it.is_string() || it.is_object())
            };
            has("description") || has("inputSchema") || has("input_schema")
        })
    })
}

/// Reports whether an entry of `capabilities` names a part of MCP, as servers announce it, and nothing that
/// the service does.
pub(super) fn is_feature(key: Option<&str>, item: &Value, pointer: &str) -> bool {
    const FEATURES: [&str; 8] = [
        "tools",
        "resources",
        "prompts",
        "logging",
        "sampling",
        "roots",
        "completions",
        "elicitation",
    ];
    let name = key.or_else(|| item.as_str()).unwrap_or_default();
    let is_bare = item.as_object().is_none_or(|members| {
        let flags = [
            "listChanged",
            "subscribe",
            "list_changed",
            "supported",
            "enabled",
        ];
        members.keys().all(|key| flags.contains(&key.as_str()))
    });
    pointer.starts_with("/capabilities/") && FEATURES.contains(&name) && is_bare
}

pub(super) fn is_list_of_texts(value: &Value) -> bool {
    let items = value.as_array();
    items.is_some_and(|items| items.iter().all(Value::is_string))
}

/// Reports whether a value is a list of objects with names, or of calls.
pub(super) fn is_list_of_named(value: &Value) -> bool {
    let items = value.as_array().filter(|items| !items.is_empty());
    items.is_some_and(|items| {
        let is_named = |item: &Value| item.get("name").is_some_and(Value::is_string);
        items
            .iter()
            .all(|item| is_named(item) || is_operation(item))
    })
}

/// A list or a map of calls inside of an entry.
pub(super) struct Calls<'v> {
    /// JSON pointer of the list.
    pub(super) at: String,
    pub(super) list: &'v Value,
    /// Root of the host of the entry itself, on which the calls are.
    pub(super) base: Option<String>,
}

/// Returns the lists and maps of calls inside the entries of a list.
pub(super) fn lists_of_calls<'v>(value: &'v Value, at: &str) -> Vec<Calls<'v>> {
    let mut lists = Vec::new();
    for (step, entry) in entries(value).take(MAX_ENTRIES) {
        for name in ["endpoints", "related_endpoints"] {
            let Some(calls) = entry.get(name) else {
                continue;
            };
            let is_list = match calls {
                Value::Array(items) => !items.is_empty() && items.iter().all(is_operation),
                Value::Object(calls) => !calls.is_empty() && calls.values().all(is_call),
                _ => false,
            };
            let own = ENDPOINTS
                .iter()
                .filter_map(|name| entry.get(*name)?.as_str());
            lists.extend(is_list.then(|| Calls {
                at: format!("{at}/{step}/{name}"),
                list: calls,
                base: { own }.find_map(link::root),
            }));
        }
    }
    lists
}

/// Returns the lists of tools inside servers of MCP, with their positions.
pub(super) fn lists_of_servers(object: &Map<String, Value>) -> Vec<(String, &Value)> {
    let mut lists = Vec::new();
    for found in find(object, SERVERS) {
        for (step, server) in entries(found.value).take(MAX_SERVERS) {
            let at = format!("{}/{step}/tools", found.pointer);
            lists.extend(server.get("tools").map(|tools| (at, tools)));
        }
    }
    lists
}

/// Step of a JSON pointer: the index of an item, or the name of a member.
enum Step<'v> {
    Item(usize),
    Member(&'v str),
}

impl Display for Step<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Item(index) => index.fmt(formatter),
            Self::Member(name) => json::escape(name).fmt(formatter),
        }
    }
}

/// Returns the items of a list or a map, each with its step.
fn entries(value: &Value) -> Box<dyn Iterator<Item = (Step<'_>, &Value)> + '_> {
    match value {
        Value::Array(items) => {
            let numbered = items.iter().enumerate();
            Box::new(numbered.map(|(at, it)| (Step::Item(at), it)))
        }
        Value::Object(members) => {
            let named = members.iter();
            Box::new(named.map(|(name, it)| (Step::Member(name), it)))
        }
        _ => Box::new(std::iter::empty()),
    }
}
