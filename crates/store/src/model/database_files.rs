//! Files of a database.

use std::path::PathBuf;

/// Files of a database on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseFiles {
    /// The database itself.
    pub database: PathBuf,
    /// Its write-ahead log, which exists while a program uses the database.
    pub log: PathBuf,
}
