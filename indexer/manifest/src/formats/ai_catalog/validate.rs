//! The rules CAT-01 to CAT-09 and ARD-01 to ARD-09, entry by entry.

use super::is_own;
use super::manifest::{Catalog, Entry};
use crate::Severity::{Error, Warning};
use crate::finding::Findings;
use crate::format::Input;
use std::collections::HashSet;

/// Largest inline document, in bytes (ARD-08).
const MAX_DATA: usize = 64 * 1024;

/// Compares the catalogue at `at` with the rules.
pub(super) fn validate(catalog: &Catalog, at: &str, input: &Input<'_>, findings: &mut Findings) {
    version(catalog, at, findings);
    catalog.host.check(
        "CAT-01",
        Warning,
        &format!("{at}/host"),
        "an object",
        findings,
    );
    if catalog.entries.is_absent() && !catalog.agents.is_absent() {
        let message = "the early shape; today `entries` with identifier, displayName, type, url";
        findings.warn("CAT-09", format!("{at}/agents"), message);
        return;
    }
    let pointer = format!("{at}/entries");
    catalog
        .entries
        .require("CAT-02", Error, &pointer, "a list of entries", findings);
    catalog
        .entries
        .check_items("CAT-02", Error, &pointer, "an entry object", findings);
    let mut seen = HashSet::new();
    for (index, item) in catalog.entries.items() {
        let at = format!("{pointer}/{index}");
        entry(item, &at, input, findings);
        if let Some(identifier) = item.identifier.raw()
            && !seen.insert((identifier, item.version.raw()))
        {
            let message = "another entry has this identifier and version";
            findings.error("CAT-03", format!("{at}/identifier"), message);
        }
    }
}

fn version(catalog: &Catalog, at: &str, findings: &mut Findings) {
    let pointer = format!("{at}/specVersion");
    let what = "the version as a string, such as 1.0";
    let Some(version) = catalog
        .spec_version
        .require_text("CAT-01", Error, &pointer, what, findings)
    else {
        return;
    };
    let numbers: Vec<_> = version.split('.').map(str::parse::<u16>).collect();
    match (numbers.len(), numbers.iter().all(Result::is_ok)) {
        (2, true) => {}
        (3, true) => findings.warn("CAT-01", pointer, "major and minor are enough, such as 1.0"),
        _ => findings.error("CAT-01", pointer, format!("give {what}")),
    }
}

fn entry(entry: &Entry, at: &str, input: &Input<'_>, findings: &mut Findings) {
    let what = "the entry's URN";
    let pointer = format!("{at}/identifier");
    if entry
        .identifier
        .require_text("CAT-03", Error, &pointer, what, findings)
        .is_some()
    {
        identifier(entry, &pointer, input, findings);
    }
    let what = "a name for people";
    let pointer = format!("{at}/displayName");
    entry
        .display_name
        .require_text("CAT-06", Warning, &pointer, what, findings);
    if entry.media_type().is_none() {
        let message = "missing; give the media type of what the entry leads to";
        findings.error("CAT-04", format!("{at}/type"), message);
    } else if entry.kind.is_absent() {
        let message = "an older name; today it is `type`";
        findings.info("CAT-04", format!("{at}/mediaType"), message);
    }
    match (entry.url.is_absent(), entry.data.is_absent()) {
        (true, true) => findings.error("CAT-05", at, "give either url or data"),
        (false, false) => findings.error("CAT-05", at, "url and data exclude each other"),
        (true, false) | (false, true) => {}
    }
    entry.url.check(
        "CAT-05",
        Error,
        &format!("{at}/url"),
        "a URL as a string",
        findings,
    );
    if let Some(data) = entry.data.get()
        && data.to_string().len() > MAX_DATA
    {
        let message = format!("larger than {MAX_DATA} bytes; publish it at a url");
        findings.warn("ARD-08", format!("{at}/data"), message);
    }
    for (name, list) in [("tags", &entry.tags), ("capabilities", &entry.capabilities)] {
        list.check(
            "CAT-06",
            Warning,
            &format!("{at}/{name}"),
            "a list of strings",
            findings,
        );
    }
    let pointer = format!("{at}/representativeQueries");
    let queries = &entry.representative_queries;
    let queries = queries.check("ARD-05", Warning, &pointer, "a list of questions", findings);
    if queries.is_some_and(|queries| !(2..=5).contains(&queries.len())) {
        findings.warn("ARD-05", pointer, "give two to five questions");
    } else if queries.is_none() && entry.publisher().is_some() && entry.kind().is_agent() {
        findings.info(
            "ARD-05",
            pointer,
            "ARD asks for two to five typical questions",
        );
    }
    trust(entry, at, findings);
}

fn identifier(entry: &Entry, pointer: &str, input: &Input<'_>, findings: &mut Findings) {
    let Some(publisher) = entry.publisher() else {
        if !is_own(entry, input) {
            let message = "neither the identifier nor the url is this site's; kept as a mention";
            findings.info("ARD-06", pointer, message);
        }
        return;
    };
    let identifier = entry.identifier.raw().unwrap_or_default();
    if identifier.starts_with("urn:ai:") {
        findings.warn("ARD-02", pointer, "an older prefix; today it is `urn:air:`");
    }
    let is_part = |part: &str| {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        !part.is_empty() && part.bytes().all(allowed)
    };
    let parts = identifier.splitn(3, ':').nth(2).unwrap_or_default();
    if !parts.contains(':') || !parts.split(':').all(is_part) || publisher.contains('_') {
        findings.error("ARD-02", pointer, "give urn:air:<domain>:<kind>:<name>");
    }
    if !is_own(entry, input) {
        let own = input.document.domain.registrable();
        let message = format!("only {own} speaks for itself here; kept as a mention");
        findings.error("ARD-06", pointer, message);
    }
}

fn trust(entry: &Entry, at: &str, findings: &mut Findings) {
    let pointer = format!("{at}/trustManifest");
    let trust = entry
        .trust_manifest
        .check("CAT-07", Warning, &pointer, "an object", findings);
    let Some(identity) = trust.and_then(|trust| trust.identity.raw()) else {
        return;
    };
    let pointer = format!("{pointer}/identity");
    match entry.publisher() {
        Some(publisher) if !identity.contains(publisher) => {
            findings.warn(
                "ARD-07",
                pointer,
                "another trust domain than the identifier's",
            );
        }
        None if Some(identity) != entry.identifier.raw() => {
            findings.warn("CAT-07", pointer, "not the entry's identifier");
        }
        Some(_) | None => {}
    }
}
