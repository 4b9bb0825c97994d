//! Our strict verdict against the official schemas, over every vector and every real file.
//!
//! A new format is a new line in [`SCHEMAS`].

use crate::support;
use jsonschema::Validator;
use manifest::{Document, Domain, Reading, Severity, formats};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// An official schema and the readings whose documents it covers.
struct Schema {
    /// Below `formats/schemas` of the test data.
    file: &'static str,
    /// JSON pointer to the definition of the document; empty for the whole schema.
    definition: &'static str,
    format: &'static str,
    /// The generation that the reading names; `None` for formats without generations.
    generation: Option<&'static str>,
}

/// Where several cover one generation, it is enough that one accepts the document.
const SCHEMAS: &[Schema] = &[
    a2a("a2a/a2a-v0.1.0.schema.json", "/$defs/AgentCard", "0.1"),
    a2a("a2a/a2a-v0.2.0.schema.json", CARD, "0.2"),
    a2a("a2a/a2a-v0.2.5.schema.json", CARD, "0.2.5"),
    a2a("a2a/a2a-v0.2.6.schema.json", CARD, "0.2.5"),
    a2a("a2a/a2a-v0.3.0.schema.json", CARD, "0.3"),
    a2a("derived/a2a-agentcard-1.0.derived.schema.json", "", "1.0"),
    // A hybrid is valid if one of its families is (A2-20).
    a2a("a2a/a2a-v0.3.0.schema.json", CARD, "1.0"),
    // Nothing in such a card tells the first two generations apart.
    a2a("a2a/a2a-v0.1.0.schema.json", "/$defs/AgentCard", "0.x"),
    a2a("a2a/a2a-v0.2.0.schema.json", CARD, "0.x"),
];

const CARD: &str = "/definitions/AgentCard";

const fn a2a(file: &'static str, definition: &'static str, generation: &'static str) -> Schema {
    Schema {
        file,
        definition,
        format: "a2a-agent-card",
        generation: Some(generation),
    }
}

/// A document on which we differ from its schema.
struct Exception {
    /// As the index of the test data names it.
    file: &'static str,
    /// The rule that decides.
    rule: &'static str,
    /// The stand of FORMATS.md that says why.
    reason: &'static str,
}

const EXCEPTIONS: &[Exception] = &[];

/// What was compared of one format and generation.
#[derive(Debug, Default)]
struct Tally {
    valid: usize,
    invalid: usize,
}

#[test]
fn the_strict_verdict_agrees_with_the_official_schemas() {
    let Some(folder) = support::shared("formats/schemas") else {
        return;
    };
    let validators: Vec<_> = SCHEMAS
        .iter()
        .map(|schema| (schema, validator(&folder, schema)))
        .collect();
    let mut compared: BTreeMap<(&str, Option<String>), Tally> = BTreeMap::new();
    let mut differences = BTreeMap::new();
    for (name, document) in documents() {
        let Ok(value) = serde_json::from_slice::<Value>(&document.body) else {
            continue;
        };
        let reading = formats::read(&document);
        let of_reading = validators
            .iter()
            .filter(|(schema, _)| schema.covers(&reading));
        let covering: Vec<&Validator> = of_reading.map(|(_, validator)| validator).collect();
        if covering.is_empty() {
            continue;
        }
        let key = (reading.format.as_str(), reading.generation.clone());
        let tally = compared.entry(key).or_default();
        if reading.is_valid() {
            tally.valid += 1;
        } else {
            tally.invalid += 1;
        }
        let is_accepted = covering.iter().any(|validator| validator.is_valid(&value));
        if is_accepted != reading.is_valid() {
            differences.insert(name, difference(&covering, &value, &reading));
        }
    }
    println!("{compared:#?}");
    for exception in EXCEPTIONS {
        let found = differences.remove(exception.file);
        let is_decided = found.is_some_and(|found| found.contains(exception.rule));
        let Exception { file, reason, .. } = exception;
        assert!(is_decided, "{file} is no exception any more: {reason}");
    }
    let differences: Vec<_> = differences
        .iter()
        .map(|(name, difference)| format!("{name}:\n{difference}"))
        .collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    for schema in SCHEMAS {
        let key = (schema.format, schema.generation.map(str::to_owned));
        assert!(compared.contains_key(&key), "{key:?} covers nothing");
    }
}

impl Schema {
    fn covers(&self, reading: &Reading) -> bool {
        self.format == reading.format.as_str()
            && (self.generation.is_none() || self.generation == reading.generation.as_deref())
    }
}

/// What the schemas say of a document, and what we say.
fn difference(covering: &[&Validator], value: &Value, reading: &Reading) -> String {
    let errors = covering
        .iter()
        .flat_map(|validator| validator.iter_errors(value));
    let theirs = errors.map(|error| format!("    schema, {}: {error}", error.instance_path()));
    let errors = reading.findings.iter();
    let ours = errors
        .filter(|it| it.severity == Severity::Error)
        .map(|it| format!("    {}, {}: {}", it.rule, it.pointer, it.message));
    theirs.chain(ours).collect::<Vec<_>>().join("\n")
}

fn validator(folder: &Path, schema: &Schema) -> Validator {
    let text = std::fs::read_to_string(folder.join(schema.file)).unwrap();
    let mut root: Value = serde_json::from_str(&text).unwrap();
    if !schema.definition.is_empty() {
        // The other definitions stay, because this one refers to them.
        for name in [
            "$ref",
            "type",
            "properties",
            "required",
            "anyOf",
            "oneOf",
            "allOf",
        ] {
            root.as_object_mut().unwrap().remove(name);
        }
        root["$ref"] = Value::from(format!("#{}", schema.definition));
    }
    jsonschema::validator_for(&root).unwrap()
}

/// Every vector and every real file that is JSON, with its name.
fn documents() -> Vec<(String, Document)> {
    let mut documents = Vec::new();
    for (folder, name, path) in [("formats/vectors", "file", ""), ("corpus", "id", "files")] {
        let Some(folder) = support::shared(folder) else {
            continue;
        };
        let index = std::fs::read_to_string(folder.join("index.jsonl")).unwrap();
        for line in index.lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            let file = row[name].as_str().unwrap();
            if Path::new(file).extension().is_some_and(|it| it == "json") {
                let body = std::fs::read(folder.join(path).join(file)).unwrap();
                documents.push((file.to_owned(), document(file, body)));
            }
        }
    }
    documents
}

fn document(file: &str, body: Vec<u8>) -> Document {
    let path = match file {
        _ if file.contains("agent-card") || file.starts_with("a2a/") => "agent-card.json",
        _ if file.contains("agents.json") => "agents.json",
        _ => "agent.json",
    };
    let url = format!("https://shop.example/.well-known/{path}");
    Document::new(
        Domain::parse("shop.example").unwrap(),
        url.parse().unwrap(),
        body,
    )
}
