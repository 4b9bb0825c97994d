//! Agent policy 0.1: the JSON document that an agents.txt of the agent policy dialect links to.
//!
//! It lists what agents may do, the MCP server or API ("door") for it, and what a person has to
//! confirm. The schema is closed: a member that it does not define makes the policy invalid.

use crate::agent::{Interface, Policy};
use crate::field::{Field, List};
use crate::format::{Fields, Format, Input};
use crate::marker::Marker;
use crate::reference;
use crate::rule::Rule;
use crate::shape::Schema;
use crate::{Agent, Capability, Fact, FormatId, Reference, extension, link, rate, text};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::HashSet;

mod rules;
mod shape;

use shape::POLICY;

/// Most references to `OpenAPI` documents of one policy.
const MAX_OPENAPI: usize = 5;
/// Most interfaces that are listed.
const MAX_INTERFACES: usize = 50;

/// Reader of agent policies.
pub(super) struct AgentPolicy;

/// The whole document.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Manifest {
    #[serde(rename = "agentPolicyVersion")]
    version: Field<String>,
    issuer: Field<Issuer>,
    default: Field<String>,
    contact: Field<String>,
    verify: Field<String>,
    capabilities: List<Permission>,
    #[serde(flatten)]
    unknown: Map<String, Value>,
}

/// Issuer of the policy.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Issuer {
    name: Field<String>,
    url: Field<String>,
    keys: Field<String>,
}

/// One action that agents may take.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Permission {
    id: Field<String>,
    description: Field<String>,
    door: Field<CallTarget>,
    auth: Field<String>,
    mandate_scope: Field<String>,
    risk_tier: Field<String>,
    receipt: Field<Receipt>,
    rate_limit: Field<Map<String, Value>>,
}

/// Server or API that an action is called at.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct CallTarget {
    #[serde(rename = "type")]
    kind: Field<String>,
    url: Field<String>,
}

/// Receipt that the caller gets.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Receipt {
    kind: Field<String>,
    verify: Field<String>,
}

impl Format for AgentPolicy {
    type Manifest = Manifest;

    const ID: FormatId = FormatId::specified("agent-policy-0.1");
    const TITLE: &'static str = "Agent policy 0.1";
    const MARKERS: &'static [Marker] = &[Marker::named(Self::ID, |o| {
        o.contains_key("agentPolicyVersion")
    })];
    const PLACES: &'static [&'static str] = &["/.well-known/agent-policy.json"];
    const SHAPE: Option<&'static Schema> = Some(&POLICY);
    const OWN_MEANINGS: &'static [&'static str] = &["version"];
    const FIELDS: Fields = &[
        (Fact::Name, &["/issuer/name"]),
        (Fact::Url, &["/issuer/url"]),
        (Fact::Homepage, &["/issuer/url"]),
        (Fact::Contact, &["/contact"]),
        (Fact::Capabilities, &["/capabilities"]),
        (Fact::Interfaces, &["/capabilities"]),
        (Fact::Policies, &["/default"]),
    ];
    const RULES: &'static [&'static Rule] = rules::RULES;

    fn parse(input: &Input<'_>) -> Manifest {
        input.manifest()
    }

    fn normalize(manifest: &Manifest, input: &Input<'_>) -> Vec<Agent> {
        let document = input.document;
        let issuer = manifest.issuer.get().cloned().unwrap_or_default();
        let url = issuer
            .url
            .raw()
            .and_then(|url| link::absolute(&document.url, url));
        let effect = manifest.default.text();
        vec![Agent {
            name: issuer.name.text().unwrap_or_default(),
            homepage: url.clone(),
            url,
            contact: manifest.contact.text(),
            capabilities: manifest
                .capabilities
                .items()
                .filter_map(|(index, permission)| permission.normalize(index))
                .collect(),
            interfaces: interfaces(manifest, input),
            defaulted: effect
                .is_none()
                .then(|| Fact::Policies.into())
                .into_iter()
                .collect(),
            policies: vec![Policy {
                id: "default".to_owned(),
                effect: effect.unwrap_or_else(|| "deny".to_owned()),
                action: "*".to_owned(),
                condition: None,
            }],
            extensions: extensions(manifest, input.value),
            ..Agent::default()
        }]
    }

    fn references(manifest: &Manifest, input: &Input<'_>) -> Vec<Reference> {
        let doors = manifest.capabilities.items().filter_map(|(index, it)| {
            let door = it.door.get()?;
            let pointer = format!("/capabilities/{index}/door/url");
            let url = door
                .url
                .raw()
                .filter(|_| door.kind.raw() == Some("openapi"))?;
            reference::to(input.document, "openapi", url, &pointer)
        });
        reference::distinct(doors)
            .into_iter()
            .take(MAX_OPENAPI)
            .collect()
    }

    fn generation(manifest: &Manifest) -> Option<String> {
        manifest.version.text()
    }
}

impl Permission {
    fn normalize(&self, index: usize) -> Option<Capability> {
        let id = self.id.text()?;
        let door = self.door.get();
        let limit = self.rate_limit.get().cloned().map(Value::Object);
        let prefix = id
            .split_once('.')
            .and_then(|(prefix, _)| text::some(prefix));
        Some(Capability {
            name: id.clone(),
            id,
            description: self.description.text(),
            requires_auth: self.auth.raw().map(|auth| auth != "none"),
            human_handoff: self.risk_tier.raw().map(|tier| tier == "checkpoint"),
            rate_limit: limit.and_then(|limit| rate::read("default", &limit)),
            tags: prefix.into_iter().collect(),
            protocol: door.and_then(|door| door.kind.text()),
            pointer: format!("/capabilities/{index}"),
            ..Capability::default()
        })
    }
}

/// Returns the doors, each once.
fn interfaces(manifest: &Manifest, input: &Input<'_>) -> Vec<Interface> {
    let mut seen = HashSet::new();
    let doors = manifest.capabilities.items().filter_map(|(_, it)| {
        let door = it.door.get()?;
        Some(Interface {
            protocol: door.kind.text()?,
            url: link::absolute(&input.document.url, door.url.raw()?)?,
            ..Interface::default()
        })
    });
    doors
        .filter(|door| seen.insert((door.protocol.clone(), door.url.clone())))
        .take(MAX_INTERFACES)
        .collect()
}

/// Returns the members without a place in the model: unknown ones, and the addresses for checking
/// keys and receipts.
fn extensions(manifest: &Manifest, value: &Value) -> Map<String, Value> {
    let mut extensions = manifest.unknown.clone();
    for (name, pointer) in [("verify", "/verify"), ("issuer.keys", "/issuer/keys")] {
        if let Some(member) = value.pointer(pointer) {
            extensions.insert(name.to_owned(), member.clone());
        }
    }
    extension::unknown(&extensions, &[])
}
