//! An A2A agent, over JSON-RPC and HTTP+JSON.

use super::{Answer, Call, Refusal, check, wrong};
use serde_json::{Value, json};

/// Agent at one address, in one version of the protocol.
#[derive(Clone, Debug)]
pub(super) struct Agent {
    /// `0.1`, `0.2`, `0.3` or `1.0`.
    pub(super) version: String,
    pub(super) is_rpc: bool,
    pub(super) tenant: Option<String>,
    /// Extensions without which it does not answer.
    pub(super) extensions: Vec<String>,
}

impl Agent {
    pub(super) fn answer(&self, call: &Call<'_>) -> Result<Answer, Refusal> {
        let is_new = self.version.starts_with('1');
        // A call without the header is one of 0.3.
        let asked = call.header("a2a-version").unwrap_or("0.3");
        if is_new != asked.starts_with('1') {
            return wrong(format!("version {asked} is not {}", self.version));
        }
        let media_type = call.header("content-type").unwrap_or_default();
        if !matches!(media_type, "application/json" | "application/a2a+json") {
            return wrong(format!("{media_type:?} is not JSON"));
        }
        let header = if is_new {
            "a2a-extensions"
        } else {
            "x-a2a-extensions"
        };
        let given: Vec<_> = call
            .header(header)
            .unwrap_or_default()
            .split(", ")
            .collect();
        if let Some(uri) = self
            .extensions
            .iter()
            .find(|it| !given.contains(&it.as_str()))
        {
            return wrong(format!("the extension {uri} is required"));
        }
        if !self.is_rpc {
            self.check(&call.body["message"])?;
            return Ok(Answer::ok(
                json!({"message": {"parts": [{"text": "done"}]}}),
            ));
        }
        let body = &call.body;
        let method = match self.version.as_str() {
            "0.1" => "tasks/send",
            _ if is_new => "SendMessage",
            _ => "message/send",
        };
        if body["jsonrpc"] != "2.0" || body["id"].is_null() || body["method"] != method {
            return wrong(format!("not a JSON-RPC call of {method}: {body}"));
        }
        if let Some(tenant) = &self.tenant
            && body["params"]["tenant"] != tenant.as_str()
        {
            return wrong(format!("the tenant is not {tenant}"));
        }
        if self.version == "0.1" && !body["params"]["id"].is_string() {
            return wrong("the task has no id");
        }
        self.check(&body["params"]["message"])?;
        Ok(Answer::ok(
            json!({"jsonrpc": "2.0", "id": body["id"], "result": {"done": true}}),
        ))
    }

    /// Checks a message by the schema of the version.
    fn check(&self, message: &Value) -> Result<(), Refusal> {
        let part = |kind: Option<&str>| {
            let mut properties = json!({"text": {"type": "string", "minLength": 1}});
            let mut required = vec!["text"];
            if let Some(kind) = kind {
                properties[kind] = json!({"const": "text"});
                required.push(kind);
            }
            json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
        };
        let id = json!({"type": "string", "format": "uuid", "minLength": 32});
        let parts = |part: Value| json!({"type": "array", "minItems": 1, "items": part});
        let schema = match self.version.as_str() {
            "0.1" => json!({
                "properties": {"role": {"const": "user"}, "parts": parts(part(Some("type")))},
                "required": ["role", "parts"],
            }),
            it if it.starts_with('1') => json!({
                "properties": {"messageId": id, "role": {"const": "ROLE_USER"}, "parts": parts(part(None))},
                "required": ["messageId", "role", "parts"],
            }),
            _ => json!({
                "properties": {
                    "kind": {"const": "message"}, "messageId": id, "role": {"const": "user"},
                    "parts": parts(part(Some("kind"))),
                },
                "required": ["kind", "messageId", "role", "parts"],
            }),
        };
        if !message.is_object() {
            return wrong("there is no message");
        }
        check(&schema, message)
    }
}
