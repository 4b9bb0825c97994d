//! The types that leave the process, as JSON. A change here is a change of the API.
//!
//! They borrow from what is stored. Parts of an agent whose form in the model is the public one are
//! used as they are: those of `manifest::agent`, and sources, evidence and mentions of
//! `manifest::listing`.

pub mod personal;
mod reading;
mod shared;

pub use reading::{Finding, Reading, relative};
pub use shared::shared;

use crate::urn;
use manifest::agent::{
    self, Audit, Auth, Flow, GraphEdge, Interface, Param, Payment, Policy, Program, Provider,
    RateLimit, Sessions, Signature, Translation,
};
use manifest::caution::CautionKind;
use manifest::{AgentId, FormatId, Level};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::ops::Range;
use store::{AgentStatus, StoredAgent};

/// A listed agent: everything that it states, and the times at which it was seen.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Agent<'a> {
    id: &'a AgentId,
    urn: String,
    name: &'a str,
    site: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    format: FormatId,
    level: Level,
    status: AgentStatus,
    first_seen: String,
    last_seen: String,
    changed: String,
    hash: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    provider: Option<&'a Provider>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contact: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    docs: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    logo: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    homepage: Option<&'a str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    other_names: &'a [String],
    tags: &'a [String],
    languages: &'a [String],
    input_modes: &'a [String],
    output_modes: &'a [String],
    interfaces: &'a [Interface],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    programs: &'a [Program],
    auth: &'a [Auth],
    capabilities: Vec<Capability<'a>>,
    rate_limits: &'a [RateLimit],
    #[serde(skip_serializing_if = "Option::is_none")]
    sessions: Option<&'a Sessions>,
    flows: &'a [Flow],
    #[serde(skip_serializing_if = "Option::is_none")]
    audit: Option<&'a Audit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    graph: Option<Graph<'a>>,
    policies: &'a [Policy],
    payments: &'a [Payment],
    signatures: &'a [Signature],
    /// Texts in further languages.
    #[serde(skip_serializing_if = "<[Translation]>::is_empty")]
    translations: &'a [Translation],
    /// Members that the format defines and this type has no field for.
    #[serde(skip_serializing_if = "Map::is_empty")]
    specified: &'a Map<String, Value>,
    /// Members that the format does not define.
    #[serde(skip_serializing_if = "Map::is_empty")]
    extensions: &'a Map<String, Value>,
    /// Fields with a default value of the specification.
    defaulted: &'a [String],
}

/// One thing that an agent can do.
#[derive(Debug, JsonSchema, Serialize)]
struct Capability<'a> {
    id: &'a str,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    protocol: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    endpoint: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    params: &'a [Param],
    #[serde(skip_serializing_if = "Option::is_none")]
    input_schema: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_schema: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    requires_auth: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    requires_session: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    human_handoff: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rate_limit: Option<&'a RateLimit>,
    tags: &'a [String],
    examples: &'a [String],
    input_modes: &'a [String],
    output_modes: &'a [String],
    deprecated: bool,
    #[serde(skip_serializing_if = "<[Translation]>::is_empty")]
    translations: &'a [Translation],
    #[serde(skip_serializing_if = "Map::is_empty")]
    extensions: &'a Map<String, Value>,
    pointer: &'a str,
}

/// Facts about an agent from our own visits.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Facts {
    reachable: Reachable,
    manifests_agree: Agreement,
    signature: SignatureFact,
}

/// Sign that an agent may be taken for another one, or sends its callers elsewhere.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Caution {
    kind: CautionKind,
    /// Word of the name, id of the other agent, registrable domain, or kind of address.
    about: String,
    /// The sign in words.
    text: String,
}

#[derive(Debug, JsonSchema, Serialize)]
struct Reachable {
    /// Always `manifest`: we do not contact the agent itself.
    of: &'static str,
    /// `null` before the first visit.
    value: Option<bool>,
    checked_at: String,
}

/// Agreement of all documents of an agent.
#[derive(Debug, JsonSchema, Serialize)]
struct Agreement {
    /// `null` if there is only one document.
    value: Option<bool>,
}

/// State of the signatures.
#[derive(Debug, JsonSchema, Serialize)]
struct SignatureFact {
    value: &'static str,
}

impl<'a> Agent<'a> {
    /// Converts a stored agent.
    pub fn of(stored: &'a StoredAgent) -> Self {
        let (listing, agent) = (&stored.listing, &stored.listing.agent);
        Self {
            id: &listing.id,
            urn: urn::of(stored),
            name: &agent.name,
            site: stored.domain.as_str(),
            description: agent.description.as_deref(),
            format: listing.format,
            level: listing.level,
            status: stored.status,
            first_seen: stored.first_seen.to_rfc3339(),
            last_seen: stored.last_seen.to_rfc3339(),
            changed: stored.changed.to_rfc3339(),
            hash: &stored.hash,
            url: agent.url.as_deref(),
            version: agent.version.as_deref(),
            provider: agent.provider.as_ref(),
            contact: agent.contact.as_deref(),
            docs: agent.docs.as_deref(),
            logo: agent.logo.as_deref(),
            homepage: agent.homepage.as_deref(),
            other_names: &agent.other_names,
            tags: &agent.tags,
            languages: &agent.languages,
            input_modes: &agent.input_modes,
            output_modes: &agent.output_modes,
            interfaces: &agent.interfaces,
            programs: &agent.programs,
            auth: &agent.auth,
            capabilities: agent.capabilities.iter().map(Capability::of).collect(),
            rate_limits: &agent.rate_limits,
            sessions: agent.sessions.as_ref(),
            flows: &agent.flows,
            audit: agent.audit.as_ref(),
            graph: agent.graph.as_ref().map(Graph::of),
            policies: &agent.policies,
            payments: &agent.payments,
            signatures: &agent.signatures,
            translations: &agent.translations,
            specified: &agent.specified,
            extensions: &agent.extensions,
            defaulted: &agent.defaulted,
        }
    }

    /// Keeps some of its capabilities.
    pub fn keep_capabilities(&mut self, range: Range<usize>) {
        self.capabilities.truncate(range.end);
        self.capabilities
            .drain(..range.start.min(self.capabilities.len()));
    }

    /// Names the members of its graph that are listed; `listed` has their ids by reference.
    pub fn link(&mut self, listed: &'a BTreeMap<String, AgentId>) {
        let nodes = self.graph.iter_mut().flat_map(|graph| &mut graph.nodes);
        for member in nodes {
            let reference = member.node.reference.as_ref();
            member.agent = reference.and_then(|it| listed.get(it));
        }
    }
}

/// Agents that an agent is composed of.
#[derive(Debug, JsonSchema, Serialize)]
struct Graph<'a> {
    nodes: Vec<GraphNode<'a>>,
    edges: &'a [GraphEdge],
}

/// Member of a graph.
#[derive(Debug, JsonSchema, Serialize)]
struct GraphNode<'a> {
    #[serde(flatten)]
    node: &'a agent::GraphNode,
    /// Id of the listed agent that it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<&'a AgentId>,
}

impl<'a> Graph<'a> {
    fn of(graph: &'a agent::Graph) -> Self {
        let nodes = graph.nodes.iter();
        Self {
            nodes: nodes.map(|node| GraphNode { node, agent: None }).collect(),
            edges: &graph.edges,
        }
    }
}

impl<'a> Capability<'a> {
    fn of(capability: &'a manifest::Capability) -> Self {
        Self {
            id: &capability.id,
            name: &capability.name,
            description: capability.description.as_deref(),
            protocol: capability.protocol.as_deref(),
            method: capability.method.as_deref(),
            endpoint: capability.endpoint.as_deref(),
            url: capability.url.as_deref(),
            params: &capability.params,
            input_schema: capability.input_schema.as_ref(),
            output_schema: capability.output_schema.as_ref(),
            requires_auth: capability.requires_auth,
            requires_session: capability.requires_session,
            human_handoff: capability.human_handoff,
            rate_limit: capability.rate_limit.as_ref(),
            tags: &capability.tags,
            examples: &capability.examples,
            input_modes: &capability.input_modes,
            output_modes: &capability.output_modes,
            deprecated: capability.deprecated,
            translations: &capability.translations,
            extensions: &capability.extensions,
            pointer: &capability.pointer,
        }
    }
}

impl Facts {
    /// Returns the facts about an agent.
    pub fn of(stored: &StoredAgent) -> Self {
        let is_signed = !stored.listing.agent.signatures.is_empty();
        Self {
            reachable: Reachable {
                of: "manifest",
                value: match stored.status {
                    AgentStatus::Ok => Some(true),
                    AgentStatus::Failing => Some(false),
                    AgentStatus::Unknown => None,
                },
                checked_at: stored.last_seen.to_rfc3339(),
            },
            manifests_agree: Agreement {
                value: stored.listing.is_consistent(),
            },
            signature: SignatureFact {
                value: if is_signed { "unverified" } else { "none" },
            },
        }
    }
}

impl Caution {
    /// Converts signs.
    pub fn all(cautions: &[manifest::caution::Caution]) -> Vec<Self> {
        let cautions = cautions.iter();
        let converted = cautions.map(|it| Self {
            kind: it.kind,
            about: it.about.clone(),
            text: it.text(),
        });
        converted.collect()
    }
}
