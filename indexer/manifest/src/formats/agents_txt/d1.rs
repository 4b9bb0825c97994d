//! D1: `Name`, `URL`, `Capabilities: a, b` (kaylacar/agents-protocol, first revision; FORMATS.md 4.4).

use super::agent::named;
use super::directives::Directive;
use super::lines::Place;
use super::report::{Report, quoted};
use super::{Manifest, interaction};
use crate::{Capability, Severity, link};

pub(super) mod rules;

pub(super) fn validate(report: &mut Report<'_>) {
    report.require("AT-10", "Name", "the site's name");
    report.require_url("AT-11", "URL");
    report.url_if_any("AT-12", "docs");
    contact(report);
    names(report);
    report.url_if_any("AT-14", "capabilities-url");
    report.url_if_any("AT-15", "agent-api");
    report.rate_if_any("AT-16", false);
    report.url_if_any("AT-15", "session-endpoint");
    interaction::validate(report, "AT-17", "AT-18");
}

/// AT-12: a mail address or a URL.
fn contact(report: &mut Report<'_>) {
    if let Some(line) = report.directives().first("contact")
        && !line.value.contains('@')
        && !link::is_absolute(&line.value)
    {
        let message = "neither a mail address nor a URL";
        report.at("AT-12", line.value_at, message);
    }
}

/// AT-13: what the site can do.
fn names(report: &mut Report<'_>) {
    let lines = report.directives().all("capabilities");
    let mut parts = lines.flat_map(Directive::parts).peekable();
    if parts.peek().is_none() {
        let message = "no Capabilities; list their names, separated by commas";
        report.missing("AT-13", message);
    }
    let wrong = parts.filter(|(_, name)| !is_name(name));
    let message =
        |(_, name): &(Place, &str)| format!("{} is not in lower case with dots", quoted(name));
    report.alike_with(("AT-13", Severity::Warning), wrong, |it| it.0, message);
}

fn is_name(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    name.bytes()
        .all(|byte| is_part(byte) || b"._-".contains(&byte))
}

/// The names in `Capabilities`, whose lists D3 and D7 write too (C-103).
pub(super) fn capabilities(manifest: &Manifest) -> impl Iterator<Item = (Place, Capability)> {
    let lines = manifest.directives.all("capabilities");
    let parts = lines.flat_map(Directive::parts);
    parts.filter_map(|(place, name)| Some((place, named(name)?)))
}
