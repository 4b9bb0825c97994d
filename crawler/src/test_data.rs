//! Reads test data that is kept beside the repository.

use std::path::PathBuf;

/// Returns the text of a file of the test data; prints a notice and returns `None` if it is
/// missing.
pub(crate) fn read(path: &str) -> Option<String> {
    let directory = std::env::var_os("AGENTDEX_TEST_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared")),
        PathBuf::from,
    );
    let file = directory.join(path);
    match std::fs::read_to_string(&file) {
        Ok(text) => Some(text),
        Err(error) => {
            eprintln!("SKIPPED: {} is not there: {error}", file.display());
            None
        }
    }
}
