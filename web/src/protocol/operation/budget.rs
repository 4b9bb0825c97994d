//! Limit on the length of an answer, for readers with little space.
//!
//! What is least needed is left out first. A list or an object becomes empty and a text shorter, so
//! that the answer keeps its schema.

use serde_json::{Map, Value};

/// Member that names what is left out.
pub(super) const LEFT_OUT: &str = "left_out";

/// Characters to which texts are cut at last.
const SHORT_TEXT: usize = 200;

/// Way to make an answer shorter.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Empties the list or object at a pointer.
    Empty(&'static str),
    /// Thins out the objects of a list: members that are lists become empty, others are optional and
    /// removed.
    Thin(&'static str, &'static [&'static str]),
    /// Removes an optional member.
    Without(&'static str),
    /// Shortens a list at its end, as far as needed.
    Shorten(&'static str),
    /// Cuts all texts of several words.
    Cut,
}

use Step::{Cut, Empty, Shorten, Thin, Without};

const SEARCH: &[Step] = &[
    Empty("/facets"),
    Empty("/more_from_site"),
    Empty("/nearest_capabilities"),
    Cut,
];

const AGENT: &[Step] = &[
    Empty("/evidence/provenance"),
    Without("specified"),
    Without("extensions"),
    Without("translations"),
    Empty("/evidence/sources"),
    Without("graph"),
    Thin(
        "/capabilities",
        &["translations", "extensions", "output_schema", "examples"],
    ),
    Empty("/signatures"),
    Empty("/policies"),
    Thin("/capabilities", &["input_schema", "params"]),
    Shorten("/capabilities"),
    Shorten("/tags"),
    Shorten("/payments"),
    Without("connect"),
    Shorten("/interfaces"),
    Shorten("/auth"),
    Cut,
];

const REPORT: &[Step] = &[
    Thin("/documents", &["mentions"]),
    Shorten("/conflicts"),
    Shorten("/documents"),
    Cut,
];

/// List whose pages are shorter if the answer would be too long.
const CAPABILITIES: &str = "/capabilities";

/// Limit on the answers of one endpoint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fit {
    steps: &'static [Step],
    is_paged: bool,
    budget: usize,
}

impl Fit {
    /// Creates the limit for an endpoint below the base of the API.
    pub(super) fn new(path: &str, budget: usize) -> Self {
        let steps = match path {
            "/search" => SEARCH,
            "/agents/{domain}/{slug}" => AGENT,
            "/sites/{domain}/report" => REPORT,
            _ => &[Cut],
        };
        Self {
            steps,
            is_paged: path == CAPABILITIES,
            budget,
        }
    }

    /// Returns the number of items of a page that fits, if this one is too long. Such a page is asked
    /// for again, because it names the next one.
    pub(super) fn smaller_limit(&self, body: &Value) -> Option<usize> {
        let excess = length(body).checked_sub(self.budget + 1)?;
        let items = body.pointer(CAPABILITIES).filter(|_| self.is_paged)?;
        let items = items.as_array()?;
        let mut saved = 0;
        let removed = items.iter().rev().take_while(|item| {
            let is_needed = saved <= excess;
            saved += length(item) + 1;
            is_needed
        });
        Some(items.len().saturating_sub(removed.count()).max(1))
    }

    /// Makes an answer short enough, if it is too long.
    pub(super) fn apply(&self, body: &mut Value) {
        let mut left_out: Vec<String> = Vec::new();
        for step in self.steps {
            let space = self.budget.saturating_sub(length_of_note(&left_out));
            let excess = match length(body).checked_sub(space) {
                None | Some(0) => break,
                Some(excess) => excess,
            };
            left_out.extend(step.apply(body, excess));
        }
        if !left_out.is_empty()
            && let Some(members) = body.as_object_mut()
        {
            members.insert(LEFT_OUT.to_owned(), left_out.into());
        }
    }
}

impl Step {
    /// Applies the step, and returns the names of what it leaves out.
    fn apply(self, body: &mut Value, excess: usize) -> Vec<String> {
        match self {
            Empty(pointer) => match body.pointer_mut(pointer) {
                Some(Value::Array(items)) if !items.is_empty() => items.clear(),
                Some(Value::Object(members)) if !members.is_empty() => members.clear(),
                _ => return Vec::new(),
            },
            Without(name) => {
                let members = body.as_object_mut();
                if members.and_then(|it| it.shift_remove(name)).is_none() {
                    return Vec::new();
                }
                return vec![format!("/{name}")];
            }
            Thin(pointer, names) => return thin(body, pointer, names),
            Shorten(pointer) => {
                let Some(Value::Array(items)) = body.pointer_mut(pointer) else {
                    return Vec::new();
                };
                // What names this list among those left out, at most.
                let excess = excess + pointer.len() + LEFT_OUT.len() + 16;
                let mut saved = 0;
                let before = items.len();
                while saved < excess
                    && let Some(item) = items.pop()
                {
                    saved += length(&item) + 1;
                }
                if items.len() == before {
                    return Vec::new();
                }
            }
            Cut => {
                return if cut(body) {
                    vec!["texts".to_owned()]
                } else {
                    Vec::new()
                };
            }
        }
        match self {
            Empty(pointer) | Shorten(pointer) => vec![pointer.to_owned()],
            Thin(..) | Without(_) | Cut => Vec::new(),
        }
    }
}

/// Thins out the objects of a list, and returns the pointers of the members that were there.
fn thin(body: &mut Value, pointer: &str, names: &[&str]) -> Vec<String> {
    let items = body.pointer_mut(pointer).and_then(Value::as_array_mut);
    let mut objects: Vec<&mut Map<String, Value>> = items
        .into_iter()
        .flatten()
        .filter_map(Value::as_object_mut)
        .collect();
    let mut thinner = Vec::new();
    for name in names {
        let mut is_thinner = false;
        for object in &mut objects {
            is_thinner |= match object.get_mut(*name) {
                Some(Value::Array(items)) => items.drain(..).count() > 0,
                _ => object.shift_remove(*name).is_some(),
            };
        }
        if is_thinner {
            thinner.push(format!("{pointer}/*/{name}"));
        }
    }
    thinner
}

/// Cuts texts of several words, and reports whether there was a long one. Names, addresses and times
/// are single words.
fn cut(value: &mut Value) -> bool {
    match value {
        Value::String(text) if text.contains(' ') && text.chars().count() > SHORT_TEXT => {
            let mut short: String = text.chars().take(SHORT_TEXT - 1).collect();
            short.push('…');
            *text = short;
            true
        }
        Value::Array(items) => items.iter_mut().fold(false, |any, item| cut(item) | any),
        Value::Object(members) => {
            let values = members.values_mut();
            values.fold(false, |any, value| cut(value) | any)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Returns the number of characters of the member that names what is left out.
fn length_of_note(left_out: &[String]) -> usize {
    if left_out.is_empty() {
        return 0;
    }
    let names: usize = left_out.iter().map(|it| it.chars().count() + 3).sum();
    names + LEFT_OUT.len() + 6
}

/// Returns the number of characters of a value as JSON.
fn length(value: &Value) -> usize {
    value.to_string().chars().count()
}
