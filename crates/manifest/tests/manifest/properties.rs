//! Properties that hold for every input.

use crate::support::document;
use manifest::text::{MAX_CHARS, clean};
use manifest::{Agent, formats};
use proptest::prelude::*;
use serde_json::{Map, Value};

/// Member names of all formats, so that generated documents are detected as manifests.
const NAMES: &[&str] = &[
    "$schema",
    "agent",
    "agents",
    "api_key",
    "auth",
    "authentication",
    "base_url",
    "capabilities",
    "defaultInputModes",
    "description",
    "endpoint",
    "endpoints",
    "entries",
    "examples",
    "flows",
    "graph",
    "id",
    "identifier",
    "input_schema",
    "intents",
    "items",
    "links",
    "manifest_version",
    "method",
    "name",
    "name_for_model",
    "openapi",
    "params",
    "policies",
    "properties",
    "protocolVersion",
    "provider",
    "rate_limit",
    "remotes",
    "schema_version",
    "security",
    "securitySchemes",
    "session",
    "signatures",
    "site",
    "skills",
    "specVersion",
    "steps",
    "supportedInterfaces",
    "tags",
    "tools",
    "type",
    "url",
    "version",
    "where",
];

/// Values that have a meaning in some format.
const TEXTS: &[&str] = &[
    "",
    "1.0",
    "0.3.0",
    "POST",
    "/cart/:id",
    "https://a.example/x?token=1",
    "ajson://a.example/b",
    "tool.type == 'http' && x > 1",
    "100/hour",
    "\u{202E}abc\u{0}",
    "oauth2",
    "application/json",
];

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<i32>().prop_map(|quarters| Value::from(f64::from(quarters) / 4.0)),
        proptest::sample::select(TEXTS).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 8, |inner| {
        let member = (proptest::sample::select(NAMES), inner.clone());
        let object = prop::collection::vec(member, 0..8).prop_map(|members| {
            let members = members.into_iter();
            let named = members.map(|(name, value)| (name.to_owned(), value));
            Value::Object(named.collect::<Map<_, _>>())
        });
        let array = prop::collection::vec(inner, 0..4).prop_map(Value::from);
        prop_oneof![3 => object, 1 => array]
    })
}

proptest! {
    #[test]
    fn reading_any_bytes_never_panics_and_is_deterministic(body: Vec<u8>) {
        for path in ["/.well-known/agents.json", "/agents.txt"] {
            let document = document(&format!("https://a.example{path}"), body.clone());
            prop_assert_eq!(formats::read(&document), formats::read(&document));
        }
    }

    #[test]
    fn documents_of_known_members_are_read_the_same_each_time(value in value()) {
        let document = document("https://a.example/.well-known/agents.json", value.to_string().into());
        let reading = formats::read(&document);
        prop_assert_eq!(&reading, &formats::read(&document));
        let lint = manifest::lint(&document);
        prop_assert_eq!(&lint.reading.agents, &reading.agents);
        prop_assert!(lint.reading.findings.iter().all(|it| it.line.is_some() && it.column.is_some()));
        for agent in reading.agents {
            let json = serde_json::to_string(&agent).unwrap();
            prop_assert_eq!(serde_json::from_str::<Agent>(&json).unwrap(), agent);
        }
    }

    #[test]
    fn cleaning_is_idempotent(text: String, max in 0..50_usize) {
        for max in [max, MAX_CHARS] {
            let cleaned = clean(&text, max);
            prop_assert!(cleaned.chars().count() <= max);
            prop_assert_eq!(clean(&cleaned, max), cleaned);
        }
    }
}
