//! Connections to MCP servers: the first messages, and the configuration of a client.

use super::auth;
use super::input::{arguments, headers};
use super::model::{Call, Draft, Gives, Placeholder, Step};
use manifest::agent::{Agent, Capability, Interface};
use serde_json::{Map, Value, json};
use url::Url;

/// Version that the first message offers; the server replies with its own.
const VERSION: &str = "2025-06-18";

/// Drafts a conversation: the first message, its acknowledgement, and the call of a tool.
pub(super) fn draft(interface: &Interface, capability: Option<&Capability>) -> Draft {
    match interface.transport.as_deref() {
        Some("streamable-http" | "http") => {}
        Some("sse") => {
            let mut call = Call::new("GET", &interface.url);
            call.add_header("Accept", "text/event-stream");
            return Draft {
                example: Some(call),
                ..Draft::default()
            };
        }
        // A server that is started on the caller's machine is not reached over HTTP.
        Some(_) => return Draft::without("http_binding"),
        None => return Draft::without("transport"),
    }
    let mut draft = Draft::default();
    draft.ask(Placeholder::named(
        "your name",
        "body",
        "Name of the client",
    ));
    let meaning = "Version of the client";
    draft.ask(Placeholder::named("your version", "body", meaning));
    let client = json!({"name": "{your name}", "version": "{your version}"});
    let params = json!({"protocolVersion": VERSION, "capabilities": {}, "clientInfo": client});
    let first = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    let first = message(interface, first);
    let next = |body| {
        let mut call = message(interface, body);
        call.add_header("Mcp-Session-Id", "{mcp_session_id}");
        call.add_header("MCP-Protocol-Version", VERSION);
        call
    };
    let ready = next(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let is_tool = |it: &&Capability| it.input_schema.is_some() || !it.params.is_empty();
    let (name, body) = match capability.filter(is_tool) {
        Some(tool) => {
            let tool = json!({"name": tool.id, "arguments": arguments(tool, &mut draft)});
            ("call_tool", json!({"method": "tools/call", "params": tool}))
        }
        None => ("list_tools", json!({"method": "tools/list"})),
    };
    let mut request = json!({"jsonrpc": "2.0", "id": 2});
    if let (Some(request), Value::Object(body)) = (request.as_object_mut(), body) {
        request.extend(body);
    }
    let meaning = "Header of the first answer; leave the header out if there is none";
    draft.ask(Placeholder::named("mcp_session_id", "header", meaning));
    draft.steps = vec![
        Step {
            name: "initialize",
            call: first.clone(),
            gives: Some(Gives {
                placeholder: "{mcp_session_id}",
                location: "header",
                name: "Mcp-Session-Id",
            }),
        },
        Step {
            name: "initialized",
            call: ready,
            gives: None,
        },
        Step {
            name,
            call: next(request),
            gives: None,
        },
    ];
    draft.example = Some(first);
    draft
}

fn message(interface: &Interface, body: Value) -> Call {
    let mut call = Call::post(&interface.url, "application/json", body);
    call.add_header("Accept", "application/json, text/event-stream");
    call
}

/// Returns the configuration that MCP clients read, with the server's address, its headers and the
/// caller's credential; `None` if the interface is not called over HTTP.
pub(super) fn client_config(name: &str, interface: &Interface, agent: &Agent) -> Option<Value> {
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
    // The form of a credential is stated by the authentication, not by the header.
    let mut call = Call::new("POST", &interface.url);
    let is_of_server = |it: &&Capability| it.protocol.as_deref() == Some("mcp");
    let tool = agent.capabilities.iter().find(is_of_server);
    let access = auth::access(&agent.auth, tool);
    if access
        .carrier
        .as_ref()
        .is_some_and(|it| it.location == "header")
    {
        auth::add(&access, &mut call);
    }
    for (param, value) in headers(interface, &mut Draft::default()) {
        call.add_header(&param.name, &value);
    }
    if !call.headers.is_empty() {
        server.insert("headers".to_owned(), json!(call.headers));
    }
    Some(json!({"mcpServers": {name: server}}))
}
