//! The values that a document states: its leaves.

use super::parts::{Owner, Parts};
use crate::body::{Body, Content};
use crate::shape::{Gives, Row};
use crate::{json, text};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Maximum number of items of a list of texts or numbers that is kept whole.
const MAX_WHOLE: usize = 20;

/// One value that a document states.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaf<'p, 'v> {
    /// Position: a JSON pointer, or `line:N`.
    pub(super) place: &'p str,
    pub(super) value: Scalar<'v>,
    /// The agent or capability in whose part of the document it stands; none outside of all.
    pub(super) owner: Option<Owner>,
    /// Facts that the row of its member gives.
    pub(super) gives: Gives,
}

/// The value of a leaf.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scalar<'v> {
    Text(&'v str),
    /// A number, `true` or `false`.
    Other(&'v Value),
}

impl<'v> Leaf<'_, 'v> {
    /// Returns the value as text.
    pub(super) fn text(&self) -> Cow<'v, str> {
        match self.value {
            Scalar::Text(text) => Cow::Borrowed(text),
            Scalar::Other(value) => Cow::Owned(value.to_string()),
        }
    }
}

/// Passes each value of a document to `add`, in order.
pub(super) fn of_body<'v>(
    body: &'v Body<'_>,
    parts: &Parts<'_>,
    add: &mut impl FnMut(Leaf<'_, 'v>),
) {
    match &body.content {
        Content::Json(value) => Walk {
            parts,
            at: String::new(),
            add,
        }
        .value(value, parts.row_of_document(), None),
        Content::Text => of_text(&body.text, add),
        Content::Html | Content::Nothing => {}
    }
}

/// Passes each value of a part of a JSON document to `add`, in order.
pub(super) fn of_value<'v>(value: &'v Value, add: &mut impl FnMut(Leaf<'_, 'v>)) {
    let walk = Walk {
        parts: &Parts::default(),
        at: String::new(),
        add,
    };
    { walk }.value(value, Row::NONE, None);
}

/// Walk over the values of a JSON document.
///
/// Null, blank strings and empty lists and objects state nothing. The depth is that of a parsed
/// document, which is bounded.
struct Walk<'w, A> {
    parts: &'w Parts<'w>,
    /// JSON pointer of the value that is looked at.
    at: String,
    add: &'w mut A,
}

impl<'v, A: FnMut(Leaf<'_, 'v>)> Walk<'_, A> {
    fn value(&mut self, value: &'v Value, row: Row, owner: Option<Owner>) {
        match value {
            Value::Object(members) => {
                let (row, owner) = match self.parts.part(&self.at) {
                    Some((own, of_part)) => (own.unwrap_or(row), Some(of_part)),
                    None => (row, owner),
                };
                for (name, value) in members {
                    let row = row.member(name, value);
                    self.inner(format_args!("{}", json::escape(name)), value, row, owner);
                }
            }
            Value::Array(items) => {
                let row = row.item();
                for (index, value) in items.iter().enumerate() {
                    self.inner(format_args!("{index}"), value, row, owner);
                }
            }
            Value::Null => {}
            Value::String(text) if text.trim().is_empty() => {}
            Value::String(text) => self.leaf(value, Scalar::Text(text), row, owner),
            Value::Bool(_) | Value::Number(_) => self.leaf(value, Scalar::Other(value), row, owner),
        }
    }

    fn inner(
        &mut self,
        step: std::fmt::Arguments<'_>,
        value: &'v Value,
        row: Row,
        owner: Option<Owner>,
    ) {
        let outer = self.at.len();
        let _ = write!(self.at, "/{step}");
        self.value(value, row, owner);
        self.at.truncate(outer);
    }

    fn leaf(&mut self, value: &'v Value, scalar: Scalar<'v>, row: Row, owner: Option<Owner>) {
        (self.add)(Leaf {
            place: &self.at,
            value: scalar,
            owner,
            gives: row.gives(value),
        });
    }
}

/// Passes each line of a text with a letter or a digit to `add`.
fn of_text<'v>(text: &'v str, add: &mut impl FnMut(Leaf<'_, 'v>)) {
    for (index, line) in text.lines().enumerate() {
        if line.chars().any(char::is_alphanumeric) {
            add(Leaf {
                place: &format!("line:{}", index + 1),
                value: Scalar::Text(line.trim()),
                owner: None,
                gives: Gives::NOTHING,
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
                // Of a short list of texts or numbers, one alone says little.
                Value::Array(items)
                    if items.len() <= MAX_WHOLE
                        && items.iter().all(|it| !it.is_object() && !it.is_array()) =>
                {
                    break;
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
        match self.value() {
            Value::Object(members) => merge(members, kept),
            Value::Array(items) => {
                kept.entry(super::ITEMS)
                    .or_insert_with(|| Value::Array(items));
            }
            _ => {}
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
