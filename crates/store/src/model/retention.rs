//! Data that is kept for a time only.

use manifest::Timestamp;

/// Version that its document no longer has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClosedVersion {
    /// Row id.
    pub id: i64,
    /// Row id of the document.
    pub document: i64,
    /// True if the document is the file of a skill.
    pub is_skill: bool,
    /// Time when it was last fetched or confirmed.
    pub last_seen: Timestamp,
}

/// Result of one step through all stored bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SweptBlobs {
    /// Bytes that were deleted, by hash.
    pub deleted: u64,
    /// Hash to continue after; `None` at the end.
    pub last: Option<String>,
}
