//! Findings as JSON, one object per document.

use indexer::public::Reading;
use manifest::Lint;
use serde::Serialize;

/// Formats a document's object, with the file's name first.
pub(crate) fn document(file: &str, lint: &Lint) -> anyhow::Result<String> {
    #[derive(Serialize)]
    struct Line<'a> {
        file: &'a str,
        #[serde(flatten)]
        reading: Reading<'a>,
    }
    let reading = Reading::of(&lint.reading);
    let json = serde_json::to_string(&Line { file, reading })?;
    Ok(format!("{}\n", terminal::json(&json)))
}
