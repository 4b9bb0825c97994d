//! Types of JSON Schema in words, with links to the schemas that they name.

use super::{Text, entries};
use serde_json::Value;

/// Place of the shared schemas in a description.
const SCHEMAS: &str = "#/components/schemas/";

/// Type in words: pieces of text, some of them the name of a schema.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Type(pub(super) Vec<Piece>);

/// Part of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Words.
    Words(String),
    /// Value as JSON.
    Value(String),
    /// Name of a schema.
    Schema(String),
}

/// Member of an object.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) of: Type,
    pub(super) is_required: bool,
    pub(super) description: Text,
}

impl Type {
    fn words(text: impl Into<String>) -> Self {
        Self(vec![Piece::Words(text.into())])
    }

    fn value(value: &Value) -> Self {
        Self(vec![Piece::Value(value.to_string())])
    }

    fn then(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Joins alternatives by a word.
    fn joined(types: impl IntoIterator<Item = Self>, word: &str) -> Self {
        let joined = types
            .into_iter()
            .reduce(|all, it| all.then(Self::words(word)).then(it));
        joined.unwrap_or_default()
    }
}

/// Returns the type that a schema describes.
pub(super) fn type_of(schema: &Value) -> Type {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.strip_prefix(SCHEMAS).unwrap_or(reference);
        return Type(vec![Piece::Schema(name.to_owned())]);
    }
    if let Some(value) = schema.get("const") {
        return Type::value(value);
    }
    if let Some(values) = schema["enum"].as_array() {
        return Type::joined(values.iter().map(Type::value), " or ");
    }
    for (keyword, word) in [("anyOf", " or "), ("oneOf", " or "), ("allOf", " and ")] {
        if let Some(schemas) = schema[keyword].as_array() {
            // An empty value counts as none for every parameter.
            let schemas = schemas.iter().filter(|it| it["const"] != "");
            return Type::joined(schemas.map(type_of), word);
        }
    }
    let named = match &schema["type"] {
        Value::String(name) => of_name(name, schema),
        Value::Array(names) => {
            let names = names.iter().filter_map(Value::as_str);
            Type::joined(names.map(|name| of_name(name, schema)), " or ")
        }
        _ => Type::words("any value"),
    };
    named.then(limits(schema))
}

/// Returns the members of an object.
pub(super) fn members(schema: &Value) -> Vec<Member> {
    let required = schema["required"].as_array();
    let is_required = |name: &str| required.is_some_and(|it| it.iter().any(|it| it == name));
    let members = entries(&schema["properties"]).map(|(name, member)| Member {
        name: name.to_owned(),
        of: type_of(member),
        is_required: is_required(name),
        description: Text::of(member),
    });
    members.collect()
}

fn of_name(name: &str, schema: &Value) -> Type {
    match name {
        "array" => match schema.get("items") {
            Some(items) => Type::words("array of ").then(type_of(items)),
            None => Type::words("array"),
        },
        "object" => object(schema),
        name => Type::words(name),
    }
}

fn object(schema: &Value) -> Type {
    let members = entries(&schema["properties"]).map(|(name, member)| {
        let name = Type::value(&Value::from(name));
        name.then(Type::words(": ")).then(type_of(member))
    });
    let members = Type::joined(members, ", ");
    match schema.get("additionalProperties") {
        _ if members != Type::default() => Type::words("object with ").then(members),
        Some(values @ Value::Object(_)) => Type::words("object of ").then(type_of(values)),
        _ => Type::words("object"),
    }
}

/// Returns the limits of a value, and the one that it has if none is given.
fn limits(schema: &Value) -> Type {
    let range = match (&schema["minimum"], &schema["maximum"]) {
        // Counts are not negative in any case.
        (Value::Null, Value::Null) => None,
        (least, Value::Null) if least == 0 => None,
        (least, Value::Null) => Some(format!(", at least {least}")),
        (Value::Null, most) => Some(format!(", at most {most}")),
        (least, most) => Some(format!(", {least} to {most}")),
    };
    let range = range.map_or_else(Type::default, Type::words);
    let pattern = schema.get("pattern").map_or_else(Type::default, |it| {
        Type::words(", pattern ").then(Type::value(it))
    });
    let default = schema.get("default").filter(|it| {
        let is_empty = it.is_null() || it.as_array().is_some_and(Vec::is_empty);
        !is_empty && **it != false && **it != ""
    });
    let default = default.map_or_else(Type::default, |it| {
        Type::words(", default ").then(Type::value(it))
    });
    range.then(pattern).then(default)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shown(schema: &Value) -> String {
        let pieces = type_of(schema).0.into_iter().map(|piece| match piece {
            Piece::Words(text) | Piece::Value(text) => text,
            Piece::Schema(name) => format!("[{name}]"),
        });
        pieces.collect()
    }

    #[test]
    fn types_are_told_in_words() {
        for (schema, words) in [
            (json!({"type": "string"}), "string"),
            (json!({}), "any value"),
            (json!({"$ref": "#/components/schemas/Hit"}), "[Hit]"),
            (
                json!({"type": "array", "items": {"$ref": "#/components/schemas/Hit"}}),
                "array of [Hit]",
            ),
            (json!({"type": ["string", "null"]}), "string or null"),
            (json!({"enum": ["a", "b"]}), "\"a\" or \"b\""),
            (json!({"const": true}), "true"),
            (
                json!({"anyOf": [{"$ref": "#/components/schemas/Fit"}, {"type": "null"}]}),
                "[Fit] or null",
            ),
            (
                json!({"type": "integer", "minimum": 1, "maximum": 100, "default": 20}),
                "integer, 1 to 100, default 20",
            ),
            (json!({"type": "integer", "minimum": 0}), "integer"),
            (
                json!({"anyOf": [{"type": "boolean", "default": true}, {"const": ""}]}),
                "boolean, default true",
            ),
            (
                json!({"type": "string", "pattern": "^/"}),
                "string, pattern \"^/\"",
            ),
            (
                json!({"type": "object", "additionalProperties": {"type": "integer"}}),
                "object of integer",
            ),
            (
                json!({"type": "object", "properties": {"refused": {"type": "string"}},
                       "additionalProperties": false}),
                "object with \"refused\": string",
            ),
        ] {
            assert_eq!(shown(&schema), words);
        }
    }
}
