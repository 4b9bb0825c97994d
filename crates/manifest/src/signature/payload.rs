//! Possible payloads of a signature: three canonical forms of a card (A2S-02, A2S-03).

use super::card::{AGENT_CARD, Content, Message};
use super::python;
use serde_json::{Map, Value};

/// A form of the card that a signer may have signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// The card as served, by the rules of the specification: without `signatures` and default
    /// values, canonical by RFC 8785. Members that 1.0 does not define are kept.
    AsServed,
    /// The same, but only with members of 1.0: the official Python SDK adds those of 0.3 to the
    /// served card after signing.
    MembersOf1,
    /// The members of 1.0 as that SDK markers them: without empty members, in its own order, and with
    /// escapes for all non-ASCII characters.
    Sdk,
}

// In the order in which they are tried.
crate::words!(Payload {
    AsServed = "as-served",
    MembersOf1 = "members-of-1.0",
    Sdk = "sdk",
});

impl Payload {
    /// Returns the bytes of this form; `None` if `card` is not an object.
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

/// Treatment of members that the specification does not define.
#[derive(Clone, Copy)]
enum Unknown {
    Kept,
    Dropped,
}

/// Removes default values from `members` where `message` permits it.
fn cleaned(members: &Map<String, Value>, message: Message, unknown: Unknown) -> Map<String, Value> {
    let clean = |(name, value): (&String, &Value)| {
        let known = message.iter().find(|member| member.name == name);
        let value = match (known, unknown) {
            // In the JSON of protocol buffers, null means that a member is not set.
            (Some(_), _) if value.is_null() => return None,
            (Some(member), _) => {
                let value = cleaned_content(value, &member.holds, unknown);
                Some(value).filter(|value| member.keeps_default || !is_default(value))?
            }
            (None, Unknown::Kept) => value.clone(),
            (None, Unknown::Dropped) => return None,
        };
        Some((name.clone(), value))
    };
    members.iter().filter_map(clean).collect()
}

fn cleaned_content(value: &Value, holds: &Content, unknown: Unknown) -> Value {
    let one = |value: &Value, message| match value {
        Value::Object(members) => Value::Object(cleaned(members, message, unknown)),
        other => other.clone(),
    };
    match (holds, value) {
        (Content::Message(message), value) => one(value, message),
        (Content::Messages(message), Value::Array(items)) => {
            items.iter().map(|item| one(item, message)).collect()
        }
        (Content::Map(message), Value::Object(members)) => {
            let entry = |(name, value): (&String, &Value)| (name.clone(), one(value, message));
            Value::Object(members.iter().map(entry).collect())
        }
        (Content::Value | Content::Messages(_) | Content::Map(_), value) => value.clone(),
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
