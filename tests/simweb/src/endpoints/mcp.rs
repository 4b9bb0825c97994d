//! An MCP server over streamable HTTP.

use super::{Answer, Call, Refusal, check, wrong};
use http::StatusCode;
use serde_json::{Value, json};

const SESSION: &str = "conversation-of-the-demo";
const VERSION: &str = "2025-06-18";

/// Server, by the tools that its card lists.
#[derive(Clone, Debug)]
pub(super) struct Server {
    pub(super) tools: Vec<Value>,
}

impl Server {
    pub(super) fn answer(&self, call: &Call<'_>) -> Result<Answer, Refusal> {
        let accepted = call.header("accept").unwrap_or_default();
        for media_type in ["application/json", "text/event-stream"] {
            if !accepted.contains(media_type) {
                return wrong(format!("{accepted:?} does not accept {media_type}"));
            }
        }
        let body = &call.body;
        if body["jsonrpc"] != "2.0" {
            return wrong("not a message of JSON-RPC");
        }
        let method = body["method"].as_str().unwrap_or_default();
        let result = |result: Value| {
            Answer::ok(json!({"jsonrpc": "2.0", "id": body["id"], "result": result}))
        };
        if method == "initialize" {
            let params = &body["params"];
            let client = &params["clientInfo"];
            let is_whole = params["protocolVersion"] == VERSION
                && params["capabilities"].is_object()
                && client["name"].is_string()
                && client["version"].is_string();
            if !is_whole {
                return wrong(format!("not the parameters of initialize: {params}"));
            }
            return Ok(Answer {
                headers: vec![("mcp-session-id", SESSION.to_owned())],
                ..result(json!({"protocolVersion": VERSION, "capabilities": {"tools": {}}}))
            });
        }
        if call.header("mcp-session-id") != Some(SESSION)
            || call.header("mcp-protocol-version") != Some(VERSION)
        {
            return wrong("not a message of this conversation");
        }
        match method {
            "notifications/initialized" => Ok(Answer {
                status: StatusCode::ACCEPTED,
                ..Answer::ok(Value::Null)
            }),
            "tools/list" => Ok(result(json!({"tools": self.tools}))),
            "tools/call" => {
                let params = &body["params"];
                let tool = self.tools.iter().find(|it| it["name"] == params["name"]);
                let Some(tool) = tool else {
                    return wrong(format!("no tool {}", params["name"]));
                };
                check(&tool["inputSchema"], &params["arguments"])?;
                Ok(result(
                    json!({"content": [{"type": "text", "text": "done"}]}),
                ))
            }
            other => wrong(format!("no method {other:?}")),
        }
    }
}
