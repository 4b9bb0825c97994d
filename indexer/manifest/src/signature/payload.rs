//! What may have been signed: one card, three canonical forms (A2S-02, A2S-03).

use super::card::{AGENT_CARD, Holds, Message};
use super::python;
use serde_json::{Map, Value};

/// A form of the card that a signer may have signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// The card as served, by the rules of the specification: without `signatures` and default
    /// values, canonical by RFC 8785. Members that 1.0 does not define stay as they are.
    AsServed,
    /// The same restricted to members of 1.0: the official Python SDK adds those of 0.3 to what it
    /// serves after signing.
    MembersOf1,
    /// The members of 1.0 as that SDK signs them: without anything empty, in its own order and
    /// with escapes for all that is not ASCII.
    Sdk,
}

impl Payload {
    /// Every form, in the order in which they are tried.
    pub const ALL: [Self; 3] = [Self::AsServed, Self::MembersOf1, Self::Sdk];

    /// The word that interfaces give.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AsServed => "as-served",
            Self::MembersOf1 => "members-of-1.0",
            Self::Sdk => "sdk",
        }
    }

    /// The bytes of this form; `None` when `card` is no object.
    pub fn of(self, card: &Value) -> Option<Vec<u8>> {
        let mut members = card.as_object()?.clone();
        members.remove("signatures");
        let members_of_1 = || Value::Object(cleaned(&members, AGENT_CARD, Unknown::Dropped));
        match self {
            Self::AsServed => {
                let card = Value::Object(cleaned(&members, AGENT_CARD, Unknown::Kept));
                serde_json_canonicalizer::to_vec(&card).ok()
            }
            Self::MembersOf1 => serde_json_canonicalizer::to_vec(&members_of_1()).ok(),
            Self::Sdk => Some(python::canonical(&members_of_1()).into_bytes()),
        }
    }
}

/// What becomes of members that the specification does not define.
#[derive(Clone, Copy)]
enum Unknown {
    Kept,
    Dropped,
}

/// `members` without default values, as far as `message` says which are.
fn cleaned(members: &Map<String, Value>, message: Message, unknown: Unknown) -> Map<String, Value> {
    let clean = |(name, value): (&String, &Value)| {
        let known = message.iter().find(|member| member.name == name);
        let value = match (known, unknown) {
            // In the JSON of protocol buffers, null says that a member is not set.
            (Some(_), _) if value.is_null() => return None,
            (Some(member), _) => {
                let value = held(value, &member.holds, unknown);
                Some(value).filter(|value| member.keeps_default || !is_default(value))?
            }
            (None, Unknown::Kept) => value.clone(),
            (None, Unknown::Dropped) => return None,
        };
        Some((name.clone(), value))
    };
    members.iter().filter_map(clean).collect()
}

fn held(value: &Value, holds: &Holds, unknown: Unknown) -> Value {
    let one = |value: &Value, message| match value {
        Value::Object(members) => Value::Object(cleaned(members, message, unknown)),
        other => other.clone(),
    };
    match (holds, value) {
        (Holds::Message(message), value) => one(value, message),
        (Holds::Messages(message), Value::Array(items)) => {
            items.iter().map(|item| one(item, message)).collect()
        }
        (Holds::Map(message), Value::Object(members)) => {
            let entry = |(name, value): (&String, &Value)| (name.clone(), one(value, message));
            Value::Object(members.iter().map(entry).collect())
        }
        (Holds::Value | Holds::Messages(_) | Holds::Map(_), value) => value.clone(),
    }
}

fn is_default(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
    }
}
