//! Validation against the rules CAT-01 to CAT-09 and ARD-01 to ARD-09, entry by entry.

use super::is_own;
use super::manifest::Kind;
use super::manifest::{Catalog, Entry};
use super::rules::{ARD_02, ARD_05, ARD_06, ARD_07, ARD_08, ARD_09, CAT_03, CAT_07, CAT_09};
use super::shape::{self, ARD, CATALOG};
use crate::Severity;
use crate::finding::Findings;
use crate::format::Input;
use std::collections::HashSet;

/// Maximum size of an inline document in bytes (ARD-08).
const MAX_DATA: usize = 64 * 1024;

/// Form of an identifier.
const URN: &str = "not a URN of this kind; give urn:air:<domain>:<kind>:<name>";

/// Reports whether a catalogue follows ARD, by its path or its identifiers.
pub(super) fn is_ard(catalog: &Catalog, input: &Input<'_>) -> bool {
    let has_urn = |(_, entry): (usize, &Entry)| entry.publisher().is_some();
    input.document.path().ends_with("/ard.json") || catalog.entries.items().any(has_urn)
}

/// Validates the catalogue at `at`.
pub(super) fn validate(catalog: &Catalog, at: &str, input: &Input<'_>, findings: &mut Findings) {
    let follows_ard = is_ard(catalog, input);
    let kind = if follows_ard { &ARD } else { &CATALOG };
    if let Some(published) = input.value.pointer(at) {
        kind.schema.check(published, at, findings);
    }
    let early = [("agents", &catalog.agents), ("records", &catalog.records)];
    let early = early.into_iter().find(|(_, list)| !list.is_absent());
    if catalog.entries.is_absent() {
        return if let Some((list, _)) = early {
            let message = "the early shape; give `entries` with identifier, displayName, type, url";
            findings.add(&CAT_09, format!("{at}/{list}"), message);
        } else {
            let message = "`entries` is missing; give a list of entries";
            findings.add(kind.entries, format!("{at}/entries"), message);
        };
    }
    let mut seen = HashSet::new();
    for (index, item) in catalog.entries.items() {
        let at = format!("{at}/entries/{index}");
        entry(item, kind, &at, input, findings);
        if let Some(identifier) = item.identifier.raw()
            && !seen.insert((identifier, item.version.raw()))
        {
            let message = "another entry has this identifier and version";
            findings.add(&CAT_03, format!("{at}/identifier"), message);
        }
    }
}

fn entry(entry: &Entry, rules: &shape::Kind, at: &str, input: &Input<'_>, findings: &mut Findings) {
    if entry.identifier.raw().is_some() {
        identifier(entry, rules, &format!("{at}/identifier"), input, findings);
    }
    media_type(entry, rules, at, findings);
    match (entry.url.is_absent(), entry.data.is_absent()) {
        (true, true) => findings.add(rules.source, at, "neither url nor data; give one of them"),
        (false, false) => findings.add(
            rules.source,
            at,
            "url and data exclude each other; remove one of them",
        ),
        (true, false) | (false, true) => {}
    }
    if let Some(data) = entry.data.get()
        && data.to_string().len() > MAX_DATA
    {
        let message = format!("larger than {MAX_DATA} bytes; publish it at a url");
        findings.add(&ARD_08, format!("{at}/data"), message);
    }
    let asks = entry.publisher().is_some() && entry.kind().is_agent();
    if asks && entry.representative_queries.is_absent() {
        let message = "ARD asks for two to five typical questions";
        findings.add(
            ARD_05.info(),
            format!("{at}/representativeQueries"),
            message,
        );
    }
    trust(entry, at, findings);
}

fn media_type(entry: &Entry, rules: &shape::Kind, at: &str, findings: &mut Findings) {
    let Some(published) = entry.media_type() else {
        if entry.kind.is_absent() && entry.media_type.is_absent() {
            let message = "`type` is missing; give the media type of what the entry leads to";
            findings.add(rules.media_type, format!("{at}/type"), message);
        }
        return;
    };
    let name = if entry.kind.is_absent() {
        let message = "an older name; today it is `type`";
        findings.add(rules.media_type.info(), format!("{at}/mediaType"), message);
        "mediaType"
    } else {
        "type"
    };
    if let Some((severity, message)) = unlisted(entry, published) {
        let rule = rules.media_type;
        let graded = if severity == Severity::Info {
            rule.info()
        } else {
            rule.warning()
        };
        findings.add(graded, format!("{at}/{name}"), message);
    }
    let canonical = entry.kind().canonical();
    if canonical.is_some_and(|canonical| !published.starts_with(canonical)) {
        let canonical = canonical.unwrap_or_default();
        let message = format!("another spelling; write {canonical}");
        findings.add(&ARD_09, format!("{at}/{name}"), message);
    }
}

/// Returns why an entry is no agent by itself, and how grave that is: its media type says that it leads to
/// something else, or does not say what it leads to.
fn unlisted(entry: &Entry, media_type: &str) -> Option<(Severity, String)> {
    let essence = media_type
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    match entry.kind() {
        Kind::OpenApi => Some((
            Severity::Info,
            "an API description, which completes the agents of this site and is none itself; \
             publish a card of the agent or server as well"
                .to_owned(),
        )),
        Kind::Other if essence.contains("skill") => Some((
            Severity::Info,
            "a skill, which is loaded and not called, so it is no agent; list skills in \
             /.well-known/agent-skills/index.json"
                .to_owned(),
        )),
        Kind::Other => {
            let identifier = entry.identifier.raw().unwrap_or_default();
            let url = entry.url.raw().unwrap_or_default();
            let is_mcp = [identifier, url].iter().any(|text| {
                let mut words = text.split([':', '/', '.']);
                words.any(|word| word.eq_ignore_ascii_case("mcp"))
            });
            let what = if is_mcp {
                "application/mcp-server-card+json"
            } else {
                "application/a2a-agent-card+json or application/mcp-server-card+json"
            };
            Some((
                Severity::Warning,
                format!(
                    "the media type {media_type} does not say that this is an agent or a server, so \
                    it is not listed; for the card of one write {what}"
                ),
            ))
        }
        _ => None,
    }
}

fn identifier(
    entry: &Entry,
    rules: &shape::Kind,
    pointer: &str,
    input: &Input<'_>,
    findings: &mut Findings,
) {
    let Some(publisher) = entry.publisher() else {
        if rules.is_ard {
            findings.add(&ARD_02, pointer, URN);
        }
        if !is_own(entry, input) {
            let message = "neither the identifier nor the url is this site's; kept as a mention";
            findings.add(ARD_06.info(), pointer, message);
        }
        return;
    };
    let identifier = entry.identifier.raw().unwrap_or_default();
    if identifier.starts_with("urn:ai:") {
        findings.add(
            ARD_02.warning(),
            pointer,
            "an older prefix; today it is `urn:air:`",
        );
    }
    let is_part = |part: &str| {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        !part.is_empty() && part.bytes().all(allowed)
    };
    let parts = identifier.splitn(3, ':').nth(2).unwrap_or_default();
    if !parts.contains(':') || !parts.split(':').all(is_part) || publisher.contains('_') {
        findings.add(&ARD_02, pointer, URN);
    }
    if !is_own(entry, input) {
        let own = input.document.domain.registrable();
        let message = format!("only {own} speaks for itself here; kept as a mention");
        findings.add(&ARD_06, pointer, message);
    }
}

fn trust(entry: &Entry, at: &str, findings: &mut Findings) {
    let trust = entry.trust_manifest.get();
    let Some(identity) = trust.and_then(|trust| trust.identity.raw()) else {
        return;
    };
    let pointer = format_args!("{at}/trustManifest/identity");
    match entry.publisher() {
        Some(publisher) if !identity.contains(publisher) => {
            findings.add(
                &ARD_07,
                pointer,
                "another trust domain than the identifier's",
            );
        }
        None if Some(identity) != entry.identifier.raw() => {
            findings.add(
                &CAT_07,
                pointer,
                "not the entry's identifier; give the same in both places",
            );
        }
        Some(_) | None => {}
    }
}
