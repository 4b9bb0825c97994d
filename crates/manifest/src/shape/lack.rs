//! Required members that an object lacks to be of a format.

use super::{Member, Schema, Shape, correction};
use serde_json::{Map, Value};

/// A required member that an object lacks, or has with another type.
#[derive(Clone, Debug)]
pub(crate) struct Lack {
    pub(crate) name: &'static str,
    /// Completes "give …".
    pub(crate) words: String,
    /// The member as it could be written.
    pub(crate) sample: Option<String>,
}

/// Result of comparing the members of an object with those of a schema.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fit {
    /// Number of members that the schema defines and the object has, with their types.
    pub(crate) present: usize,
    /// Names of the required members that the object lacks.
    pub(crate) lacking: Vec<&'static str>,
}

impl Lack {
    /// Describes a required member that is not there.
    pub(crate) fn of(member: &Member) -> Self {
        Self {
            name: member.name,
            words: member.words().to_string(),
            sample: correction::missing(member),
        }
    }
}

impl Member {
    /// Reports whether a list or a table has an item with a member that its items require.
    fn holds_any(&self, value: &Value) -> bool {
        let item = match self.shape {
            Shape::List(item) | Shape::Set(item) | Shape::Table(item) => item.shape,
            _ => return true,
        };
        let fits = |value: &Value| {
            let (Shape::Open(members) | Shape::Closed(members)) = item else {
                return item.takes(value);
            };
            let mut required = members.iter().filter(|member| member.is_required());
            required.any(|member| {
                value
                    .get(member.name)
                    .is_some_and(|it| member.shape.takes(it))
            })
        };
        match value {
            Value::Array(items) => items.is_empty() || items.iter().any(fits),
            Value::Object(members) => members.is_empty() || members.values().any(fits),
            _ => true,
        }
    }
}

impl Schema {
    /// Compares the members of an object with those that the schema defines at its top.
    pub(crate) fn fit(&self, object: &Map<String, Value>) -> Fit {
        let (Shape::Open(members) | Shape::Closed(members)) = self.shape else {
            return Fit::default();
        };
        let has = |member: &&Member| {
            let value = object.get(member.name);
            value.is_some_and(|value| member.shape.takes(value) && member.holds_any(value))
        };
        let (present, absent): (Vec<&Member>, Vec<&Member>) = members.iter().partition(has);
        let lacking = absent.iter().filter(|member| member.is_required());
        Fit {
            present: present.len(),
            lacking: lacking.map(|member| member.name).collect(),
        }
    }

    /// Compares an object with the schema of one edition: the required members that it has,
    /// the number of its members that are defined, and the required ones that it lacks.
    pub(crate) fn compare(
        &self,
        edition: u8,
        object: &Map<String, Value>,
    ) -> (Vec<&'static str>, usize, Vec<&'static Member>) {
        let (Shape::Open(members) | Shape::Closed(members)) = self.shape else {
            return (Vec::new(), 0, Vec::new());
        };
        let members = || {
            let is_defined = |it: &&Member| (it.editions.0..it.editions.1).contains(&edition);
            members.iter().filter(is_defined)
        };
        let has = |it: &&Member| {
            object
                .get(it.name)
                .is_some_and(|value| it.shape.takes(value))
        };
        let lacks = members().filter(|it| it.is_required() && !has(it));
        let lacks = lacks.collect();
        let met = members().filter(|it| it.is_required() && has(it));
        let met = met.map(|it| it.name).collect();
        (met, members().filter(has).count(), lacks)
    }
}
