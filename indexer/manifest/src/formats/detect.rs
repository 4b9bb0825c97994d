//! Detection of the format of a body, by ordered lists of tests for all formats.
//!
//! The content decides. Formats share their paths, so the path only breaks ties (DI-20).

use crate::body::{Body, Content};
use crate::{Document, FormatId};
use serde_json::Value;

mod json;
mod mcp;
#[cfg(test)]
mod tests;
mod text;

/// Format of a body that no test recognises (DI-30).
pub(super) const UNRECOGNISED: FormatId = FormatId("unrecognised");
/// Format of a text at the path of an agents.txt that is in none of its dialects (DI-05).
pub(super) const OTHER_TEXT: FormatId = FormatId("agents-txt");

/// Returns the format of a document, given its decoded body.
pub(super) fn body(document: &Document, body: &Body<'_>) -> FormatId {
    match &body.content {
        Content::Json(value) => json::format(value, document.path()),
        Content::Text => text::format(&body.text, document.path()),
        Content::Html | Content::Nothing if is_text_path(document.path()) => OTHER_TEXT,
        Content::Html | Content::Nothing => UNRECOGNISED,
    }
}

/// Returns the format of one item of a list, by its content alone.
pub(super) fn item(value: &Value) -> FormatId {
    json::format(value, "")
}

/// Returns true for paths at which a text is expected.
fn is_text_path(path: &str) -> bool {
    path.contains(".txt") || path.contains(".md")
}
