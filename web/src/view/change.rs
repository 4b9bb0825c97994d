//! Entries of the change log in words.

use super::foreign;
use manifest::ChangeClass;
use store::{Change, Operation};

/// Returns an entry of the change log in words: its kind, and its details.
pub(crate) fn operation(change: &Change) -> (&'static str, String) {
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
pub(crate) fn classes(classes: &[ChangeClass]) -> String {
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
