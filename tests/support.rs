//! What several test modules need: where things are, and temporary stores.

use std::path::{Path, PathBuf};

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
