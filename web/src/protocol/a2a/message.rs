//! Messages of clients: their text, and the data that names a skill.

use super::method::{CONTENT_TYPE_NOT_SUPPORTED, Version, no_push, no_task};
use crate::json_rpc::{INVALID_PARAMS, RpcError};
use serde_json::{Map, Value};

/// Most parts of a message.
const MAX_PARTS: usize = 100;

/// Members of a part with content that is not taken.
const FILES: [&str; 3] = ["file", "raw", "url"];

/// Message to answer.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Message {
    /// Text of all text parts.
    pub(super) text: String,
    /// Members of the data part.
    pub(super) data: Option<Map<String, Value>>,
    /// Conversation that the client counts it to.
    pub(super) context: Option<String>,
    /// True if the client accepts a text part.
    pub(super) accepts_text: bool,
    /// True if the client accepts a data part.
    pub(super) accepts_data: bool,
}

impl Message {
    /// Reads the parameters of a request to answer a message.
    pub(super) fn read(version: Version, params: &Map<String, Value>) -> Result<Self, RpcError> {
        let wrong = |message: &str| RpcError::new(INVALID_PARAMS, message);
        let Some(message) = params.get("message").and_then(Value::as_object) else {
            return Err(wrong("`message` must be an object"));
        };
        let text = |name: &str| {
            let text = message.get(name).and_then(Value::as_str);
            text.filter(|it| !it.is_empty())
        };
        if text("messageId").is_none() {
            return Err(wrong("`message.messageId` must be a text"));
        }
        if !matches!(text("role"), Some("user" | "ROLE_USER")) {
            return Err(wrong(match version {
                Version::V03 => "`message.role` must be \"user\"",
                Version::V10 => "`message.role` must be \"ROLE_USER\"",
            }));
        }
        if text("taskId").is_some() {
            return Err(no_task(version));
        }
        let parts = message.get("parts").and_then(Value::as_array);
        let Some(parts) = parts.filter(|it| (1..=MAX_PARTS).contains(&it.len())) else {
            let message = format!("`message.parts` must be a list of 1 to {MAX_PARTS} parts");
            return Err(wrong(&message));
        };
        let mut read = Self {
            context: text("contextId").map(str::to_owned),
            ..Self::default()
        };
        for (index, part) in parts.iter().enumerate() {
            read.take(version, index, part)?;
        }
        if read.text.is_empty() && read.data.is_none() {
            return Err(wrong(
                "the message is empty: describe a need in a text part, or name a skill in a data part",
            ));
        }
        read.configure(version, params.get("configuration"))?;
        Ok(read)
    }

    /// Takes a part.
    fn take(&mut self, version: Version, index: usize, part: &Value) -> Result<(), RpcError> {
        let wrong = |rest: &str| {
            let message = format!("`message.parts[{index}]` {rest}");
            Err(RpcError::new(INVALID_PARAMS, message))
        };
        if let Some(text) = part.get("text") {
            let Some(text) = text.as_str() else {
                return wrong("must have a text as its `text`");
            };
            if !self.text.is_empty() && !text.is_empty() {
                self.text.push('\n');
            }
            self.text.push_str(text.trim());
            Ok(())
        } else if let Some(data) = part.get("data") {
            let Some(data) = data.as_object() else {
                return wrong("must have an object as its `data`");
            };
            if self.data.replace(data.clone()).is_some() {
                return wrong("is a second data part; send one message for each call");
            }
            Ok(())
        } else if FILES.iter().any(|it| part.get(it).is_some()) {
            let message = "files are not taken; send text, or JSON in a data part";
            Err(version.error(CONTENT_TYPE_NOT_SUPPORTED, message))
        } else {
            wrong("must have `text` or `data`")
        }
    }

    /// Takes the client's wishes for the answer.
    fn configure(
        &mut self,
        version: Version,
        configuration: Option<&Value>,
    ) -> Result<(), RpcError> {
        let none = Value::Null;
        let configuration = configuration.unwrap_or(&none);
        let has = |name: &str| configuration.get(name).is_some_and(|it| !it.is_null());
        if has("pushNotificationConfig") || has("taskPushNotificationConfig") {
            return Err(no_push(version));
        }
        let modes = configuration.get("acceptedOutputModes");
        let modes = modes
            .and_then(Value::as_array)
            .map_or(&[][..], Vec::as_slice);
        let accepts = |known: [&str; 3]| {
            let mut named = modes.iter().filter_map(Value::as_str);
            modes.is_empty() || named.any(|it| it == "*/*" || known.contains(&it))
        };
        self.accepts_text = accepts(["text/plain", "text/*", "text"]);
        self.accepts_data = accepts(["application/json", "application/*", "data"]);
        if self.accepts_text || self.accepts_data {
            return Ok(());
        }
        let message = "answers are text/plain and application/json, which \
             `configuration.acceptedOutputModes` does not list";
        Err(version.error(CONTENT_TYPE_NOT_SUPPORTED, message))
    }
}
