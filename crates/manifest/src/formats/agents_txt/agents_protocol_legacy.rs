//! Dialect agents-protocol-legacy: `Name`, `URL`, `Capabilities: a, b`.
//!
//! Specification: kaylacar/agents-protocol, first revision.

use super::directives::Directive;
use super::lines::Position;
use super::report::Report;
use super::{Manifest, interaction, keys};
use crate::formats::agents_txt::agents_protocol_legacy::rules::{
    AT_10, AT_11, AT_12, AT_13, AT_14, AT_15, AT_16, AT_17, AT_18,
};
use crate::{Capability, link};

pub(super) mod rules;

pub(super) fn validate(report: &mut Report<'_>) {
    report.require(&AT_10, "Name", "the site's name");
    report.require_url(&AT_11, "URL");
    report.url_if_any(&AT_12, "docs");
    contact(report);
    names(report);
    report.url_if_any(&AT_14, "capabilities-url");
    report.url_if_any(&AT_15, "agent-api");
    report.rate_if_any(&AT_16, false);
    report.url_if_any(&AT_15, "session-endpoint");
    interaction::validate(report, &AT_17, &AT_18);
}

/// Checks that `Contact` is a mail address or a URL (AT-12).
fn contact(report: &mut Report<'_>) {
    if let Some(line) = report.directives().first("contact")
        && !line.value.contains('@')
        && !link::is_absolute(&line.value)
    {
        let message = "Contact is neither a mail address nor a URL";
        report.at(&AT_12, line.value_at, message);
    }
}

/// Checks the names of the capabilities (AT-13).
fn names(report: &mut Report<'_>) {
    let lines = report.directives().all("capabilities");
    let mut parts = lines.flat_map(Directive::parts).peekable();
    if parts.peek().is_none() {
        let message = "no Capabilities; add a line with their names, separated by commas";
        report.missing(&AT_13, message);
    }
    let wrong = parts.filter(|(_, name)| !is_name(name));
    let message = |_: &(Position, &str)| {
        "not a name of a capability; use lower-case letters, digits and dots".to_owned()
    };
    report.each(AT_13.warning(), wrong, |it| it.0, message);
}

fn is_name(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    name.bytes()
        .all(|byte| is_part(byte) || b"._-".contains(&byte))
}

/// Returns the capabilities named in `Capabilities`; agents.txt 1.0 and agents-brief write such
/// lists too (C-103).
pub(super) fn capabilities(manifest: &Manifest) -> impl Iterator<Item = (Position, Capability)> {
    let lines = manifest.directives.all("capabilities");
    let parts = lines.flat_map(Directive::parts);
    parts.filter_map(|(place, name)| Some((place, keys::named(name)?)))
}
