//! JSON Agents: the Portable Agent Manifest (FORMATS.md section 7).

use crate::finding::Findings;
use crate::format::{Format, Input};
use crate::{Agent, FormatId, Reference};

mod expression;
mod manifest;
mod normalize;
mod uri;
mod validate;

use manifest::Manifest;

/// Reads Portable Agent Manifests.
pub(super) struct JsonAgents;

impl Format for JsonAgents {
    type Manifest = Manifest;

    const ID: FormatId = FormatId("json-agents");
    const TITLE: &'static str = "JSON Agents";
    const PLACES: &'static [&'static str] = &["/.well-known/agents.json"];

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
