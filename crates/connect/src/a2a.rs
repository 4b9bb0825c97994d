//! First messages to A2A agents, in the form of the protocol's version.

use super::UUID;
use super::model::{Call, Draft};
use manifest::agent::{Agent, Capability, Interface};
use serde_json::{Map, Value, json};

/// Words of a message, where the manifest has none.
const WORDS: &str = "What can you do?";

/// Drafts a message. The forms of all versions but 0.1 to 0.3 and 1 are unknown.
pub(super) fn draft(
    interface: &Interface,
    version: Option<&str>,
    agent: &Agent,
    capability: Option<&Capability>,
) -> Draft {
    let Some(version) = version.and_then(Version::parse) else {
        return Draft::without("version");
    };
    let Some(part) = Part::of(agent, capability) else {
        return Draft::without("params");
    };
    let call = match interface.transport.as_deref() {
        Some("JSONRPC") => rpc(interface, version, &part),
        Some("HTTP+JSON") if version != Version::First => rest(interface, version, &part),
        // No other binding is a request that can be shown.
        Some(_) => return Draft::without("http_binding"),
        None => return Draft::without("transport"),
    };
    let mut draft = Draft {
        example: Some(with_extensions(call, version, agent)),
        ..Draft::default()
    };
    if capability.is_none_or(|it| it.examples.is_empty()) {
        draft.fills("message");
    }
    draft
}

/// Returns the words of a message about a capability: its first example, else its description or name.
fn words(capability: &Capability) -> &str {
    let example = capability
        .examples
        .first()
        .or(capability.description.as_ref());
    example.map_or(capability.name.as_str(), String::as_str)
}

/// Content of a message.
enum Part<'a> {
    Text(&'a str),
    Data(Value),
}

impl<'a> Part<'a> {
    /// Returns what a first message says: words, or the data in an example of a capability that takes no
    /// text; `None` if no example has any.
    fn of(agent: &'a Agent, capability: Option<&'a Capability>) -> Option<Self> {
        let own = capability
            .map(|it| &it.input_modes)
            .filter(|it| !it.is_empty());
        let modes = own.unwrap_or(&agent.input_modes);
        let is_data = |mode: &String| {
            let mode = mode.trim().to_ascii_lowercase();
            ["json", "data"].contains(&mode.as_str()) || mode.starts_with("application/json")
        };
        if modes.is_empty() || !modes.iter().all(is_data) {
            return Some(Self::Text(capability.map_or(WORDS, words)));
        }
        let mut examples = capability?.examples.iter();
        examples.find_map(|it| {
            let value = serde_json::from_str(it).ok()?;
            matches!(value, Value::Object(_)).then_some(Self::Data(value))
        })
    }

    /// Returns the part in the form of a version.
    fn written(&self, version: Version) -> Value {
        let (kind, content) = match self {
            Self::Text(words) => ("text", json!(words)),
            Self::Data(data) => ("data", data.clone()),
        };
        match version {
            Version::First => json!({"type": kind, kind: content}),
            Version::Second => json!({"kind": kind, kind: content}),
            Version::Third => json!({kind: content}),
        }
    }
}

/// Generation of the protocol, by the form of its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    /// 0.1.
    First,
    /// 0.2 and 0.3.
    Second,
    /// 1.
    Third,
}

impl Version {
    fn parse(version: &str) -> Option<Self> {
        match version.split('.').collect::<Vec<_>>().as_slice() {
            ["1", ..] => Some(Self::Third),
            ["0", "2" | "3", ..] => Some(Self::Second),
            ["0", "1", ..] => Some(Self::First),
            _ => None,
        }
    }

    fn message(self, part: &Part<'_>) -> Value {
        let parts = [part.written(self)];
        match self {
            Self::First => json!({"role": "user", "parts": parts}),
            Self::Second => json!({
                "kind": "message",
                "messageId": UUID,
                "role": "user",
                "parts": parts,
            }),
            Self::Third => json!({
                "messageId": UUID,
                "role": "ROLE_USER",
                "parts": parts,
            }),
        }
    }
}

fn rpc(interface: &Interface, version: Version, part: &Part<'_>) -> Call {
    let mut params = Map::new();
    let method = match version {
        Version::First => {
            params.insert("id".to_owned(), json!(UUID));
            "tasks/send"
        }
        Version::Second => "message/send",
        Version::Third => "SendMessage",
    };
    params.insert("message".to_owned(), version.message(part));
    if let Some(tenant) = &interface.tenant {
        params.insert("tenant".to_owned(), json!(tenant));
    }
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let mut call = Call::post(&interface.url, "application/json", body);
    if version == Version::Third {
        call.add_header("A2A-Version", "1.0");
    }
    call
}

fn rest(interface: &Interface, version: Version, part: &Part<'_>) -> Call {
    let base = interface.url.trim_end_matches('/');
    let body = json!({"message": version.message(part)});
    if version == Version::Third {
        let tenant = interface.tenant.iter().map(|it| format!("/{it}"));
        let url = format!("{base}{}/message:send", tenant.collect::<String>());
        let mut call = Call::post(&url, "application/a2a+json", body);
        call.add_header("A2A-Version", "1.0");
        return call;
    }
    // The version is a part of the path, which some cards have in their URL already.
    let base = base.strip_suffix("/v1").unwrap_or(base);
    Call::post(&format!("{base}/v1/message:send"), "application/json", body)
}

/// Names the extensions without which the agent refuses calls.
fn with_extensions(mut call: Call, version: Version, agent: &Agent) -> Call {
    let of_card = agent.specified.get("capabilities");
    let all = of_card.and_then(|it| it.get("extensions")?.as_array());
    let required = all
        .into_iter()
        .flatten()
        .filter(|it| it["required"] == true);
    let uris: Vec<_> = required.filter_map(|it| it["uri"].as_str()).collect();
    if !uris.is_empty() {
        let name = match version {
            Version::Third => "A2A-Extensions",
            Version::First | Version::Second => "X-A2A-Extensions",
        };
        call.add_header(name, &uris.join(", "));
    }
    call
}
