//! Schemas in the form that generators of clients read.
//!
//! They mean the same as those that the library derives, but name values by `enum`, and have no
//! schema that is only `true`.

use schemars::Schema;
use schemars::transform::{Transform, transform_subschemas};
use serde_json::{Map, Value};

/// Transformation of a schema, and of all within it.
#[derive(Clone, Debug)]
pub(crate) struct Plain;

impl Transform for Plain {
    fn transform(&mut self, schema: &mut Schema) {
        if schema.as_bool() == Some(true) {
            *schema = Schema::default();
        }
        if let Some(members) = schema.as_object_mut() {
            enumerate(members);
            // `minimum` says the same as formats of Rust, which others do not know.
            let format = members.get("format").and_then(Value::as_str);
            if format.is_some_and(|it| it.starts_with("uint")) {
                members.remove("format");
            }
        }
        transform_subschemas(self, schema);
    }
}

/// Replaces alternatives that are one text each by their list, with the meanings in the description.
fn enumerate(schema: &mut Map<String, Value>) {
    let Some(Value::Array(choices)) = schema.remove("oneOf") else {
        return;
    };
    let is_text = |it: &Value| {
        let listed = it.get("enum").and_then(Value::as_array);
        it.get("const").is_some_and(Value::is_string)
            || listed.is_some_and(|it| it.iter().all(Value::is_string))
    };
    let (texts, mut others): (Vec<_>, Vec<_>) = choices.into_iter().partition(is_text);
    let listed = list(&texts);
    if others.is_empty() {
        let both = [schema.get("description"), listed.get("description")];
        let both: Vec<&str> = both
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let described = both.join("\n\n");
        schema.extend(listed);
        if !described.is_empty() {
            schema.insert("description".to_owned(), described.into());
        }
    } else {
        if !texts.is_empty() {
            others.insert(0, listed.into());
        }
        schema.insert("oneOf".to_owned(), others.into());
    }
}

/// Returns the schema of the texts that alternatives are, with their meanings.
fn list(alternatives: &[Value]) -> Map<String, Value> {
    let (mut values, mut meanings) = (Vec::new(), Vec::new());
    for one in alternatives {
        if let Some(Value::Array(all)) = one.get("enum") {
            values.extend(all.iter().cloned());
        }
        if let Some(Value::String(text)) = one.get("const") {
            values.push(text.as_str().into());
            let meaning = one.get("description").and_then(Value::as_str);
            meanings.extend(meaning.map(|it| format!("- `{text}`: {it}")));
        }
    }
    let mut listed = Map::new();
    listed.insert("type".to_owned(), "string".into());
    listed.insert("enum".to_owned(), values.into());
    if !meanings.is_empty() {
        listed.insert("description".to_owned(), meanings.join("\n").into());
    }
    listed
}

#[cfg(test)]
mod tests {
    use super::*;
    use schemars::json_schema;

    #[test]
    fn values_are_listed_with_their_meanings() {
        let mut schema = json_schema!({
            "description": "Fruit.",
            "oneOf": [
                { "type": "string", "const": "fig", "description": "Sweet." },
                { "type": "string", "enum": ["sloe", "medlar"] },
            ],
        });
        Plain.transform(&mut schema);
        let listed = json_schema!({
            "description": "Fruit.\n\n- `fig`: Sweet.",
            "type": "string",
            "enum": ["fig", "sloe", "medlar"],
        });
        assert_eq!(schema, listed);
    }

    #[test]
    fn any_value_is_an_empty_schema() {
        let mut schema = json_schema!({
            "properties": { "seed": true, "seeds": { "items": true } },
            "oneOf": [{ "type": "null" }, { "const": "fig" }],
        });
        Plain.transform(&mut schema);
        let plain = json_schema!({
            "properties": { "seed": {}, "seeds": { "items": {} } },
            "oneOf": [{ "type": "string", "enum": ["fig"] }, { "type": "null" }],
        });
        assert_eq!(schema, plain);
    }
}
