//! Findings as JSON, one object per document.

use indexer::public::Reading;
use manifest::{Domain, Lint};
use serde::Serialize;
use serde_json::Value;

/// Formats a document's object, with the file's name first.
pub(crate) fn document(file: &str, lint: &Lint) -> anyhow::Result<String> {
    #[derive(Serialize)]
    struct Line<'a> {
        file: &'a str,
        #[serde(flatten)]
        reading: Reading<'a>,
    }
    let reading = Reading::of(&lint.reading);
    let mut object = serde_json::to_value(Line { file, reading })?;
    make_relative(&mut object);
    Ok(format!("{}\n", terminal::json(&object.to_string())))
}

/// Makes the addresses on an unknown site relative, as the document gives them.
fn make_relative(value: &mut Value) {
    match value {
        Value::String(text) => {
            let path = text.strip_prefix(Domain::UNKNOWN_ORIGIN);
            if let Some(path) = path.filter(|path| path.starts_with('/')) {
                *text = path.to_owned();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(make_relative),
        Value::Object(members) => members.values_mut().for_each(make_relative),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
