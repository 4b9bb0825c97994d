//! Validation against the MC rules.

use super::card::{Card, Generation, Remote};
use crate::Severity::{Error, Warning};
use crate::finding::Findings;
use crate::format::Input;
use crate::formats::mcp::rules::{MC_01, MC_02, MC_03, MC_04, MC_05, MC_06, MC_07, MC_08};
use crate::{Severity, json, link};

/// Only valid value of `$schema` in a current card.
const SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";
/// Maximum length of a description in characters.
const MAX_DESCRIPTION: usize = 100;

pub(super) fn validate(card: &Card, input: &Input<'_>, findings: &mut Findings) {
    if !input.value.is_object() {
        let message = format!(
            "{} where the card as an object belongs",
            json::kind(input.value)
        );
        findings.add(&MC_01, "", message);
        return;
    }
    match card.generation() {
        Generation::Current => current(card, findings),
        Generation::Registry => registry(card, findings),
        Generation::Flat | Generation::Nested => older(card, findings),
    }
}

fn current(card: &Card, findings: &mut Findings) {
    let what = format_args!("\"{SCHEMA}\"");
    let schema = card.schema.require_text(&MC_02, "/$schema", what, findings);
    if schema.is_some_and(|schema| schema != SCHEMA) {
        findings.add(&MC_04, "/$schema", format!("must be {what}"));
    }
    let what = "the server's version, such as 1.0.0";
    let version = card
        .version
        .require_text(&MC_02, "/version", what, findings);
    if version.is_some_and(is_range) {
        findings.add(&MC_02, "/version", "a range; give the one version there is");
    }
    identity(card, Error, findings);
    card.title.check(&MC_02, "/title", "a title", findings);
    let what = "the URL of the server's page";
    let website = card
        .website_url
        .check(&MC_02, "/websiteUrl", what, findings);
    if website.is_some_and(|url| !link::is_absolute(url)) {
        findings.add(&MC_02, "/websiteUrl", "give an absolute URL");
    }
    let what = "the icons as a list";
    card.icons.check(&MC_02, "/icons", what, findings);
    for (index, icon) in card.icons.items() {
        let pointer = format_args!("/icons/{index}/src");
        icon.src
            .require_text(&MC_02, pointer, "the icon's URL", findings);
    }
    let what = "an object with source and url";
    let repository = card.repository.check(&MC_02, "/repository", what, findings);
    if let Some(repository) = repository {
        for (member, name) in [(&repository.source, "source"), (&repository.url, "url")] {
            let pointer = format_args!("/repository/{name}");
            let what = "the repository's host and URL";
            member.require_text(&MC_02, pointer, what, findings);
        }
    }
    remotes(card, findings);
}

/// Reports whether the document names a schema before September 2025, for which the registry
/// requires less.
fn registry(card: &Card, findings: &mut Findings) {
    let severity = if card.schema.is_absent() {
        Warning
    } else {
        Error
    };
    identity(card, severity, findings);
    let detail = card.version_detail.get();
    if detail.is_none_or(|detail| detail.version.is_absent()) {
        let what = "the server's version, such as 1.0.0";
        card.version
            .require_text(&MC_02, "/version", what, findings);
    }
    remotes(card, findings);
}

/// Checks name and description; `worst` is the severity of their form, not to their absence.
fn identity(card: &Card, worst: Severity, findings: &mut Findings) {
    let what = "the server's name as namespace/name";
    let name = card.name.require_text(&MC_02, "/name", what, findings);
    if name.is_some_and(|name| !is_name(name)) {
        let message = "write namespace/name with one slash, 3 to 200 characters: letters, digits, \
            dots and hyphens, and underscores after the slash";
        findings.add(MC_03.at_most(worst), "/name", message);
    }
    let what = "what the server does";
    let description = card
        .description
        .require_text(&MC_02, "/description", what, findings);
    let length = description.map_or(0, |text| text.chars().count());
    if length > MAX_DESCRIPTION {
        let message = format!("{length} characters; {MAX_DESCRIPTION} at most");
        findings.add(MC_05.at_most(worst), "/description", message);
    }
}

fn remotes(card: &Card, findings: &mut Findings) {
    let what = "the remote endpoints as a list";
    card.remotes.check(&MC_06, "/remotes", what, findings);
    let what = "an object with type and url";
    card.remotes.check_items(&MC_06, "/remotes", what, findings);
    for (index, remote) in card.remotes.items() {
        validate_remote(remote, &format!("/remotes/{index}"), findings);
    }
}

fn validate_remote(remote: &Remote, at: &str, findings: &mut Findings) {
    let (kind, pointer) = if remote.transport_type.is_absent() {
        (&remote.kind, format!("{at}/type"))
    } else {
        (&remote.transport_type, format!("{at}/transport_type"))
    };
    let what = "streamable-http or sse";
    let kind = kind.require_text(&MC_06, &pointer, what, findings);
    if kind.is_some_and(|kind| !matches!(kind, "streamable-http" | "sse" | "streamable")) {
        findings.add(&MC_06, pointer, format!("unknown; use {what}"));
    }
    let pointer = format_args!("{at}/url");
    let what = "the endpoint's URL";
    let url = remote.url.require_text(&MC_06, pointer, what, findings);
    let Some(url) = url else { return };
    if !(url.starts_with("https://") || url.starts_with("http://") || url.starts_with('{')) {
        findings.add(&MC_06, pointer, "begin with https:// or a {variable}");
    }
    for variable in link::path_params(url) {
        if remote.variables.members().all(|(name, _)| name != variable) {
            let message = format!("{{{variable}}} is not among the remote's variables; declare it");
            findings.add(&MC_07, pointer, message);
        }
    }
}

/// Reports an older generation with one warning that states the differences.
fn older(card: &Card, findings: &mut Findings) {
    let pointer = card.info().map_or("", |(pointer, _)| pointer);
    let message = "an older kind of server card; publish one with $schema, name, version, \
        description and remotes, and name it in /.well-known/ai-catalog.json";
    findings.add(&MC_08, pointer, message);
    let (name, pointer) = match card.info() {
        Some((pointer, info)) => (&info.name, format!("{pointer}/name")),
        None => (&card.name, "/name".to_owned()),
    };
    name.require_text(&MC_08, &pointer, "the server's name", findings);
    let what = "the tools as a list";
    card.tools.check(&MC_08, "/tools", what, findings);
    let what = "a tool as an object";
    card.tools.check_items(&MC_08, "/tools", what, findings);
    for (index, tool) in card.tools.items() {
        let pointer = format_args!("/tools/{index}/name");
        tool.name
            .require_text(&MC_08, pointer, "the tool's name", findings);
    }
}

fn is_name(name: &str) -> bool {
    let is_common = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'-';
    let Some((namespace, rest)) = name.split_once('/') else {
        return false;
    };
    name.len() <= 200
        && !namespace.is_empty()
        && !rest.is_empty()
        && namespace.bytes().all(is_common)
        && rest.bytes().all(|byte| is_common(byte) || byte == b'_')
}

/// Reports whether a version is a range: `^1.2`, `~1`, `>=1.0`, `1.x`, `1.*`.
fn is_range(version: &str) -> bool {
    let has_wildcard = version
        .split('.')
        .any(|part| matches!(part, "x" | "X" | "*"));
    has_wildcard || version.starts_with(['^', '~', '>', '<', '='])
}
