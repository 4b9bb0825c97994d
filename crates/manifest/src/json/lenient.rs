//! Lenient parser for text that is not JSON: JSON5 and some common errors (DI-07).
//!
//! `jsonc-parser` refuses more than 512 levels, so it cannot exhaust the stack.

use super::repair;
use jsonc_parser::ast;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde::de::value::{Error, MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use std::borrow::Cow;

/// Repairs quotes in place so that the lenient parser can read the text.
pub(super) fn mended(text: Cow<'_, str>) -> Cow<'_, str> {
    match repair::quotes(&text) {
        Some(mended) => Cow::Owned(mended.text),
        None => text,
    }
}

/// Parses with every extension of JSON permitted; returns `None` if even that fails.
pub(crate) fn parse(text: &str) -> Option<ast::Value<'_>> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
    parsed.ok()?.value
}

/// Returns the position of what this parser cannot read past, in bytes, with the reason; `None` if
/// nothing stops it.
pub(super) fn obstacle(text: &str) -> Option<(usize, String)> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
    let error = parsed.err()?;
    Some((error.range().start, error.kind().to_string()))
}

/// A parsed value as a source for serde.
pub(super) struct Node<'a, 't>(pub(super) &'a ast::Value<'t>);

impl<'de> Deserializer<'de> for Node<'_, '_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            ast::Value::StringLit(text) => visitor.visit_str(&text.value),
            ast::Value::NumberLit(number) => visit_number(number.value, visitor),
            ast::Value::BooleanLit(boolean) => visitor.visit_bool(boolean.value),
            ast::Value::NullKeyword(_) => visitor.visit_unit(),
            ast::Value::Array(array) => {
                visitor.visit_seq(SeqDeserializer::new(array.elements.iter().map(Node)))
            }
            ast::Value::Object(object) => {
                let members = object.properties.iter();
                visitor.visit_map(MapDeserializer::new(
                    members.map(|it| (it.name.as_str(), Node(&it.value))),
                ))
            }
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier
        ignored_any
    }
}

impl IntoDeserializer<'_, Error> for Node<'_, '_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// Visits the number: clamped to the range of a double, or null for NaN.
fn visit_number<'de, V: Visitor<'de>>(text: &str, visitor: V) -> Result<V::Value, Error> {
    let digits = text.trim_start_matches(['+', '-']);
    if let Some(digits) = digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        let number = u64::from_str_radix(digits, 16).unwrap_or(u64::MAX);
        return match i64::try_from(number) {
            Ok(number) if text.starts_with('-') => visitor.visit_i64(-number),
            _ => visitor.visit_u64(number),
        };
    }
    let text = text.trim_start_matches('+');
    if let Ok(number) = text.parse() {
        return visitor.visit_u64(number);
    }
    if let Ok(number) = text.parse() {
        return visitor.visit_i64(number);
    }
    match text.parse::<f64>() {
        Ok(number) if !number.is_nan() => visitor.visit_f64(number.clamp(f64::MIN, f64::MAX)),
        Ok(_) | Err(_) => visitor.visit_unit(),
    }
}
