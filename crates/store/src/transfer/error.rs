//! Errors of transfers, worded for the operator.

use crate::StoreError;
use std::path::PathBuf;

/// Reason why a registry cannot be transferred.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransferError {
    /// The source or the target is of the other kind.
    #[error(
        "a registry moves from a file to a server: give sqlite:PATH as the source, and postgres://USER:PASSWORD@HOST/NAME as the target"
    )]
    Direction,
    /// There is nothing to move.
    #[error("there is no database at {}", .0.display())]
    NoSource(PathBuf),
    /// The target has the data of a registry.
    #[error("database {} is not empty (table {table} has {rows} rows): give an empty one", path.display())]
    Occupied {
        /// The target.
        path: PathBuf,
        /// First table with rows.
        table: String,
        /// Its rows.
        rows: u64,
    },
    /// The target has a transfer from another registry, or had one.
    #[error("database {} has a transfer from another registry: give an empty one", path.display())]
    OtherSource {
        /// The target.
        path: PathBuf,
    },
    /// A program wrote into the source after the transfer began.
    #[error("{} was written after its transfer to {} began: empty that database (dropdb, createdb), and begin again", source_path.display(), path.display())]
    Changed {
        /// The source.
        source_path: PathBuf,
        /// The target.
        path: PathBuf,
    },
    /// The transfer began with another version of this program.
    #[error("the transfer to {} began with another version of this program (schema {version}): go on with that one, or empty that database (dropdb, createdb), and begin again", path.display())]
    OtherVersion {
        /// The target.
        path: PathBuf,
        /// The schema with which it began.
        version: i64,
    },
    /// A program of a registry uses the target.
    #[error("another program uses database {} ({connections} connections): stop it first", path.display())]
    InUse {
        /// The target.
        path: PathBuf,
        /// Number of its connections.
        connections: u64,
    },
    /// The schemas of both databases differ, which tests exclude.
    #[error("the schemas of both databases differ: {0}")]
    Schema(String),
    /// A table of the target has not the rows of the source.
    #[error("{tables}: the data in {} are not those of the source; empty that database (dropdb, createdb), and begin again", path.display())]
    Different {
        /// The target.
        path: PathBuf,
        /// The tables, with the rows of both sides.
        tables: String,
    },
    /// The caller stopped the transfer.
    #[error("stopped: the same command goes on from here")]
    Stopped,
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
