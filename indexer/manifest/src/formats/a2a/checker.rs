//! Asks for members as one generation of the specification does.
//!
//! What the generation's own schema refuses is an error, whichever rule says so; what only the
//! text advises, or FORMATS.md adds, is a warning.

use super::generation::Generation;
use crate::Severity::Error;
use crate::field::{Field, List};
use crate::finding::Findings;
use serde_json::Value;
use std::fmt::Display;

/// The findings on a card as a card of one generation.
#[derive(Debug)]
pub(super) struct Checker {
    pub(super) generation: Generation,
    pub(super) findings: Findings,
}

impl Checker {
    pub(super) fn new(generation: Generation) -> Self {
        Self {
            generation,
            findings: Findings::default(),
        }
    }

    /// True from `generation` on.
    pub(super) fn is_since(&self, generation: Generation) -> bool {
        self.generation >= generation
    }

    /// A text that must be there and says nothing when it is empty.
    pub(super) fn text(
        &mut self,
        field: &Field<String>,
        rule: &str,
        pointer: impl Display,
        what: &str,
    ) {
        field.require_text(rule, Error, pointer, what, &mut self.findings);
    }

    /// A text for people: it must be there if `is_required`, and had better not be empty.
    pub(super) fn prose(
        &mut self,
        field: &Field<String>,
        is_required: bool,
        rule: &str,
        pointer: impl Display,
        what: &str,
    ) {
        if is_required {
            self.required(field, rule, &pointer, what);
        } else {
            self.optional(field, rule, &pointer, what);
            if field.is_absent() {
                let message = format!("missing; give {what}");
                self.findings.warn(rule, &pointer, message);
            }
        }
        if field.get().is_some_and(|text| text.trim().is_empty()) {
            let message = format!("empty; give {what}");
            self.findings.warn(rule, pointer, message);
        }
    }

    /// A member that must be there, of its type.
    pub(super) fn required<'m, T>(
        &mut self,
        field: &'m Field<T>,
        rule: &str,
        pointer: impl Display,
        what: &str,
    ) -> Option<&'m T> {
        field.require(rule, Error, pointer, what, &mut self.findings)
    }

    /// A member that may be missing.
    ///
    /// Since 1.0 null says the same, as in all JSON of protocol buffers; the schemas before refuse it.
    pub(super) fn optional<'m, T>(
        &mut self,
        field: &'m Field<T>,
        rule: &str,
        pointer: impl Display,
        what: &str,
    ) -> Option<&'m T> {
        if matches!(field, Field::Wrong(Value::Null)) && !self.is_since(Generation::V1) {
            let message = format!("null; leave it out, or give {what}");
            self.findings.error(rule, &pointer, message);
        }
        field.check(rule, Error, pointer, what, &mut self.findings)
    }

    /// The items of a list, each of which must be `what`.
    pub(super) fn items<T>(
        &mut self,
        list: &List<T>,
        rule: &str,
        pointer: impl Display,
        what: &str,
    ) {
        let items = list.get().map_or(&[][..], Vec::as_slice);
        for (index, item) in items.iter().enumerate() {
            let pointer = format_args!("{pointer}/{index}");
            item.require(rule, Error, pointer, what, &mut self.findings);
        }
    }

    /// A list of texts that may be missing.
    pub(super) fn texts(&mut self, list: &List<String>, rule: &str, pointer: impl Display) {
        self.optional(list, rule, &pointer, "a list of strings");
        self.items(list, rule, pointer, "a string");
    }
}
