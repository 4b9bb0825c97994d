//! Panics as values: an internal error in one document does not stop work on the others.
//!
//! No input is known that makes reading, merging or converting panic; tests and fuzzers look for
//! one. If it happens after all, the document gets a finding of rule DI-11 and no agents, and the
//! caller continues with the next document.

use crate::rule::document::DI_11;
use crate::{Finding, FormatId, Reading};
use std::cell::{Cell, RefCell};
use std::fmt::{self, Display};
use std::panic::{AssertUnwindSafe, Location, catch_unwind, set_hook, take_hook};

#[cfg(test)]
mod tests;

thread_local! {
    /// True while [`contained`] is running on this thread.
    static IS_CONTAINED: Cell<bool> = const { Cell::new(false) };
    /// Location of the last contained panic.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// A panic that was contained.
/// Its message is left out, because messages of the standard library quote the text at hand, which
/// may contain a secret.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fault {
    /// File and line of the source code, if [`quiet`] was called before.
    place: Option<String>,
}

impl Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(formatter, "an internal error at {place}"),
            None => formatter.write_str("an internal error"),
        }
    }
}

impl std::error::Error for Fault {}

/// Runs `work` and converts a panic into a [`Fault`].
///
/// After a fault, values that `work` was changing may be half changed.
pub fn contained<T>(work: impl FnOnce() -> T) -> Result<T, Fault> {
    let outer = IS_CONTAINED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    IS_CONTAINED.set(outer);
    result.map_err(|_| Fault {
        place: PLACE.take(),
    })
}

/// Keeps contained panics off standard error and records their locations.
///
/// A program calls it once at its start; a library does not set the panic hook. Any other panic
/// goes to the previous hook.
pub fn quiet() {
    let before = take_hook();
    set_hook(Box::new(move |panic| {
        if IS_CONTAINED.get() {
            PLACE.set(panic.location().map(place));
        } else {
            before(panic);
        }
    }));
}

/// Formats a location so that it is the same on every machine.
fn place(location: &Location<'_>) -> String {
    format!("{}:{}", short(location.file()), location.line())
}

/// Returns the path of a source file below its crate; the directories above belong to the build
/// machine.
fn short(file: &str) -> &str {
    if !file.starts_with('/') {
        return file;
    }
    let source = file.rfind("/src/").unwrap_or(file.len());
    let slash = file[..source].rfind('/');
    slash.map_or(file, |slash| &file[slash + 1..])
}

impl Fault {
    /// Creates the finding for the document's owner; `what` is the work that failed.
    pub(crate) fn finding(&self, what: &str) -> Finding {
        let message = format!("{what} failed: {self}; this document is not at fault");
        Finding::new(&DI_11, "", message)
    }

    /// Creates the reading of a document that was detected as `format` before the fault.
    pub(crate) fn reading(&self, format: FormatId) -> Reading {
        Reading {
            format,
            generation: None,
            agents: Vec::new(),
            findings: vec![self.finding("reading it")],
            references: Vec::new(),
            mentions: Vec::new(),
            is_complete: false,
        }
    }
}

impl Finding {
    /// Reports whether the finding is an internal error, which the document's owner cannot correct
    /// (DI-11).
    pub fn is_ours(&self) -> bool {
        *self.rule == DI_11
    }
}

impl Reading {
    /// Returns the message of an internal error, if reading the document failed with one.
    pub fn fault(&self) -> Option<&str> {
        let ours = self.findings.iter().find(|finding| finding.is_ours());
        ours.map(|finding| finding.message.as_str())
    }
}
