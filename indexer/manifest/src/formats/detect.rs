//! Which format a body is in: one ordered list of tests for all formats (FORMATS.md section 3.2).

use crate::body::Content;
use crate::{Document, FormatId};
use serde_json::Value;

/// What nothing recognises (DI-30).
pub(super) const UNRECOGNISED: FormatId = FormatId("unrecognised");

/// The format of a document's content.
pub(super) fn body(document: &Document, content: &Content) -> FormatId {
    let _ = (document, content);
    UNRECOGNISED
}

/// The format of one item of a list.
pub(super) fn item(value: &Value) -> FormatId {
    let _ = value;
    UNRECOGNISED
}
