//! `agents.json` of agents-txt 1.0, the JSON companion of its agents.txt.
//!
//! Each capability has an id, an absolute endpoint and a protocol. Only a REST capability is an
//! HTTP operation; the endpoint of any other protocol becomes an interface of the agent. A file
//! with `declarationType: agent` describes its publisher's own bot, which offers no capabilities.

use crate::finding::Findings;
use crate::format::{Fields, Format, Input};
use crate::marker::{self, Marker};
use crate::reference;
use crate::rule::Rule;
use crate::shape::Schema;
use crate::{Agent, Fact, FormatId, Reference};
use manifest::Manifest;

mod manifest;
mod normalize;
mod rules;
mod shape;
mod validate;

/// Maximum number of OpenAPI documents that are referenced from one manifest.
const MAX_OPENAPI: usize = 5;
/// Maximum number of callers' declarations that are referenced from one manifest.
const MAX_DECLARATIONS: usize = 3;

/// Reader of the JSON companion of agents-txt 1.0.
pub(super) struct AgentsTxtJson;

impl Format for AgentsTxtJson {
    type Manifest = Manifest;

    const ID: FormatId = FormatId::specified("agents-json/agents-txt-1.0");
    const TITLE: &'static str = rules::FORMAT;
    const MARKERS: &'static [Marker] = &[Marker::distinctive(Self::ID, |o| {
        marker::object(o, "site").is_some() && o.contains_key("specVersion")
    })];
    const PLACES: &'static [&'static str] = &["/.well-known/agents.json", "/agents.json"];
    const SHAPE: Option<&'static Schema> = Some(&shape::MANIFEST);
    const FIELDS: Fields = &[
        (Fact::Name, &["/site/name"]),
        (Fact::Description, &["/site/description"]),
        (Fact::Url, &["/site/url"]),
        (Fact::Homepage, &["/site/url"]),
        (Fact::Contact, &["/site/contact"]),
        (Fact::Capabilities, &["/capabilities"]),
        (Fact::Auth, &["/capabilities"]),
        (Fact::Interfaces, &["/capabilities"]),
        (Fact::RateLimits, &["/agents"]),
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
        let openapi = manifest.capabilities.items().filter_map(|(index, it)| {
            let pointer = format!("/capabilities/{index}/openapi");
            reference::to(input.document, "openapi", it.openapi.raw()?, &pointer)
        });
        let declarations = manifest.callers().into_iter().filter_map(|caller| {
            let pointer = format!("{}/agentDeclaration", caller.pointer);
            let address = caller.terms.declaration.raw()?;
            reference::to(input.document, "agents.txt", address, &pointer)
        });
        let references = openapi.take(MAX_OPENAPI);
        reference::distinct(references.chain(declarations.take(MAX_DECLARATIONS)))
    }

    fn generation(manifest: &Manifest) -> Option<String> {
        manifest.spec_version.text()
    }
}
