//! Interfaces of the service that a profile describes.

use super::lookup::find;
use super::{ProfileReader, subject};
use crate::agent::{Agent, Interface};
use crate::json;
use crate::reference;
use crate::rule::profile::GP_04;
use serde_json::{Map, Value};

/// Members that hold an address, with its protocol.
const MEMBERS: &[(&str, &str)] = &[
    ("mcp", "mcp"),
    ("mcp_endpoint", "mcp"),
    ("mcpEndpoint", "mcp"),
    ("mcp_server", "mcp"),
    ("a2a", "a2a"),
    ("a2aEndpoint", "a2a"),
    ("a2a_endpoint", "a2a"),
    ("agent_card", "agent-card"),
    ("openapi", "openapi"),
    ("openapi_url", "openapi"),
    ("api", "rest"),
    ("api_base", "rest"),
    ("base_url", "rest"),
    ("baseUrl", "rest"),
    ("endpoint", "rest"),
];

/// Members that may list named addresses: `[{"name": "MCP", "endpoint": "…"}]`.
pub(super) const LISTS: &[&str] = &["services", "endpoints"];

/// Maximum number of interfaces of one profile.
const MAX_INTERFACES: usize = 50;

/// Returns true if the object has an interface.
pub(super) fn has_any(object: &Map<String, Value>) -> bool {
    let has_address = |(name, _): &(&str, _)| {
        object
            .get(*name)
            .is_some_and(|value| !addresses(value).is_empty())
    };
    MEMBERS.iter().any(has_address) || object.get("endpoints").is_some_and(Value::is_object)
}

/// Returns the protocol of an entry of `endpoints`, if its key or path implies one.
pub(super) fn protocol(key: &str, value: &Value) -> Option<&'static str> {
    let address = addresses(value).into_iter().next()?;
    let key = key.to_ascii_lowercase();
    let path = address.to_ascii_lowercase();
    let path = path.rsplit('/').next().unwrap_or_default();
    let says = |word: &str| key.split(['_', '-', '.']).any(|part| part == word) || path == word;
    if key.contains("card") || path.starts_with("agent-card") {
        Some("agent-card")
    } else if says("mcp") || key.starts_with("mcp") {
        Some("mcp")
    } else if says("a2a") {
        Some("a2a")
    } else if key.contains("openapi") || path.contains("openapi") || key.contains("swagger") {
        Some("openapi")
    } else if says("graphql") {
        Some("graphql")
    } else {
        let is_base = matches!(key.as_str(), "api" | "base" | "base_url" | "rest" | "root");
        is_base.then_some("rest")
    }
}

impl ProfileReader<'_> {
    /// Adds the interfaces; agent cards and `OpenAPI` documents become references too.
    pub(super) fn interfaces(&mut self, object: &Map<String, Value>, agent: &mut Agent) {
        for (name, protocol) in MEMBERS {
            for found in find(object, &[name]) {
                if subject::is_placeholder(found.value) {
                    let message = "empty; name the address or leave the member out";
                    self.findings.add(&GP_04, &found.pointer, message);
                }
                for address in addresses(found.value) {
                    self.interface(protocol, address, &found.pointer, agent);
                }
            }
        }
        let endpoints = object.get("endpoints").and_then(Value::as_object);
        for (key, value) in endpoints.into_iter().flatten().take(MAX_INTERFACES) {
            let pointer = format!("/endpoints/{}", json::escape(key));
            if let Some(protocol) = protocol(key, value) {
                for address in addresses(value) {
                    self.interface(protocol, address, &pointer, agent);
                }
            }
        }
        for found in find(object, LISTS) {
            let items = found.value.as_array().into_iter().flatten();
            for (index, item) in items.enumerate().take(MAX_INTERFACES) {
                let name = item.get("name").and_then(Value::as_str).unwrap_or_default();
                if let Some(protocol) = protocol(name, item) {
                    let pointer = format!("{}/{index}", found.pointer);
                    for address in addresses(item) {
                        self.interface(protocol, address, &pointer, agent);
                    }
                }
            }
        }
        agent.interfaces.truncate(MAX_INTERFACES);
    }

    fn interface(&mut self, protocol: &str, address: &str, pointer: &str, agent: &mut Agent) {
        let Some(address) = self.unless_placeholder(pointer, address) else {
            return;
        };
        if !(address.contains('/') || address.contains('.')) {
            return;
        }
        let Some(url) = self.absolute(address) else {
            return;
        };
        let protocol = match protocol {
            "a2a" if names_card(&url) => "agent-card",
            "rest" if url.ends_with("/openapi.json") => "openapi",
            protocol => protocol,
        };
        if matches!(protocol, "agent-card" | "openapi") {
            self.references
                .extend(reference::to(self.input.document, protocol, &url, pointer));
        }
        let is_known = agent.interfaces.iter().any(|known| known.url == url);
        if protocol != "agent-card" && !is_known {
            self.use_pointer("interfaces", pointer);
            agent.interfaces.push(Interface {
                protocol: protocol.to_owned(),
                url,
                ..Interface::default()
            });
        }
    }
}

/// Returns true for the address of an agent card, which is a document and not an interface.
fn names_card(url: &str) -> bool {
    ["/agent-card.json", "/agent.json"]
        .iter()
        .any(|name| url.ends_with(name))
}

/// Returns the addresses in a member: a string, an object with one, or an array of these.
fn addresses(value: &Value) -> Vec<&str> {
    match value {
        Value::String(address) if !address.trim().is_empty() => vec![address.as_str()],
        Value::Object(members) => find(
            members,
            &[
                "url", "endpoint", "base_url", "baseUrl", "base", "href", "server",
            ],
        )
        .filter_map(|found| found.value.as_str())
        .filter(|address| !address.trim().is_empty())
        .take(1)
        .collect(),
        Value::Array(items) => {
            let strings = items
                .iter()
                .filter(|item| item.is_string() || item.is_object());
            strings
                .take(10)
                .filter_map(|item| match item {
                    Value::String(address) => Some(address.as_str()),
                    _ => item.get("url").and_then(Value::as_str),
                })
                .collect()
        }
        _ => Vec::new(),
    }
}
