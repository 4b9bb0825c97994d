//! Finds the test data that is kept beside the repository.

use std::path::PathBuf;

/// The text of a file of the test data; says so when it is not there.
pub(crate) fn read(path: &str) -> Option<String> {
    let folder = std::env::var_os("AGENTDEX_TEST_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared")),
        PathBuf::from,
    );
    let file = folder.join(path);
    match std::fs::read_to_string(&file) {
        Ok(text) => Some(text),
        Err(error) => {
            eprintln!("SKIPPED: {} is not there: {error}", file.display());
            None
        }
    }
}
