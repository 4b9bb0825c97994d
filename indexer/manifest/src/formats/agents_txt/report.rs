//! How the rules of the dialects speak: a finding with the line and column of what is wrong.

use super::directives::Directive;
use super::lines::Place;
use super::{Directives, Manifest};
use crate::finding::Findings;
use crate::format::Input;
use crate::{Finding, Severity, link, rate, rules, text};
use std::fmt::Write as _;

/// Most findings of one kind; more of the same would tell the owner nothing new.
const MOST_ALIKE: usize = 20;

/// The file, and what is found in it.
pub(super) struct Report<'r> {
    pub(super) manifest: &'r Manifest,
    pub(super) input: &'r Input<'r>,
    pub(super) findings: &'r mut Findings,
}

impl<'r> Report<'r> {
    /// The lines outside blocks, free of the report, so that findings can be added on the way.
    pub(super) fn directives(&self) -> &'r Directives {
        &self.manifest.directives
    }

    /// Reports what stands at `place`, as grave as the catalogue says.
    pub(super) fn at(&mut self, rule: &str, place: Place, message: impl Into<String>) {
        let severity = rules::find(rule).map_or(Severity::Error, |rule| rule.severity);
        self.with(rule, severity, place, message);
    }

    /// Reports what stands at `place`, milder than the catalogue.
    pub(super) fn with(
        &mut self,
        rule: &str,
        severity: Severity,
        place: Place,
        message: impl Into<String>,
    ) {
        self.findings.push(Finding {
            column: Some(place.column),
            ..Finding::at_line(rule, severity, place.line, message)
        });
    }

    /// Reports the first of what is wrong in the same way, as grave as the catalogue says, and how many
    /// more there are.
    pub(super) fn alike<T>(
        &mut self,
        rule: &str,
        items: impl Iterator<Item = T>,
        place: impl Fn(&T) -> Place,
        message: impl Fn(&T) -> String,
    ) {
        let severity = rules::find(rule).map_or(Severity::Error, |rule| rule.severity);
        self.alike_with((rule, severity), items, place, message);
    }

    /// [`Report::alike`], milder than the catalogue.
    pub(super) fn alike_with<T>(
        &mut self,
        (rule, severity): (&str, Severity),
        mut items: impl Iterator<Item = T>,
        place: impl Fn(&T) -> Place,
        message: impl Fn(&T) -> String,
    ) {
        let shown: Vec<T> = items.by_ref().take(MOST_ALIKE).collect();
        let more = items.count();
        for (index, item) in shown.iter().enumerate() {
            let mut message = message(item);
            if more > 0 && index + 1 == shown.len() {
                let _ = write!(message, " (and {more} more like this, which are not shown)");
            }
            self.with(rule, severity, place(item), message);
        }
    }

    /// Reports what is missing; nothing stands there, so there is no line to name.
    pub(super) fn missing(&mut self, rule: &str, message: impl Into<String>) {
        self.findings.report(rule, "", message);
    }

    /// Asks for a key with a value.
    pub(super) fn require(&mut self, rule: &str, key: &str, what: &str) -> Option<&'r Directive> {
        let directives = self.directives();
        let line = directives.first(&key.to_ascii_lowercase());
        if line.is_none() {
            self.missing(rule, format!("no {key}; add a line `{key}: {what}`"));
        }
        line
    }

    /// Asks for the site's own absolute URL.
    pub(super) fn require_url(&mut self, rule: &str, key: &str) {
        let Some(line) = self.require(rule, key, "https://…") else {
            return;
        };
        if !link::is_absolute(&line.value) {
            let message = format!("{key} is not an absolute http(s) URL; write https://…");
            self.at(rule, line.value_at, message);
        } else if !link::is_own(self.input.document, &line.value) {
            let domain = &self.input.document.domain;
            let message = format!("{key} names another host than {domain}, which serves the file");
            self.with(rule, Severity::Warning, line.value_at, message);
        }
    }

    /// A key whose value should be a URL; relative ones are read with AT-07.
    pub(super) fn url_if_any(&mut self, rule: &str, key: &str) {
        let is_relative = |line: &&Directive| line.value.starts_with('/');
        let lines = || self.manifest.directives.all(key);
        let relative = lines().filter(is_relative);
        let message = |line: &&Directive| {
            let key = &line.written;
            format!("{key} is relative; give the whole URL, https://…")
        };
        self.alike("AT-07", relative, |line| line.value_at, message);
        let wrong = lines().filter(|line| !is_relative(line) && !link::is_absolute(&line.value));
        let message = |line: &&Directive| format!("{} is not a URL; write https://…", line.written);
        self.alike(rule, wrong, |line| line.value_at, message);
    }

    /// A `Rate-Limit`, written with a unit or without (C-105).
    pub(super) fn rate_if_any(&mut self, rule: &str, wants_unit: bool) {
        let Some(line) = self.directives().first("rate-limit") else {
            return;
        };
        let is_integer = line.value.bytes().all(|byte| byte.is_ascii_digit());
        let right = if wants_unit {
            "60/minute"
        } else {
            "60, the calls a minute"
        };
        if rate::parse("default", &line.value).is_none() {
            self.at(rule, line.value_at, format!("not a rate; write {right}"));
        } else if is_integer == wants_unit {
            let message = format!("read all the same; the specification writes {right}");
            self.with(rule, Severity::Info, line.value_at, message);
        }
    }
}

/// A piece of the file as it may stand in a message.
pub(super) fn quoted(piece: &str) -> String {
    format!("{:?}", text::clean(piece, 60))
}
