//! Findings as JSON, one object per document.

use manifest::Lint;
use serde::Serialize;

/// Formats a document's object, with the file's name first.
pub(crate) fn document(file: &str, lint: &Lint) -> anyhow::Result<String> {
    #[derive(Serialize)]
    struct Line<'a> {
        file: &'a str,
        #[serde(flatten)]
        lint: &'a Lint,
    }
    let json = serde_json::to_string(&Line { file, lint })?;
    Ok(format!("{}\n", terminal::json(&json)))
}
