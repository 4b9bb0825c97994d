//! Wildcard `agents.json`: flows over the operations of `OpenAPI` documents.
//!
//! Each flow is one capability. The manifest describes its parameters and its result. Method and
//! endpoint are in the `OpenAPI` document of its source, which becomes a reference.

use crate::agent::Interface;
use crate::finding::Findings;
use crate::format::{Fields, Format, Input};
use crate::marker::{self, Marker};
use crate::reference;
use crate::rule::Rule;
use crate::shape::Schema;
use crate::{Agent, Fact, FormatId, Reference, extension, link};
use manifest::Manifest;
use std::collections::HashSet;

mod flow;
mod manifest;
mod rules;
mod shape;
mod validate;

/// Maximum number of references to `OpenAPI` documents of one manifest.
const MAX_SOURCES: usize = 5;

/// Reader of Wildcard manifests.
pub(super) struct Wildcard;

impl Format for Wildcard {
    type Manifest = Manifest;

    const ID: FormatId = FormatId::specified("wildcard-agents-json");
    const TITLE: &'static str = rules::FORMAT;
    const MARKERS: &'static [Marker] = &[Marker::named(Self::ID, |o| {
        marker::text(o, "agentsJson").is_some()
    })];
    const PLACES: &'static [&'static str] = &["/.well-known/agents.json"];
    const SHAPE: Option<&'static Schema> = Some(&shape::MANIFEST);
    const FIELDS: Fields = &[
        (Fact::Name, &["/info/title"]),
        (Fact::Description, &["/info/description"]),
        (Fact::Version, &["/info/version"]),
        (Fact::Capabilities, &["/flows"]),
        (Fact::Interfaces, &["/sources"]),
    ];
    const RULES: &'static [&'static Rule] = rules::RULES;

    fn parse(input: &Input<'_>) -> Manifest {
        input.manifest()
    }

    fn validate(manifest: &Manifest, input: &Input<'_>, findings: &mut Findings) {
        validate::validate(manifest, input, findings);
    }

    fn normalize(manifest: &Manifest, input: &Input<'_>) -> Vec<Agent> {
        let info = manifest.info.get().cloned().unwrap_or_default();
        let flows = manifest.flows.items();
        vec![Agent {
            name: info.title.text().unwrap_or_default(),
            description: info.description.text(),
            version: info.version.text(),
            capabilities: flows
                .filter_map(|(index, flow)| flow.normalize(index))
                .collect(),
            interfaces: interfaces(manifest, input),
            extensions: extension::unknown(&manifest.unknown, &[]),
            ..Agent::default()
        }]
    }

    fn references(manifest: &Manifest, input: &Input<'_>) -> Vec<Reference> {
        let sources = manifest.sources.items().filter_map(|(index, source)| {
            let pointer = format!("/sources/{index}/path");
            reference::to(input.document, "openapi", source.path.raw()?, &pointer)
        });
        reference::distinct(sources.take(MAX_SOURCES))
    }

    fn generation(manifest: &Manifest) -> Option<String> {
        manifest.agents_json.text()
    }
}

/// Returns the `OpenAPI` documents of the APIs that the flows call, as interfaces.
fn interfaces(manifest: &Manifest, input: &Input<'_>) -> Vec<Interface> {
    let mut seen = HashSet::new();
    let sources = manifest.sources.items().filter_map(|(_, source)| {
        Some(Interface {
            protocol: "openapi".to_owned(),
            url: link::absolute(&input.document.url, source.path.raw()?)?,
            ..Interface::default()
        })
    });
    sources
        .filter(|source| seen.insert(source.url.clone()))
        .take(MAX_SOURCES)
        .collect()
}
