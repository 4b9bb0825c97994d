//! The forms of messages and tasks in the versions of A2A.

use super::super::{Refusal, check, wrong};
use serde_json::{Value, json};

/// Form of the objects of a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// 0.1.
    First,
    /// 0.2 and 0.3.
    Second,
    /// 0.3, in the JSON of its protocol buffers.
    SecondAsProtobuf,
    /// 1.0.
    Third,
}

/// Answer of an agent.
#[derive(Clone, Debug)]
pub(super) struct Words {
    pub(super) number: u64,
    pub(super) task: String,
    pub(super) context: String,
    pub(super) text: String,
}

/// Names the members of a message as its JSON does: the JSON of protocol buffers may also have the
/// names of its fields.
pub(super) fn in_camel_case(message: &Value) -> Value {
    let mut message = message.clone();
    for (field, name) in [("message_id", "messageId"), ("context_id", "contextId")] {
        if let Some(value) = message.as_object_mut().and_then(|it| it.remove(field)) {
            message[name] = value;
        }
    }
    message
}

impl Form {
    /// Reports whether roles and states are named as in the protocol buffers.
    fn is_protobuf(self) -> bool {
        matches!(self, Self::SecondAsProtobuf | Self::Third)
    }

    /// Returns the name of the member with the parts of a message.
    fn parts(self) -> &'static str {
        match self {
            Self::SecondAsProtobuf => "content",
            _ => "parts",
        }
    }

    fn part(self, text: &str) -> Value {
        match self {
            Self::First => json!({"type": "text", "text": text}),
            Self::Second => json!({"kind": "text", "text": text}),
            Self::SecondAsProtobuf | Self::Third => json!({"text": text}),
        }
    }

    /// Checks a message of a user by the schema of the version; returns its text.
    pub(super) fn text(self, message: &Value) -> Result<String, Refusal> {
        if !message.is_object() {
            return wrong("there is no message");
        }
        let mut part = json!({
            "properties": {"text": {"type": "string", "minLength": 1}},
            "required": ["text"],
        });
        let mut required = vec!["role", self.parts()];
        if self != Self::First {
            required.push("messageId");
        }
        if self == Self::Second {
            required.push("kind");
        }
        let kind = match self {
            Self::First => Some("type"),
            Self::Second => Some("kind"),
            Self::SecondAsProtobuf | Self::Third => None,
        };
        if let Some(kind) = kind {
            part["properties"][kind] = json!({"const": "text"});
            part["required"] = json!(["text", kind]);
        }
        let role = if self.is_protobuf() {
            "ROLE_USER"
        } else {
            "user"
        };
        let schema = json!({
            "properties": {
                "kind": {"const": "message"},
                "messageId": {"type": "string", "minLength": 32},
                "role": {"const": role},
                self.parts(): {"type": "array", "minItems": 1, "items": part},
            },
            "required": required,
        });
        check(&schema, message)?;
        let parts = message[self.parts()].as_array().into_iter().flatten();
        let texts: Vec<_> = parts.filter_map(|it| it["text"].as_str()).collect();
        Ok(texts.join(" "))
    }

    /// Names the type of a result, where it does not name itself.
    pub(super) fn wrapped(result: &Value) -> Value {
        if result.get("status").is_some() {
            json!({"task": result})
        } else {
            json!({"message": result})
        }
    }

    pub(super) fn message(self, words: &Words) -> Value {
        let role = if self.is_protobuf() {
            "ROLE_AGENT"
        } else {
            "agent"
        };
        let mut message = json!({
            "messageId": format!("answer-{:08}", words.number),
            "contextId": words.context,
            "role": role,
            self.parts(): [self.part(&words.text)],
        });
        if self == Self::Second {
            message["kind"] = json!("message");
        }
        message
    }

    /// Returns a task that is completed.
    pub(super) fn task(self, words: &Words) -> Value {
        let mut task = self.task_in("completed", words);
        task["artifacts"] = json!([self.artifact(words)]);
        task
    }

    fn task_in(self, state: &str, words: &Words) -> Value {
        let mut task = json!({"id": words.task, "status": self.status(state)});
        let context = match self {
            Self::First => "sessionId",
            _ => "contextId",
        };
        task[context] = json!(words.context);
        if self == Self::Second {
            task["kind"] = json!("task");
        }
        task
    }

    fn status(self, state: &str) -> Value {
        let state = if self.is_protobuf() {
            format!("TASK_STATE_{}", state.to_uppercase())
        } else {
            state.to_owned()
        };
        json!({"state": state})
    }

    fn artifact(self, words: &Words) -> Value {
        let parts = [self.part(&words.text)];
        if self == Self::First {
            return json!({"index": 0, "parts": parts});
        }
        json!({"artifactId": format!("artifact-{:08}", words.number), "parts": parts})
    }

    /// Returns the events of a stream: a task begins, gets its artifact, and is completed.
    pub(super) fn events(self, words: &Words) -> Vec<Value> {
        let task = self.task_in("working", words);
        let artifact = json!({"artifact": self.artifact(words), "lastChunk": true});
        let mut status = json!({"status": self.status("completed")});
        if self != Self::Third {
            status["final"] = json!(true);
        }
        let mut updates = [("artifact-update", artifact), ("status-update", status)];
        for (kind, update) in &mut updates {
            if self == Self::First {
                update["id"] = json!(words.task);
                continue;
            }
            update["taskId"] = json!(words.task);
            update["contextId"] = json!(words.context);
            if self == Self::Second {
                update["kind"] = json!(kind);
            }
        }
        let [(_, artifact), (_, status)] = updates;
        if self.is_protobuf() {
            return vec![
                json!({"task": task}),
                json!({"artifactUpdate": artifact}),
                json!({"statusUpdate": status}),
            ];
        }
        vec![task, artifact, status]
    }
}
