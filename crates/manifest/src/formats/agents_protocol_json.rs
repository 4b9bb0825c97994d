//! `agents.json` of the agents.txt protocol, in its current and its older shape.

use crate::finding::Findings;
use crate::format::{Fields, Format, Input};
use crate::marker::{self, Marker};
use crate::reference;
use crate::rule::Rule;
use crate::shape::Schema;
use crate::{Agent, Fact, FormatId, Reference, link};

mod manifest;
mod normalize;
mod rules;
mod shape;
mod validate;

use manifest::Manifest;

const LEGACY: FormatId = FormatId::specified("agents-json/agents-protocol-legacy");

/// Reader of `agents.json` of the agents.txt protocol.
pub(crate) struct AgentsProtocolJson;

impl Format for AgentsProtocolJson {
    type Manifest = Manifest;

    const ID: FormatId = FormatId::specified("agents-json/agents-protocol");
    const ALSO: &'static [FormatId] = &[LEGACY];
    const TITLE: &'static str = rules::FORMAT;
    const CLAIMS: &'static [&'static str] = &["agents.json"];
    const MARKERS: &'static [Marker] = &[
        Marker::distinctive(LEGACY, |o| {
            marker::object(o, "site").is_some() && o.contains_key("protocol_version")
        }),
        Marker::distinctive(Self::ID, |o| {
            let of_site = marker::object(o, "site").is_some()
                && (o.contains_key("schema_version") || o.contains_key("capabilities"));
            let first_has_endpoint = || {
                let first = marker::array(o, "capabilities").and_then(|items| items.first());
                first.is_some_and(|first| first.get("endpoint").is_some())
            };
            of_site || (o.contains_key("schema_version") && first_has_endpoint())
        }),
    ];
    const PLACES: &'static [&'static str] = &["/.well-known/agents.json", "/agents.json"];
    const SHAPE: Option<&'static Schema> = Some(&shape::MANIFEST);
    const FIELDS: Fields = &[
        (Fact::Name, &["/site/name"]),
        (Fact::Description, &["/site/description"]),
        (Fact::Url, &["/site/url"]),
        (Fact::Homepage, &["/site/url"]),
        (Fact::Contact, &["/site/contact"]),
        (Fact::Docs, &["/docs_url"]),
        (Fact::Capabilities, &["/capabilities"]),
        (Fact::RateLimits, &["/rate_limit"]),
        (Fact::Sessions, &["/session"]),
        (Fact::Flows, &["/flows"]),
        (Fact::Audit, &["/audit"]),
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
        .filter_map(|(rel, url, pointer)| reference::to(input.document, rel, url?, pointer))
        .collect()
    }

    fn generation(manifest: &Manifest) -> Option<String> {
        manifest
            .schema_version
            .text()
            .or_else(|| manifest.protocol_version.text())
    }
}
