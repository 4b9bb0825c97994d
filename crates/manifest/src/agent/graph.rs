//! Other agents that an agent is composed of.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Other agents that an agent is composed of.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(default)]
#[schemars(rename = "StatedGraph")]
pub struct Graph {
    /// The members.
    pub nodes: Vec<GraphNode>,
    /// Connections along which messages pass.
    pub edges: Vec<GraphEdge>,
}

/// A member of a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(default)]
#[schemars(rename = "StatedGraphNode")]
pub struct GraphNode {
    /// Its name in the graph.
    pub id: String,
    /// URI of its manifest.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Its role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
}

/// A connection in a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(default)]
pub struct GraphEdge {
    /// Node id.
    pub from: String,
    /// Node id.
    pub to: String,
    /// The condition of the connection, as an expression; kept as text, never evaluated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
}
