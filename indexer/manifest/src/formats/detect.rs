//! Which format a body is in: ordered lists of tests for all formats (FORMATS.md 3.2 and 4.2).
//!
//! Content decides. Formats share their paths, so the path only breaks ties (DI-20).

use crate::body::{Body, Content};
use crate::{Document, FormatId};
use serde_json::Value;

mod json;
mod mcp;
#[cfg(test)]
mod tests;
mod text;

/// What nothing recognises (DI-30).
pub(super) const UNRECOGNISED: FormatId = FormatId("unrecognised");
/// A text in the place of an agents.txt that is in none of its dialects (DI-05).
pub(super) const OTHER_TEXT: FormatId = FormatId("agents-txt");

/// The format of a document's content.
pub(super) fn body(document: &Document, body: &Body<'_>) -> FormatId {
    match &body.content {
        Content::Json(value) => json::format(value, document.path()),
        Content::Text => text::format(&body.text, document.path()),
        Content::Html | Content::Nothing if is_text_path(document.path()) => OTHER_TEXT,
        Content::Html | Content::Nothing => UNRECOGNISED,
    }
}

/// The format of one item of a list; no path helps there.
pub(super) fn item(value: &Value) -> FormatId {
    json::format(value, "")
}

/// True for paths at which a text is expected.
fn is_text_path(path: &str) -> bool {
    path.contains(".txt") || path.contains(".md")
}
