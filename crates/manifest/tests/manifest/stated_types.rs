//! Every member whose type a specification states has a finding as soon as it has another type.
//!
//! The documents are the examples of the given specifications, from the shared test data, and our
//! own fixtures of the same formats. Each member in turn gets a value of each other type.

use crate::support::exchange::{fixtures, recorded};
use crate::support::{document, shared};
use manifest::{Document, Finding, FormatId, Reading, formats};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The formats of the given specifications, each with the members that may have any value, or
/// whose content is written in another language. `*` stands for any one step.
const FORMATS: &[(&str, &[&str])] = &[
    (
        "intentql",
        &[
            "/capabilities/*/parameters/**/default",
            "/capabilities/*/parameters/**/enum/*",
            "/capabilities/*/returns/**/default",
            "/capabilities/*/returns/**/enum/*",
            "/breaking_changes/*",
        ],
    ),
    (
        "agents-json/agents-protocol",
        &[
            "/capabilities/*/params/*/default",
            "/capabilities/*/params/*/enum/*",
            "/capabilities/*/params/*/items/**",
            // Members of other formats, which complete the reading (GP-10).
            "/contact",
            "/endpoint",
        ],
    ),
    (
        "json-agents",
        &[
            "/capabilities/*/input_schema/**",
            "/capabilities/*/output_schema/**",
            "/tools/*/input_schema/**",
            "/tools/*/output_schema/**",
            "/tools/*/metadata/**",
            "/graph/nodes/*/metadata/**",
            "/extensions/**",
            "/x-*/**",
        ],
    ),
    (
        "zervice",
        &[
            "/*/capabilities/*/input_schema/**",
            "/*/capabilities/*/output_schema/**",
        ],
    ),
    (
        "zervice-single",
        &[
            "/capabilities/*/input_schema/**",
            "/capabilities/*/output_schema/**",
        ],
    ),
];

/// Names that none of the specifications defines; publishers may write anything there.
fn is_undefined(reading: &Reading, pointer: &str) -> bool {
    let agents = reading.agents.iter();
    let name = pointer.split('/').nth(1).unwrap_or_default();
    agents
        .flat_map(|agent| agent.extensions.keys())
        .any(|undefined| undefined == name)
}

/// Reports whether a pointer fits a pattern; `**` stands for any number of steps.
fn fits(pointer: &[&str], pattern: &[&str]) -> bool {
    match pattern {
        [] => pointer.is_empty(),
        ["**", rest @ ..] => (0..=pointer.len()).any(|skipped| fits(&pointer[skipped..], rest)),
        [step, rest @ ..] => pointer.split_first().is_some_and(|(first, below)| {
            let is_same = match step.strip_suffix('*') {
                Some(prefix) => first.starts_with(prefix),
                None => first == step,
            };
            is_same && fits(below, rest)
        }),
    }
}

/// Returns the pointers of all members and items below `value`.
fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    let steps: Vec<(String, &Value)> = match value {
        Value::Object(members) => {
            let escaped = |name: &String| name.replace('~', "~0").replace('/', "~1");
            members
                .iter()
                .map(|(name, it)| (escaped(name), it))
                .collect()
        }
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items.map(|(index, it)| (index.to_string(), it)).collect()
        }
        _ => return,
    };
    for (step, below) in steps {
        let pointer = format!("{at}/{step}");
        pointers(below, &pointer, found);
        found.push(pointer);
    }
}

/// Returns one value of each type but that of `value`.
fn of_other_types(value: &Value) -> impl Iterator<Item = Value> {
    let own = std::mem::discriminant(value);
    let values = [
        json!(null),
        json!(true),
        json!(7.5),
        json!("seven"),
        json!([]),
        json!({}),
    ];
    values
        .into_iter()
        .filter(move |other| std::mem::discriminant(other) != own)
}

/// Returns the JSON values in a text: each that begins at the start of a line.
fn examples(text: &str) -> Vec<Value> {
    let starts = text.match_indices('\n').map(|(at, _)| at + 1);
    let starts = starts.filter(|at| text[*at..].starts_with(['{', '[']));
    let values = starts.filter_map(|at| {
        let mut stream = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        stream.next()?.ok()
    });
    values.collect()
}

/// Returns a value as a document, if it is one of the formats that are checked.
fn in_format(origin: &str, body: &Value) -> Option<(FormatId, Document)> {
    let url = format!("https://{origin}/.well-known/agents.json");
    let document = document(&url, serde_json::to_vec(body).unwrap());
    let format = formats::read(&document).format;
    let is_checked = FORMATS.iter().any(|(name, _)| *name == format.as_str());
    is_checked.then_some((format, document))
}

/// Returns the examples in the text of a specification. One that shows a part of a document
/// replaces that part of the last whole one.
fn documented(text: &str) -> Vec<(FormatId, Document)> {
    let (whole, parts): (Vec<_>, Vec<_>) = examples(text)
        .into_iter()
        .partition(|it| in_format("example.com", it).is_some());
    let completed = parts.into_iter().filter_map(|part| {
        let mut document = whole.iter().rfind(|it| it.is_object())?.clone();
        for (name, value) in part.as_object()? {
            document[name] = value.clone();
        }
        Some(document)
    });
    let documents: Vec<_> = whole.iter().cloned().chain(completed).collect();
    documents
        .iter()
        .filter_map(|it| in_format("example.com", it))
        .collect()
}

/// Returns the documents to change. The Interaction API has no document of its own.
fn documents() -> Vec<(FormatId, Document)> {
    let own = fixtures().into_iter().map(|path| recorded(&path));
    let own = own.filter_map(|it| serde_json::from_slice::<Value>(&it.body).ok());
    let own = own.filter_map(|body| in_format("shop.example", &body));
    let mut documents: Vec<_> = own
        .filter(|(_, document)| formats::read(document).is_valid())
        .collect();
    for name in [
        "agents-json-schema",
        "intentql-agent-json",
        "json-agents",
        "zervice-agents-json",
    ] {
        if let Some(path) = shared(&format!("seeds/{name}.txt")) {
            let found = documented(&std::fs::read_to_string(path).unwrap());
            assert!(!found.is_empty(), "{name} has no example");
            documents.extend(found);
        }
    }
    documents
}

#[test]
fn a_member_of_another_type_than_stated_has_a_finding() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut missed = Vec::new();
    for (format, document) in documents() {
        let (name, free) = FORMATS.iter().find(|it| it.0 == format.as_str()).unwrap();
        let original: Value = serde_json::from_slice(&document.body).unwrap();
        let reading = formats::read_as(&document, format);
        let mut places = Vec::new();
        pointers(&original, "", &mut places);
        for pointer in places {
            let steps: Vec<_> = pointer.split('/').collect();
            let is_free = |pattern: &&str| fits(&steps, &pattern.split('/').collect::<Vec<_>>());
            if free.iter().any(is_free) || is_undefined(&reading, &pointer) {
                continue;
            }
            for other in of_other_types(original.pointer(&pointer).unwrap()) {
                let mut mutant = original.clone();
                *mutant.pointer_mut(&pointer).unwrap() = other.clone();
                let mut document = document.clone();
                document.body = serde_json::to_vec(&mutant).unwrap();
                let found = formats::read_as(&document, format);
                *counts.entry(name).or_default() += 1;
                let is_new = |it: &&Finding| !reading.findings.contains(it);
                let mut added = found.findings.iter().filter(is_new);
                if !added.any(|it| it.pointer == pointer) {
                    missed.push(format!("{name} {pointer}: {other}"));
                }
            }
        }
    }
    println!("mutants by format: {counts:?}");
    assert!(counts.len() == FORMATS.len(), "{counts:?}");
    let count = missed.len();
    missed.truncate(60);
    assert!(
        missed.is_empty(),
        "{count} without a finding:\n{}",
        missed.join("\n")
    );
}

#[test]
fn a_pattern_fits_the_pointers_that_it_describes() {
    for (pointer, pattern, expected) in [
        ("/a/0/b", "/a/*/b", true),
        ("/a/0/b/c", "/a/*/b", false),
        ("/a/0/b/c", "/a/**", true),
        ("/x-own/b", "/x-*/**", true),
        ("/a/p/properties/q/default", "/a/**/default", true),
        ("/a/default/p", "/a/**/default", false),
    ] {
        let split = |text: &'static str| text.split('/').collect::<Vec<_>>();
        assert_eq!(
            fits(&split(pointer), &split(pattern)),
            expected,
            "{pointer} {pattern}"
        );
    }
}
