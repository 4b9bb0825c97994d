//! The model into which every format is normalized.

mod access;
mod capability;
mod graph;

pub use access::{Auth, Interface, Payment, Program, ProgramInput, RateLimit, Sessions};
pub use capability::{Capability, Flow, Param};
pub use graph::{Graph, GraphEdge, GraphNode};

use crate::Domain;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Identifier of an agent, `<domain>/<slug>`: stable while the site keeps the agent's name
/// ([`crate::merge`]), and found again under another one ([`crate::succession`]).
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct AgentId(String);

impl AgentId {
    /// Returns the id of the agent `slug` at `domain`.
    pub fn new(domain: &Domain, slug: &str) -> Self {
        Self(format!("{domain}/{slug}"))
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Splits the id into domain and slug.
    pub fn parts(&self) -> (&str, &str) {
        self.0.split_once('/').unwrap_or((&self.0, ""))
    }
}

impl std::fmt::Display for AgentId {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.pad(&self.0)
    }
}

/// One agent, as described by one document or by all documents of a domain.
///
/// Every text has been cleaned by [`crate::text::clean`]; every URL is absolute.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(default)]
pub struct Agent {
    /// The document's own id for the agent; empty if it gives none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub key: String,
    /// JSON pointer to the agent's description in the document; empty for the whole document.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub pointer: String,
    /// Position of each field in the document, by field name: JSON pointer, or `line:N` for text
    /// formats.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub pointers: BTreeMap<String, String>,
    /// Name for people; never empty in a reading.
    pub name: String,
    /// Names that other documents of the domain give the same agent; filled in by merging.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_names: Vec<String>,
    /// Purpose of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Endpoint or base URL of the API.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Version of the agent, not of the format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Organization or person that runs it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<Provider>,
    /// Mail address or URL of a responsible person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<String>,
    /// Documentation for developers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub docs: Option<String>,
    /// Logo or icon; shown as a link, never fetched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logo: Option<String>,
    /// Page for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub homepage: Option<String>,
    /// Tags, in document order, without repetitions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// BCP 47 language tags that it announces.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
    /// Its capabilities.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<Capability>,
    /// Ways to authenticate; empty if the document does not mention authentication.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub auth: Vec<Auth>,
    /// Ways to call it, preferred first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub interfaces: Vec<Interface>,
    /// Programs to run on the caller's own machine.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<Program>,
    /// Limits on callers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rate_limits: Vec<RateLimit>,
    /// Endpoints that create and delete sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sessions: Option<Sessions>,
    /// Suggested sequences of capabilities.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flows: Vec<Flow>,
    /// Endpoint for signed records of calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audit: Option<Audit>,
    /// Other agents it is composed of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph: Option<Graph>,
    /// Rules that it states it enforces.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub policies: Vec<Policy>,
    /// Ways to pay.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub payments: Vec<Payment>,
    /// Signatures on the document; their state is `unverified` until they are checked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub signatures: Vec<Signature>,
    /// Media types or kinds of input it takes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub input_modes: Vec<String>,
    /// Media types or kinds of output it gives.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub output_modes: Vec<String>,
    /// Its texts in further languages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub translations: Vec<Translation>,
    /// Members that the format defines and the model has no field for, as published.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub specified: Map<String, Value>,
    /// Members that neither the format defines nor the model covers, as published.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extensions: Map<String, Value>,
    /// Addresses that were left out since they cannot be called from outside of the publisher's
    /// network (DI-12).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub withheld: Vec<Withheld>,
    /// Fields whose value is a default of the specification, not given by the publisher.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub defaulted: Vec<String>,
}

impl Agent {
    /// Reports whether something says where the agent is called, or how it is run.
    pub(crate) fn is_reachable(&self) -> bool {
        let mut calls = self.capabilities.iter().map(|it| &it.url);
        !self.interfaces.is_empty() || !self.programs.is_empty() || calls.any(Option::is_some)
    }

    /// Iterates over the values that are kept as published: further members, schemas, defaults
    /// and choices.
    pub(crate) fn raw_values(&mut self) -> impl Iterator<Item = &mut Value> {
        let capabilities = self.capabilities.iter_mut();
        let of_capabilities = capabilities.flat_map(Capability::raw_values);
        let members = self
            .specified
            .values_mut()
            .chain(self.extensions.values_mut());
        members.chain(of_capabilities)
    }
}

/// An address that was left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(default)]
pub struct Withheld {
    /// The field that had it, such as `interfaces`.
    pub field: String,
    /// The kind of address, in words.
    pub reason: String,
}

/// A text in a language other than the one that is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(default)]
pub struct Translation {
    /// The field: `name` or `description`.
    pub field: String,
    /// BCP 47 language tag.
    pub language: String,
    /// The text.
    pub text: String,
}

/// Organization or person that runs an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(default)]
pub struct Provider {
    /// Organization or person.
    pub name: String,
    /// Its page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// Endpoint for signed records of calls.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(default)]
pub struct Audit {
    /// Absolute URL template.
    pub endpoint: String,
    /// Ed25519 public key in base64, if given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub public_key: Option<String>,
    /// Contents of the records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// A rule that an agent states it enforces; kept as text, never evaluated.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(default)]
pub struct Policy {
    /// Its name.
    pub id: String,
    /// `allow`, `deny`, `audit` or `notify`.
    pub effect: String,
    /// The action to which it applies.
    pub action: String,
    /// The condition under which it applies, as an expression.
    #[serde(rename = "where", skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
}

/// A signature on the document.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(default)]
pub struct Signature {
    /// Key id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kid: Option<String>,
    /// Algorithm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alg: Option<String>,
    /// The signature itself, encoded as published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Time at which it was made, as published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// `unverified` until the signature is checked.
    pub state: String,
}
