//! The Portable Agent Manifest as JSON Agents describes it.
//!
//! These types have only the members that the model has a field for; [`super::shape`] checks the
//! whole document against the official schema.

use crate::field::{Field, List};
use serde::Deserialize;
use serde_json::{Map, Value};

/// The whole document.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Manifest {
    #[serde(rename = "manifest_version")]
    pub(super) version: Field<String>,
    pub(super) profiles: List<String>,
    pub(super) agent: Field<Identity>,
    pub(super) capabilities: List<Capability>,
    pub(super) tools: List<Tool>,
    pub(super) modalities: Field<Modalities>,
    pub(super) context: Field<Map<String, Value>>,
    pub(super) runtime: Field<Map<String, Value>>,
    pub(super) security: Field<Map<String, Value>>,
    pub(super) policies: List<Policy>,
    pub(super) observability: Field<Map<String, Value>>,
    pub(super) graph: Field<Graph>,
    pub(super) signatures: List<Signature>,
    pub(super) extensions: Field<Map<String, Value>>,
    #[serde(flatten)]
    pub(super) unknown: Map<String, Value>,
}

/// Identity of the agent.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Identity {
    pub(super) id: Field<String>,
    pub(super) name: Field<String>,
    pub(super) description: Field<String>,
    pub(super) version: Field<String>,
    pub(super) homepage: Field<String>,
    pub(super) authors: List<Author>,
    pub(super) tags: List<String>,
}

/// Author of the agent.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Author {
    pub(super) name: Field<String>,
    pub(super) organization: Field<String>,
    pub(super) email: Field<String>,
}

/// Capability of the agent. The registry's own capabilities have schemas, which the manifest's
/// schema forbids (JA-09).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Capability {
    pub(super) id: Field<String>,
    pub(super) description: Field<String>,
    pub(super) schema: Field<String>,
    pub(super) input_schema: Field<Value>,
    pub(super) output_schema: Field<Value>,
}

/// Tool that the agent can call.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Tool {
    pub(super) id: Field<String>,
    pub(super) name: Field<String>,
    pub(super) description: Field<String>,
    #[serde(rename = "type")]
    pub(super) kind: Field<String>,
    pub(super) endpoint: Field<String>,
    pub(super) input_schema: Field<Value>,
    pub(super) output_schema: Field<Value>,
    pub(super) auth: Field<ToolAuth>,
}

/// Authentication of a tool; its `ref`, the name of a credential, is not read. The schema has no
/// `header`, but a caller needs it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ToolAuth {
    pub(super) method: Field<String>,
    pub(super) header: Field<String>,
}

/// Modalities of input and output.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Modalities {
    pub(super) input: List<String>,
    pub(super) output: List<String>,
}

/// Policy that the agent states it enforces.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Policy {
    pub(super) id: Field<String>,
    pub(super) effect: Field<String>,
    pub(super) action: Field<String>,
    #[serde(rename = "where")]
    pub(super) condition: Field<String>,
}

/// Graph of agents that work together.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Graph {
    pub(super) nodes: List<Node>,
    pub(super) edges: List<Edge>,
}

/// Agent in the graph.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Node {
    pub(super) id: Field<String>,
    #[serde(rename = "ref")]
    pub(super) reference: Field<String>,
    pub(super) role: Field<String>,
}

/// Connection over which one agent of the graph sends messages to another.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Edge {
    pub(super) from: Field<String>,
    pub(super) to: Field<String>,
    pub(super) condition: Field<String>,
}

/// Signature; only its structure is specified.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Signature {
    pub(super) alg: Field<String>,
    pub(super) value: Field<String>,
    pub(super) key_id: Field<String>,
    pub(super) created_at: Field<String>,
}

impl Manifest {
    /// Returns true if the manifest lists this profile.
    pub(super) fn follows(&self, profile: &str) -> bool {
        self.profiles.items().any(|(_, listed)| listed == profile)
    }

    /// Returns true if it has one of the sections of the gov profile.
    pub(super) fn has_governance(&self) -> bool {
        !(self.security.is_absent() && self.policies.is_absent() && self.observability.is_absent())
    }

    /// Returns true if it has such sections and all of them are empty.
    pub(super) fn has_only_empty_governance(&self) -> bool {
        let is_empty = |section: &Field<Map<String, Value>>| {
            section.is_absent() || section.get().is_some_and(Map::is_empty)
        };
        let has_no_policy = self.policies.get().is_none_or(Vec::is_empty);
        self.has_governance()
            && is_empty(&self.security)
            && is_empty(&self.observability)
            && has_no_policy
    }
}
