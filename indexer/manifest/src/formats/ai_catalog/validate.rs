//! Validation against the rules CAT-01 to CAT-09 and ARD-01 to ARD-09, entry by entry.

use super::is_own;
use super::manifest::{Catalog, Entry};
use crate::Severity::{Error, Warning};
use crate::finding::Findings;
use crate::format::Input;
use crate::rules;
use std::collections::HashSet;

/// Maximum size of an inline document in bytes (ARD-08).
const MAX_DATA: usize = 64 * 1024;

/// Form of an identifier.
const URN: &str = "give urn:air:<domain>:<kind>:<name>";

/// Ids of the rules that both specifications share.
#[derive(Clone, Copy)]
struct Ids {
    frame: [&'static str; 2],
    source: &'static str,
    kind: &'static str,
    name: &'static str,
}

/// Ids for a plain AI Catalog.
const CATALOG: Ids = Ids {
    frame: ["CAT-01", "CAT-02"],
    source: "CAT-05",
    kind: "CAT-04",
    name: "CAT-06",
};

/// Ids for a catalogue that is also an ARD manifest, and therefore follows the stricter
/// specification.
const ARD: Ids = Ids {
    frame: ["ARD-01", "ARD-01"],
    source: "ARD-03",
    kind: "ARD-04",
    name: "ARD-04",
};

/// Reports whether a catalogue follows ARD, by its path or its identifiers.
pub(super) fn is_ard(catalog: &Catalog, input: &Input<'_>) -> bool {
    let has_urn = |(_, entry): (usize, &Entry)| entry.publisher().is_some();
    input.document.path().ends_with("/ard.json") || catalog.entries.items().any(has_urn)
}

/// Validates the catalogue at `at`.
pub(super) fn validate(catalog: &Catalog, at: &str, input: &Input<'_>, findings: &mut Findings) {
    let ids = if is_ard(catalog, input) { ARD } else { CATALOG };
    let [spec_version, entries] = ids.frame;
    version(catalog, spec_version, at, findings);
    catalog.host.check(
        spec_version,
        Warning,
        format_args!("{at}/host"),
        "an object",
        findings,
    );
    let early = [("agents", &catalog.agents), ("records", &catalog.records)];
    let early = early.into_iter().find(|(_, list)| !list.is_absent());
    if let Some((list, _)) = early.filter(|_| catalog.entries.is_absent()) {
        let message = "the early shape; today `entries` with identifier, displayName, type, url";
        findings.report("CAT-09", format!("{at}/{list}"), message);
        return;
    }
    let pointer = format_args!("{at}/entries");
    catalog
        .entries
        .require(entries, Error, pointer, "a list of entries", findings);
    catalog
        .entries
        .check_items(entries, Error, pointer, "an entry object", findings);
    let mut seen = HashSet::new();
    for (index, item) in catalog.entries.items() {
        let at = format!("{pointer}/{index}");
        entry(item, ids, &at, input, findings);
        if let Some(identifier) = item.identifier.raw()
            && !seen.insert((identifier, item.version.raw()))
        {
            let message = "another entry has this identifier and version";
            findings.report("CAT-03", format!("{at}/identifier"), message);
        }
    }
}

fn version(catalog: &Catalog, rule: &str, at: &str, findings: &mut Findings) {
    let pointer = format_args!("{at}/specVersion");
    let what = "the version as a string, such as 1.0";
    let Some(version) = catalog
        .spec_version
        .require_text(rule, Error, pointer, what, findings)
    else {
        return;
    };
    let numbers: Vec<_> = version.split('.').map(str::parse::<u16>).collect();
    match (numbers.len(), numbers.iter().all(Result::is_ok)) {
        (2, true) => {}
        (3, true) => findings.warn(rule, pointer, "major and minor are enough, such as 1.0"),
        _ => findings.report(rule, pointer, format!("give {what}")),
    }
}

fn entry(entry: &Entry, ids: Ids, at: &str, input: &Input<'_>, findings: &mut Findings) {
    let what = "the entry's URN";
    let pointer = format!("{at}/identifier");
    if entry
        .identifier
        .require_text("CAT-03", Error, &pointer, what, findings)
        .is_some()
    {
        identifier(entry, ids, &pointer, input, findings);
    }
    let what = "a name for people";
    let severity = rules::find(ids.name).map_or(Warning, |rule| rule.severity);
    let pointer = format_args!("{at}/displayName");
    entry
        .display_name
        .require_text(ids.name, severity, pointer, what, findings);
    kind(entry, ids, at, findings);
    match (entry.url.is_absent(), entry.data.is_absent()) {
        (true, true) => findings.report(ids.source, at, "give either url or data"),
        (false, false) => findings.report(ids.source, at, "url and data exclude each other"),
        (true, false) | (false, true) => {}
    }
    let pointer = format_args!("{at}/url");
    entry
        .url
        .check(ids.source, Error, pointer, "a URL as a string", findings);
    if let Some(data) = entry.data.get()
        && data.to_string().len() > MAX_DATA
    {
        let message = format!("larger than {MAX_DATA} bytes; publish it at a url");
        findings.report("ARD-08", format!("{at}/data"), message);
    }
    for (name, list) in [("tags", &entry.tags), ("capabilities", &entry.capabilities)] {
        let pointer = format_args!("{at}/{name}");
        list.check(ids.name, Warning, pointer, "a list of strings", findings);
    }
    queries(entry, at, findings);
    trust(entry, at, findings);
}

fn kind(entry: &Entry, ids: Ids, at: &str, findings: &mut Findings) {
    let Some(published) = entry.media_type() else {
        let message = "missing; give the media type of what the entry leads to";
        findings.report(ids.kind, format!("{at}/type"), message);
        return;
    };
    let name = if entry.kind.is_absent() {
        let message = "an older name; today it is `type`";
        findings.info(ids.kind, format!("{at}/mediaType"), message);
        "mediaType"
    } else {
        "type"
    };
    let canonical = entry.kind().canonical();
    if canonical.is_some_and(|canonical| !published.starts_with(canonical)) {
        let canonical = canonical.unwrap_or_default();
        let message = format!("another spelling; write {canonical}");
        findings.report("ARD-09", format!("{at}/{name}"), message);
    }
}

fn queries(entry: &Entry, at: &str, findings: &mut Findings) {
    let pointer = format_args!("{at}/representativeQueries");
    let queries = &entry.representative_queries;
    let queries = queries.check("ARD-05", Warning, pointer, "a list of questions", findings);
    if queries.is_some_and(|queries| !(2..=5).contains(&queries.len())) {
        findings.report("ARD-05", pointer, "give two to five questions");
    } else if queries.is_none() && entry.publisher().is_some() && entry.kind().is_agent() {
        let message = "ARD asks for two to five typical questions";
        findings.info("ARD-05", pointer, message);
    }
}

fn identifier(entry: &Entry, ids: Ids, pointer: &str, input: &Input<'_>, findings: &mut Findings) {
    let Some(publisher) = entry.publisher() else {
        if ids.name == ARD.name {
            findings.report("ARD-02", pointer, URN);
        }
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
        findings.report("ARD-02", pointer, URN);
    }
    if !is_own(entry, input) {
        let own = input.document.domain.registrable();
        let message = format!("only {own} speaks for itself here; kept as a mention");
        findings.report("ARD-06", pointer, message);
    }
}

fn trust(entry: &Entry, at: &str, findings: &mut Findings) {
    let pointer = format_args!("{at}/trustManifest");
    let trust = entry
        .trust_manifest
        .check("CAT-07", Warning, pointer, "an object", findings);
    let Some(identity) = trust.and_then(|trust| trust.identity.raw()) else {
        return;
    };
    let pointer = format_args!("{pointer}/identity");
    match entry.publisher() {
        Some(publisher) if !identity.contains(publisher) => {
            findings.report(
                "ARD-07",
                pointer,
                "another trust domain than the identifier's",
            );
        }
        None if Some(identity) != entry.identifier.raw() => {
            findings.report("CAT-07", pointer, "not the entry's identifier");
        }
        Some(_) | None => {}
    }
}
