//! Changes and differences in words.

use crate::view::{self, foreign};
use manifest::ChangeClass;
use manifest::difference::{Difference, Kind};
use store::{Change, Operation};

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

/// Returns an entry of the change log in words: its kind, and its details.
pub(super) fn operation(change: &Change) -> (&'static str, String) {
    let reason = foreign(&change.reason);
    match change.op {
        Operation::Add if reason.is_empty() => ("Listed", String::new()),
        Operation::Add => ("Listed", format!("before: {reason}")),
        Operation::Update if change.classes.is_empty() => ("Changed", reason),
        Operation::Update => ("Changed", classes(&change.classes)),
        Operation::Remove => ("No longer listed", reason),
        Operation::Status => ("Status", reason),
        Operation::OptOut => ("Left", reason),
        Operation::Restore => ("Listed again", reason),
    }
}

/// Lists classes of changes.
pub(super) fn classes(classes: &[ChangeClass]) -> String {
    let words: Vec<_> = classes.iter().map(|it| class(*it)).collect();
    words.join(", ")
}

fn class(class: ChangeClass) -> &'static str {
    match class {
        ChangeClass::Name => "name",
        ChangeClass::Description => "description",
        ChangeClass::Capabilities => "capabilities",
        ChangeClass::Endpoint => "endpoint",
        ChangeClass::Authentication => "authentication",
        ChangeClass::Terms => "limits and policies",
        ChangeClass::Payment => "payment",
        ChangeClass::Version => "version",
        ChangeClass::Provider => "provider and links",
        ChangeClass::Signature => "signature",
        ChangeClass::Sources => "documents",
        ChangeClass::Conflicts => "contradictions between documents",
        ChangeClass::Other => "extra fields",
    }
}
