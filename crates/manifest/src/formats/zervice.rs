//! Zervice: an array of agents, or a single agent.
//!
//! Its authors call it an extension of the A2A card, but the two are incompatible: capabilities
//! are a list of actions here. Elements that are A2A cards are read as cards (ZV-08).

use super::a2a::A2aAgentCard;
use super::generic;
use crate::agent::Interface;
use crate::field::{Field, List};
use crate::finding::Findings;
use crate::format::{Format, Input};
use crate::marker::{self, Marker};
use crate::reference;
use crate::rule::Rule;
use crate::rule::profile::GP_05;
use crate::shape::Schema;
use crate::{
    Agent, Capability, Fact, FormatId, Reading, Reference, agent, auth, json, link, schema,
};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::HashSet;

mod rules;
mod shape;

/// Element of a Zervice that is published alone.
pub(super) const SINGLE: FormatId = FormatId::specified("zervice-single");

/// Members that are read from the rows of the shape.
const TEXTS: [&str; 5] = ["name", "description", "url", "version", "logo_url"];

use rules::{ZV_01, ZV_02, ZV_06, ZV_08, ZV_10};
pub(super) use shape::AGENT;

/// Reader of Zervice manifests, array and single.
pub(crate) struct Zervice;

/// A document: one item, or a list of them.
#[derive(Clone, Debug)]
pub(crate) enum Manifest {
    Single(Box<Service>),
    Array(Vec<Item>),
}

/// One element of an array; agents and cards with their readings.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    Agent(Box<Reading>),
    /// An A2A card.
    Card(Box<Reading>),
    /// An object without url and capabilities, such as a person (GP-05).
    NoAgent,
    /// Not an object.
    Other(Value),
}

/// One agent, as the specification describes it, without what is read from the rows of its shape.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Service {
    capabilities: List<Action>,
    authentication: Field<Authentication>,
    openapi_url: Field<String>,
    #[serde(flatten)]
    unknown: Map<String, Value>,
}

/// One thing that an agent does.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Action {
    name: Field<String>,
    description: Field<String>,
    input_schema: Field<Value>,
    output_schema: Field<Value>,
}

/// Authentication of callers.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Authentication {
    #[serde(rename = "type")]
    kind: Field<String>,
    header: Field<String>,
    authorization_url: Field<String>,
    token_url: Field<String>,
    description: Field<String>,
    #[serde(flatten)]
    unknown: Map<String, Value>,
}

impl Format for Zervice {
    type Manifest = Manifest;

    const ID: FormatId = rules::ID;
    const ALSO: &'static [FormatId] = &[SINGLE];
    const TITLE: &'static str = rules::FORMAT;
    const MARKERS: &'static [Marker] = &[Marker::common(SINGLE, |o| {
        marker::array(o, "capabilities").is_some() && marker::text(o, "name").is_some()
    })];
    const OUTLINES: &'static [(&'static Schema, u8)] = &[(&AGENT, 0)];
    const PLACES: &'static [&'static str] =
        &["/.well-known/agents.json", "/.well-known/agent-card.json"];
    const ROWS: Option<&'static Schema> = Some(&AGENT);
    const RULES: &'static [&'static Rule] = rules::RULES;
    const HAS_SCHEMAS: bool = true;

    fn parse(input: &Input<'_>) -> Manifest {
        let Value::Array(elements) = input.value else {
            return Manifest::Single(Box::new(input.manifest()));
        };
        let item = |(index, element): (usize, &Value)| {
            let at = format!("/{index}");
            if (input.items.detect)(element) == A2aAgentCard::ID {
                Item::Card(Box::new(input.item(element, &at)))
            } else if !element.is_object() {
                Item::Other(element.clone())
            } else if ["url", "capabilities"]
                .iter()
                .all(|name| element.get(name).is_none())
            {
                Item::NoAgent
            } else {
                Item::Agent(Box::new(input.item_as(SINGLE, element, &at)))
            }
        };
        Manifest::Array(elements.iter().enumerate().map(item).collect())
    }

    fn validate(manifest: &Manifest, input: &Input<'_>, findings: &mut Findings) {
        let items = match manifest {
            Manifest::Single(service) => {
                return service.validate(input.value, findings);
            }
            Manifest::Array(items) => items,
        };
        if items.is_empty() {
            findings.add(
                &ZV_02,
                "",
                "the list is empty; add an agent or remove the file",
            );
        }
        let mut seen = HashSet::new();
        for (index, item) in items.iter().enumerate() {
            let at = format!("/{index}");
            match item {
                Item::NoAgent => {
                    let message = "neither url nor capabilities, so this is no agent and is not listed; give both";
                    findings.add(&GP_05, at, message);
                }
                Item::Agent(reading) => {
                    for finding in &reading.findings {
                        findings.push(finding.clone());
                    }
                    let element = &input.value[index];
                    if !seen.insert((element.get("name"), element.get("url"))) {
                        findings.add(
                            &ZV_10,
                            at,
                            "another agent has this name and url; merge them or rename one",
                        );
                    }
                }
                Item::Card(reading) => {
                    findings.add(
                        &ZV_08,
                        at,
                        "an A2A card, not a Zervice agent; it is read as an A2A card",
                    );
                    for finding in &reading.findings {
                        findings.push(finding.clone());
                    }
                }
                Item::Other(value) => {
                    let message = format!("{} where an agent belongs", json::kind(value));
                    findings.add(&ZV_01, at, message);
                }
            }
        }
    }

    fn normalize(manifest: &Manifest, input: &Input<'_>) -> Vec<Agent> {
        match manifest {
            Manifest::Single(service) => {
                vec![service.normalize(input)]
            }
            Manifest::Array(items) => {
                let readings = items.iter().filter_map(Item::reading);
                readings.flat_map(|it| it.agents.clone()).collect()
            }
        }
    }

    fn references(manifest: &Manifest, input: &Input<'_>) -> Vec<Reference> {
        match manifest {
            Manifest::Single(service) => service.reference(input).into_iter().collect(),
            Manifest::Array(items) => {
                let readings = items.iter().filter_map(Item::reading);
                readings.flat_map(|it| it.references.clone()).collect()
            }
        }
    }
}

impl Item {
    fn reading(&self) -> Option<&Reading> {
        match self {
            Self::Agent(reading) | Self::Card(reading) => Some(reading),
            Self::NoAgent | Self::Other(_) => None,
        }
    }
}

impl Service {
    fn validate(&self, element: &Value, findings: &mut Findings) {
        AGENT.check(element, "", findings);
        let mut names = HashSet::new();
        for (index, action) in self.capabilities.items() {
            if action.name.raw().is_some_and(|name| !names.insert(name)) {
                findings.add(
                    ZV_06.warning(),
                    format!("/capabilities/{index}/name"),
                    "another capability has this name; give each its own",
                );
            }
        }
    }

    fn normalize(&self, input: &Input<'_>) -> Agent {
        let document = input.document;
        let read = AGENT.read(input.value, document);
        let interface = |protocol: &str, url: String, preferred| Interface {
            protocol: protocol.to_owned(),
            url,
            preferred,
            ..Interface::default()
        };
        // Some state another protocol, whose address stands in a member of its own.
        let is_http = self
            .unknown
            .get("protocol")
            .is_none_or(|it| it == "rest" || it == "http");
        let rest = read.url.clone().filter(|_| is_http);
        let rest = rest.map(|url| {
            let protocol = generic::endpoint_protocol(&url).unwrap_or("rest");
            interface(protocol, url, true)
        });
        let openapi = self.openapi_url.raw();
        let openapi = openapi.and_then(|url| link::absolute(&document.url, url));
        let openapi = openapi.map(|url| interface("openapi", url, false));
        Agent {
            homepage: Some(link::origin(document)),
            capabilities: self.actions(),
            auth: self.auth(input).into_iter().collect(),
            interfaces: rest.into_iter().chain(openapi).collect(),
            extensions: self.extensions(),
            defaulted: vec![Fact::Homepage.into()],
            ..read
        }
    }

    /// Returns the members that the specification does not know, also those of authentication.
    fn extensions(&self) -> Map<String, Value> {
        let of_auth = self.authentication.get().map(|it| it.unknown.clone());
        let of_auth = of_auth.filter(|members| !members.is_empty());
        let named = |members| ("authentication".to_owned(), Value::Object(members));
        let own = self.unknown.clone().into_iter();
        let own = own.filter(|(name, _)| !TEXTS.contains(&name.as_str()));
        own.chain(of_auth.map(named)).collect()
    }

    fn actions(&self) -> Vec<Capability> {
        let stated = self.authentication.get();
        let is_optional =
            stated.is_some_and(|it| it.unknown.get("required") == Some(&Value::Bool(false)));
        let auth = stated.and_then(|it| it.kind.raw());
        let requires_auth = auth.map(|kind| !is_optional && auth::scheme(kind) != "none");
        let object = |schema: &Field<Value>| schema.get().filter(|it| it.is_object()).cloned();
        self.capabilities
            .items()
            .filter_map(|(index, action)| {
                let name = action.name.text()?;
                let input_schema = object(&action.input_schema);
                Some(Capability {
                    id: name.clone(),
                    name,
                    description: action.description.text(),
                    params: input_schema
                        .as_ref()
                        .map_or_else(Vec::new, schema::params_of),
                    input_schema,
                    output_schema: object(&action.output_schema),
                    requires_auth,
                    pointer: format!("/capabilities/{index}"),
                    ..Capability::default()
                })
            })
            .collect()
    }

    fn auth(&self, input: &Input<'_>) -> Option<agent::Auth> {
        let authentication = self.authentication.get()?;
        let url = |field: &Field<String>| link::absolute(&input.document.url, field.raw()?);
        let header = authentication.header.text();
        let mut auth = agent::Auth::of(authentication.kind.raw()?);
        auth.location = header.as_ref().map(|_| "header".to_owned());
        auth.name = header.or(auth.name);
        auth.authorization_url = url(&authentication.authorization_url);
        auth.token_url = url(&authentication.token_url);
        auth.description = authentication.description.text();
        Some(auth)
    }

    fn reference(&self, input: &Input<'_>) -> Option<Reference> {
        reference::to(
            input.document,
            "openapi",
            self.openapi_url.raw()?,
            "/openapi_url",
        )
    }
}
