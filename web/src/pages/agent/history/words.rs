//! Differences in words.

use crate::view::{self, foreign};
use manifest::difference::{Difference, Kind};

/// Longest value of a difference, in characters.
const MAX_VALUE: usize = 200;

/// Difference in one fact, with a sign that does not depend on colour.
#[derive(Debug)]
pub(super) struct DifferenceView {
    /// `added`, `removed` or `changed`.
    pub(super) kind: &'static str,
    /// `+`, `−` or `≠`.
    pub(super) mark: &'static str,
    /// Noun for the fact.
    pub(super) fact: &'static str,
    /// The value, the earlier value, or the name.
    pub(super) value: String,
    /// The later value.
    pub(super) now: Option<String>,
    /// Details that differ.
    pub(super) details: Option<String>,
}

impl DifferenceView {
    pub(super) fn of(difference: &Difference) -> Self {
        let shown = |text: &str| view::shortened(&foreign(text), MAX_VALUE);
        let (kind, mark, value, now, details) = match &difference.kind {
            Kind::Added(value) => ("added", "+", shown(value), None, None),
            Kind::Removed(value) => ("removed", "−", shown(value), None, None),
            Kind::Replaced { before, after } => {
                ("changed", "≠", shown(before), Some(shown(after)), None)
            }
            Kind::Renamed { before, after } => {
                ("renamed", "≠", shown(before), Some(shown(after)), None)
            }
            Kind::Altered { name, details } => {
                ("changed", "≠", shown(name), None, Some(details.join(", ")))
            }
        };
        Self {
            kind,
            mark,
            fact: difference.fact,
            value,
            now,
            details,
        }
    }
}
