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

impl Lack {
    fn of(member: &Member) -> Self {
        Self {
            name: member.name,
            words: member.words().to_string(),
            sample: correction::missing(member),
        }
    }
}

impl Schema {
    /// Compares an object with the schema of one edition: the required members that it has,
    /// the number of its members that are defined, and the required ones that it lacks.
    pub(crate) fn compare(
        &self,
        edition: u8,
        object: &Map<String, Value>,
    ) -> (Vec<&'static str>, usize, Vec<Lack>) {
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
        let lacks: Vec<_> = lacks.map(Lack::of).collect();
        let met = members().filter(|it| it.is_required() && has(it));
        let met = met.map(|it| it.name).collect();
        (met, members().filter(has).count(), lacks)
    }
}
