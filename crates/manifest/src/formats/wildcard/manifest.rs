//! The document as the Wildcard specification 0.1.0 describes it.

use crate::field::{Field, List};
use serde::Deserialize;
use serde_json::{Map, Value};

/// The whole document.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Manifest {
    #[serde(rename = "agentsJson")]
    pub(super) agents_json: Field<String>,
    pub(super) info: Field<Info>,
    pub(super) sources: List<Source>,
    pub(super) overrides: List<Override>,
    pub(super) flows: List<Flow>,
    #[serde(flatten)]
    pub(super) unknown: Map<String, Value>,
}

/// Title, version and description of the service.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Info {
    pub(super) title: Field<String>,
    pub(super) version: Field<String>,
    pub(super) description: Field<String>,
}

/// An API.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Source {
    pub(super) id: Field<String>,
    /// Address of its `OpenAPI` document.
    pub(super) path: Field<String>,
}

/// Replacement of a member of an operation.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Override {
    pub(super) source_id: Field<String>,
    pub(super) operation_id: Field<String>,
    pub(super) field_path: Field<String>,
    pub(super) value: Field<Value>,
}

/// A sequence of operations with one purpose.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Flow {
    pub(super) id: Field<String>,
    pub(super) title: Field<String>,
    pub(super) description: Field<String>,
    pub(super) actions: List<Action>,
    pub(super) links: List<Link>,
    pub(super) fields: Field<Fields>,
}

/// One operation of a flow.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Action {
    pub(super) id: Field<String>,
    pub(super) source_id: Field<String>,
    pub(super) operation_id: Field<String>,
}

/// Transfer of a value from one operation to the next.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Link {
    pub(super) origin: Field<End>,
    pub(super) target: Field<End>,
}

/// One end of a link: an action, or the flow itself when `actionId` is null or missing.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct End {
    pub(super) action_id: Field<String>,
    pub(super) field_path: Field<String>,
}

/// Input and output of a flow.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Fields {
    pub(super) parameters: List<Parameter>,
    pub(super) request_body: Field<Map<String, Value>>,
    pub(super) responses: Field<Map<String, Value>>,
}

/// One parameter of a flow.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Parameter {
    pub(super) name: Field<String>,
    pub(super) description: Field<String>,
    pub(super) required: Field<bool>,
    #[serde(rename = "type")]
    pub(super) kind: Field<String>,
    /// Not in the schema, but used in upstream's own files, like `default`.
    #[serde(rename = "enum")]
    pub(super) choices: Field<Vec<Value>>,
    pub(super) default: Field<Value>,
}
