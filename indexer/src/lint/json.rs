//! Findings as JSON, one object per document.

use indexer::public::{self, Reading};
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
    let object = public::relative(&Line { file, reading })?;
    Ok(format!("{}\n", terminal::json(&object.to_string())))
}
