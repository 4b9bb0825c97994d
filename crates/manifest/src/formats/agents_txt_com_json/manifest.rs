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

/// Name, address and description of the site.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Site {
    pub(super) name: Field<String>,
    pub(super) url: Field<String>,
    pub(super) description: Field<String>,
}

/// Authorization protocols, and the path of their discovery document.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Authorization {
    pub(super) protocols: List<String>,
    pub(super) discovery: Field<String>,
    pub(super) identity: Field<String>,
}

/// Address of an MCP server, a skill, an agent card, a UCP profile or a `WebMCP` page.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Pointer {
    pub(super) url: Field<String>,
    /// Transport; defined for MCP servers only.
    #[serde(rename = "type")]
    pub(super) transport: Field<String>,
    /// Version of the protocol; defined for MCP servers only.
    pub(super) version: Field<String>,
    pub(super) description: Field<String>,
}
