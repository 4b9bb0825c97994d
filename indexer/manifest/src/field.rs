//! A member that may be missing or of the wrong type without spoiling the document.
//!
//! Every format describes its document in structs of its own, as its specification does, with
//! each member a [`Field`]:
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
//! Deserializing such a struct never fails. `validate` then asks for what the specification asks
//! for ([`Field::require`], [`Field::check`]), and `normalize` takes what is there
//! ([`Field::get`], [`Field::text`], [`List`]'s `items`).

use crate::finding::Findings;
use crate::{Severity, json, link, text};
use serde::de::{DeserializeOwned, Deserializer, Error as _, Visitor};
use serde::{Deserialize, forward_to_deserialize_any};
use serde_json::{Map, Value};

#[cfg(test)]
mod tests;

/// One member of a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Field<T> {
    /// Not there.
    #[default]
    Absent,
    /// There, and of the type that it should have.
    Is(T),
    /// There, with something else in it.
    Wrong(Value),
}

/// A list in which one bad item does not lose the others.
pub(crate) type List<T> = Field<Vec<Field<T>>>;

/// A map in document order in which one bad value does not lose the others.
pub(crate) type Table<T> = Field<Named<T>>;

/// The members of a [`Table`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Named<T>(pub Vec<(String, Field<T>)>);

impl<T> Field<T> {
    /// The value, if it is there and of the right type.
    pub(crate) fn get(&self) -> Option<&T> {
        match self {
            Self::Is(value) => Some(value),
            Self::Absent | Self::Wrong(_) => None,
        }
    }

    /// True when the document does not have the member.
    pub(crate) fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// Reports when the member is missing or of another type, and gives the value otherwise.
    ///
    /// `what` completes "give …": `the agent's name as a string`.
    pub(crate) fn require(
        &self,
        rule: &str,
        severity: Severity,
        pointer: &str,
        what: &str,
        findings: &mut Findings,
    ) -> Option<&T> {
        match self {
            Self::Absent => findings.add(rule, severity, pointer, format!("missing; give {what}")),
            Self::Wrong(Value::Null) => {
                findings.add(rule, severity, pointer, format!("null; give {what}"));
            }
            Self::Is(_) | Self::Wrong(_) => {}
        }
        self.check(rule, severity, pointer, what, findings)
    }

    /// Reports when the member is there with another type; a missing one and null are fine.
    pub(crate) fn check(
        &self,
        rule: &str,
        severity: Severity,
        pointer: &str,
        what: &str,
        findings: &mut Findings,
    ) -> Option<&T> {
        if let Self::Wrong(found) = self
            && !found.is_null()
        {
            let message = format!("{} where {what} belongs", json::kind(found));
            findings.add(rule, severity, pointer, message);
        }
        self.get()
    }
}

impl<T: DeserializeOwned> Field<T> {
    /// Reads a value that is there.
    pub(crate) fn of(value: &Value) -> Self {
        T::deserialize(Member(value)).map_or_else(|_| Self::Wrong(value.clone()), Self::Is)
    }
}

impl Field<String> {
    /// The text, cleaned; `None` when nothing is left of it.
    ///
    /// A number stands for its digits, as in `"version": 1`.
    pub(crate) fn text(&self) -> Option<String> {
        let raw = match self {
            Self::Is(raw) => raw,
            Self::Wrong(Value::Number(number)) => &number.to_string(),
            Self::Absent | Self::Wrong(_) => return None,
        };
        Some(text::clean(raw, text::MAX_CHARS)).filter(|text| !text.is_empty())
    }

    /// The text without white space around it, otherwise as published; `None` when empty.
    pub(crate) fn raw(&self) -> Option<&str> {
        self.get()
            .map(|raw| raw.trim())
            .filter(|raw| !raw.is_empty())
    }

    /// Like [`Field::require`], and the text must not be empty.
    pub(crate) fn require_text(
        &self,
        rule: &str,
        severity: Severity,
        pointer: &str,
        what: &str,
        findings: &mut Findings,
    ) -> Option<&str> {
        let raw = self.require(rule, severity, pointer, what, findings)?;
        if raw.trim().is_empty() {
            findings.add(rule, severity, pointer, format!("empty; give {what}"));
        }
        self.raw()
    }

    /// Like [`Field::require_text`], and the text must be an absolute http(s) URL.
    pub(crate) fn require_url(
        &self,
        rule: &str,
        severity: Severity,
        pointer: &str,
        what: &str,
        findings: &mut Findings,
    ) -> Option<&str> {
        let url = self.require_text(rule, severity, pointer, what, findings)?;
        if link::is_absolute(url) {
            return Some(url);
        }
        let message = format!("no absolute URL; give {what} with https://");
        findings.add(rule, severity, pointer, message);
        None
    }

    /// Like [`Field::require_url`], and the member may be missing.
    pub(crate) fn check_url(
        &self,
        rule: &str,
        severity: Severity,
        pointer: &str,
        what: &str,
        findings: &mut Findings,
    ) -> Option<&str> {
        match self {
            Self::Absent | Self::Wrong(Value::Null) => None,
            Self::Is(_) | Self::Wrong(_) => {
                self.require_url(rule, severity, pointer, what, findings)
            }
        }
    }
}

impl<T> List<T> {
    /// The items that can be read, each with its index.
    pub(crate) fn items(&self) -> impl Iterator<Item = (usize, &T)> {
        let items = self.get().map_or(&[][..], Vec::as_slice);
        items
            .iter()
            .enumerate()
            .filter_map(|(index, item)| item.get().map(|item| (index, item)))
    }

    /// Reports each item of another type than `what`.
    pub(crate) fn check_items(
        &self,
        rule: &str,
        severity: Severity,
        pointer: &str,
        what: &str,
        findings: &mut Findings,
    ) {
        let items = self.get().map_or(&[][..], Vec::as_slice);
        for (index, item) in items.iter().enumerate() {
            item.check(
                rule,
                severity,
                &format!("{pointer}/{index}"),
                what,
                findings,
            );
        }
    }
}

impl List<String> {
    /// The texts that are not empty, cleaned, each once, in order.
    pub(crate) fn texts(&self) -> Vec<String> {
        let items = self.get().map_or(&[][..], Vec::as_slice);
        text::distinct(items.iter().filter_map(Field::text))
    }
}

impl<T> Table<T> {
    /// The members that can be read, with their names, in document order.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&str, &T)> {
        let members = self.get().map_or(&[][..], |named| named.0.as_slice());
        members
            .iter()
            .filter_map(|(name, value)| value.get().map(|value| (name.as_str(), value)))
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Field<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::of(&Value::deserialize(deserializer)?))
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let members = Map::<String, Value>::deserialize(deserializer)?;
        let read = |(name, value)| (name, Field::of(&value));
        Ok(Self(members.into_iter().map(read).collect()))
    }
}

/// A value that becomes a struct only if it is an object.
///
/// Serde's derived structs also take arrays, member by member: `"capabilities": []` would be an
/// object without members, and the difference is what tells A2A from Zervice.
struct Member<'v>(&'v Value);

impl<'de> Deserializer<'de> for Member<'de> {
    type Error = serde_json::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        self.0.deserialize_any(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        if self.0.is_object() {
            self.0.deserialize_struct(name, fields, visitor)
        } else {
            Err(Self::Error::custom("not an object"))
        }
    }

    /// Serde's maps also take null, as an empty one.
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        if self.0.is_object() {
            self.0.deserialize_map(visitor)
        } else {
            Err(Self::Error::custom("not an object"))
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.0.deserialize_newtype_struct(name, visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        self.0.deserialize_option(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.0.deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct identifier ignored_any
    }
}
