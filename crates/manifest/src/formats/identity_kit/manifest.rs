//! Cards and team files as the Agent Identity Kit describes them.

use crate::field::{Field, List};
use serde::Deserialize;
use serde_json::{Map, Value};

/// The card of one agent.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Card {
    pub(super) version: Field<String>,
    pub(super) agent: Field<Identity>,
    pub(super) owner: Field<Owner>,
    pub(super) capabilities: List<String>,
    pub(super) protocols: Field<Map<String, Value>>,
    pub(super) endpoints: Field<Map<String, Value>>,
    pub(super) trust: Field<Trust>,
    pub(super) links: Field<Links>,
    #[serde(flatten)]
    pub(super) unknown: Map<String, Value>,
}

/// Identity of the agent.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Identity {
    pub(super) name: Field<String>,
    /// `@name@domain`.
    pub(super) handle: Field<String>,
    pub(super) description: Field<String>,
    pub(super) avatar: Field<String>,
    pub(super) homepage: Field<String>,
    pub(super) tags: List<String>,
}

/// Owner, who is responsible for the agent.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Owner {
    pub(super) name: Field<String>,
    pub(super) url: Field<String>,
    pub(super) contact: Field<String>,
    pub(super) verified: Field<bool>,
}

/// The agent's claims about its own trustworthiness.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Trust {
    pub(super) level: Field<String>,
}

/// Pages about the agent.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Links {
    pub(super) documentation: Field<String>,
}

/// The agents of an organization.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Team {
    pub(super) version: Field<String>,
    pub(super) organization: Field<Value>,
    pub(super) agents: List<Member>,
}

/// One agent of a team.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Member {
    pub(super) name: Field<String>,
    /// Address of its card; may be relative.
    pub(super) card: Field<String>,
    pub(super) handle: Field<String>,
    pub(super) description: Field<String>,
    pub(super) role: Field<String>,
}

impl Team {
    /// Returns the organization's name, from a string or an object with a name.
    pub(super) fn organization(&self) -> Option<String> {
        match self.organization.get()? {
            Value::Object(members) => crate::text::some(members.get("name")?.as_str()?),
            name => crate::text::some(name.as_str()?),
        }
    }
}
