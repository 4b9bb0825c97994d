//! The texts of an agent that a query may match.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

/// Text of an agent that matched; it is serialized as its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchedField {
    /// A name of the agent.
    Name,
    /// The name or id of a capability.
    CapabilityName,
    /// The description of a capability.
    CapabilityDescription,
    /// An example of a capability.
    CapabilityExample,
    /// The name of a parameter of a capability.
    CapabilityParameter,
    /// A tag of the agent or of a capability.
    Tag,
    /// The description of the agent.
    Description,
    /// The provider's name.
    Provider,
    /// The domain.
    Site,
    /// The text nearest to the need in meaning, which shares no word with it.
    Meaning,
}

manifest::words!(MatchedField {
    Name = "name",
    CapabilityName = "capability.name",
    CapabilityDescription = "capability.description",
    CapabilityExample = "capability.example",
    CapabilityParameter = "capability.parameter",
    Tag = "tag",
    Description = "description",
    Provider = "provider",
    Site = "site",
    Meaning = "meaning",
});

impl MatchedField {
    /// Returns the weight of the text, by the order of docs/formats.md, "Search text".
    pub(super) fn strength(self, is_of_capability: bool) -> f32 {
        match self {
            Self::CapabilityName => 1.0,
            Self::Name => 0.95,
            Self::Tag if is_of_capability => 0.8,
            Self::Tag => 0.9,
            Self::CapabilityExample => 0.86,
            Self::CapabilityDescription => 0.85,
            Self::Description => 0.7,
            Self::Site | Self::CapabilityParameter => 0.6,
            Self::Provider => 0.5,
            Self::Meaning => 0.0,
        }
    }
}

impl JsonSchema for MatchedField {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "MatchedField".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "description": "Field in which the words of the query were found, or `meaning`." })
    }
}

impl Serialize for MatchedField {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
