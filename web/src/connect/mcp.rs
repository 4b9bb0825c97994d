//! Connections to MCP servers: the first message, and the configuration of a client.

use super::{Call, headers};
use manifest::agent::Interface;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use url::Url;

/// Builds the first message of every MCP connection; the server replies with its version.
pub(super) fn first_call(interface: &Interface) -> Call {
    let client = json!({"name": "{your name}", "version": "{your version}"});
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
    let mut call = Call {
        method: "POST".to_owned(),
        url: interface.url.clone(),
        headers: BTreeMap::from([
            (
                "Accept".to_owned(),
                "application/json, text/event-stream".to_owned(),
            ),
            ("Content-Type".to_owned(), "application/json".to_owned()),
        ]),
        body: Some(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})),
    };
    call.add_headers(Some(interface));
    call
}

/// Returns the configuration that MCP clients read, with the server's address and headers; `None`
/// if the interface is not called over HTTP.
pub(super) fn client_config(name: &str, interface: &Interface) -> Option<Value> {
    let is_web = Url::parse(&interface.url).is_ok_and(|it| matches!(it.scheme(), "http" | "https"));
    if interface.protocol != "mcp" || !is_web {
        return None;
    }
    let kind = match interface.transport.as_deref() {
        Some("sse") => Some("sse"),
        Some("streamable-http" | "http") => Some("http"),
        Some(_) | None => None,
    };
    let mut server = Map::new();
    if let Some(kind) = kind {
        server.insert("type".to_owned(), json!(kind));
    }
    server.insert("url".to_owned(), json!(interface.url));
    let headers = headers(interface).map(|(param, value)| (param.name.clone(), json!(value)));
    let headers: Map<_, _> = headers.collect();
    if !headers.is_empty() {
        server.insert("headers".to_owned(), Value::Object(headers));
    }
    Some(json!({"mcpServers": {name: server}}))
}
