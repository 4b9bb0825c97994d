//! What can go wrong with a store, worded for the operator.

use crate::Role;
use std::path::PathBuf;

/// A failed store operation.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The URL names no supported database. It is not repeated: it may hold a password.
    #[error("this database is not supported: give sqlite:PATH, such as sqlite:data/agentdex.db")]
    UnsupportedUrl,
    /// The URL names a PostgreSQL server.
    #[error("PostgreSQL is not supported yet: give sqlite:PATH, such as sqlite:data/agentdex.db")]
    PostgresToCome,
    /// Several connections to one database in memory would be several databases.
    #[error(
        "a database in memory cannot be shared: give sqlite:PATH, such as sqlite:data/agentdex.db"
    )]
    InMemory,
    /// The file or its folder cannot be made or opened.
    #[error("cannot open database {}: {reason}", path.display())]
    CannotOpen {
        /// The file.
        path: PathBuf,
        /// What the operating system or SQLite says.
        reason: String,
    },
    /// The file is something else.
    #[error("{} is not a database of Agentdex ({reason}): give another path, or move the file away", path.display())]
    NotADatabase {
        /// The file.
        path: PathBuf,
        /// What it is.
        reason: String,
    },
    /// The file has several names, or its log has.
    #[error("database {} has {links} names (hard links), and SQLite keeps a log for each, which damages it: remove the other names, or copy it to a file of its own", path.display())]
    Linked {
        /// The file.
        path: PathBuf,
        /// How many names it has.
        links: u64,
    },
    /// A file that SQLite keeps beside the database is something else.
    #[error("{} belongs to a database and is no plain file of one name: move it away if its database was closed cleanly, or restore both from a backup", path.display())]
    LinkedLog {
        /// The file beside the database.
        path: PathBuf,
    },
    /// The file was last used by a newer program.
    #[error("database {} is newer than this program (schema {version}): update the program", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its newest migration.
        version: i64,
    },
    /// The file was made by a program whose schema went another way.
    #[error("database {} was made by another build of this program (schema {version} differs): use that build, or start with a new file", path.display())]
    OtherSchema {
        /// The file.
        path: PathBuf,
        /// The migration that differs.
        version: i64,
    },
    /// The file or its folder may not be written.
    #[error("database {} is read-only: make the file and its folder writable for this user", path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// Some other program kept the file locked for too long.
    #[error("database {} is locked by another program: close it and try again", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// There is a process in this role already.
    #[error("{role} {holder} already uses database {}: stop it first, or give another database", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
        /// The role of both.
        role: Role,
        /// The other: process id and since when.
        holder: String,
    },
    /// No space is left.
    #[error("the disk of database {} is full: make room; what was recorded before is safe", path.display())]
    DiskFull {
        /// The file.
        path: PathBuf,
    },
    /// A row or page does not hold what was written.
    #[error("database {} is damaged ({reason}): restore it from a backup", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where.
        reason: String,
    },
    /// Anything else that the database reports.
    #[error("database {} failed", path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// The driver's error.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl StoreError {
    /// True when opening failed because the URL names something that is no usable database, rather than because
    /// of the state of one.
    pub fn is_wrong_name(&self) -> bool {
        match self {
            Self::UnsupportedUrl
            | Self::PostgresToCome
            | Self::InMemory
            | Self::CannotOpen { .. }
            | Self::NotADatabase { .. }
            | Self::Linked { .. }
            | Self::LinkedLog { .. }
            | Self::ReadOnly { .. } => true,
            Self::Newer { .. }
            | Self::OtherSchema { .. }
            | Self::Locked { .. }
            | Self::InUse { .. }
            | Self::DiskFull { .. }
            | Self::Damaged { .. }
            | Self::Database { .. } => false,
        }
    }
}
