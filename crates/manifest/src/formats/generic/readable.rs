//! Tests for objects that can be read as a profile or as a service.

use super::lookup::{FoundMember, find};
use super::names::{
    AUTHS, CONTACTS, DESCRIPTIONS, DOCS, HOMEPAGES, LANGUAGES, LISTS, LOGOS, NAMES, PAYMENTS,
    PROVIDERS, RATE_LIMITS, TAGS, URLS, VERSIONS,
};
use super::{addresses, capabilities, localized};
use crate::link;
use serde_json::{Map, Value};

/// Returns true if an object has a name and one more member that can be read.
pub(in crate::formats) fn is_readable(object: &Map<String, Value>) -> bool {
    let others = [
        DESCRIPTIONS,
        URLS,
        VERSIONS,
        CONTACTS,
        PROVIDERS,
        DOCS,
        TAGS,
        LANGUAGES,
        AUTHS,
        PAYMENTS,
    ];
    let is_used = |found: FoundMember<'_>| !matches!(found.value, Value::Null);
    (has_name(object) || states_server(object))
        && (others
            .into_iter()
            .any(|names| find(object, names).any(is_used))
            || find(object, capabilities::NAMES).any(is_used)
            || addresses::has_any(object)
            || object.values().any(is_server))
}

/// Reports whether an object without a name names the endpoint of a server of the site.
fn states_server(object: &Map<String, Value>) -> bool {
    let names = [
        "mcp_endpoint",
        "mcpEndpoint",
        "mcp_server",
        "a2a_endpoint",
        "a2aEndpoint",
    ];
    let mut addresses = names.iter().filter_map(|name| object.get(*name)?.as_str());
    addresses.any(|address| address.starts_with('/') || link::is_absolute(address))
}

/// Reports whether a value is the URL of a server, as its path shows whatever the member's name or
/// language (GP-14).
fn is_server(value: &Value) -> bool {
    let address = value.as_str().filter(|text| link::is_absolute(text));
    address.is_some_and(|address| addresses::endpoint_protocol(address).is_some())
}

/// Reports whether a value is a text, in one language or in several (GP-14).
fn is_text(value: &Value) -> bool {
    localized::of_value(value, &[]).is_some()
}

/// Returns the number of top-level members from which the profile reads something.
pub(in crate::formats) fn explained(object: &Map<String, Value>) -> usize {
    let known = [
        NAMES,
        DESCRIPTIONS,
        URLS,
        HOMEPAGES,
        VERSIONS,
        CONTACTS,
        PROVIDERS,
        DOCS,
        LOGOS,
        TAGS,
        LANGUAGES,
        AUTHS,
        PAYMENTS,
        RATE_LIMITS,
        capabilities::NAMES,
        addresses::EXPECTED,
        LISTS,
    ];
    let outer = |name: &&'static str| name.split_once('.').map_or(*name, |(outer, _)| outer);
    let mut names: Vec<&str> = known
        .iter()
        .flat_map(|names| names.iter().map(outer))
        .collect();
    names.sort_unstable();
    names.dedup();
    names.retain(|name| object.get(*name).is_some_and(|value| !value.is_null()));
    names.len()
}

/// Returns true if an object has a name.
pub(in crate::formats) fn has_name(object: &Map<String, Value>) -> bool {
    find(object, NAMES).any(|found| is_text(found.value))
}

/// Returns true if an object has a name of its own, and an address or capabilities.
pub(in crate::formats) fn is_service(object: &Map<String, Value>) -> bool {
    const OWN_NAMES: &[&str] = &["name", "displayName", "display_name"];
    let is_given = |found: FoundMember<'_>| match found.value {
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    };
    let is_named = find(object, OWN_NAMES).any(|found| is_text(found.value));
    is_named
        && (find(object, URLS).any(is_given)
            || find(object, capabilities::NAMES).any(is_given)
            || addresses::has_any(object))
}
