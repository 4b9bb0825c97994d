//! JSON Agents: the Portable Agent Manifest.

use crate::finding::Findings;
use crate::format::{Fields, Format, Input};
use crate::marker::{self, Marker};
use crate::rule::Rule;
use crate::shape::Schema;
use crate::{Agent, Fact, FormatId, Reference};

pub mod ajson;
mod manifest;
mod normalize;
pub mod policy;
mod rules;
mod shape;
mod validate;

use manifest::Manifest;

/// Reader of Portable Agent Manifests.
pub(crate) struct JsonAgents;

impl Format for JsonAgents {
    type Manifest = Manifest;

    const ID: FormatId = rules::ID;
    const TITLE: &'static str = rules::FORMAT;
    const MARKERS: &'static [Marker] = &[Marker::named(Self::ID, |o| {
        o.contains_key("manifest_version")
            || marker::text_in(o, "agent", "id").is_some_and(|id| id.starts_with("ajson:"))
    })];
    const PLACES: &'static [&'static str] = &["/.well-known/agents.json"];
    const SHAPE: Option<&'static Schema> = Some(&shape::MANIFEST);
    const FIELDS: Fields = &[
        (Fact::Name, &["/agent/name"]),
        (Fact::Description, &["/agent/description"]),
        (Fact::Version, &["/agent/version"]),
        (
            Fact::Provider,
            &["/agent/authors/0/organization", "/agent/authors/0/name"],
        ),
        (Fact::Contact, &["/agent/authors/0/email"]),
        (Fact::Homepage, &["/agent/homepage"]),
        (Fact::Tags, &["/agent/tags", "/modalities"]),
        (Fact::Capabilities, &["/capabilities", "/tools"]),
        (Fact::Flows, &["/graph/edges"]),
        (Fact::Graph, &["/graph"]),
        (Fact::Policies, &["/policies"]),
        (Fact::Signatures, &["/signatures"]),
        (Fact::InputModes, &["/modalities/input"]),
        (Fact::OutputModes, &["/modalities/output"]),
    ];
    const RULES: &'static [&'static Rule] = rules::RULES;

    fn parse(input: &Input<'_>) -> Manifest {
        input.manifest()
    }

    fn validate(manifest: &Manifest, input: &Input<'_>, findings: &mut Findings) {
        validate::validate(manifest, input, findings);
    }

    fn normalize(manifest: &Manifest, input: &Input<'_>) -> Vec<Agent> {
        vec![normalize::normalize(manifest, input)]
    }

    fn references(manifest: &Manifest, input: &Input<'_>) -> Vec<Reference> {
        normalize::references(manifest, input)
    }

    fn generation(manifest: &Manifest) -> Option<String> {
        manifest.version.text()
    }
}
