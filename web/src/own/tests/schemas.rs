//! The manifests follow the schemas of their formats, which belong to the shared test data.

use super::json;
use crate::own::place;
use serde_json::Value;
use std::path::PathBuf;

const INTENTQL: &str = "derived/intentql-agent-0.1.derived.schema.json";
const ARD: &str = "ard/ai-catalog.schema.json";
const SERVER_CARD: &str = "mcp/server-card.schema.json";

/// Paths of manifests, with the file of the schema and the definition in it.
const SCHEMAS: [(&str, &str, &str); 10] = [
    (
        place::AGENTS_JSON,
        "derived/agents-protocol-1.0.derived.schema.json",
        "",
    ),
    (
        place::JSON_AGENTS,
        "json-agents/schema/json-agents.json",
        "",
    ),
    (place::AGENT_JSON[0], INTENTQL, ""),
    (place::AGENT_JSON[1], INTENTQL, ""),
    (place::CATALOGS[0], ARD, ""),
    (place::CATALOGS[1], ARD, ""),
    (
        place::CATALOGS[1],
        "derived/ai-catalog-1.0.derived.schema.json",
        "",
    ),
    (place::SERVER_CARD[0], SERVER_CARD, "#/$defs/ServerCard"),
    (place::SERVER_CARD[1], SERVER_CARD, "#/$defs/ServerCard"),
    (
        place::AGENTS_TXT_COM,
        "agents-txt-com/agents-json-v1.0.json",
        "",
    ),
];

/// Returns the directory of schemas, or `None` with a notice on machines without it.
fn folder() -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared");
    let root = std::env::var_os("AGENTDEX_TEST_DATA");
    let found = PathBuf::from(root.unwrap_or_else(|| beside.into())).join("formats/schemas");
    if !found.exists() {
        eprintln!("SKIPPED: {} is not there", found.display());
        return None;
    }
    Some(found)
}

#[test]
fn every_manifest_follows_its_schema() {
    let Some(folder) = folder() else {
        return;
    };
    for (path, file, definition) in SCHEMAS {
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        let mut schema: Value = serde_json::from_str(&text).unwrap();
        if !definition.is_empty() {
            let members = schema.as_object_mut().unwrap();
            members.retain(|name, _| ["$schema", "$defs"].contains(&name.as_str()));
            schema["$ref"] = Value::from(definition);
        }
        let validator = jsonschema::validator_for(&schema).unwrap();
        let manifest = json(path);
        let errors = validator.iter_errors(&manifest);
        let errors: Vec<_> = errors
            .map(|it| format!("{}: {it}", it.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{path} by {file}: {errors:#?}");
    }
}
