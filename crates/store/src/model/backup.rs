//! Content of a backup.

use manifest::Timestamp;
use std::collections::BTreeMap;

/// Content of a backup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backup {
    /// Time when it was made.
    pub made: Timestamp,
    /// Newest migration of its schema.
    pub schema: i64,
    /// Newest sequence number of the change log.
    pub last_change: u64,
    /// Rows by table.
    pub tables: BTreeMap<String, u64>,
    /// Size of the database.
    pub bytes: u64,
    /// SHA-256 of the database.
    pub sha256: String,
}
