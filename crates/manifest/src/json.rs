//! Strict and bounded parsing of JSON, with a lenient second attempt (P45, DI-03, DI-07).
//!
//! `serde_json` alone would silently take the last of two members with the same name and would
//! apply its own depth limit. Here both are reported, because both are errors of the document.
//!
//! A text that strict parsing refuses is parsed a second time. Numbers beyond the range of a double
//! and halves of surrogate pairs are valid in the JSON grammar, so they are only warnings: the
//! nearest double and U+FFFD replace them. Everything else is invalid. It is parsed as JSON5 if
//! possible, but the document is never valid.

use crate::finding::{Findings, more};
use crate::rule::document::{DI_03, DI_07};
use crate::{Finding, position};
use jsonc_parser::ast;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::map::Entry;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt;

mod diagnosis;
mod fault;
mod lenient;
pub(crate) mod locate;
mod repair;
pub(crate) mod rewrite;
#[cfg(test)]
mod tests;

/// Maximum nesting that is read (P45).
pub(crate) const MAX_DEPTH: usize = 64;
/// Maximum number of values in one document (P45).
pub(crate) const MAX_NODES: usize = 100_000;
/// Maximum number of duplicate members that are reported one by one.
const MAX_DUPLICATES: usize = 200;

/// Result of parsing a text.
#[derive(Debug)]
pub(crate) struct ParsedJson {
    /// The value; `None` if nothing can be read.
    pub(crate) value: Option<Value>,
    /// The repaired text that was parsed instead; it has the same length.
    pub(crate) mended: Option<String>,
}

/// Parses `text` and reports what is wrong with it.
pub(crate) fn parse(text: &str, findings: &mut Findings) -> ParsedJson {
    let (value, mended) = match strict(text, findings) {
        Ok(value) => (Some(value), None),
        Err(Fault::Bounds(message)) => {
            findings.add(&DI_03, "", message);
            (None, None)
        }
        Err(Fault::Syntax { offset, message }) => match legal(text, findings) {
            Some((fitted, value)) => (Some(value), Some(fitted)),
            None => malformed(text, offset, &message, findings),
        },
    };
    ParsedJson { value, mended }
}

/// Parses text that is valid in the JSON grammar but has values that Rust cannot represent.
fn legal(text: &str, findings: &mut Findings) -> Option<(String, Value)> {
    let whole = repair::surrogates(text);
    let small = repair::numbers(whole.as_ref().map_or(text, |mended| &mended.text));
    let fitted = small.as_ref().or(whole.as_ref())?;
    let value = strict(&fitted.text, findings).ok()?;
    let half = "half of a surrogate pair is not a character; write the whole character";
    let large = "the number is too large for a 64-bit float, so the nearest one is used";
    for (mended, message) in [(&whole, half), (&small, large)] {
        if let Some(mended) = mended {
            findings.push(repaired(text, mended.first, message));
        }
    }
    let fitted = small.or(whole)?;
    Some((fitted.text, value))
}

/// Parses a text that is not JSON with a lenient parser, as far as possible.
fn malformed(
    text: &str,
    offset: usize,
    message: &str,
    findings: &mut Findings,
) -> (Option<Value>, Option<String>) {
    let whole = match repair::surrogates(text) {
        Some(mended) => Cow::Owned(mended.text),
        None => Cow::Borrowed(text),
    };
    let mended = lenient::mended(whole);
    let fault = diagnosis::first_fault(text);
    let fault = fault.unwrap_or_else(|| fault::Fault::new(offset, message));
    let mut faults = Findings::default();
    let value = lenient::parse(&mended).and_then(|tree| value_of(&tree, &mut faults));
    let line = |offset: usize| position::at(text, offset).0;
    let is_stopped = value.is_none() && fault.is_read_past;
    let obstacle = lenient::obstacle(&mended).filter(|_| is_stopped);
    if let Some((at, reason)) = obstacle
        && line(at) != line(fault.offset)
    {
        let reason = reason.to_lowercase();
        let problem = format!("nothing can be read from here on: {reason}");
        fault::Fault::new(at, problem).report(text, findings);
    }
    fault.report(text, findings);
    findings.extend(faults);
    let is_as_served = matches!(mended, Cow::Borrowed(_));
    (value, (!is_as_served).then(|| mended.into_owned()))
}

/// Returns the value of a tree, within the same bounds as that of strict JSON.
fn value_of(tree: &ast::Value<'_>, findings: &mut Findings) -> Option<Value> {
    let mut state = State::default();
    let value = Seed { state: &mut state }.deserialize(lenient::Node(tree));
    state.report(findings);
    value.ok()
}

fn repaired(text: &str, offset: usize, message: &str) -> Finding {
    let (line, column) = position::at(text, offset);
    Finding {
        column: Some(column),
        ..Finding::at_line(DI_07.warning(), line, message)
    }
}

/// Escapes `~` and `/` in a step of a JSON Pointer (RFC 6901).
pub(crate) fn escape(key: &str) -> Cow<'_, str> {
    if key.contains(['~', '/']) {
        Cow::Owned(key.replace('~', "~0").replace('/', "~1"))
    } else {
        Cow::Borrowed(key)
    }
}

/// Names the type of a value, with its article, for messages.
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
    Syntax { offset: usize, message: String },
}

fn strict(text: &str, findings: &mut Findings) -> Result<Value, Fault> {
    let mut state = State::default();
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let parsed = Seed { state: &mut state }
        .deserialize(&mut deserializer)
        .and_then(|value| deserializer.end().map(|()| value));
    match (parsed, &mut state.exceeded) {
        (Ok(value), _) => {
            state.report(findings);
            Ok(value)
        }
        (Err(_), Some(message)) => Err(Fault::Bounds(std::mem::take(message))),
        (Err(error), None) => Err(Fault::Syntax {
            offset: position::offset(text, error.line(), error.column()),
            message: bare(&error.to_string()).to_owned(),
        }),
    }
}

/// Returns an error's message without its position, which a finding states itself.
fn bare(message: &str) -> &str {
    message.split(" at line ").next().unwrap_or(message)
}

/// State of a parse in progress.
#[derive(Default)]
struct State {
    nodes: usize,
    depth: usize,
    path: Vec<Step>,
    duplicates: Vec<String>,
    more_duplicates: usize,
    exceeded: Option<String>,
}

/// A step of the path to the value that is being read.
enum Step {
    Member(String),
    Item(usize),
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

    /// Reports duplicates and exceeded bounds.
    fn report(self, findings: &mut Findings) {
        for pointer in self.duplicates {
            let message = "given twice in this object; the last one is used, so remove the other";
            findings.add(&DI_07, pointer, message);
        }
        if self.more_duplicates > 0 {
            findings.push(more("members given twice", self.more_duplicates));
        }
        if let Some(message) = self.exceeded {
            findings.add(&DI_03, "", message);
        }
    }

    fn note_duplicate(&mut self, key: &str) {
        if self.duplicates.len() >= MAX_DUPLICATES {
            self.more_duplicates += 1;
        } else {
            let steps = self.path.iter().map(|step| match step {
                Step::Member(name) => format!("/{}", escape(name)),
                Step::Item(index) => format!("/{index}"),
            });
            let last = format!("/{}", escape(key));
            self.duplicates.push(steps.chain([last]).collect());
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
        state.path.push(Step::Item(0));
        while let Some(item) = items.next_element_seed(Seed { state })? {
            array.push(item);
            if let Some(step) = state.path.last_mut() {
                *step = Step::Item(array.len());
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
            state.path.push(Step::Member(key));
            let value = members.next_value_seed(Seed { state })?;
            if let Some(Step::Member(key)) = state.path.pop() {
                match object.entry(key) {
                    Entry::Vacant(place) => {
                        place.insert(value);
                    }
                    Entry::Occupied(mut place) => {
                        state.note_duplicate(place.key());
                        place.insert(value);
                    }
                }
            }
        }
        state.depth -= 1;
        Ok(Value::Object(object))
    }
}
