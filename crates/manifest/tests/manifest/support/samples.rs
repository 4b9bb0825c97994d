//! The shared test data and the recorded exchanges, as documents from a crawler.

use super::exchange::{fixture_directory, fixtures};
use super::shared;
use manifest::{Document, Domain};
use serde_json::Value;
use std::path::Path;

/// A document with its entry in the index of its collection.
pub(crate) struct Sample {
    /// Name in its index, or path below `fixtures`.
    pub(crate) name: String,
    /// Its line of the index; null for a fixture.
    pub(crate) row: Value,
    pub(crate) document: Document,
}

impl Sample {
    /// Returns the index entry's text for `key`; empty if it has none.
    pub(crate) fn says(&self, key: &str) -> &str {
        self.row[key].as_str().unwrap_or_default()
    }

    /// Returns the content if it is strictly JSON.
    pub(crate) fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.document.body).ok()
    }
}

/// Directories of vectors with the path at which their documents are read.
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

/// Returns every vector; none on machines without the test data.
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

/// Returns every file that the shared cases serve; none on machines without the test data.
pub(crate) fn cases() -> Vec<Sample> {
    let Some(root) = shared("cases") else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let ending = path.extension().and_then(|it| it.to_str());
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if name != "expect.json" && matches!(ending, Some("json" | "txt" | "yaml")) {
                let url = format!("https://cases.example/.well-known/{name}");
                found.push(Sample {
                    name: path.strip_prefix(&root).unwrap().display().to_string(),
                    row: Value::Null,
                    document: served(&url, std::fs::read(&path).unwrap()),
                });
            }
        }
    }
    found
}

/// Returns every real file; none on machines without the test data.
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

/// Returns the recorded exchanges.
pub(crate) fn recorded() -> Vec<Sample> {
    let root = fixture_directory();
    let of_path = |path: std::path::PathBuf| Sample {
        name: path.strip_prefix(&root).unwrap().display().to_string(),
        row: Value::Null,
        document: super::exchange::recorded(&path),
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

/// Creates the document as a correctly configured site would serve it.
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
