//! A JSON value as a deserializer that can be read twice and distinguishes objects from arrays.
//!
//! Serde's derived structs also accept arrays, member by member: `"capabilities": []` would be an
//! object without members, but this difference distinguishes A2A from Zervice. A [`super::Field`]
//! must also keep a value of the wrong type. It first tries the value as the expected type and
//! takes it unchanged only if that fails, which avoids copying values of the right type.

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Error, Value, map};
use std::slice;

/// Name by which a [`super::Field`] requests the same value twice.
pub(super) const READ_TWICE: &str = "$manifest::Field";

/// The value of a member or an item.
#[derive(Clone, Copy)]
pub(super) struct Member<'v>(pub(super) &'v Value);

impl<'de> Deserializer<'de> for Member<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Array(items) => visitor.visit_seq(Items(items.iter())),
            Value::Object(members) => visitor.visit_map(Members(members.iter(), None)),
            scalar => scalar.deserialize_any(visitor),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.0 {
            Value::Object(_) => self.deserialize_any(visitor),
            _ => Err(Error::custom("not an object")),
        }
    }

    /// Rejects null, which serde's maps would accept as an empty map.
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Object(_) => self.deserialize_any(visitor),
            _ => Err(Error::custom("not an object")),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        if name == READ_TWICE {
            visitor.visit_seq(SameValue(self))
        } else {
            visitor.visit_newtype_struct(self)
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.0.deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct identifier ignored_any
    }
}

/// Source of the same value for each request.
struct SameValue<'v>(Member<'v>);

impl<'de> SeqAccess<'de> for SameValue<'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        seed.deserialize(self.0).map(Some)
    }
}

struct Items<'v>(slice::Iter<'v, Value>);

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        let item = self.0.next();
        item.map(|item| seed.deserialize(Member(item))).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

struct Members<'v>(map::Iter<'v>, Option<&'v Value>);

impl<'de> MapAccess<'de> for Members<'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        let Some((name, value)) = self.0.next() else {
            return Ok(None);
        };
        self.1 = Some(value);
        let name = serde::de::value::BorrowedStrDeserializer::new(name);
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        match self.1.take() {
            Some(value) => seed.deserialize(Member(value)),
            None => Err(Error::custom("a value without its name")),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}
