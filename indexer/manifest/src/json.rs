//! Turns bytes into a JSON value, strictly and within bounds (P45, DI-03, DI-07).
//!
//! `serde_json` alone would take the last of two members of one name in silence and would go as
//! deep as its own limit; here both are noticed, because both are faults of the document.
//! What strict JSON refuses gets one lenient second try, without comments and trailing commas:
//! such a document is read, yet never valid.

use crate::Severity;
use crate::finding::Findings;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;

mod lenient;
#[cfg(test)]
mod tests;

/// Deepest nesting that is read (P45).
pub(crate) const MAX_DEPTH: usize = 64;
/// Most values that one document may hold (P45).
pub(crate) const MAX_NODES: usize = 100_000;
/// Most duplicate members that are reported one by one.
const MAX_DUPLICATES: usize = 20;

/// Parses `text`; what is wrong becomes findings, and `None` means that nothing can be read.
pub(crate) fn parse(text: &str, findings: &mut Findings) -> Option<Value> {
    match strict(text, findings) {
        Ok(value) => return Some(value),
        Err(Fault::Bounds(message)) => {
            findings.add("DI-03", Severity::Error, "", message);
            return None;
        }
        Err(Fault::Syntax { line, message }) => {
            findings.add_at_line("DI-07", Severity::Error, line, message);
        }
    }
    strict(&lenient::strip(text), findings).ok()
}

/// One more step of a JSON Pointer (RFC 6901): `key` with `~` and `/` escaped.
pub(crate) fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// What kind of value this is, with its article, for messages.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

enum Fault {
    Bounds(String),
    Syntax { line: u32, message: String },
}

fn strict(text: &str, findings: &mut Findings) -> Result<Value, Fault> {
    let mut state = State::default();
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let parsed = Seed { state: &mut state }
        .deserialize(&mut deserializer)
        .and_then(|value| deserializer.end().map(|()| value));
    if parsed.is_ok() {
        for pointer in &state.duplicates {
            let message = "given twice in this object; the last one is used, remove the other";
            findings.warn("DI-07", pointer, message);
        }
    }
    parsed.map_err(|error| match state.exceeded {
        Some(message) => Fault::Bounds(message),
        None => Fault::Syntax {
            line: u32::try_from(error.line()).unwrap_or(u32::MAX),
            message: format!("not JSON: {error}"),
        },
    })
}

/// What the walk knows so far.
#[derive(Default)]
struct State {
    nodes: usize,
    depth: usize,
    path: Vec<String>,
    duplicates: Vec<String>,
    exceeded: Option<String>,
}

impl State {
    fn enter(&mut self) -> bool {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.exceeded = Some(format!("nested deeper than {MAX_DEPTH} levels"));
        }
        self.exceeded.is_none()
    }

    fn count(&mut self) -> bool {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            self.exceeded = Some(format!("more than {MAX_NODES} values"));
        }
        self.exceeded.is_none()
    }

    fn note_duplicate(&mut self, key: &str) {
        if self.duplicates.len() < MAX_DUPLICATES {
            let mut pointer = String::new();
            for step in self.path.iter().map(String::as_str).chain([key]) {
                pointer.push('/');
                pointer.push_str(&escape(step));
            }
            self.duplicates.push(pointer);
        }
    }
}

struct Seed<'s> {
    state: &'s mut State,
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        if !self.state.count() {
            return Err(D::Error::custom("too many values"));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let state = self.state;
        if !state.enter() {
            return Err(A::Error::custom("too deep"));
        }
        let mut array = Vec::new();
        state.path.push("0".to_owned());
        while let Some(item) = items.next_element_seed(Seed { state })? {
            array.push(item);
            if let Some(step) = state.path.last_mut() {
                *step = array.len().to_string();
            }
        }
        state.path.pop();
        state.depth -= 1;
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let state = self.state;
        if !state.enter() {
            return Err(A::Error::custom("too deep"));
        }
        let mut object = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            if object.contains_key(&key) {
                state.note_duplicate(&key);
            }
            state.path.push(key);
            let value = members.next_value_seed(Seed { state })?;
            let key = state.path.pop().unwrap_or_default();
            object.insert(key, value);
        }
        state.depth -= 1;
        Ok(Value::Object(object))
    }
}
