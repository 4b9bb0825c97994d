//! Canonical form of the official Python SDK, which differs from RFC 8785 (A2S-03).
//!
//! It drops empty texts, lists and objects, sorts members by code point and escapes non-ASCII
//! characters, like Python's `json.dumps` with `sort_keys`.

use serde_json::{Number, Value};
use std::fmt::Write as _;

/// Serializes `value` as the SDK markers it; `{}` if nothing remains.
pub(super) fn canonical(value: &Value) -> String {
    let mut text = String::new();
    match cleaned(value) {
        Some(value) => write(&value, &mut text),
        None => text.push_str("{}"),
    }
    text
}

/// Removes empty parts of `value`; returns `None` if it is empty itself.
fn cleaned(value: &Value) -> Option<Value> {
    let value = match value {
        Value::Null => return None,
        Value::Array(items) => Value::Array(items.iter().filter_map(cleaned).collect()),
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| Some((name.clone(), cleaned(value)?));
            Value::Object(members.iter().filter_map(member).collect())
        }
        scalar => scalar.clone(),
    };
    let is_empty = match &value {
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    };
    (!is_empty).then_some(value)
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => write_number(number, out),
        Value::String(text) => write_text(text, out),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { "," });
                write(item, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            // The order of UTF-8 bytes is the order of code points.
            let mut members: Vec<_> = members.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            out.push('{');
            for (index, (name, value)) in members.into_iter().enumerate() {
                out.push_str(if index == 0 { "" } else { "," });
                write_text(name, out);
                out.push(':');
                write(value, out);
            }
            out.push('}');
        }
    }
}

fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            ' '..='~' => out.push(character),
            other => {
                for unit in other.encode_utf16(&mut [0; 2]) {
                    // Writing to a string cannot fail.
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
    out.push('"');
}

/// Writes a number: whole floats without a decimal point, because a protocol buffer's `Struct`
/// drops it, and others like Python's `repr`, with an exponent below 0.0001 and from 1e16 on.
fn write_number(number: &Number, out: &mut String) {
    let float = match number.as_f64() {
        Some(float) if number.is_f64() => float,
        _ => return out.push_str(&number.to_string()),
    };
    let size = float.abs();
    let text = if size != 0.0 && !(1e-4..1e16).contains(&size) {
        let text = format!("{float:e}");
        match text.split_once('e') {
            Some((digits, exponent)) => match exponent.strip_prefix('-') {
                Some(exponent) => format!("{digits}e-{exponent:0>2}"),
                None => format!("{digits}e+{exponent:0>2}"),
            },
            None => text,
        }
    } else {
        float.to_string()
    };
    out.push_str(&text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn empty_parts_are_removed_at_any_depth() {
        let value = json!({"b": "", "a": [[], {"c": null}], "d": {"e": [""]}, "f": false, "g": 0});
        assert_eq!(canonical(&value), r#"{"f":false,"g":0}"#);
        assert_eq!(canonical(&json!({})), "{}");
    }

    #[test]
    fn texts_and_numbers_are_written_as_python_does() {
        for (value, expected) in [
            (
                json!("ß\u{1F6A2}\u{7f}\u{1}\"\\/\n"),
                r#""\u00df\ud83d\udea2\u007f\u0001\"\\/\n""#,
            ),
            (
                json!({"\u{10000}": 1, "\u{ffff}": 2}),
                r#"{"\uffff":2,"\ud800\udc00":1}"#,
            ),
            (json!(1.0), "1"),
            (json!(0.5), "0.5"),
            (json!(0.00001), "1e-05"),
            (json!(1.5e16), "1.5e+16"),
            (
                json!(18_446_744_073_709_551_615_u64),
                "18446744073709551615",
            ),
        ] {
            assert_eq!(canonical(&value), expected);
        }
    }
}
