//! The values that a document states: its leaves.

use crate::body::{Body, Content};
use crate::{json, text};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// One value that a document states.
#[derive(Clone, Debug)]
pub(super) struct Leaf<'v> {
    /// Position: a JSON pointer, or `line:N`.
    pub(super) place: String,
    pub(super) value: Scalar<'v>,
}

/// The value of a leaf.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scalar<'v> {
    Text(&'v str),
    /// A number, `true` or `false`.
    Other(&'v Value),
}

impl Leaf<'_> {
    /// Returns the value as text.
    pub(super) fn text(&self) -> String {
        match self.value {
            Scalar::Text(text) => text.to_owned(),
            Scalar::Other(value) => value.to_string(),
        }
    }
}

/// Passes each value of a document to `add`, in order.
pub(super) fn of_body<'v>(body: &'v Body<'_>, add: &mut impl FnMut(Leaf<'v>)) {
    match &body.content {
        Content::Json(value) => of_value(value, add),
        Content::Text => of_text(&body.text, add),
        Content::Html | Content::Nothing => {}
    }
}

/// Passes each value of a JSON document to `add`, in order.
///
/// Null, blank strings and empty lists and objects state nothing. The depth is that of a parsed
/// document, which is bounded.
pub(super) fn of_value<'v>(value: &'v Value, add: &mut impl FnMut(Leaf<'v>)) {
    walk(value, &mut String::new(), add);
}

fn walk<'v>(value: &'v Value, at: &mut String, add: &mut impl FnMut(Leaf<'v>)) {
    let mut inner = |step: std::fmt::Arguments<'_>, value: &'v Value| {
        let outer = at.len();
        let _ = write!(at, "/{step}");
        walk(value, at, add);
        at.truncate(outer);
    };
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                inner(format_args!("{}", json::escape(name)), value);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                inner(format_args!("{index}"), value);
            }
        }
        Value::Null => {}
        Value::String(text) if text.trim().is_empty() => {}
        Value::String(text) => add(Leaf {
            place: at.clone(),
            value: Scalar::Text(text),
        }),
        Value::Bool(_) | Value::Number(_) => add(Leaf {
            place: at.clone(),
            value: Scalar::Other(value),
        }),
    }
}

/// Passes each line of a text with a letter or a digit to `add`.
fn of_text<'v>(text: &'v str, add: &mut impl FnMut(Leaf<'v>)) {
    for (index, line) in text.lines().enumerate() {
        if line.chars().any(char::is_alphanumeric) {
            add(Leaf {
                place: format!("line:{}", index + 1),
                value: Scalar::Text(line.trim()),
            });
        }
    }
}

/// Parts of a document that are kept: its values at some places, in the objects and lists around them.
#[derive(Debug, Default)]
pub(super) struct Kept(BTreeMap<Step, Self>, Option<Value>);

/// One step of a JSON pointer: the index of an item, or the name of a member.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Item(usize),
    Member(usize, String),
}

impl Kept {
    /// Adds the value at `pointer` of `document`.
    pub(super) fn add(&mut self, document: &Value, pointer: &str) {
        let (mut from, mut into) = (document, self);
        for step in pointer.split('/').skip(1) {
            let name = step.replace("~1", "/").replace("~0", "~");
            let (step, value) = match from {
                Value::Object(members) => {
                    // The order of the document is kept.
                    let Some(at) = members.keys().position(|it| *it == name) else {
                        return;
                    };
                    (Step::Member(at, name.clone()), &members[&name])
                }
                Value::Array(items) => {
                    let Some((index, value)) = name
                        .parse()
                        .ok()
                        .and_then(|at: usize| Some((at, items.get(at)?)))
                    else {
                        return;
                    };
                    (Step::Item(index), value)
                }
                _ => return,
            };
            into = into.0.entry(step).or_default();
            from = value;
        }
        into.1 = Some(from.clone());
    }

    /// Puts the values among the members of `kept`; what stands there already stays.
    pub(super) fn put(self, kept: &mut Map<String, Value>) {
        if let Value::Object(members) = self.value() {
            merge(members, kept);
        }
    }

    /// Returns the values without the items and members beside them, and without hidden characters.
    fn value(self) -> Value {
        if let Some(mut value) = self.1 {
            text::unhide(&mut value);
            return value;
        }
        let mut members = Map::new();
        let mut items = Vec::new();
        for (step, part) in self.0 {
            match step {
                Step::Item(_) => items.push(part.value()),
                Step::Member(_, name) => {
                    let name = name.chars().filter(|it| !text::is_hidden(*it)).collect();
                    members.insert(name, part.value());
                }
            }
        }
        if items.is_empty() {
            Value::Object(members)
        } else {
            Value::Array(items)
        }
    }
}

fn merge(more: Map<String, Value>, kept: &mut Map<String, Value>) {
    for (name, value) in more {
        match (kept.get_mut(&name), value) {
            (None, value) => {
                kept.insert(name, value);
            }
            (Some(Value::Object(known)), Value::Object(more)) => merge(more, known),
            (Some(_), _) => {}
        }
    }
}

/// Removes the value at `pointer` from the members of objects.
pub(super) fn remove(members: &mut Map<String, Value>, pointer: &str) {
    let Some((first, rest)) = pointer
        .strip_prefix('/')
        .map(|it| it.split_once('/').unwrap_or((it, "")))
    else {
        return;
    };
    let name = first.replace("~1", "/").replace("~0", "~");
    if rest.is_empty() {
        members.shift_remove(&name);
    } else if let Some(Value::Object(inner)) = members.get_mut(&name) {
        remove(inner, &format!("/{rest}"));
    }
}
