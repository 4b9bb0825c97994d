//! Parameters of the registry's capabilities.

use crate::query::documented::{ParameterDoc, documented};
use schemars::Schema;
use search::Facet;
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

/// Parameter of a capability; its name is the same in every protocol.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Parameter {
    /// Its name.
    pub(crate) name: &'static str,
    /// Meaning of the parameter.
    pub(crate) description: &'static str,
    /// True if it must be given.
    pub(crate) is_required: bool,
    /// JSON Schema of its value: a string, an integer or a boolean.
    pub(crate) schema: Map<String, Value>,
}

impl Parameter {
    /// Returns a parameter that must be given, as text.
    pub(super) fn required(name: &'static str, description: &'static str) -> Self {
        Self {
            is_required: true,
            ..Self::text(name, description)
        }
    }

    /// Returns a parameter that may be given, as text.
    pub(super) fn text(name: &'static str, description: &'static str) -> Self {
        Self::new(name, description, &json!({"type": "string"}))
    }

    /// Returns a parameter that may be given, as a number.
    pub(super) fn number(
        name: &'static str,
        description: &'static str,
        default: u32,
        most: u32,
    ) -> Self {
        let schema = json!({"type": "integer", "minimum": 1, "maximum": most, "default": default});
        Self::new(name, description, &schema)
    }

    /// Returns a parameter that may be given, as a number of items that are skipped.
    pub(super) fn count(name: &'static str, description: &'static str) -> Self {
        let schema = json!({"type": "integer", "minimum": 0, "default": 0});
        Self::new(name, description, &schema)
    }

    /// Returns a filter of a search, with the values of its facet. It takes one value, since not
    /// every format can express several.
    pub(super) fn filter(facet: Facet, description: &'static str) -> Self {
        let schema = match facet.values() {
            Some(values) => json!({"type": "string", "enum": values}),
            None => json!({"type": "string"}),
        };
        Self::new(facet.as_str(), description, &schema)
    }

    /// Returns a parameter of a search, as the API describes it.
    pub(super) fn of_search(name: &'static str) -> Self {
        /// Parameters of a search; to describe them takes a while.
        static DESCRIBED: LazyLock<Vec<ParameterDoc>> = LazyLock::new(documented);
        let found = DESCRIBED.iter().find(|it| it.name == name);
        found.map_or_else(
            || Self::text(name, ""),
            |it| Self::new(it.name, it.description, it.format.as_value()),
        )
    }

    fn new(name: &'static str, description: &'static str, schema: &Value) -> Self {
        Self {
            name,
            description,
            is_required: false,
            schema: schema.as_object().cloned().unwrap_or_default(),
        }
    }

    /// Returns the type of its value: `string`, `integer` or `boolean`.
    pub(crate) fn kind(&self) -> &str {
        let kind = self.schema.get("type").and_then(Value::as_str);
        kind.unwrap_or("string")
    }

    /// Returns its schema with its description, as a property of the input of its capability.
    pub(crate) fn property(&self) -> Value {
        let mut schema = self.schema.clone();
        schema.insert("description".to_owned(), self.description.into());
        Value::Object(schema)
    }
}

/// Returns the JSON Schema of an object with these members and no others.
pub(crate) fn object(parameters: &[Parameter]) -> Schema {
    let properties: Map<String, Value> = parameters
        .iter()
        .map(|it| (it.name.to_owned(), it.property()))
        .collect();
    let required: Vec<&str> = parameters
        .iter()
        .filter(|it| it.is_required)
        .map(|it| it.name)
        .collect();
    schemars::json_schema!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}
