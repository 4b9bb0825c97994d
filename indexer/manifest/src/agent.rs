//! The one model into which every format is normalized (FORMATS.md section 12).

mod access;
mod capability;
mod graph;

pub use access::{Auth, Interface, Payment, RateLimit, Sessions};
pub use capability::{Capability, Flow, Param};
pub use graph::{Graph, GraphEdge, GraphNode};

use crate::Domain;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// `<domain>/<slug>`: stable while the site keeps the agent's name; merging says how
/// ([`crate::merge`]).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AgentId(String);

impl AgentId {
    /// The id of the agent `slug` at `domain`.
    pub fn new(domain: &Domain, slug: &str) -> Self {
        Self(format!("{domain}/{slug}"))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Domain and slug.
    pub fn parts(&self) -> (&str, &str) {
        self.0.split_once('/').unwrap_or((&self.0, ""))
    }
}

impl std::fmt::Display for AgentId {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.pad(&self.0)
    }
}

/// What one document, or all documents of a domain, say of one agent.
///
/// Every text has been cleaned by [`crate::text::clean`]; every URL is absolute.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Agent {
    /// What the document itself calls the agent (an id member), empty when it has none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub key: String,
    /// Where the document describes it: JSON pointer, empty for the whole document.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub pointer: String,
    /// Field name to where the document says so: JSON pointer, or `line:N` for text formats.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub pointers: BTreeMap<String, String>,
    /// Name for people; never empty in a reading.
    pub name: String,
    /// Names that other documents of the domain give the same agent; merging fills them in.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_names: Vec<String>,
    /// What it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Where it is called: endpoint or API base.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Its own version, not the format's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Who runs it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<Provider>,
    /// Mail address or URL of someone responsible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<String>,
    /// Documentation for developers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub docs: Option<String>,
    /// Logo or icon; shown as a link, never fetched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logo: Option<String>,
    /// Its page for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub homepage: Option<String>,
    /// Tags, in document order, without repetitions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// BCP 47 language tags it announces.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
    /// What it can do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<Capability>,
    /// Ways to authenticate; empty means that nothing is said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub auth: Vec<Auth>,
    /// Ways to talk to it, preferred first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub interfaces: Vec<Interface>,
    /// Limits on callers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rate_limits: Vec<RateLimit>,
    /// Where sessions are made and ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sessions: Option<Sessions>,
    /// Suggested sequences of capabilities.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flows: Vec<Flow>,
    /// Where signed records of calls are found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audit: Option<Audit>,
    /// Other agents it is composed of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph: Option<Graph>,
    /// Rules it says it enforces.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub policies: Vec<Policy>,
    /// Ways to pay.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub payments: Vec<Payment>,
    /// Signatures on the document; the state is `unverified` until someone checks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub signatures: Vec<Signature>,
    /// Media types or kinds of input it takes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub input_modes: Vec<String>,
    /// Media types or kinds of output it gives.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub output_modes: Vec<String>,
    /// Members that the model has no place for, as published.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extensions: Map<String, Value>,
    /// Fields whose value is a specification's default rather than the publisher's word.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub defaulted: Vec<String>,
}

impl Agent {
    /// The values that are kept as published: extensions, schemas, defaults and choices.
    pub(crate) fn raw_values(&mut self) -> impl Iterator<Item = &mut Value> {
        let capabilities = self.capabilities.iter_mut();
        let of_capabilities = capabilities.flat_map(Capability::raw_values);
        self.extensions.values_mut().chain(of_capabilities)
    }
}

/// Who runs an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Provider {
    /// Organization or person.
    pub name: String,
    /// Its page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// Where signed records of calls are found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Audit {
    /// Absolute URL template.
    pub endpoint: String,
    /// Ed25519 public key, base64, when given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub public_key: Option<String>,
}

/// A rule that an agent says it enforces; text, never evaluated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Policy {
    /// Its name.
    pub id: String,
    /// `allow`, `deny`, `audit` or `notify`.
    pub effect: String,
    /// What it applies to.
    pub action: String,
    /// Expression that decides.
    #[serde(rename = "where", skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
}

/// A signature on the document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Signature {
    /// Key id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kid: Option<String>,
    /// Algorithm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alg: Option<String>,
    /// `unverified` until someone checks it.
    pub state: String,
}
