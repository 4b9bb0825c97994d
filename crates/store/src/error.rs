//! Errors of the store, worded for the operator.

use crate::model::Role;
use std::path::PathBuf;

/// A failed store operation.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The URL names no supported database. It is not repeated: it may hold a password.
    #[error(
        "this database is not supported: give sqlite:PATH, such as sqlite:data/agentdex.db, or postgres://USER:PASSWORD@HOST/NAME"
    )]
    UnsupportedUrl,
    /// The URL of a database on a server cannot be read. It is not repeated: it may hold a password.
    #[error(
        "the URL of the database cannot be read ({reason}): give postgres://USER:PASSWORD@HOST:PORT/NAME, with %2F for a slash in the password or in the folder of a socket"
    )]
    WrongUrl {
        /// The fault, without any part of the URL.
        reason: String,
    },
    /// The database is on a server, which has tools of its own.
    #[error(
        "a database of PostgreSQL has no file here: back it up with pg_dump, best from a replica, and restore it with pg_restore"
    )]
    OnServer,
    /// A replica is given, but one of the databases is a file.
    #[error(
        "a replica is a database of PostgreSQL that follows another one: give --read-database only with postgres:// URLs for both, or leave it out"
    )]
    ReplicaOfFile,
    /// The schema of the replica is not that of this program.
    #[error("the replica {} is at version {version} of the schema, and this program needs {wanted}: wait until it has what its primary has, or leave --read-database out", path.display())]
    ReplicaOlder {
        /// The URL, without user and password.
        path: PathBuf,
        /// Its newest migration; zero if it has none.
        version: i64,
        /// That of this program.
        wanted: i64,
    },
    /// The replica is none of the database.
    #[error("the replica {} is not read: {reason}", path.display())]
    NoReplica {
        /// The URL, without user and password.
        path: PathBuf,
        /// The difference.
        reason: String,
    },
    /// The database is in memory, where each connection would have a database of its own.
    #[error(
        "a database in memory cannot be shared: give sqlite:PATH, such as sqlite:data/agentdex.db"
    )]
    InMemory,
    /// The user of the URL lacks a right.
    #[error("database {} refuses its user: {reason}; make that user the owner of the database", path.display())]
    Forbidden {
        /// The URL, without user and password.
        path: PathBuf,
        /// The message of the server.
        reason: String,
    },
    /// The file or its directory cannot be created or opened.
    #[error("cannot open database {}: {reason}", path.display())]
    CannotOpen {
        /// The file.
        path: PathBuf,
        /// The message of the operating system or SQLite.
        reason: String,
    },
    /// The file is not a database of this program.
    #[error("{} is not a database of Agentdex ({reason}): give another path, or move the file away", path.display())]
    NotADatabase {
        /// The file.
        path: PathBuf,
        /// The kind of file.
        reason: String,
    },
    /// The database of the server has tables, but not those of this program.
    #[error("database {} has the tables of another program: give one without tables", path.display())]
    OfOtherProgram {
        /// The URL, without user and password.
        path: PathBuf,
    },
    /// The file or its write-ahead log has several hard links.
    #[error("database {} has {links} names (hard links), and SQLite keeps a separate log for each, which damages the database: remove the other names, or copy it to a file of its own", path.display())]
    Linked {
        /// The file.
        path: PathBuf,
        /// Number of hard links.
        links: u64,
    },
    /// A file that SQLite keeps next to the database is no regular file with one name.
    #[error("{} belongs to a database but is not a regular file with one name: move it away if its database was closed cleanly, or restore both from a backup", path.display())]
    LinkedLog {
        /// The file next to the database.
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
    /// The file was last used by an older program, which this operation does not migrate.
    #[error("database {} has the schema of an older version: start agentdex once, which brings it up to date", path.display())]
    Older {
        /// The file.
        path: PathBuf,
    },
    /// The file was created by a build with a different schema.
    #[error("database {} was created by another build of this program (schema {version} differs): use that build, or start with a new file", path.display())]
    OtherSchema {
        /// The file.
        path: PathBuf,
        /// The migration that differs.
        version: i64,
    },
    /// The file or its directory is not writable, or not even readable.
    #[error("database {} is {}: {obstacle}", path.display(), obstacle.state())]
    ReadOnly {
        /// The file.
        path: PathBuf,
        /// The reason.
        obstacle: Obstacle,
    },
    /// Another program kept the file locked for too long.
    #[error("database {} is locked by another program: close it and try again", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// Another process already has this role.
    #[error("{role} {holder} already uses database {}: stop it first, or give another database", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
        /// The role.
        role: Role,
        /// Process id and start of the other process.
        holder: String,
    },
    /// The server of the database cannot be reached, or takes no connections.
    #[error("database {} is away ({reason})", path.display())]
    Away {
        /// The URL, without user and password.
        path: PathBuf,
        /// The message of the system or of the server.
        reason: String,
    },
    /// This process could not renew its role in time, and another one has it.
    #[error("database {} was away for so long that another process has the role of this one: stop the other one, or this", path.display())]
    RoleLost {
        /// The URL, without user and password.
        path: PathBuf,
    },
    /// A transfer from a file has not filled the database yet.
    #[error("database {} is being filled by agentdex migrate, or that was stopped: wait, or give the same command again, which goes on where it stopped", path.display())]
    HalfFilled {
        /// The URL, without user and password.
        path: PathBuf,
    },
    /// Another file, or none, is in the place of the open database.
    #[error("database {} was moved, deleted or replaced while this program used it: start the program again", path.display())]
    Replaced {
        /// The place.
        path: PathBuf,
    },
    /// The disk reports an error.
    #[error("the disk of database {} fails ({reason}): check it, and the quota of this user", path.display())]
    DiskFailed {
        /// The file.
        path: PathBuf,
        /// The message of SQLite.
        reason: String,
    },
    /// No space is left.
    #[error("the disk of database {} is full: free some space; everything recorded so far is safe", path.display())]
    DiskFull {
        /// The file.
        path: PathBuf,
    },
    /// A row or page is corrupt.
    #[error("database {} is damaged ({reason}): restore it from a backup", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Position of the damage.
        reason: String,
    },
    /// Any other error of the database.
    #[error("database {} failed", path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// The driver's error.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// Reason why a database cannot be written, with what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Obstacle {
    /// Its file system takes no writes.
    #[error(
        "its file system is mounted read-only, and SQLite writes beside a database even to read it: mount it writable, or copy the database with its -wal to a folder that is"
    )]
    Mount,
    /// Its folder takes no files of this user.
    #[error("this user may not write to {}, where SQLite keeps files beside the database even to read it: permit that", .0.display())]
    Folder(PathBuf),
    /// The file may not even be read, such as one that root restored.
    #[error("make this user its owner, for example with chown if root restored it")]
    Unreadable,
    /// Any other one, such as the permissions of the file.
    #[error("make the file and its directory writable for this user")]
    File,
    /// The server is a replica, or its administrator permits no writes.
    #[error(
        "the server takes no writes, such as a replica: give the database of the primary server"
    )]
    Server,
}

impl Obstacle {
    /// Returns the state in which a database is for this user.
    fn state(&self) -> &'static str {
        match self {
            Self::Unreadable => "not readable for this user",
            Self::Mount | Self::Folder(_) | Self::File | Self::Server => "read-only",
        }
    }
}

impl StoreError {
    /// Returns the error for a file with the tables of another program.
    pub(crate) fn of_other_program(path: PathBuf) -> Self {
        Self::NotADatabase {
            path,
            reason: "it has the tables of another program".to_owned(),
        }
    }

    /// Reports whether a write failed because the database takes none at present, until the operator
    /// mends its disk.
    pub fn is_refused_write(&self) -> bool {
        matches!(
            self,
            Self::DiskFull { .. } | Self::DiskFailed { .. } | Self::ReadOnly { .. }
        )
    }

    /// Reports whether the URL does not name a usable database, in contrast to a database in a bad
    /// state.
    pub fn is_wrong_name(&self) -> bool {
        match self {
            Self::UnsupportedUrl
            | Self::WrongUrl { .. }
            | Self::OnServer
            | Self::ReplicaOfFile
            | Self::InMemory
            | Self::Forbidden { .. }
            | Self::CannotOpen { .. }
            | Self::NotADatabase { .. }
            | Self::OfOtherProgram { .. }
            | Self::Linked { .. }
            | Self::LinkedLog { .. }
            | Self::ReadOnly { .. } => true,
            Self::Newer { .. }
            | Self::Older { .. }
            | Self::ReplicaOlder { .. }
            | Self::NoReplica { .. }
            | Self::OtherSchema { .. }
            | Self::Locked { .. }
            | Self::InUse { .. }
            | Self::Away { .. }
            | Self::RoleLost { .. }
            | Self::HalfFilled { .. }
            | Self::Replaced { .. }
            | Self::DiskFailed { .. }
            | Self::DiskFull { .. }
            | Self::Damaged { .. }
            | Self::Database { .. } => false,
        }
    }
}
