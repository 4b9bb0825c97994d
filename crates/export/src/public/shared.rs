//! An agent as exports and the change feed hand it on.

use super::Agent;
use super::personal::redact;
use connect::{Connect, lasting};
use serde::Serialize;
use serde_json::{Map, Value};
use store::StoredAgent;

/// Members of an agent that the program made itself, or that are checked, so that nothing is removed
/// from them.
const OWN: [&str; 8] = [
    "id",
    "urn",
    "site",
    "format",
    "status",
    "first_seen",
    "changed",
    "hash",
];

/// An agent with the data for a first call.
#[derive(Debug, Serialize)]
struct Shared<'a> {
    #[serde(flatten)]
    agent: Agent<'a>,
    connect: Connect,
}

/// Returns an agent for exports and the change feed: as in the API, without e-mail addresses and
/// telephone numbers, and without what changes although the agent does not, which the feed could not
/// keep up to date: the time of the last visit, positions in documents, and days of a first call.
pub fn shared(stored: &StoredAgent) -> Value {
    let agent = serde_json::to_value(Shared {
        agent: Agent::of(stored),
        connect: lasting(&stored.listing),
    });
    let Ok(Value::Object(mut members)) = agent else {
        // The type has only members that JSON can express.
        return Value::Object(Map::new());
    };
    members.shift_remove("last_seen");
    if let Some(Value::Array(capabilities)) = members.get_mut("capabilities") {
        for capability in capabilities.iter_mut().filter_map(Value::as_object_mut) {
            capability.shift_remove("pointer");
        }
    }
    for (name, member) in &mut members {
        if !OWN.contains(&name.as_str()) {
            redact(member);
        }
    }
    Value::Object(members)
}
