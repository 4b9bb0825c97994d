//! Parameters and return values in IntentQL's own schema language, and their JSON Schema.

use crate::agent::Param;
use crate::field::{Field, Named, Table};
use crate::{link, text};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// One parameter, item or property.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Parameter {
    /// Name; used only in the list form of the intents dialect.
    pub(super) name: Field<String>,
    #[serde(rename = "type")]
    pub(super) kind: Field<String>,
    pub(super) required: Field<bool>,
    pub(super) description: Field<String>,
    pub(super) default: Field<Value>,
    /// Value that the author's own sites show callers; not in the specification.
    pub(super) example: Field<Value>,
    #[serde(rename = "enum")]
    pub(super) choices: Field<Vec<Value>>,
    pub(super) min: Field<Value>,
    pub(super) max: Field<Value>,
    pub(super) pattern: Field<String>,
    pub(super) items: Field<Value>,
    pub(super) min_items: Field<u64>,
    pub(super) max_items: Field<u64>,
    pub(super) properties: Table<Self>,
}

impl Parameter {
    /// Returns the equivalent JSON Schema.
    fn schema(&self) -> Value {
        let mut schema = Map::new();
        let mut set = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                schema.insert(name.to_owned(), value);
            }
        };
        let kind = self.kind.text();
        set(
            "type",
            kind.as_deref()
                .map(|kind| json!(if kind == "date" { "string" } else { kind })),
        );
        set(
            "format",
            (kind.as_deref() == Some("date")).then(|| json!(self.date_format())),
        );
        set("description", self.description.text().map(Value::from));
        set("default", self.default().cloned());
        set("example", self.example.get().cloned());
        set("enum", self.choices.get().map(|choices| json!(choices)));
        set("pattern", self.pattern.raw().map(Value::from));
        let (least, most) = match kind.as_deref() {
            Some("string") => ("minLength", "maxLength"),
            Some("array") => ("minItems", "maxItems"),
            _ => ("minimum", "maximum"),
        };
        set(least, self.min.get().filter(|min| min.is_number()).cloned());
        set(most, self.max.get().filter(|max| max.is_number()).cloned());
        set("minItems", self.min_items.get().map(|min| json!(min)));
        set("maxItems", self.max_items.get().map(|max| json!(max)));
        let items = self
            .items
            .get()
            .and_then(|items| Field::<Self>::of(items).get().map(Self::schema));
        set("items", items);
        if let Some(properties) = self.properties.get() {
            let object = object_schema(properties);
            for (name, value) in object.as_object().into_iter().flatten() {
                set(name, Some(value.clone()));
            }
        }
        Value::Object(schema)
    }

    /// Returns the default; `None` if it is null.
    pub(super) fn default(&self) -> Option<&Value> {
        self.default.get().filter(|value| !value.is_null())
    }

    /// Returns `date-time` if a sample value contains a time of day, else `date`.
    fn date_format(&self) -> &'static str {
        let samples = self
            .choices
            .get()
            .into_iter()
            .flatten()
            .chain(self.default());
        let has_time = |sample: &Value| sample.as_str().is_some_and(|text| text.contains('T'));
        if samples.into_iter().any(has_time) {
            "date-time"
        } else {
            "date"
        }
    }
}

/// Reports whether a map of parameters is a JSON Schema instead: `type` is the name of a type, and
/// `properties` are not described as a parameter is.
pub(super) fn is_schema(value: &Value) -> bool {
    value["type"].is_string()
        && value["properties"].is_object()
        && value["properties"]["type"] != "object"
}

/// Returns the object schema of `named`; `None` if it is empty.
pub(super) fn schema_of(named: &Table<Parameter>) -> Option<Value> {
    let named = named.get().filter(|named| !named.0.is_empty())?;
    Some(object_schema(named))
}

/// Returns the parameters of an endpoint; a value that is a string is a description.
pub(super) fn params(named: &Table<Parameter>, endpoint: &str) -> Vec<Param> {
    let template = link::template(endpoint);
    let named = named.get().map_or(&[][..], |named| named.0.as_slice());
    named
        .iter()
        .filter_map(|(name, field)| {
            let is_in_path = template.contains(&format!("{{{name}}}"));
            let location = is_in_path.then(|| "path".to_owned());
            let name = text::some(name)?;
            let param = match field {
                Field::Is(parameter) => Param {
                    name,
                    location,
                    kind: parameter.kind.text().map(|kind| {
                        if kind == "date" {
                            "string".to_owned()
                        } else {
                            kind
                        }
                    }),
                    description: parameter.description.text(),
                    required: is_in_path || parameter.required.get() == Some(&true),
                    default: parameter.default().cloned(),
                    choices: parameter.choices.get().cloned().unwrap_or_default(),
                },
                Field::Wrong(other) => Param {
                    name,
                    location,
                    description: other.as_str().and_then(text::some),
                    required: is_in_path,
                    ..Param::default()
                },
                Field::Absent => return None,
            };
            Some(param)
        })
        .collect()
}

fn object_schema(named: &Named<Parameter>) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (name, field) in &named.0 {
        let schema = match field {
            Field::Is(parameter) => parameter.schema(),
            Field::Wrong(Value::String(note)) => {
                json!({"description": text::clean(note, text::MAX_CHARS)})
            }
            Field::Wrong(_) | Field::Absent => json!({}),
        };
        properties.insert(name.clone(), schema);
        if field
            .get()
            .is_some_and(|parameter| parameter.required.get() == Some(&true))
        {
            required.push(name.as_str());
        }
    }
    let mut schema = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(value: &Value) -> Value {
        Field::<Parameter>::of(value).get().unwrap().schema()
    }

    #[test]
    fn bounds_are_mapped_by_type() {
        for (own, expected) in [
            (
                json!({"type": "string", "max": 280}),
                json!({"type": "string", "maxLength": 280}),
            ),
            (
                json!({"type": "number", "min": 0, "max": 5.5}),
                json!({"type": "number", "minimum": 0, "maximum": 5.5}),
            ),
            (
                json!({"type": "string", "pattern": "^[0-9]+$", "example": "12"}),
                json!({"type": "string", "pattern": "^[0-9]+$", "example": "12"}),
            ),
            (
                json!({"type": "array", "items": {"type": "date"}, "min_items": 1}),
                json!({"type": "array", "minItems": 1, "items": {"type": "string", "format": "date"}}),
            ),
            (
                json!({"type": "date", "default": "2026-01-01T00:00:00Z"}),
                json!({"type": "string", "format": "date-time", "default": "2026-01-01T00:00:00Z"}),
            ),
            (
                json!({"type": "object", "properties": {"a": {"type": "string", "required": true}}}),
                json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}),
            ),
        ] {
            assert_eq!(schema(&own), expected);
        }
    }
}
