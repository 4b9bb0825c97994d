//! `agent.json` as IntentQL describes it.

use super::parameter::Parameter;
use crate::field::{Field, List, Table};
use serde::Deserialize;
use serde_json::{Map, Value};

/// The whole document, without the texts that are read from the rows of its shape.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Manifest {
    pub(super) base_url: Field<String>,
    pub(super) capabilities: Table<Action>,
    pub(super) auth: Field<Auth>,
    pub(super) rate_limits: Field<RateLimits>,
    pub(super) metadata: Field<Metadata>,
    pub(super) deprecated_capabilities: List<String>,
    #[serde(flatten)]
    pub(super) unknown: Map<String, Value>,
}

/// One thing that agents can do at the site.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Action {
    pub(super) description: Field<String>,
    pub(super) method: Field<String>,
    pub(super) endpoint: Field<String>,
    pub(super) parameters: Table<Parameter>,
    pub(super) returns: Table<Parameter>,
    pub(super) auth_required: Field<bool>,
    pub(super) rate_limit: Field<String>,
}

/// Authentication of callers.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Auth {
    #[serde(rename = "type")]
    pub(super) kind: Field<String>,
    pub(super) header: Field<String>,
    pub(super) format: Field<String>,
    pub(super) authorization_url: Field<String>,
    pub(super) token_url: Field<String>,
    pub(super) scopes: Field<Map<String, Value>>,
    pub(super) description: Field<String>,
}

/// Rate limits for callers.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RateLimits {
    pub(super) default: Field<String>,
    pub(super) authenticated: Field<String>,
    pub(super) burst: Field<String>,
}

/// Facts for people; those that are one text are read from the rows of the shape.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Metadata {
    pub(super) security: Field<Security>,
}

/// Requirements on the transport.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Security {
    pub(super) require_https: Field<bool>,
}

impl RateLimits {
    /// Returns each limit with the name of its scope.
    pub(super) fn named(&self) -> [(&'static str, &Field<String>); 3] {
        [
            ("default", &self.default),
            ("authenticated", &self.authenticated),
            ("burst", &self.burst),
        ]
    }
}
