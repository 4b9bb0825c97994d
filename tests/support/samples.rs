//! The shared test data and our own recordings as the documents that a crawler would hand over.

use super::{exchange, fixtures, shared, workspace};
use manifest::{Document, Domain};
use serde_json::Value;
use std::path::Path;

/// One document, and what the index of its collection says of it.
pub(crate) struct Sample {
    /// As its index, or its path below `fixtures`, names it.
    pub(crate) name: String,
    /// Its line of the index; null for a fixture.
    pub(crate) row: Value,
    pub(crate) document: Document,
}

impl Sample {
    /// What the index says under `key`; empty when it says nothing.
    pub(crate) fn says(&self, key: &str) -> &str {
        self.row[key].as_str().unwrap_or_default()
    }

    /// The content, when it is JSON to a strict reader.
    pub(crate) fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.document.body).ok()
    }
}

/// Folders of vectors with the path at which their documents are read.
const PLACES: &[(&str, &str)] = &[
    ("a2a", "/.well-known/agent-card.json"),
    ("agent-identity-kit", "/.well-known/agent.json"),
    ("agent-policy", "/.well-known/agent-policy.json"),
    ("agents-txt", "/.well-known/agents.txt"),
    ("agents-txt-com", "/agents.json"),
    ("ai-catalog", "/.well-known/ai-catalog.json"),
    ("ai-plugin", "/.well-known/ai-plugin.json"),
    ("anp", "/agents/ad.json"),
    ("api-catalog", "/.well-known/api-catalog"),
    ("intentql", "/agent.json"),
    ("mcp-registry", "/.well-known/mcp.json"),
    ("mcp-server-card", "/.well-known/mcp/server-card.json"),
];

/// Every vector, wherever it belongs; none on machines without the test data.
pub(crate) fn vectors() -> Vec<Sample> {
    let of_row = |folder: &Path, row: Value| {
        let file = row["file"].as_str().unwrap();
        let body = std::fs::read(folder.join(file)).unwrap();
        let place = PLACES
            .iter()
            .find(|(folder, _)| file.split('/').next() == Some(folder));
        let path = place.map_or("/.well-known/agents.json", |(_, path)| path);
        Sample {
            name: file.to_owned(),
            document: served(&format!("https://vectors.example{path}"), body),
            row,
        }
    };
    rows("formats/vectors", of_row)
}

/// Every real file; none on machines without the test data.
pub(crate) fn corpus() -> Vec<Sample> {
    let of_row = |folder: &Path, row: Value| {
        let id = row["id"].as_str().unwrap();
        let body = std::fs::read(folder.join("files").join(id)).unwrap();
        let unknown = || format!("unknown.test/{}", row["path"].as_str().unwrap());
        let site = row["site"].as_str().map_or_else(unknown, str::to_owned);
        Sample {
            name: id.to_owned(),
            document: served(&format!("https://{site}"), body),
            row,
        }
    };
    rows("corpus", of_row)
}

/// Our own recorded exchanges.
pub(crate) fn recorded() -> Vec<Sample> {
    let root = workspace().join("tests/fixtures");
    let of_path = |path: std::path::PathBuf| Sample {
        name: path.strip_prefix(&root).unwrap().display().to_string(),
        row: Value::Null,
        document: exchange(&path),
    };
    fixtures().into_iter().map(of_path).collect()
}

fn rows(folder: &str, of_row: impl Fn(&Path, Value) -> Sample) -> Vec<Sample> {
    let Some(folder) = shared(folder) else {
        return Vec::new();
    };
    let index = std::fs::read_to_string(folder.join("index.jsonl")).unwrap();
    let rows = index
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    rows.map(|row| of_row(&folder, row)).collect()
}

/// The document as a site without faults would serve it.
fn served(url: &str, body: Vec<u8>) -> Document {
    let url: url::Url = url.parse().unwrap();
    let media_type = if url.path().contains(".txt") {
        "text/plain; charset=utf-8"
    } else {
        "application/json; charset=utf-8"
    };
    Document {
        media_type: Some(media_type.to_owned()),
        ..Document::new(Domain::parse(url.host_str().unwrap()).unwrap(), url, body)
    }
}
