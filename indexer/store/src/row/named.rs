//! Rows of named documents.

use crate::NamedDocument;
use sqlx::FromRow;

/// Named document.
#[derive(Debug, FromRow)]
pub(crate) struct NamedRow {
    pub(crate) domain_id: i64,
    pub(crate) asked: Option<i64>,
    url: String,
    named_by: String,
    is_own: bool,
}

impl NamedRow {
    /// Returns the document; it `is_absent` if a recent request did not find it.
    pub(crate) fn named(self, is_absent: bool) -> NamedDocument {
        NamedDocument {
            url: self.url,
            named_by: self.named_by,
            is_own: self.is_own,
            is_absent,
        }
    }
}
