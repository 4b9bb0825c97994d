//! Check that each value of the source is in the result or named by a finding.

use super::losses::Report;
use crate::{json, text};
use serde_json::Value;
use std::collections::HashSet;

/// Maximum number of lost members that are named one by one; the rest is counted.
const MOST: usize = 10_000;

/// Reports whether `place` is at or below `pointer`.
pub(super) fn is_at(place: &str, pointer: &str) -> bool {
    let rest = place.strip_prefix(pointer);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Reports each member of `source` that is not in `written` (CV-01). If all of an object is lost,
/// it is reported as one.
pub(super) fn account(written: &Value, source: &Value, report: &mut Report<'_>) {
    let mut account = Account {
        written: Values::default(),
        reported: report.covered(),
        lost: Vec::new(),
    };
    account.written.add("", written);
    account.walk(source, "", "");
    let more = account.lost.len().saturating_sub(MOST);
    for Lost { pointer, name } in account.lost.into_iter().take(MOST) {
        report.lost(&pointer, format!("the member {name:?} as it was published"));
    }
    if more > 0 {
        report.lost("", format!("{more} more members as they were published"));
    }
}

/// Every value of the result.
#[derive(Default)]
struct Values {
    texts: HashSet<String>,
    others: HashSet<(String, String)>,
}

impl Values {
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
    written: Values,
    /// Positions that a finding covers already.
    reported: HashSet<String>,
    lost: Vec<Lost>,
}

struct Lost {
    pointer: String,
    name: String,
}

/// Result for the values in a part of the source.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Coverage {
    /// The part has no values.
    Empty,
    Written,
    Lost,
}

impl Account {
    /// Records what is lost at and below `pointer`; a part that is lost entirely is recorded as
    /// one.
    fn walk(&mut self, value: &Value, name: &str, pointer: &str) -> Coverage {
        if self.reported.contains(pointer) {
            return Coverage::Written;
        }
        let before = self.lost.len();
        let fates: Vec<Coverage> = match value {
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
            leaf if self.written.has(name, leaf) => return Coverage::Written,
            _ => vec![Coverage::Lost],
        };
        if !fates.contains(&Coverage::Lost) {
            return if fates.contains(&Coverage::Written) {
                Coverage::Written
            } else {
                Coverage::Empty
            };
        }
        if fates.contains(&Coverage::Written) {
            return Coverage::Written;
        }
        self.lost.truncate(before);
        self.lost.push(Lost {
            pointer: pointer.to_owned(),
            name: name.to_owned(),
        });
        Coverage::Lost
    }
}

/// Normalizes a text to the form in which it is compared: cleaned, in lower case, without a
/// trailing slash.
fn plain(text: &str) -> String {
    let text = text::clean(text, usize::MAX);
    text.trim_end_matches('/').to_lowercase()
}

/// Reports each line of `source` that has a value that is not in `written` (CV-01).
pub(super) fn account_for_lines(written: &str, source: &str, report: &mut Report<'_>) {
    let written = plain(written);
    let reported = report.covered();
    let is_written = |part: &str| written.contains(&plain(part));
    let mut lost = Vec::new();
    for (line, number) in source.lines().zip(1..) {
        let place = format!("line:{number}");
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') || reported.contains(&place) {
            continue;
        }
        let value = line.split_once(':').map_or(line, |(_, value)| value);
        let value = value.split(" #").next().unwrap_or_default();
        let parts = value.split([',', '→']).flat_map(|it| it.split("->"));
        if !parts.map(str::trim).all(is_written) {
            lost.push((place, line));
        }
    }
    let more = lost.len().saturating_sub(MOST);
    for (place, line) in lost.into_iter().take(MOST) {
        report.lost(
            &place,
            format!("the line {:?} as it was published", text::clean(line, 60)),
        );
    }
    if more > 0 {
        report.lost("", format!("{more} more lines as they were published"));
    }
}
