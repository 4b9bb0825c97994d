//! Capabilities of an agent and the input that they need.

use super::{RateLimit, Translation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One thing that an agent can do: capability, skill, tool, action, intent, flow.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(default)]
#[schemars(rename = "StatedCapability")]
pub struct Capability {
    /// The publisher's id for it; equal to the name when there is no other.
    pub id: String,
    /// Name, as published.
    pub name: String,
    /// Purpose of the capability.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// HTTP method in upper case, only if the format gives one: never guessed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Endpoint as published, with path parameters as `{name}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// The endpoint as an absolute URL (template), joined as the format defines.
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
    /// True if authentication is needed; `None` if the document does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requires_auth: Option<bool>,
    /// True if a session is needed; `None` if the document does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requires_session: Option<bool>,
    /// True if a person has to complete the call at a URL; `None` if the document does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub human_handoff: Option<bool>,
    /// Limit on calls of this capability.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<RateLimit>,
    /// Tags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Examples of user requests that it can handle.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
    /// Media types or kinds of input.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub input_modes: Vec<String>,
    /// Media types or kinds of output.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub output_modes: Vec<String>,
    /// True if the publisher announces its removal.
    pub deprecated: bool,
    /// Protocol of this capability, if it differs from the agent's: `rest`, `mcp`, `a2a`, …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// Its texts in further languages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub translations: Vec<Translation>,
    /// Members that the model does not cover, as published.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extensions: Map<String, Value>,
    /// Position in the document: JSON pointer, or `line:N` for text formats.
    pub pointer: String,
}

impl Capability {
    /// Iterates over its values that are kept as published.
    pub(super) fn raw_values(&mut self) -> impl Iterator<Item = &mut Value> {
        let params = self.params.iter_mut();
        let of_params = params.flat_map(|param| param.default.iter_mut().chain(&mut param.choices));
        let schemas = self.input_schema.iter_mut().chain(&mut self.output_schema);
        let extensions = self.extensions.values_mut();
        schemas.chain(of_params).chain(extensions)
    }
}

/// One parameter of a capability.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(default)]
pub struct Param {
    /// Its name.
    pub name: String,
    /// `path`, `query`, `body` or `header`, if the format gives it.
    #[serde(rename = "in", skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// JSON Schema type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Meaning of the parameter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// True if the parameter must be given.
    pub required: bool,
    /// Value that applies if it is not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// Accepted values.
    #[serde(rename = "enum", skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Value>,
}

/// A suggested sequence.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(default)]
pub struct Flow {
    /// Name of the flow.
    pub name: String,
    /// Purpose of the flow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Names of capabilities, in order.
    pub steps: Vec<String>,
}
