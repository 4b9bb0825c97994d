//! `agents.json` of the agents.txt protocol, in its current and its older shape.

use crate::finding::Findings;
use crate::format::{Fields, Format, Input};
use crate::rule::Rule;
use crate::{Agent, FormatId, Reference, link};

mod manifest;
mod normalize;
mod rules;
mod validate;

use manifest::Manifest;

/// Reader of `agents.json` of the agents.txt protocol.
pub(super) struct AgentsProtocol;

impl Format for AgentsProtocol {
    type Manifest = Manifest;

    const ID: FormatId = FormatId("agents-json/agents-protocol");
    const ALSO: &'static [FormatId] = &[FormatId("agents-json/agents-protocol-legacy")];
    const TITLE: &'static str = "agents.json of the agents.txt protocol";
    const PLACES: &'static [&'static str] = &["/.well-known/agents.json", "/agents.json"];
    const FIELDS: Fields = &[
        ("name", &["/site/name"]),
        ("description", &["/site/description"]),
        ("url", &["/site/url"]),
        ("homepage", &["/site/url"]),
        ("contact", &["/site/contact"]),
        ("docs", &["/docs_url"]),
        ("capabilities", &["/capabilities"]),
        ("rate_limits", &["/rate_limit"]),
        ("sessions", &["/session"]),
        ("flows", &["/flows"]),
        ("audit", &["/audit"]),
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
        let site = manifest.site.get().and_then(|site| site.url.raw());
        let site = site.filter(|url| link::is_absolute(url));
        [
            ("homepage", site, "/site/url"),
            ("docs", manifest.docs_url.raw(), "/docs_url"),
        ]
        .into_iter()
        .filter_map(|(rel, url, pointer)| link::reference(input.document, rel, url?, pointer))
        .collect()
    }

    fn generation(manifest: &Manifest) -> Option<String> {
        manifest
            .schema_version
            .text()
            .or_else(|| manifest.protocol_version.text())
    }
}
