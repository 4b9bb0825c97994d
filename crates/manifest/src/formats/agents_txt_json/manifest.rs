//! Members of the document as agents-txt 1.0 defines them, with older names from its examples.

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

/// Name, address and contact of the site.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Site {
    pub(super) name: Field<String>,
    pub(super) url: Field<String>,
    pub(super) description: Field<String>,
    pub(super) contact: Field<String>,
    pub(super) privacy_policy: Field<String>,
}

/// Capability that the site offers.
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
    /// Name of `parameters` in the specification's own example.
    pub(super) params: List<Parameter>,
    pub(super) scopes: List<String>,
}

/// Authentication of callers: an object, or only its type in the specification's own example.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Auth {
    Word(String),
    Object(Box<Scheme>),
}

/// Authentication scheme of a capability.
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
    /// Name of `in` in the specification's own example.
    pub(super) location: Field<String>,
    #[serde(rename = "type")]
    pub(super) kind: Field<String>,
    pub(super) required: Field<bool>,
    pub(super) default: Field<Value>,
    pub(super) description: Field<String>,
}

/// Paths that agents may call.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Access {
    pub(super) allow: List<String>,
    pub(super) disallow: List<String>,
}

/// Terms for callers by name; a list of named terms in the specification's own example.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Agents {
    Map(Named<Terms>),
    List(Vec<Field<Terms>>),
}

/// Terms for one caller.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Terms {
    pub(super) name: Field<String>,
    pub(super) rate_limit: Field<Value>,
    pub(super) capabilities: List<String>,
    #[serde(rename = "agentDeclaration")]
    pub(super) declaration: Field<String>,
}

/// Caller from either shape of `agents`, with its pointer.
#[derive(Clone, Debug)]
pub(super) struct Caller<'m> {
    pub(super) pointer: String,
    /// Name of the caller; `*` matches any other caller.
    pub(super) name: &'m str,
    pub(super) terms: &'m Terms,
}

impl Manifest {
    /// Reports whether the file describes its publisher's own bot, which offers no capabilities
    /// (AT-37).
    pub(super) fn is_operator(&self) -> bool {
        self.declaration_type.raw() == Some("agent")
    }

    /// Returns the callers that have terms.
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
    /// Returns the protocol in lower case, or an empty string if the file names none.
    pub(super) fn protocol(&self) -> String {
        self.protocol.raw().unwrap_or_default().to_ascii_lowercase()
    }

    /// Iterates over the parameters of `parameters` and `params`.
    pub(super) fn parameters(&self) -> impl Iterator<Item = &Parameter> {
        let parameters = self.parameters.items().chain(self.params.items());
        parameters.map(|(_, parameter)| parameter)
    }

    /// Returns the authentication scheme, if the file states it.
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
