//! Lenient parser for text that is not JSON: JSON5 and some common errors (DI-07).
//!
//! `jsonc-parser` refuses more than 512 levels, so it cannot exhaust the stack.

use super::repair;
use jsonc_parser::ast;
use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde::de::value::{Error, MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use std::borrow::Cow;

/// The first error that makes a text invalid as JSON.
pub(crate) struct Fault {
    /// Its position, in bytes.
    pub(crate) offset: usize,
    /// The error and its correction.
    pub(crate) what: &'static str,
}

/// Repairs quotes in place so that the lenient parser can read the text.
pub(super) fn mended(text: Cow<'_, str>) -> (Cow<'_, str>, Option<Fault>) {
    match repair::quotes(&text) {
        Some(mended) => {
            let what = "typographic or doubled quotes, or a NUL byte; write plain double quotes";
            let offset = mended.first;
            (Cow::Owned(mended.text), Some(Fault { offset, what }))
        }
        None => (text, None),
    }
}

/// Parses with every extension of JSON permitted.
pub(crate) fn parse(text: &str) -> Result<ast::Value<'_>, Fault> {
    parse_as(text, &ParseOptions::default())
}

/// Returns the first error in `text`; `None` if this parser finds none.
pub(super) fn first_fault(text: &str) -> Option<Fault> {
    let strict = ParseOptions {
        allow_comments: false,
        allow_loose_object_property_names: false,
        allow_trailing_commas: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    parse_as(text, &strict).err()
}

fn parse_as<'t>(text: &'t str, options: &ParseOptions) -> Result<ast::Value<'t>, Fault> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), options);
    let value = parsed.map_err(|error| fault(&error))?.value;
    value.ok_or(Fault {
        offset: 0,
        what: "nothing but comments",
    })
}

fn fault(error: &ParseError) -> Fault {
    use ParseErrorKind as Kind;
    let what = match error.kind() {
        Kind::CommentsNotAllowed => "a comment; JSON has none, remove it",
        Kind::UnterminatedCommentBlock => "a comment that never ends; JSON has none, remove it",
        Kind::TrailingCommasNotAllowed => "a comma with nothing after it; remove it",
        Kind::ExpectedComma => "a comma is missing here",
        Kind::UnexpectedComma => "a comma with nothing before it; remove it",
        Kind::SingleQuotedStringsNotAllowed => "single quotes; write double quotes",
        Kind::ExpectedStringObjectProperty => {
            "a member name without quotes; write it in double quotes"
        }
        Kind::UnexpectedWord => "a bare word; write it in double quotes",
        Kind::NonFiniteNumbersNotAllowed => {
            "NaN or infinity, which JSON does not have; write null or a number"
        }
        Kind::HexadecimalNumbersNotAllowed => "a hexadecimal number; write it in decimal",
        Kind::UnaryPlusNumbersNotAllowed => "a plus sign before a number; remove it",
        Kind::BareDecimalPointNumbersNotAllowed => "a decimal point needs digits on both sides",
        Kind::ExpectedColonAfterObjectKey => "a colon is missing after a member name",
        Kind::ExpectedObjectValue => "a member without a value",
        Kind::String(_) => "a string that is not closed, or an escape that JSON does not have",
        Kind::UnterminatedArray | Kind::UnterminatedObject => {
            "a bracket that is not closed; is the file complete?"
        }
        Kind::UnexpectedCloseBrace | Kind::UnexpectedCloseBracket => {
            "a closing bracket without an opening one"
        }
        Kind::MultipleRootJsonValues => "more text after the end of the document",
        Kind::NestingDepthExceeded => "nested too deeply",
        Kind::ExpectedDigit
        | Kind::ExpectedDigitFollowingNegativeSign
        | Kind::ExpectedPlusMinusOrDigitInNumberLiteral => "an incomplete number",
        Kind::UnexpectedColon | Kind::UnexpectedToken | Kind::UnexpectedTokenInObject => {
            "an unexpected character"
        }
    };
    Fault {
        offset: error.range().start,
        what,
    }
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
