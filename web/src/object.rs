//! JSON objects as bodies, which know the members that are given more than once.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;

/// A JSON object, and the names of its members that are given more than once.
#[derive(Debug, Default)]
pub(crate) struct Object {
    pub(crate) members: Map<String, Value>,
    pub(crate) repeated: Vec<String>,
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Object;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Object, A::Error> {
                let mut object = Object::default();
                while let Some((name, value)) = entries.next_entry::<String, Value>()? {
                    if object.members.insert(name.clone(), value).is_some() {
                        object.repeated.push(name);
                    }
                }
                Ok(object)
            }
        }

        deserializer.deserialize_map(Members)
    }
}
