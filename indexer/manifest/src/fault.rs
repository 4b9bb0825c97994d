//! Panics as values: a fault of ours in one document does not stop the work on the others.
//!
//! No input is known that makes reading, merging or converting panic; tests and fuzzers look for
//! one. Where there is one after all, the document gets a finding of rule DI-11 and no agents, and
//! the caller goes on with the next document.

use crate::{Finding, FormatId, Reading, Severity};
use std::cell::{Cell, RefCell};
use std::fmt::{self, Display};
use std::panic::{AssertUnwindSafe, Location, catch_unwind, set_hook, take_hook};

#[cfg(test)]
mod tests;

/// The rule of the findings that faults become.
pub(crate) const RULE: &str = "DI-11";

thread_local! {
    /// True while a panic on this thread ends in [`contained`].
    static IS_CONTAINED: Cell<bool> = const { Cell::new(false) };
    /// Where the last contained panic began.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// A panic that was contained.
///
/// Its message is left out, because messages of the standard library quote the text at hand, which
/// may hold a secret.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fault {
    /// File and line of our source, where [`quiet`] was called before.
    place: Option<String>,
}

impl Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(formatter, "a fault of ours at {place}"),
            None => formatter.write_str("a fault of ours"),
        }
    }
}

impl std::error::Error for Fault {}

/// Does `work`, whose panic becomes a [`Fault`].
///
/// What `work` was changing may be half changed after a fault.
pub fn contained<T>(work: impl FnOnce() -> T) -> Result<T, Fault> {
    let outer = IS_CONTAINED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    IS_CONTAINED.set(outer);
    result.map_err(|_| Fault {
        place: PLACE.take(),
    })
}

/// Keeps contained panics off standard error, and notes where they begin.
///
/// A program calls it once at its start; a library has no say in the panic hook. Any other panic
/// goes to the hook that was there before.
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

/// The place as far as it is the same on every machine.
fn place(location: &Location<'_>) -> String {
    format!("{}:{}", short(location.file()), location.line())
}

/// The path of a source file from its crate on: the folders above belong to the build machine.
fn short(file: &str) -> &str {
    if !file.starts_with('/') {
        return file;
    }
    let folder = file.rfind("/src/").unwrap_or(file.len());
    let slash = file[..folder].rfind('/');
    slash.map_or(file, |slash| &file[slash + 1..])
}

impl Fault {
    /// The finding for the owner of the document; `what` broke off.
    pub(crate) fn finding(&self, what: &str) -> Finding {
        let message = format!("{what} broke off: {self}, not of this document");
        Finding::new(RULE, Severity::Error, "", message)
    }

    /// The reading of a document that was recognised as `format` before the fault.
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
    /// True for a fault of ours, of which the document's owner can mend nothing (DI-11).
    pub fn is_ours(&self) -> bool {
        self.rule == RULE
    }
}

impl Reading {
    /// What broke off, where reading the document met a fault of ours.
    pub fn fault(&self) -> Option<&str> {
        let ours = self.findings.iter().find(|finding| finding.is_ours());
        ours.map(|finding| finding.message.as_str())
    }
}
