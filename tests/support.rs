//! What several test modules need: where things are, and temporary stores.

use manifest::{Document, Domain, Timestamp};
use std::path::{Path, PathBuf};
use url::Url;

/// The root of the workspace.
pub(crate) fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the tests package lies in the workspace")
}

/// The text of a file, by its path from the root of the workspace.
pub(crate) fn workspace_file(path: &str) -> String {
    std::fs::read_to_string(workspace().join(path))
        .unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The shared test data at `path`, or `None`, said loudly, on machines that do not have it.
#[expect(clippy::print_stderr, reason = "a skipped test must be seen")]
pub(crate) fn shared(path: &str) -> Option<PathBuf> {
    let root = std::env::var_os("AGENTDEX_TEST_DATA")
        .map_or_else(|| workspace().join("../shared"), PathBuf::from);
    let found = root.join(path);
    if found.exists() {
        return Some(found);
    }
    eprintln!(
        "SKIPPED: {} is not there; set AGENTDEX_TEST_DATA to the folder of test data",
        found.display()
    );
    None
}

/// Every Rust file of the workspace, build output left out.
pub(crate) fn rust_files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![workspace().to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy();
            if path.is_dir() && name != "target" && !name.starts_with('.') {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    assert!(files.len() > 20);
    files
}

/// The document of a recorded exchange: request line, status, headers, empty line, body.
pub(crate) fn exchange(path: &Path) -> Document {
    let bytes = std::fs::read(path).unwrap();
    let end = bytes.windows(2).position(|pair| pair == b"\n\n");
    let end = end.unwrap_or_else(|| panic!("{}: no empty line after the headers", path.display()));
    let head = str::from_utf8(&bytes[..end]).unwrap();
    let mut lines = head.lines();
    let requested = lines.next().and_then(|line| line.strip_prefix("GET "));
    let requested: Url = requested.and_then(|url| url.parse().ok()).unwrap();
    let status = lines.next().and_then(|line| line.parse().ok()).unwrap();
    let headers: Vec<_> = lines.filter_map(|line| line.split_once(": ")).collect();
    let header = |name: &str| {
        let found = headers
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| (*value).to_owned())
    };
    Document {
        domain: Domain::parse(requested.host_str().unwrap()).unwrap(),
        url: header("final-url").map_or_else(|| requested.clone(), |url| url.parse().unwrap()),
        requested,
        status,
        media_type: header("content-type"),
        etag: header("etag"),
        last_modified: header("last-modified"),
        fetched: Timestamp(0),
        body: bytes[end + 2..].into(),
    }
}

/// Every recorded exchange, `fixtures/<format>/<case>.http`, in order.
pub(crate) fn fixtures() -> Vec<PathBuf> {
    let list = |folder: &Path| {
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().path())
    };
    let mut fixtures: Vec<_> = list(&workspace().join("tests/fixtures"))
        .filter(|path| path.is_dir())
        .flat_map(|folder| list(&folder))
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "http")
        })
        .collect();
    fixtures.sort();
    fixtures
}
