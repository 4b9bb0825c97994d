//! Findings with line and column, as the rules of all dialects report them.

use super::directives::Directive;
use super::directives::Directives;
use super::lines::Position;
use super::manifest::Manifest;
use crate::finding::Findings;
use crate::format::Input;
use crate::formats::agents_txt::common::rules::AT_07;
use crate::rule::GradedRule;
use crate::rule::Rule;
use crate::{Finding, link, rate, text};

/// A file and the findings on it.
pub(super) struct Report<'r> {
    pub(super) manifest: &'r Manifest,
    pub(super) input: &'r Input<'r>,
    pub(super) findings: &'r mut Findings,
}

impl<'r> Report<'r> {
    /// Returns the lines outside of blocks, without borrowing the report mutably.
    pub(super) fn directives(&self) -> &'r Directives {
        &self.manifest.directives
    }

    /// Reports a finding at `place`.
    pub(super) fn at(
        &mut self,
        rule: impl Into<GradedRule>,
        place: Position,
        message: impl Into<String>,
    ) {
        self.findings.push(Finding {
            column: Some(place.column),
            ..Finding::at_line(rule, place.line, message)
        });
    }

    /// Reports each of `items`.
    pub(super) fn each<T>(
        &mut self,
        rule: impl Into<GradedRule>,
        items: impl Iterator<Item = T>,
        place: impl Fn(&T) -> Position,
        message: impl Fn(&T) -> String,
    ) {
        let rule = rule.into();
        for item in items {
            self.at(rule, place(&item), message(&item));
        }
    }

    /// Reports that something is missing, without a line.
    pub(super) fn missing(&mut self, rule: &'static Rule, message: impl Into<String>) {
        self.findings.add(rule, "", message);
    }

    /// Returns the line with a required key, or reports that it is missing.
    pub(super) fn require(
        &mut self,
        rule: &'static Rule,
        key: &str,
        what: &str,
    ) -> Option<&'r Directive> {
        let directives = self.directives();
        let line = directives.first(&key.to_ascii_lowercase());
        if line.is_none() {
            self.missing(rule, format!("no {key}; add a line `{key}: {what}`"));
        }
        line
    }

    /// Checks that a required key gives the site's own absolute URL.
    pub(super) fn require_url(&mut self, rule: &'static Rule, key: &str) {
        let Some(line) = self.require(rule, key, "https://…") else {
            return;
        };
        if !link::is_absolute(&line.value) {
            let message = format!("{key} is not an absolute http(s) URL; write https://…");
            self.at(rule, line.value_at, message);
        } else if !link::is_own(self.input.document, &line.value) {
            let domain = &self.input.document.domain;
            let message = format!("{key} names another host than {domain}, which serves the file");
            self.at(rule.warning(), line.value_at, message);
        }
    }

    /// Checks that the values of an optional key are URLs; relative ones break AT-07 only.
    pub(super) fn url_if_any(&mut self, rule: &'static Rule, key: &str) {
        let is_relative = |line: &&Directive| line.value.starts_with('/');
        let lines = || self.manifest.directives.all(key);
        let relative = lines().filter(is_relative);
        let message = |line: &&Directive| {
            let key = &line.written;
            format!("{key} is relative; give the absolute URL, https://…")
        };
        self.each(&AT_07, relative, |line| line.value_at, message);
        let wrong = lines().filter(|line| !is_relative(line) && !link::is_absolute(&line.value));
        let message = |line: &&Directive| format!("{} is not a URL; write https://…", line.written);
        self.each(rule, wrong, |line| line.value_at, message);
    }

    /// Checks an optional `Rate-Limit`, which has a unit or not, depending on the dialect (C-105).
    pub(super) fn rate_if_any(&mut self, rule: &'static Rule, wants_unit: bool) {
        let Some(line) = self.directives().first("rate-limit") else {
            return;
        };
        let is_integer = line.value.bytes().all(|byte| byte.is_ascii_digit());
        let right = if wants_unit {
            "60/minute"
        } else {
            "60, the calls per minute"
        };
        if rate::parse("default", &line.value).is_none() {
            self.at(
                rule,
                line.value_at,
                format!("Rate-Limit is not a rate; write {right}"),
            );
        } else if is_integer == wants_unit {
            let message = format!("accepted, but the specification writes {right}");
            self.at(rule.info(), line.value_at, message);
        }
    }
}

/// Returns a piece of the file for use in a message: cleaned, shortened and quoted.
pub(super) fn quoted(piece: &str) -> String {
    format!("{:?}", text::clean(piece, 60))
}
