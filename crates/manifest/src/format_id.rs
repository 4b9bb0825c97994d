//! Names of formats and dialects.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

/// Stable name of a format or dialect, such as `a2a-agent-card`; it is serialized as the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FormatId {
    name: &'static str,
    is_specified: bool,
}

impl FormatId {
    /// Format of a document that no test recognises (DI-30).
    pub const UNRECOGNISED: Self = Self::habit("unrecognised");

    /// Creates the name of a format with a specification.
    pub(crate) const fn specified(name: &'static str) -> Self {
        let is_specified = true;
        Self { name, is_specified }
    }

    /// Creates the name of a format without a specification, which is read by convention only
    /// (AT-90).
    pub(crate) const fn habit(name: &'static str) -> Self {
        let is_specified = false;
        Self { name, is_specified }
    }

    /// Returns the name as text.
    pub fn as_str(self) -> &'static str {
        self.name
    }

    /// Reports whether a specification defines the format.
    pub fn is_specified(self) -> bool {
        self.is_specified
    }
}

impl std::fmt::Display for FormatId {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.pad(self.name)
    }
}

impl JsonSchema for FormatId {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "FormatId".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "description": "Stable name of a format or dialect." })
    }
}

impl Serialize for FormatId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}
