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
    let words = capability.map_or(WORDS, words);
    let call = match interface.transport.as_deref() {
        Some("JSONRPC") => rpc(interface, version, words),
        Some("HTTP+JSON") if version != Version::First => rest(interface, version, words),
        // No other binding is a request that can be shown.
        Some(_) => return Draft::without("http_binding"),
        None => return Draft::without("transport"),
    };
    Draft {
        example: Some(with_extensions(call, version, agent)),
        ..Draft::default()
    }
}

/// Returns the words of a message about a capability: its first example, else its description or name.
fn words(capability: &Capability) -> &str {
    let example = capability
        .examples
        .first()
        .or(capability.description.as_ref());
    example.map_or(capability.name.as_str(), String::as_str)
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

    fn message(self, words: &str) -> Value {
        match self {
            Self::First => json!({"role": "user", "parts": [{"type": "text", "text": words}]}),
            Self::Second => json!({
                "kind": "message",
                "messageId": UUID,
                "role": "user",
                "parts": [{"kind": "text", "text": words}],
            }),
            Self::Third => json!({
                "messageId": UUID,
                "role": "ROLE_USER",
                "parts": [{"text": words}],
            }),
        }
    }
}

fn rpc(interface: &Interface, version: Version, words: &str) -> Call {
    let mut params = Map::new();
    let method = match version {
        Version::First => {
            params.insert("id".to_owned(), json!(UUID));
            "tasks/send"
        }
        Version::Second => "message/send",
        Version::Third => "SendMessage",
    };
    params.insert("message".to_owned(), version.message(words));
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

fn rest(interface: &Interface, version: Version, words: &str) -> Call {
    let base = interface.url.trim_end_matches('/');
    let body = json!({"message": version.message(words)});
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
