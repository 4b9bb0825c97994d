//! Comparison of two descriptions of the API: which changes break callers of the first.

use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Headers that announce the end of an operation (RFC 9745, RFC 8594).
const END: [&str; 2] = ["Deprecation", "Sunset"];

/// Side of a conversation that writes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writer {
    /// Value of a parameter: all that was accepted has to stay accepted.
    Caller,
    /// Value of an answer: all that was given has to stay given.
    Server,
}

/// Returns the changes that break callers.
///
/// There are none if the version was raised. An operation that was marked as deprecated, with headers
/// that announce its end, may change and go.
pub(super) fn breaks(old: &Value, new: &Value) -> Vec<String> {
    let mut comparison = Comparison {
        old,
        new,
        compared: BTreeSet::new(),
        found: Vec::new(),
    };
    if version(new) <= version(old) {
        comparison.paths();
    }
    comparison.found
}

/// Returns the numbers of a version.
fn version(document: &Value) -> Vec<u64> {
    let text = document["info"]["version"].as_str().unwrap();
    text.split('.').map(|it| it.parse().unwrap()).collect()
}

struct Comparison<'a> {
    old: &'a Value,
    new: &'a Value,
    /// Pairs of shared schemas that are compared already, since schemas may contain themselves.
    compared: BTreeSet<(String, String)>,
    found: Vec<String>,
}

impl<'a> Comparison<'a> {
    fn breaks(&mut self, place: &str, change: &str) {
        self.found.push(format!("{place}: {change}"));
    }

    fn paths(&mut self) {
        let new = self.new;
        for (path, item) in members(&self.old["paths"]) {
            for (method, operation) in members(item) {
                let place = format!("{} {path}", method.to_uppercase());
                match new["paths"][path].get(method) {
                    _ if has_announced_its_end(operation) => {}
                    None => self.breaks(&place, "operation removed"),
                    Some(new) => self.operation(&place, operation, new),
                }
            }
        }
    }

    fn operation(&mut self, place: &str, old: &'a Value, new: &'a Value) {
        let parameters = |of: &'a Value| of["parameters"].as_array().into_iter().flatten();
        let same =
            |one: &Value, other: &Value| ["in", "name"].iter().all(|it| one[it] == other[it]);
        for parameter in parameters(old) {
            let place = format!("{place}: {}", parameter["name"].as_str().unwrap());
            match parameters(new).find(|it| same(it, parameter)) {
                None => self.breaks(&place, "parameter removed"),
                Some(new) => {
                    self.schema(&place, Writer::Caller, &parameter["schema"], &new["schema"]);
                }
            }
        }
        for parameter in parameters(new).filter(|it| it["required"] == true) {
            let before = parameters(old).find(|it| same(it, parameter));
            if before.is_none_or(|it| it["required"] != true) {
                let place = format!("{place}: {}", parameter["name"].as_str().unwrap());
                self.breaks(&place, "parameter made required");
            }
        }
        let (before, after) = (&old["requestBody"], &new["requestBody"]);
        if after["required"] == true && before["required"] != true {
            self.breaks(place, "body made required");
        }
        self.content(place, Writer::Caller, before, after);
        let answers = members(&old["responses"]);
        for (status, response) in answers.filter(|it| it.0.starts_with('2')) {
            let place = format!("{place}: {status}");
            match new["responses"].get(status) {
                None => self.breaks(&place, "answer removed"),
                Some(new) => self.content(&place, Writer::Server, response, new),
            }
        }
    }

    fn content(&mut self, place: &str, writer: Writer, old: &'a Value, new: &'a Value) {
        for (media_type, content) in members(&old["content"]) {
            let place = format!("{place}: {media_type}");
            match new["content"].get(media_type) {
                None => self.breaks(&place, "media type removed"),
                Some(new) => self.schema(&place, writer, &content["schema"], &new["schema"]),
            }
        }
    }

    fn schema(&mut self, place: &str, writer: Writer, old: &'a Value, new: &'a Value) {
        if let (Some(old), Some(new)) = (old["$ref"].as_str(), new["$ref"].as_str())
            && !self.compared.insert((old.to_owned(), new.to_owned()))
        {
            return;
        }
        let (old, new) = (resolved(self.old, old), resolved(self.new, new));
        let (before, after) = (values(old), values(new));
        // A schema without values permits more of them than any list.
        if !after.is_empty() {
            for value in before.difference(&after) {
                self.breaks(place, &format!("value {value} removed"));
            }
        }
        let (before, after) = (types(self.old, old), types(self.new, new));
        let is_kept = match writer {
            Writer::Caller => after.is_empty() || before.is_subset(&after),
            Writer::Server => before.is_empty() || before == after,
        };
        if !is_kept {
            self.breaks(place, &format!("type {before:?} changed to {after:?}"));
        }
        for (name, member) in members(&old["properties"]) {
            let place = format!("{place}/{name}");
            match new["properties"].get(name) {
                None => self.breaks(&place, "member removed"),
                Some(_) if is_required(old, name) && !is_required(new, name) => {
                    self.breaks(&place, "member may be absent");
                }
                Some(new) => self.schema(&place, writer, member, new),
            }
        }
        for keyword in ["items", "additionalProperties"] {
            if let (Some(old), Some(new)) = (old.get(keyword), new.get(keyword)) {
                self.schema(&format!("{place}/{keyword}"), writer, old, new);
            }
        }
        for (old, new) in alternatives(old).zip(alternatives(new)) {
            self.schema(place, writer, old, new);
        }
    }
}

fn members(object: &Value) -> impl Iterator<Item = (&String, &Value)> {
    object.as_object().into_iter().flat_map(Map::iter)
}

/// Reports whether an operation is deprecated, and its answers have headers that say so.
fn has_announced_its_end(operation: &Value) -> bool {
    let answers = members(&operation["responses"]).filter(|it| it.0.starts_with('2'));
    let has_headers = |answer: &Value| END.iter().all(|it| answer["headers"].get(it).is_some());
    operation["deprecated"] == true && answers.map(|it| it.1).all(has_headers)
}

fn is_required(schema: &Value, name: &str) -> bool {
    let required = schema["required"].as_array();
    required.is_some_and(|it| it.iter().any(|it| it == name))
}

/// Follows the reference of a schema.
fn resolved<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    match schema["$ref"].as_str() {
        Some(reference) => document.pointer(&reference[1..]).unwrap(),
        None => schema,
    }
}

/// Returns the alternatives of a schema that are no values.
fn alternatives(schema: &Value) -> impl Iterator<Item = &Value> {
    let all = ["anyOf", "oneOf", "allOf"].into_iter();
    let all = all.flat_map(|it| schema[it].as_array().into_iter().flatten());
    all.filter(|it| it.get("const").is_none())
}

/// Returns the values that a schema permits, as JSON; none if it lists none.
fn values(schema: &Value) -> BTreeSet<String> {
    let listed = schema["enum"].as_array().into_iter().flatten();
    let choices = schema["oneOf"].as_array().into_iter().flatten();
    let constants = choices.chain([schema]).filter_map(|it| it.get("const"));
    listed.chain(constants).map(Value::to_string).collect()
}

/// Returns the types that a schema permits, itself or by its alternatives.
fn types<'a>(document: &'a Value, schema: &'a Value) -> BTreeSet<&'a str> {
    let schema = resolved(document, schema);
    let names = match &schema["type"] {
        Value::String(name) => vec![name.as_str()],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let alternatives = alternatives(schema).flat_map(|it| types(document, it));
    names.into_iter().chain(alternatives).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn description() -> Value {
        json!({
            "info": {"version": "1.2.0"},
            "paths": {"/search": {"get": {
                "parameters": [
                    {"in": "query", "name": "q", "schema": {"type": "string"}},
                    {"in": "query", "name": "sort", "schema": {"anyOf": [
                        {"type": "string", "enum": ["name", "age"]}, {"const": ""},
                    ]}},
                ],
                "responses": {
                    "200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Hits"}}}},
                    "400": {"content": {"application/problem+json": {}}},
                },
            }}},
            "components": {"schemas": {
                "Hits": {"type": "object", "required": ["hits"], "properties": {
                    "hits": {"type": "array", "items": {"$ref": "#/components/schemas/Hit"}},
                    "next": {"type": ["string", "null"]},
                }},
                "Hit": {"type": "object", "properties": {
                    "level": {"oneOf": [{"const": "A", "type": "string"}, {"const": "B", "type": "string"}]},
                    "like": {"$ref": "#/components/schemas/Hit"},
                }},
            }},
        })
    }

    /// Returns the breaks of a change of the value at a pointer; `None` removes it.
    fn after(pointer: &str, value: Option<Value>) -> Vec<String> {
        let mut new = description();
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        let name = name.replace("~1", "/");
        match (new.pointer_mut(parent).unwrap(), value) {
            (Value::Object(members), Some(value)) => drop(members.insert(name, value)),
            (Value::Object(members), None) => drop(members.remove(&name)),
            (Value::Array(items), Some(value)) => items.push(value),
            (Value::Array(items), None) => drop(items.remove(name.parse().unwrap())),
            other => panic!("{other:?}"),
        }
        assert_ne!(new, description(), "{pointer}");
        breaks(&description(), &new)
    }

    const GET: &str = "/paths/~1search/get";
    const HIT: &str = "/components/schemas/Hit/properties";

    #[test]
    fn what_callers_rely_on_is_not_removed() {
        for (pointer, change) in [
            (
                "/paths/~1search".to_owned(),
                "GET /search: operation removed",
            ),
            (
                format!("{GET}/parameters/0"),
                "GET /search: q: parameter removed",
            ),
            (
                format!("{GET}/parameters/1/schema/anyOf/0/enum/1"),
                "GET /search: sort: value \"age\" removed",
            ),
            (
                format!("{GET}/responses/200"),
                "GET /search: 200: answer removed",
            ),
            (
                format!("{HIT}/level"),
                "GET /search: 200: application/json/hits/items/level: member removed",
            ),
            (
                format!("{HIT}/level/oneOf/1"),
                "GET /search: 200: application/json/hits/items/level: value \"B\" removed",
            ),
            (
                "/components/schemas/Hits/required/0".to_owned(),
                "GET /search: 200: application/json/hits: member may be absent",
            ),
        ] {
            assert_eq!(after(&pointer, None), [change]);
        }
    }

    #[test]
    fn callers_need_not_send_more_nor_read_other_types() {
        let required = after(&format!("{GET}/parameters/0/required"), Some(json!(true)));
        assert_eq!(required, ["GET /search: q: parameter made required"]);
        let new = json!({"in": "query", "name": "key", "required": true, "schema": {}});
        let new = after(&format!("{GET}/parameters/-"), Some(new));
        assert_eq!(new, ["GET /search: key: parameter made required"]);
        let body = after(
            &format!("{GET}/requestBody"),
            Some(json!({"required": true})),
        );
        assert_eq!(body, ["GET /search: body made required"]);
        for next in [json!("string"), json!(["string", "null", "integer"])] {
            let changed = after("/components/schemas/Hits/properties/next/type", Some(next));
            assert!(changed[0].contains("/next: type"), "{changed:?}");
        }
    }

    #[test]
    fn additions_break_nothing() {
        let parameter = json!({"in": "query", "name": "limit", "schema": {"type": "integer"}});
        for (pointer, value) in [
            ("/paths/~1rules".to_owned(), json!({"get": {}})),
            (format!("{GET}/parameters/-"), parameter),
            (
                format!("{GET}/parameters/1/schema/anyOf/0/enum/-"),
                json!("size"),
            ),
            (format!("{GET}/responses/429"), json!({})),
            (format!("{GET}/deprecated"), json!(true)),
            (format!("{HIT}/score"), json!({"type": "integer"})),
            (
                format!("{HIT}/level/oneOf/-"),
                json!({"const": "C", "type": "string"}),
            ),
        ] {
            let broken = after(&pointer, Some(value));
            assert_eq!(broken, Vec::<String>::new(), "{pointer}");
        }
        assert_eq!(
            after(&format!("{GET}/responses/400"), None),
            Vec::<String>::new()
        );
    }

    #[test]
    fn a_raised_version_or_an_announced_end_permits_all() {
        let without = |mut document: Value| {
            document["paths"] = json!({});
            document
        };
        let old = description();
        for (version, is_permitted) in [("1.2.0", false), ("1.1.9", false), ("1.10.0", true)] {
            let mut new = without(description());
            new["info"]["version"] = json!(version);
            assert_eq!(breaks(&old, &new).is_empty(), is_permitted, "{version}");
        }
        let mut old = description();
        old["paths"]["/search"]["get"]["deprecated"] = json!(true);
        assert_eq!(breaks(&old, &without(old.clone())).len(), 1);
        let answer = &mut old["paths"]["/search"]["get"]["responses"]["200"];
        answer["headers"] = json!({"Deprecation": {}, "Sunset": {}});
        assert_eq!(breaks(&old, &without(old.clone())), Vec::<String>::new());
    }
}
