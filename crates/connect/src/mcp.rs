//! First messages to MCP servers.

use super::input::arguments;
use super::model::{Call, Draft, Gives, Placeholder, Step};
use manifest::Timestamp;
use manifest::agent::{Agent, Capability, Interface, Program};
use serde_json::{Value, json};
use url::Url;

/// Version that the first message offers; the server replies with its own.
const VERSION: &str = "2025-06-18";

/// Features of a server, as its card names them.
const FEATURES: [&str; 3] = ["tools", "resources", "prompts"];
/// Names and methods of the lists of these features.
const LISTS: [(&str, &str); 3] = [
    ("list_tools", "tools/list"),
    ("list_resources", "resources/list"),
    ("list_prompts", "prompts/list"),
];

/// Reports whether an interface is that of an MCP server that is called over HTTP. Where no transport is
/// stated, clients begin with the usual one, as MCP says.
pub fn is_mcp_over_http(interface: &Interface) -> bool {
    let transport = interface.transport.as_deref();
    let is_http = matches!(transport, Some("streamable-http" | "http" | "sse") | None);
    let is_web = Url::parse(&interface.url).is_ok_and(|it| matches!(it.scheme(), "http" | "https"));
    interface.protocol == "mcp" && is_http && is_web
}

/// Reports whether an agent is an MCP server, called over HTTP or run on the caller's own machine.
pub fn is_mcp_server(agent: &Agent) -> bool {
    let is_program = |it: &Program| it.protocol.as_deref() == Some("mcp");
    agent.interfaces.iter().any(is_mcp_over_http) || agent.programs.iter().any(is_program)
}

/// Drafts a conversation: the first message, its acknowledgement, and the call of a tool.
pub(super) fn draft(
    interface: &Interface,
    agent: &Agent,
    capability: Option<&Capability>,
    now: Option<Timestamp>,
) -> Draft {
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
    let client = json!({"name": "example-client", "version": "1.0.0"});
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
    let (name, body) = if let Some(tool) = capability.filter(is_tool) {
        let tool = json!({"name": tool.id, "arguments": arguments(tool, now, &mut draft)});
        ("call_tool", json!({"method": "tools/call", "params": tool}))
    } else {
        let (name, method) = first_list(agent);
        (name, json!({"method": method}))
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

/// Returns the list with which a caller begins: the tools, or what the server has instead, as its card says.
fn first_list(agent: &Agent) -> (&'static str, &'static str) {
    let features = [&agent.specified, &agent.extensions];
    let features = features.map(|it| it.get("capabilities").and_then(Value::as_object));
    let Some(features) = features.into_iter().flatten().next() else {
        return LISTS[0];
    };
    let is_offered = |name: &str| {
        let stated = features.get(name);
        stated.is_some_and(|it| !it.is_null() && *it != Value::Bool(false))
    };
    let offered = LISTS
        .iter()
        .zip(FEATURES)
        .find(|(_, feature)| is_offered(feature));
    offered.map_or(LISTS[0], |(list, _)| *list)
}

fn message(interface: &Interface, body: Value) -> Call {
    let mut call = Call::post(&interface.url, "application/json", body);
    call.add_header("Accept", "application/json, text/event-stream");
    call
}
