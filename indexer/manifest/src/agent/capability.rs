//! What an agent can do, and what it needs to be told for that.

use super::RateLimit;
use serde::{Deserialize, Serialize};
use serde_json::Value;

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

impl Capability {
    /// The values of it that are kept as published.
    pub(super) fn raw_values(&mut self) -> impl Iterator<Item = &mut Value> {
        let params = self.params.iter_mut();
        let of_params = params.flat_map(|param| param.default.iter_mut().chain(&mut param.choices));
        let schemas = self.input_schema.iter_mut().chain(&mut self.output_schema);
        schemas.chain(of_params)
    }
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
