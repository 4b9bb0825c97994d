//! The dialect that IntentQL's author publishes: a list of intents, with booleans under
//! `capabilities` (IQ-20). No specification defines it, so only what a caller needs is checked, and
//! there are no rows.

use super::normalize::rest;
use super::parameter::{self, Parameter};
use super::rules;
use super::shape::INTENTS;
use crate::field::{Field, List, Named, Table};
use crate::finding::Findings;
use crate::format::{Fields, Format, Input};
use crate::formats::intentql::rules::{IQ_05, IQ_20};
use crate::marker::{self, Marker};
use crate::rule::Rule;
use crate::shape::Schema;
use crate::{Agent, Capability, Fact, FormatId, link, text};
use serde::Deserialize;
use serde_json::{Map, Value};

/// Reader of `agent.json` with an `intents` list.
pub(crate) struct IntentQlIntents;

/// The whole document.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Manifest {
    name: Field<String>,
    version: Field<String>,
    description: Field<String>,
    base_url: Field<String>,
    metadata: Field<Metadata>,
    capabilities: Field<Map<String, Value>>,
    intents: List<Intent>,
    #[serde(flatten)]
    unknown: Map<String, Value>,
}

/// Facts about the site that some deployments give separately.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Metadata {
    name: Field<String>,
    description: Field<String>,
    site: Field<String>,
    icon: Field<String>,
    contact: Field<String>,
    documentation: Field<String>,
}

/// One thing that agents can do at the site.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Intent {
    id: Field<String>,
    name: Field<String>,
    description: Field<String>,
    method: Field<String>,
    endpoint: Field<String>,
    parameters: Field<Value>,
    response: Field<Response>,
    enabled: Field<bool>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Response {
    schema: Field<Value>,
}

impl Format for IntentQlIntents {
    type Manifest = Manifest;

    const ID: FormatId = FormatId::specified("intentql-intents");
    const TITLE: &'static str = "IntentQL agent.json with intents";
    const MARKERS: &'static [Marker] = &[Marker::common(Self::ID, |o| {
        marker::array(o, "intents")
            .is_some_and(|intents| intents.is_empty() || intents.iter().any(Value::is_object))
    })];
    const PLACES: &'static [&'static str] =
        &["/agent.json", "/.well-known/agent.json", "/api/agent.json"];
    const SHAPE: Option<&'static Schema> = Some(&INTENTS);
    const FIELDS: Fields = &[
        (Fact::Name, &["/name", "/metadata/name"]),
        (
            Fact::Description,
            &["/description", "/metadata/description"],
        ),
        (Fact::Url, &["/base_url", "/metadata/site"]),
        (Fact::Version, &["/version"]),
        (Fact::Contact, &["/metadata/contact"]),
        (Fact::Docs, &["/metadata/documentation"]),
        (Fact::Logo, &["/metadata/icon"]),
        (Fact::Homepage, &["/metadata/site"]),
        (Fact::Tags, &["/capabilities"]),
        (Fact::Interfaces, &["/base_url"]),
        (Fact::Capabilities, &["/intents"]),
    ];
    const RULES: &'static [&'static Rule] = rules::INTENT_RULES;

    fn parse(input: &Input<'_>) -> Manifest {
        input.manifest()
    }

    fn validate(_: &Manifest, _: &Input<'_>, findings: &mut Findings) {
        let message = "the specification has actions by name under `capabilities`; \
                       the list in `intents` is read instead";
        findings.add(&IQ_05, "/intents", message);
        let dialect =
            "this is the dialect of IntentQL's own deployments; no specification defines it";
        findings.add(&IQ_20, "", dialect);
    }

    fn normalize(manifest: &Manifest, input: &Input<'_>) -> Vec<Agent> {
        let document = input.document;
        let metadata = manifest.metadata.get().cloned().unwrap_or_default();
        let absolute = |field: &Field<String>| link::absolute(&document.url, field.raw()?);
        let base = absolute(&manifest.base_url);
        let site = absolute(&metadata.site)
            .filter(|_| link::is_absolute(metadata.site.raw().unwrap_or_default()));
        let start = base.clone().unwrap_or_else(|| link::origin(document));
        let capabilities = manifest
            .intents
            .items()
            .filter(|(_, intent)| intent.enabled.get() != Some(&false))
            .filter_map(|(index, intent)| intent.capability(index, &start));
        let flags = manifest.capabilities.get().into_iter().flatten();
        let tags = flags
            .filter(|(_, value)| **value == Value::Bool(true))
            .filter_map(|(name, _)| text::some(name));
        vec![Agent {
            name: manifest
                .name
                .text()
                .or_else(|| metadata.name.text())
                .unwrap_or_default(),
            description: manifest
                .description
                .text()
                .or_else(|| metadata.description.text()),
            url: base.clone().or_else(|| site.clone()),
            version: manifest.version.text(),
            contact: metadata.contact.text(),
            docs: absolute(&metadata.documentation),
            logo: absolute(&metadata.icon),
            homepage: site,
            tags: text::distinct(tags),
            capabilities: capabilities.collect(),
            interfaces: base.as_deref().map(rest).into_iter().collect(),
            extensions: manifest.unknown.clone(),
            ..Agent::default()
        }]
    }
}

impl Intent {
    fn capability(&self, index: usize, base: &str) -> Option<Capability> {
        let name = self.name.text().or_else(|| self.id.text())?;
        let endpoint = self.endpoint.text();
        let parameters = self.parameters();
        let output_schema = self
            .response
            .get()
            .and_then(|response| response.schema.get());
        Some(Capability {
            id: self.id.text().unwrap_or_else(|| name.clone()),
            name,
            description: self.description.text(),
            method: self.method.text().map(|method| method.to_ascii_uppercase()),
            url: endpoint
                .as_deref()
                .and_then(|endpoint| link::concatenated(base, endpoint)),
            params: parameter::params(&parameters, endpoint.as_deref().unwrap_or_default()),
            endpoint: endpoint.as_deref().map(link::template),
            input_schema: parameter::schema_of(&parameters),
            output_schema: output_schema.filter(|schema| schema.is_object()).cloned(),
            pointer: format!("/intents/{index}"),
            ..Capability::default()
        })
    }

    /// Returns the parameters by name, from a map or from a list of objects with names.
    fn parameters(&self) -> Table<Parameter> {
        match self.parameters.get() {
            Some(Value::Array(items)) => {
                let named = items.iter().filter_map(|item| {
                    let parameter = Field::<Parameter>::of(item);
                    let name = parameter.get()?.name.text()?;
                    Some((name, parameter))
                });
                Field::Is(Named(named.collect()))
            }
            Some(other) => Field::of(other),
            None => Field::Absent,
        }
    }
}
