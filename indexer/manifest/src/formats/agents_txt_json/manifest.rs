//! The document as agents-txt 1.0 describes it, with the older names of its own examples.

use crate::field::{Field, List, Named};
use crate::json;
use serde::Deserialize;
use serde_json::{Map, Value};

/// The whole document.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Manifest {
    pub(super) spec_version: Field<String>,
    pub(super) declaration_type: Field<String>,
    pub(super) operates_on: List<String>,
    pub(super) site: Field<Site>,
    pub(super) capabilities: List<Capability>,
    pub(super) access: Field<Access>,
    pub(super) agents: Field<Agents>,
    #[serde(flatten)]
    pub(super) unknown: Map<String, Value>,
}

/// Whose site it is.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Site {
    pub(super) name: Field<String>,
    pub(super) url: Field<String>,
    pub(super) description: Field<String>,
    pub(super) contact: Field<String>,
    pub(super) privacy_policy: Field<String>,
}

/// One thing that the site can do.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Capability {
    pub(super) id: Field<String>,
    pub(super) description: Field<String>,
    pub(super) endpoint: Field<String>,
    pub(super) method: Field<String>,
    pub(super) protocol: Field<String>,
    pub(super) auth: Field<Auth>,
    pub(super) rate_limit: Field<Value>,
    pub(super) openapi: Field<String>,
    pub(super) parameters: List<Parameter>,
    /// What upstream's own example calls `parameters`.
    pub(super) params: List<Parameter>,
    pub(super) scopes: List<String>,
}

/// How callers authenticate: an object, or only the type's word in upstream's own example.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Auth {
    Word(String),
    Object(Box<Scheme>),
}

/// How callers authenticate.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Scheme {
    #[serde(rename = "type")]
    pub(super) kind: Field<String>,
    pub(super) token_endpoint: Field<String>,
    pub(super) docs_url: Field<String>,
    pub(super) scopes: List<String>,
}

/// One parameter.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Parameter {
    pub(super) name: Field<String>,
    #[serde(rename = "in")]
    pub(super) place: Field<String>,
    /// What upstream's own example calls `in`.
    pub(super) location: Field<String>,
    #[serde(rename = "type")]
    pub(super) kind: Field<String>,
    pub(super) required: Field<bool>,
    pub(super) default: Field<Value>,
    pub(super) description: Field<String>,
}

/// Which paths agents may call.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Access {
    pub(super) allow: List<String>,
    pub(super) disallow: List<String>,
}

/// The terms for callers by name; a list of named terms in upstream's own example.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Agents {
    Map(Named<Terms>),
    List(Vec<Field<Terms>>),
}

/// What holds for one caller.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Terms {
    pub(super) name: Field<String>,
    pub(super) rate_limit: Field<Value>,
    pub(super) capabilities: List<String>,
    #[serde(rename = "agentDeclaration")]
    pub(super) declaration: Field<String>,
}

/// One caller, wherever it stands.
#[derive(Clone, Debug)]
pub(super) struct Caller<'m> {
    pub(super) pointer: String,
    /// The caller's name; `*` is everyone else.
    pub(super) name: &'m str,
    pub(super) terms: &'m Terms,
}

impl Manifest {
    /// True when the file describes its publisher's own bot, which offers nothing (AT-37).
    pub(super) fn is_operator(&self) -> bool {
        self.declaration_type.raw() == Some("agent")
    }

    /// The callers for whom there are terms.
    pub(super) fn callers(&self) -> Vec<Caller<'_>> {
        let caller = |pointer, name, terms| Caller {
            pointer,
            name,
            terms,
        };
        match self.agents.get() {
            None => Vec::new(),
            Some(Agents::Map(members)) => {
                let members = members.0.iter().filter_map(|(name, terms)| {
                    let pointer = format!("/agents/{}", json::escape(name));
                    Some(caller(pointer, name.as_str(), terms.get()?))
                });
                members.collect()
            }
            Some(Agents::List(items)) => {
                let items = items.iter().enumerate().filter_map(|(index, terms)| {
                    let terms = terms.get()?;
                    Some(caller(format!("/agents/{index}"), terms.name.raw()?, terms))
                });
                items.collect()
            }
        }
    }
}

impl Capability {
    /// The protocol in lower case; empty when the file names none.
    pub(super) fn protocol(&self) -> String {
        self.protocol.raw().unwrap_or_default().to_ascii_lowercase()
    }

    /// The parameters, under either name.
    pub(super) fn parameters(&self) -> impl Iterator<Item = &Parameter> {
        let parameters = self.parameters.items().chain(self.params.items());
        parameters.map(|(_, parameter)| parameter)
    }

    /// How callers authenticate, if the file says so.
    pub(super) fn scheme(&self) -> Option<Scheme> {
        match self.auth.get()? {
            Auth::Object(scheme) => Some(scheme.as_ref().clone()),
            Auth::Word(word) => Some(Scheme {
                kind: Field::Is(word.clone()),
                ..Scheme::default()
            }),
        }
    }
}
