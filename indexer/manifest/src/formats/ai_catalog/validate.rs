//! Validation against the rules CAT-01 to CAT-09 and ARD-01 to ARD-09, entry by entry.

use super::is_own;
use super::manifest::{Catalog, Entry};
use crate::finding::Findings;
use crate::format::Input;
use crate::formats::ai_catalog::rules::{
    ARD_01, ARD_02, ARD_03, ARD_04, ARD_05, ARD_06, ARD_07, ARD_08, ARD_09, CAT_01, CAT_02, CAT_03,
    CAT_04, CAT_05, CAT_06, CAT_07, CAT_09,
};
use crate::rule::Rule;
use std::collections::HashSet;

/// Maximum size of an inline document in bytes (ARD-08).
const MAX_DATA: usize = 64 * 1024;

/// Form of an identifier.
const URN: &str = "give urn:air:<domain>:<kind>:<name>";

/// Ids of the rules that both specifications share.
#[derive(Clone, Copy)]
struct Ids {
    frame: [&'static Rule; 2],
    source: &'static Rule,
    kind: &'static Rule,
    name: &'static Rule,
}

/// Ids for a plain AI Catalog.
const CATALOG: Ids = Ids {
    frame: [&CAT_01, &CAT_02],
    source: &CAT_05,
    kind: &CAT_04,
    name: &CAT_06,
};

/// Ids for a catalogue that is also an ARD manifest, and therefore follows the stricter
/// specification.
const ARD: Ids = Ids {
    frame: [&ARD_01, &ARD_01],
    source: &ARD_03,
    kind: &ARD_04,
    name: &ARD_04,
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
        spec_version.warning(),
        format_args!("{at}/host"),
        "an object",
        findings,
    );
    let early = [("agents", &catalog.agents), ("records", &catalog.records)];
    let early = early.into_iter().find(|(_, list)| !list.is_absent());
    if let Some((list, _)) = early.filter(|_| catalog.entries.is_absent()) {
        let message = "the early shape; today `entries` with identifier, displayName, type, url";
        findings.add(&CAT_09, format!("{at}/{list}"), message);
        return;
    }
    let pointer = format_args!("{at}/entries");
    catalog
        .entries
        .require(entries, pointer, "a list of entries", findings);
    catalog
        .entries
        .check_items(entries, pointer, "an entry object", findings);
    let mut seen = HashSet::new();
    for (index, item) in catalog.entries.items() {
        let at = format!("{pointer}/{index}");
        entry(item, ids, &at, input, findings);
        if let Some(identifier) = item.identifier.raw()
            && !seen.insert((identifier, item.version.raw()))
        {
            let message = "another entry has this identifier and version";
            findings.add(&CAT_03, format!("{at}/identifier"), message);
        }
    }
}

fn version(catalog: &Catalog, rule: &'static Rule, at: &str, findings: &mut Findings) {
    let pointer = format_args!("{at}/specVersion");
    let what = "the version as a string, such as 1.0";
    let Some(version) = catalog
        .spec_version
        .require_text(rule, pointer, what, findings)
    else {
        return;
    };
    let numbers: Vec<_> = version.split('.').map(str::parse::<u16>).collect();
    match (numbers.len(), numbers.iter().all(Result::is_ok)) {
        (2, true) => {}
        (3, true) => findings.add(
            rule.warning(),
            pointer,
            "major and minor are enough, such as 1.0",
        ),
        _ => findings.add(rule, pointer, format!("give {what}")),
    }
}

fn entry(entry: &Entry, ids: Ids, at: &str, input: &Input<'_>, findings: &mut Findings) {
    let what = "the entry's URN";
    let pointer = format!("{at}/identifier");
    if entry
        .identifier
        .require_text(&CAT_03, &pointer, what, findings)
        .is_some()
    {
        identifier(entry, ids, &pointer, input, findings);
    }
    let what = "a name for people";
    let pointer = format_args!("{at}/displayName");
    entry
        .display_name
        .require_text(ids.name, pointer, what, findings);
    kind(entry, ids, at, findings);
    match (entry.url.is_absent(), entry.data.is_absent()) {
        (true, true) => findings.add(ids.source, at, "give either url or data"),
        (false, false) => findings.add(ids.source, at, "url and data exclude each other"),
        (true, false) | (false, true) => {}
    }
    let pointer = format_args!("{at}/url");
    entry
        .url
        .check(ids.source, pointer, "a URL as a string", findings);
    if let Some(data) = entry.data.get()
        && data.to_string().len() > MAX_DATA
    {
        let message = format!("larger than {MAX_DATA} bytes; publish it at a url");
        findings.add(&ARD_08, format!("{at}/data"), message);
    }
    for (name, list) in [("tags", &entry.tags), ("capabilities", &entry.capabilities)] {
        let pointer = format_args!("{at}/{name}");
        list.check(ids.name.warning(), pointer, "a list of strings", findings);
    }
    queries(entry, at, findings);
    trust(entry, at, findings);
}

fn kind(entry: &Entry, ids: Ids, at: &str, findings: &mut Findings) {
    let Some(published) = entry.media_type() else {
        let message = "missing; give the media type of what the entry leads to";
        findings.add(ids.kind, format!("{at}/type"), message);
        return;
    };
    let name = if entry.kind.is_absent() {
        let message = "an older name; today it is `type`";
        findings.add(ids.kind.info(), format!("{at}/mediaType"), message);
        "mediaType"
    } else {
        "type"
    };
    let canonical = entry.kind().canonical();
    if canonical.is_some_and(|canonical| !published.starts_with(canonical)) {
        let canonical = canonical.unwrap_or_default();
        let message = format!("another spelling; write {canonical}");
        findings.add(&ARD_09, format!("{at}/{name}"), message);
    }
}

fn queries(entry: &Entry, at: &str, findings: &mut Findings) {
    let pointer = format_args!("{at}/representativeQueries");
    let queries = &entry.representative_queries;
    let queries = queries.check(&ARD_05, pointer, "a list of questions", findings);
    if queries.is_some_and(|queries| !(2..=5).contains(&queries.len())) {
        findings.add(&ARD_05, pointer, "give two to five questions");
    } else if queries.is_none() && entry.publisher().is_some() && entry.kind().is_agent() {
        let message = "ARD asks for two to five typical questions";
        findings.add(ARD_05.info(), pointer, message);
    }
}

fn identifier(entry: &Entry, ids: Ids, pointer: &str, input: &Input<'_>, findings: &mut Findings) {
    let Some(publisher) = entry.publisher() else {
        if ids.name == ARD.name {
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
    let pointer = format_args!("{at}/trustManifest");
    let trust = entry
        .trust_manifest
        .check(&CAT_07, pointer, "an object", findings);
    let Some(identity) = trust.and_then(|trust| trust.identity.raw()) else {
        return;
    };
    let pointer = format_args!("{pointer}/identity");
    match entry.publisher() {
        Some(publisher) if !identity.contains(publisher) => {
            findings.add(
                &ARD_07,
                pointer,
                "another trust domain than the identifier's",
            );
        }
        None if Some(identity) != entry.identifier.raw() => {
            findings.add(&CAT_07, pointer, "not the entry's identifier");
        }
        Some(_) | None => {}
    }
}
