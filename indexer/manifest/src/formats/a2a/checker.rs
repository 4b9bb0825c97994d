//! Checks of a card's members against one generation of the specification.
//!
//! A violation of the generation's own schema is an error, under any rule. A violation of advice in
//! the specification's text, or of a rule of Agentdex alone, is a warning.

use super::generation::Generation;
use crate::field::{Field, List};
use crate::finding::Findings;
use crate::rule::Rule;
use serde_json::Value;
use std::fmt::Display;

/// Collector of the findings on a card as a card of one generation.
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

    /// Reports whether the card is checked as one of `generation` or a later one.
    pub(super) fn is_since(&self, generation: Generation) -> bool {
        self.generation >= generation
    }

    /// Checks a required text that must not be empty.
    pub(super) fn text(
        &mut self,
        field: &Field<String>,
        rule: &'static Rule,
        pointer: impl Display,
        what: &str,
    ) {
        field.require_text(rule, pointer, what, &mut self.findings);
    }

    /// Checks a text for people: its absence is an error if `is_required`, else a warning; an empty
    /// text is a warning.
    pub(super) fn prose(
        &mut self,
        field: &Field<String>,
        is_required: bool,
        rule: &'static Rule,
        pointer: impl Display,
        what: &str,
    ) {
        if is_required {
            self.required(field, rule, &pointer, what);
        } else {
            self.optional(field, rule, &pointer, what);
            if field.is_absent() {
                let message = format!("missing; give {what}");
                self.findings.add(rule.warning(), &pointer, message);
            }
        }
        if field.get().is_some_and(|text| text.trim().is_empty()) {
            let message = format!("empty; give {what}");
            self.findings.add(rule.warning(), pointer, message);
        }
    }

    /// Checks a required member and its type; returns it if it is valid.
    pub(super) fn required<'m, T>(
        &mut self,
        field: &'m Field<T>,
        rule: &'static Rule,
        pointer: impl Display,
        what: &str,
    ) -> Option<&'m T> {
        field.require(rule, pointer, what, &mut self.findings)
    }

    /// Checks the type of an optional member; returns it if it is valid.
    ///
    /// Since 1.0 null counts as absent, as in all JSON of protocol buffers; earlier schemas reject
    /// it.
    pub(super) fn optional<'m, T>(
        &mut self,
        field: &'m Field<T>,
        rule: &'static Rule,
        pointer: impl Display,
        what: &str,
    ) -> Option<&'m T> {
        if matches!(field, Field::Wrong(Value::Null)) && !self.is_since(Generation::V1) {
            let message = format!("null; leave it out, or give {what}");
            self.findings.add(rule, &pointer, message);
        }
        field.check(rule, pointer, what, &mut self.findings)
    }

    /// Checks that each item of a list is `what`.
    pub(super) fn items<T>(
        &mut self,
        list: &List<T>,
        rule: &'static Rule,
        pointer: impl Display,
        what: &str,
    ) {
        let items = list.get().map_or(&[][..], Vec::as_slice);
        for (index, item) in items.iter().enumerate() {
            let pointer = format_args!("{pointer}/{index}");
            item.require(rule, pointer, what, &mut self.findings);
        }
    }

    /// Checks an optional list of texts.
    pub(super) fn texts(
        &mut self,
        list: &List<String>,
        rule: &'static Rule,
        pointer: impl Display,
    ) {
        self.optional(list, rule, &pointer, "a list of strings");
        self.items(list, rule, pointer, "a string");
    }
}
