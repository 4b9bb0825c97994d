//! The document as agents-txt.com describes it.

use crate::field::{Field, List};
use serde::Deserialize;
use serde_json::{Map, Value};

/// The whole document.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Manifest {
    #[serde(rename = "$schema")]
    pub(super) schema: Field<String>,
    pub(super) version: Field<String>,
    pub(super) standard: Field<String>,
    pub(super) site: Field<Site>,
    pub(super) payments: Field<Map<String, Value>>,
    pub(super) authorization: Field<Authorization>,
    pub(super) mcp: List<Pointer>,
    pub(super) skills: List<Pointer>,
    pub(super) a2a: List<Pointer>,
    pub(super) ucp: List<Pointer>,
    pub(super) webmcp: List<Pointer>,
    #[serde(flatten)]
    pub(super) unknown: Map<String, Value>,
}

/// Whose site it is.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Site {
    pub(super) name: Field<String>,
    pub(super) url: Field<String>,
    pub(super) description: Field<String>,
    #[serde(flatten)]
    pub(super) unknown: Map<String, Value>,
}

/// How agents are let in.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Authorization {
    pub(super) protocols: List<String>,
    pub(super) discovery: Field<String>,
    pub(super) identity: Field<String>,
    #[serde(flatten)]
    pub(super) unknown: Map<String, Value>,
}

/// Something at another address: an MCP server, a skill, a card, a profile or a page.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Pointer {
    pub(super) url: Field<String>,
    /// Only of MCP servers.
    #[serde(rename = "type")]
    pub(super) transport: Field<String>,
    /// Only of MCP servers.
    pub(super) version: Field<String>,
    pub(super) description: Field<String>,
    #[serde(flatten)]
    pub(super) unknown: Map<String, Value>,
}
