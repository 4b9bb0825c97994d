//! The shared conformance vectors: every format is recognised as the index says.

use crate::support::{document, shared};
use manifest::formats;
use serde_json::Value;

/// Lists of single values rather than documents, and texts of other protocols.
const NOT_DOCUMENTS: &[&str] = &[
    "a2a-signing",
    "ajson-uri",
    "dns-txt",
    "http-headers",
    "interaction-api/envelope",
    "json-agents-policy",
    "link-header",
    "robots.txt",
];

struct Vector {
    file: String,
    format: String,
    body: Vec<u8>,
}

fn vectors() -> Option<Vec<Vector>> {
    let folder = shared("formats/vectors")?;
    let index = std::fs::read_to_string(folder.join("index.jsonl")).unwrap();
    let rows = index
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let of_row = |row: Value| {
        let file = row["file"].as_str().unwrap().to_owned();
        let body = std::fs::read(folder.join(&file)).unwrap();
        let format = row["format"].as_str().unwrap().to_owned();
        Vector { file, format, body }
    };
    let documents = rows.map(of_row);
    Some(
        documents
            .filter(|it| !NOT_DOCUMENTS.contains(&it.format.as_str()))
            .collect(),
    )
}

/// Where a document of this format would lie.
fn url(vector: &Vector) -> String {
    let file = vector.file.as_str();
    let path = if file.contains("agents-txt/") || file.contains("agents.txt") {
        "/.well-known/agents.txt"
    } else if file.contains("agent-card") || file.starts_with("a2a/") {
        "/.well-known/agent-card.json"
    } else if file.contains("mcp-server-card") {
        "/.well-known/mcp/server-card.json"
    } else if file.contains("intentql") {
        "/agent.json"
    } else {
        "/.well-known/agents.json"
    };
    format!("https://example.com{path}")
}

#[test]
fn every_vector_is_recognised_as_its_index_says() {
    let mut differences = Vec::new();
    for vector in vectors().unwrap_or_default() {
        let expected = match vector.file.as_str() {
            "discriminator/identity-kit-vs-json-agents.json" => "agent-identity-kit",
            "discriminator/json-agents-at-agents-json.json" => "json-agents",
            // The second is not JSON even to a lenient reader: there is nothing to recognise.
            "discriminator/unknown-object.json"
            | "anp/invalid/anp07-2025-02-example-not-json.json" => "unrecognised",
            _ => vector.format.as_str(),
        };
        let found = formats::detect(&document(&url(&vector), vector.body.clone()));
        if found.as_str() != expected {
            differences.push(format!("{}: {found} instead of {expected}", vector.file));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
