//! Nothing is dropped silently: each value of the source is in the result, or a finding names it.

use super::report::Report;
use crate::{json, text};
use serde_json::Value;
use std::collections::HashSet;

/// Most members that are named one by one; the others are counted.
const MOST: usize = 100;

/// True when `place` is the one at `pointer`, or below it.
pub(super) fn is_at(place: &str, pointer: &str) -> bool {
    let rest = place.strip_prefix(pointer);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Reports each member of `source` that `written` does not say (CV-01), whole objects at once.
pub(super) fn account(written: &Value, source: &Value, report: &mut Report<'_>) {
    let mut account = Account {
        said: Said::default(),
        told: report.told(),
        lost: Vec::new(),
    };
    account.said.add("", written);
    account.walk(source, "", "");
    let more = account.lost.len().saturating_sub(MOST);
    for Lost { pointer, name } in account.lost.into_iter().take(MOST) {
        report.lost(&pointer, format!("the member {name:?} as it stands"));
    }
    if more > 0 {
        report.lost("", format!("{more} more members as they stand"));
    }
}

/// Every value of the result.
#[derive(Default)]
struct Said {
    texts: HashSet<String>,
    others: HashSet<(String, String)>,
}

impl Said {
    fn add(&mut self, name: &str, value: &Value) {
        match value {
            Value::Object(members) => {
                for (name, value) in members {
                    self.add(name, value);
                }
            }
            Value::Array(items) => items.iter().for_each(|it| self.add(name, it)),
            Value::String(text) => {
                self.texts.insert(plain(text));
            }
            other => {
                self.others.insert((name.to_owned(), other.to_string()));
            }
        }
    }

    fn has(&self, name: &str, value: &Value) -> bool {
        match value {
            Value::String(text) => text.is_empty() || self.texts.contains(&plain(text)),
            Value::Null => true,
            other => self.others.contains(&(name.to_owned(), other.to_string())),
        }
    }
}

struct Account {
    said: Said,
    /// Places of which something is told already.
    told: HashSet<String>,
    lost: Vec<Lost>,
}

struct Lost {
    pointer: String,
    name: String,
}

/// What became of the values in a part of the source.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// There are none.
    Empty,
    Said,
    Lost,
}

impl Account {
    /// Notes what is lost at and below `pointer`; where all of a part is, the part.
    fn walk(&mut self, value: &Value, name: &str, pointer: &str) -> Fate {
        if self.told.contains(pointer) {
            return Fate::Said;
        }
        let before = self.lost.len();
        let fates: Vec<Fate> = match value {
            Value::Object(members) => members
                .iter()
                .map(|(name, value)| {
                    self.walk(value, name, &format!("{pointer}/{}", json::escape(name)))
                })
                .collect(),
            Value::Array(items) => items
                .iter()
                .enumerate()
                .map(|(index, value)| self.walk(value, name, &format!("{pointer}/{index}")))
                .collect(),
            leaf if self.said.has(name, leaf) => return Fate::Said,
            _ => vec![Fate::Lost],
        };
        if !fates.contains(&Fate::Lost) {
            return if fates.contains(&Fate::Said) {
                Fate::Said
            } else {
                Fate::Empty
            };
        }
        if fates.contains(&Fate::Said) {
            return Fate::Said;
        }
        self.lost.truncate(before);
        self.lost.push(Lost {
            pointer: pointer.to_owned(),
            name: name.to_owned(),
        });
        Fate::Lost
    }
}

/// The form in which a text is the same after cleaning and after being read as an address.
fn plain(text: &str) -> String {
    let text = text::clean(text, usize::MAX);
    text.trim_end_matches('/').to_lowercase()
}

/// Reports each line of `source` of which a value is not in `written` (CV-01).
pub(super) fn account_for_lines(written: &str, source: &str, report: &mut Report<'_>) {
    let written = plain(written);
    let told = report.told();
    let is_said = |part: &str| written.contains(&plain(part));
    let mut lost = Vec::new();
    for (line, number) in source.lines().zip(1..) {
        let place = format!("line:{number}");
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') || told.contains(&place) {
            continue;
        }
        let value = line.split_once(':').map_or(line, |(_, value)| value);
        let value = value.split(" #").next().unwrap_or_default();
        let parts = value.split([',', '→']).flat_map(|it| it.split("->"));
        if !parts.map(str::trim).all(is_said) {
            lost.push((place, line));
        }
    }
    let more = lost.len().saturating_sub(MOST);
    for (place, line) in lost.into_iter().take(MOST) {
        report.lost(
            &place,
            format!("the line {:?} as it stands", text::clean(line, 60)),
        );
    }
    if more > 0 {
        report.lost("", format!("{more} more lines as they stand"));
    }
}
