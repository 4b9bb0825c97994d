//! Documents for tests.

use crate::fixtures::fixtures;
use manifest::convert::{Origin, Target};
use manifest::{Document, Domain, Reading, convert};
use serde_json::Value;
use std::path::{Path, PathBuf};
use url::Url;

/// The shared test data, if it is there; says loudly when it is not.
#[expect(clippy::print_stderr, reason = "a skipped test must be seen")]
pub(crate) fn shared(folder: &str) -> Option<PathBuf> {
    let root = std::env::var_os("AGENTDEX_TEST_DATA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    let path = root.join(folder);
    if path.is_dir() {
        return Some(path);
    }
    eprintln!(
        "SKIPPED: no test data at {}; set AGENTDEX_TEST_DATA",
        path.display()
    );
    None
}

/// The document as if `url` had answered 200 with `body`.
pub(crate) fn document(url: &str, body: Vec<u8>) -> Document {
    let url = Url::parse(url).unwrap();
    let domain = Domain::parse(url.host_str().unwrap()).unwrap();
    Document::new(domain, url, body)
}

/// A recorded exchange: `GET url`, status, headers, blank line, body byte for byte.
pub(crate) fn recorded(path: &Path) -> Document {
    let bytes = std::fs::read(path).unwrap();
    let end = bytes.windows(2).position(|pair| pair == b"\n\n").unwrap();
    let head = std::str::from_utf8(&bytes[..end]).unwrap();
    let mut lines = head.lines();
    let url = lines.next().unwrap().strip_prefix("GET ").unwrap();
    let mut document = document(url, bytes[end + 2..].to_vec());
    document.status = lines.next().unwrap().trim().parse().unwrap();
    for line in lines {
        let (name, value) = line.split_once(':').unwrap();
        match name.to_ascii_lowercase().as_str() {
            "content-type" => document.media_type = Some(value.trim().to_owned()),
            "etag" => document.etag = Some(value.trim().to_owned()),
            _ => {}
        }
    }
    document
}

/// A document and what to call it when a test fails.
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) document: Document,
}

/// Every fixture, and every file of the shared corpus that a site serves when it is there.
pub(crate) fn documents() -> Vec<Named> {
    let recorded = fixtures().into_iter().map(|path| Named {
        name: path.display().to_string(),
        document: recorded(&path),
    });
    recorded.chain(served_by_sites()).collect()
}

fn served_by_sites() -> Vec<Named> {
    let Some(folder) = shared("corpus") else {
        return Vec::new();
    };
    let index = std::fs::read_to_string(folder.join("index.jsonl")).unwrap();
    let rows = index
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let served = rows.filter(|row| row["guess"] != "robots.txt");
    let named = served.filter_map(|row| {
        let url = format!("https://{}", row["site"].as_str()?);
        let body = std::fs::read(folder.join("files").join(row["id"].as_str()?)).unwrap();
        Some(Named {
            document: document(&url, body),
            name: url,
        })
    });
    named.collect()
}

/// What is read of a document for its author, once it has been told in every way and written in
/// the format of each of `targets`; none of that may be a fault of ours.
pub(crate) fn survives(name: &str, document: &Document, targets: &[Target]) -> Reading {
    let lint = manifest::lint(document);
    let reading = &lint.reading;
    assert_eq!(reading.fault(), None, "{name}");
    let mut findings = reading.findings.iter();
    assert!(
        findings.all(|it| it.line.is_some() && it.column.is_some()),
        "{name}"
    );
    let shown = lint.show("agents.json", |_, text| text.to_owned());
    assert_eq!(shown.is_empty(), reading.findings.is_empty(), "{name}");
    let told = [lint.summary(), serde_json::to_string(&lint).unwrap()];
    assert!(told.iter().all(|it| !it.is_empty()), "{name}");
    reading.what_is_missing();
    if !targets.is_empty() {
        let origin = Origin::of(document, reading);
        for target in targets {
            let written = convert(&reading.agents, &origin, *target);
            let is_ours = written.findings.iter().any(manifest::Finding::is_ours);
            assert!(!is_ours, "{name} to {}", target.name());
        }
    }
    lint.reading
}
