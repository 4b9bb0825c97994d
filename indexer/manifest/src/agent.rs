//! The one model into which every format is normalized (FORMATS.md section 12).

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

impl Capability {
    fn raw_values(&mut self) -> impl Iterator<Item = &mut Value> {
        let params = self.params.iter_mut();
        let of_params = params.flat_map(|param| param.default.iter_mut().chain(&mut param.choices));
        let schemas = self.input_schema.iter_mut().chain(&mut self.output_schema);
        schemas.chain(of_params)
    }
}

/// One thing that an agent can do: capability, skill, tool, action, intent, flow.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Capability {
    /// The publisher's id for it; equal to the name when there is no other.
    pub id: String,
    /// Name, as published.
    pub name: String,
    /// What it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// HTTP method in upper case, only where the format gives one: never guessed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Endpoint as published, with path parameters as `{name}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// The endpoint as an absolute URL (template), joined as the format says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Parameters, in document order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub params: Vec<Param>,
    /// JSON Schema of the input, published or derived from the parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_schema: Option<Value>,
    /// JSON Schema of the output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// Whether authentication is needed; `None` when nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requires_auth: Option<bool>,
    /// Whether a session is needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requires_session: Option<bool>,
    /// Whether a person has to finish it at a URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub human_handoff: Option<bool>,
    /// Limit on calls of this capability.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<RateLimit>,
    /// Tags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Needs in a user's words that it meets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
    /// Media types or kinds of input.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub input_modes: Vec<String>,
    /// Media types or kinds of output.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub output_modes: Vec<String>,
    /// True when its publisher says that it will go.
    pub deprecated: bool,
    /// Protocol it is called by when that is not the agent's own: `rest`, `mcp`, `a2a`, …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// Where the document says so: JSON pointer, or `line:N` for text formats.
    pub pointer: String,
}

/// One parameter of a capability.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Param {
    /// Its name.
    pub name: String,
    /// `path`, `query`, `body` or `header`, where the format says so.
    #[serde(rename = "in", skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// JSON Schema type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// What it means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether it must be given.
    pub required: bool,
    /// Value when it is not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// Accepted values.
    #[serde(rename = "enum", skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Value>,
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

/// One way to authenticate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Auth {
    /// `none`, `api_key`, `oauth2`, `bearer`, `basic`, `openid`, `mtls`, `hmac` or `other` (FORMATS.md 12.2, C-51).
    pub scheme: String,
    /// Where a key goes: `header`, `query` or `cookie`.
    #[serde(rename = "in", skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// Name of the header or parameter, or of the scheme in its document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// OAuth flows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flows: Vec<String>,
    /// OAuth scopes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// Where authorization starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authorization_url: Option<String>,
    /// Where tokens come from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_url: Option<String>,
    /// How to get access, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub docs: Option<String>,
}

/// One way to talk to an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Interface {
    /// `a2a`, `mcp`, `rest`, `interaction-api`, `openapi`, `graphql`, `websocket`, `grpc` or another word.
    pub protocol: String,
    /// Version of the protocol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Absolute URL, or `host:port` for gRPC.
    pub url: String,
    /// Binding: `JSONRPC`, `GRPC`, `HTTP+JSON`, `streamable-http`, …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transport: Option<String>,
    /// True for the one the publisher prefers.
    pub preferred: bool,
    /// Tenant to name in calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
}

/// So many calls in so many seconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RateLimit {
    /// Whom or what it binds: `default`, `authenticated`, `burst`, an agent's name.
    pub scope: String,
    /// Number of calls.
    pub limit: u64,
    /// Window in seconds.
    pub window_s: u64,
    /// Anything else said of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Where sessions are made and ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sessions {
    /// Absolute URL for `POST`.
    pub create: String,
    /// Absolute URL for `DELETE`.
    pub delete: String,
    /// Lifetime in seconds.
    pub ttl_s: u64,
}

/// A suggested sequence.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Flow {
    /// Name of the flow.
    pub name: String,
    /// What it accomplishes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Names of capabilities, in order.
    pub steps: Vec<String>,
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

/// Other agents that one is composed of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Graph {
    /// The members.
    pub nodes: Vec<GraphNode>,
    /// Who passes messages to whom.
    pub edges: Vec<GraphEdge>,
}

/// A member of a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct GraphNode {
    /// Its name in the graph.
    pub id: String,
    /// URI of its manifest.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Its part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
}

/// A connection in a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct GraphEdge {
    /// Node id.
    pub from: String,
    /// Node id.
    pub to: String,
    /// Expression that decides; text, never evaluated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
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

/// A way to pay.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Payment {
    /// `x402`, `mpp`, `ap2`, …
    pub protocol: String,
    /// Anything said of it, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
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
