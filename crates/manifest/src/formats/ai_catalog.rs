//! AI Catalog and Agentic Resource Discovery.
//!
//! Most entries of a catalogue point at other documents. Only entries of its own publisher become
//! agents; entries of others are mentions, never credited to the domain (ARD-06). What the members
//! of an entry give depends on its media type, and the card in it may have another reader, so they
//! have no rows of facts.

use crate::field::Field;
use crate::finding::Findings;
use crate::format::{Fields, Format, Input};
use crate::formats::ai_catalog::rules::{ARD_08, CAT_08};
use crate::marker::{self, Marker};
use crate::rule::Rule;
use crate::shape::Schema;
use crate::{Agent, Fact, FormatId, Mention, Reading, Reference, link};
use serde_json::Value;

mod manifest;
mod normalize;
mod rules;
mod shape;
mod validate;

pub(super) use manifest::{Catalog, Entry};
use manifest::{Host, Kind};
pub(super) use normalize::{link, mention};

/// Maximum number of entries that are read, including those of nested catalogues (CAT-08).
const MAX_ENTRIES: usize = 200;
/// Maximum depth of nested catalogues (CAT-08, ARD-08).
const MAX_DEPTH: usize = 4;

/// Reader of catalogues.
pub(crate) struct AiCatalog;

/// Catalogue with its inline documents, already read.
#[derive(Debug, Default)]
pub(crate) struct Manifest {
    catalogs: Vec<(String, Catalog)>,
    entries: Vec<Item>,
    is_cut: bool,
    is_deep: bool,
}

/// Entry of any of the catalogues.
#[derive(Debug)]
struct Item {
    at: String,
    entry: Entry,
    host: Host,
    is_own: bool,
    /// Inline document of the entry.
    data: Option<Reading>,
}

impl Format for AiCatalog {
    type Manifest = Manifest;

    const ID: FormatId = FormatId::specified("ai-catalog");
    const TITLE: &'static str = "AI Catalog (ARD)";
    const CLAIMS: &'static [&'static str] = &["ai-catalog.json", "ard.json"];
    const MARKERS: &'static [Marker] = &[Marker::named(Self::ID, is_ai_catalog)];
    const OUTLINES: &'static [(&'static Schema, u8)] = &[(&shape::CATALOG.schema, 0)];
    const PLACES: &'static [&'static str] =
        &["/.well-known/ai-catalog.json", "/.well-known/ard.json"];
    const FIELDS: Fields = &[
        (Fact::Name, &["/displayName", "/name"]),
        (Fact::Description, &["/description"]),
        (Fact::Version, &["/version"]),
        (Fact::Tags, &["/tags"]),
        (
            Fact::Capabilities,
            &["/capabilities", "/representativeQueries"],
        ),
    ];
    const RULES: &'static [&'static Rule] = rules::RULES;

    fn parse(input: &Input<'_>) -> Manifest {
        let mut manifest = Manifest::default();
        manifest.add(input.value, "", &Host::default(), 1, input);
        manifest
    }

    fn validate(manifest: &Manifest, input: &Input<'_>, findings: &mut Findings) {
        for (at, catalog) in &manifest.catalogs {
            validate::validate(catalog, at, input, findings);
        }
        if manifest.is_cut {
            let message = format!("more than {MAX_ENTRIES} entries; the rest is not read");
            findings.add(&CAT_08, "", message);
        }
        if manifest.is_deep {
            let outermost = manifest.catalogs.first();
            let is_ard = outermost.is_some_and(|(_, catalog)| validate::is_ard(catalog, input));
            let message =
                format!("catalogues deeper than {MAX_DEPTH}; the inner ones are not read");
            findings.add(if is_ard { &ARD_08 } else { &CAT_08 }, "", message);
        }
        let readings = manifest
            .entries
            .iter()
            .filter_map(|item| item.data.as_ref());
        for finding in readings.flat_map(|reading| &reading.findings) {
            findings.push(finding.clone());
        }
    }

    fn normalize(manifest: &Manifest, input: &Input<'_>) -> Vec<Agent> {
        let own = manifest.entries.iter().filter(|item| item.is_own);
        own.flat_map(|item| match &item.data {
            Some(reading) if !reading.agents.is_empty() => {
                let mut agents = reading.agents.clone();
                if let [agent] = &mut agents[..]
                    && agent.key.is_empty()
                {
                    agent.key = item.entry.identifier.text().unwrap_or_default();
                }
                agents
            }
            Some(_) | None => normalize::agent(&item.entry, &item.host, &item.at, input)
                .into_iter()
                .collect(),
        })
        .collect()
    }

    fn references(manifest: &Manifest, input: &Input<'_>) -> Vec<Reference> {
        let mut references = Vec::new();
        for item in &manifest.entries {
            let reference = normalize::reference(&item.entry, item.is_own, &item.at, input);
            let is_new = |found: &Reference| {
                references
                    .iter()
                    .all(|known: &Reference| (&known.rel, &known.url) != (&found.rel, &found.url))
            };
            references.extend(reference.filter(is_new));
            if let Some(reading) = item.data.as_ref().filter(|_| item.is_own) {
                references.extend(reading.references.clone());
            }
        }
        references
    }

    fn mentions(manifest: &Manifest, input: &Input<'_>) -> Vec<Mention> {
        let others = manifest.entries.iter().filter(|item| !item.is_own);
        others
            .map(|item| mention(&item.entry, &item.at, input))
            .collect()
    }

    fn generation(manifest: &Manifest) -> Option<String> {
        let (_, catalog) = manifest.catalogs.first()?;
        catalog.spec_version.text()
    }
}

impl Manifest {
    /// Adds the catalogue `value` and its nested catalogues, down to [`MAX_DEPTH`].
    fn add(&mut self, value: &Value, at: &str, outer: &Host, depth: usize, input: &Input<'_>) {
        let catalog: Catalog = Field::of(value).get().cloned().unwrap_or_default();
        let host = catalog.host.get().unwrap_or(outer).clone();
        let entries = catalog.all_entries();
        self.catalogs.push((at.to_owned(), catalog));
        for (place, entry) in entries {
            if self.entries.len() >= MAX_ENTRIES {
                self.is_cut = true;
                break;
            }
            let at = format!("{at}{place}");
            let is_own = is_own(&entry, input);
            let inline = entry.data.get().filter(|data| data.is_object()).cloned();
            let pointer = format!("{at}/data");
            let (nested, data) = match (entry.kind(), inline) {
                (Kind::Catalog, Some(inline)) if is_own => (Some(inline), None),
                (_, Some(inline)) if is_own => (None, Some(input.item(&inline, &pointer))),
                (_, _) => (None, None),
            };
            self.entries.push(Item {
                at,
                entry,
                host: host.clone(),
                is_own,
                data,
            });
            match nested {
                Some(inline) if depth < MAX_DEPTH => {
                    self.add(&inline, &pointer, &host, depth + 1, input);
                }
                Some(_) => self.is_deep = true,
                None => {}
            }
        }
    }
}

/// Reports whether the entry belongs to the domain that serves the catalogue (ARD-06).
///
/// The publisher in its URN must be the domain or its registrable domain. Identifiers of other
/// kinds name no publisher; then the entry must be in the catalogue itself, or point at a URL of
/// the domain.
pub(super) fn is_own(entry: &Entry, input: &Input<'_>) -> bool {
    let domain = &input.document.domain;
    match entry.publisher() {
        Some(publisher) => {
            let publisher = publisher.to_ascii_lowercase();
            domain.is_unknown() || publisher == domain.as_str() || publisher == domain.registrable()
        }
        None => match entry.url.raw() {
            Some(url) => link::absolute(&input.document.url, url)
                .is_some_and(|url| link::is_own(input.document, &url)),
            None => !entry.data.is_absent(),
        },
    }
}

fn is_ai_catalog(o: &marker::Object) -> bool {
    let any_has = |name, member| {
        marker::array(o, name)
            .is_some_and(|items| items.iter().any(|item| item.get(member).is_some()))
    };
    let has_version = o.contains_key("specVersion");
    (marker::array(o, "entries").is_some() && (has_version || any_has("entries", "identifier")))
        || (has_version && (any_has("agents", "cardUrl") || any_has("records", "cardUrl")))
}
