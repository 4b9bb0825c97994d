//! Document members that may be missing or of the wrong type without spoiling the document.
//!
//! Every format describes its document in its own structs, following its specification, with a
//! [`Field`] for each member:
//!
//! ```text
//! #[derive(Default, Deserialize)]
//! #[serde(default)]
//! struct Skill {
//!     name: Field<String>,
//!     tags: List<String>,
//! }
//! ```
//!
//! Deserializing such a struct never fails. `validate` checks the document itself against its
//! [shape](crate::shape), and `normalize` takes what is there ([`Field::get`], [`Field::text`],
//! [`List`]'s `items`).

use crate::text;
use member::Member;
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::fmt::{self};
use std::marker::PhantomData;

mod member;
#[cfg(test)]
mod tests;

/// One member of a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Field<T> {
    /// The member is missing.
    #[default]
    Absent,
    /// The member has the expected type.
    Is(T),
    /// The member has another type.
    Wrong(Value),
}

/// A list whose valid items are kept if others are invalid.
pub(crate) type List<T> = Field<Vec<Field<T>>>;

/// A map in document order whose valid values are kept if others are invalid.
pub(crate) type Table<T> = Field<Named<T>>;

/// The members of a [`Table`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Named<T>(pub Vec<(String, Field<T>)>);

impl<T> Field<T> {
    /// Returns the value if it has the expected type.
    pub(crate) fn get(&self) -> Option<&T> {
        match self {
            Self::Is(value) => Some(value),
            Self::Absent | Self::Wrong(_) => None,
        }
    }

    /// Reports whether the member is missing.
    pub(crate) fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }
}

impl<T: DeserializeOwned> Field<T> {
    /// Reads a value that is present.
    pub(crate) fn of(value: &Value) -> Self {
        T::deserialize(Member(value)).map_or_else(|_| Self::Wrong(value.clone()), Self::Is)
    }
}

impl Field<String> {
    /// Returns the cleaned text; `None` if nothing remains.
    ///
    /// A number is converted to text, as in `"version": 1`.
    pub(crate) fn text(&self) -> Option<String> {
        let raw = match self {
            Self::Is(raw) => raw,
            Self::Wrong(Value::Number(number)) => &number.to_string(),
            Self::Absent | Self::Wrong(_) => return None,
        };
        Some(text::clean(raw, text::MAX_CHARS)).filter(|text| !text.is_empty())
    }

    /// Returns the text as published, without surrounding white space; `None` if it is empty.
    pub(crate) fn raw(&self) -> Option<&str> {
        self.get()
            .map(|raw| raw.trim())
            .filter(|raw| !raw.is_empty())
    }
}

impl<T> List<T> {
    /// Iterates over the items of the expected type, each with its index.
    pub(crate) fn items(&self) -> impl Iterator<Item = (usize, &T)> {
        let items = self.get().map_or(&[][..], Vec::as_slice);
        items
            .iter()
            .enumerate()
            .filter_map(|(index, item)| item.get().map(|item| (index, item)))
    }
}

impl List<String> {
    /// Returns the cleaned texts that are not empty, without repetitions, in order.
    pub(crate) fn texts(&self) -> Vec<String> {
        let items = self.get().map_or(&[][..], Vec::as_slice);
        text::distinct(items.iter().filter_map(Field::text))
    }
}

impl<T> Table<T> {
    /// Iterates over the members of the expected type, with their names, in document order.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&str, &T)> {
        let members = self.get().map_or(&[][..], |named| named.0.as_slice());
        members
            .iter()
            .filter_map(|(name, value)| value.get().map(|value| (name.as_str(), value)))
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Field<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(member::READ_TWICE, FieldVisitor(PhantomData))
    }
}

struct FieldVisitor<T>(PhantomData<T>);

impl<'de, T: DeserializeOwned> Visitor<'de> for FieldVisitor<T> {
    type Value = Field<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON value")
    }

    /// Reads from a [`Member`]: the value as `T`, or unchanged if it is not a `T`.
    fn visit_seq<A: SeqAccess<'de>>(self, mut twice: A) -> Result<Field<T>, A::Error> {
        match twice.next_element() {
            Ok(value) => Ok(value.map_or(Field::Absent, Field::Is)),
            Err(_) => Ok(Field::Wrong(twice.next_element()?.unwrap_or_default())),
        }
    }

    /// Reads from any other source, which gives a value only once.
    fn visit_newtype_struct<D: Deserializer<'de>>(self, other: D) -> Result<Field<T>, D::Error> {
        Ok(Field::of(&Value::deserialize(other)?))
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(NamedVisitor(PhantomData))
    }
}

struct NamedVisitor<T>(PhantomData<T>);

impl<'de, T: DeserializeOwned> Visitor<'de> for NamedVisitor<T> {
    type Value = Named<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Named<T>, A::Error> {
        let mut named = Vec::new();
        while let Some(member) = members.next_entry()? {
            named.push(member);
        }
        Ok(Named(named))
    }
}
