//! Findings as JSON, one object per document.

use super::signatures::SignatureVerdict;
use export::public::{self, Reading};
use manifest::Lint;
use serde::Serialize;

/// Formats a document's object, with the file's name first and the verdicts on its signatures last, if
/// they were verified.
pub(crate) fn document(
    file: &str,
    lint: &Lint,
    signed: Option<&[SignatureVerdict]>,
) -> anyhow::Result<String> {
    #[derive(Serialize)]
    struct Line<'a> {
        file: &'a str,
        #[serde(flatten)]
        reading: Reading<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        signatures: Option<&'a [SignatureVerdict]>,
    }
    let reading = Reading::of(&lint.reading);
    let object = public::relative(&Line {
        file,
        reading,
        signatures: signed,
    })?;
    Ok(format!("{}\n", terminal::json(&object.to_string())))
}
