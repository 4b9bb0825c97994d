//! Storage of domains, visits and documents (written by the crawler) and of agents (written by the
//! indexer).
//!
//! [`Store`] is the contract; the URL given to [`open`] chooses the database.

#![expect(
    clippy::duplicate_mod,
    reason = "the subjects are compiled once for each database"
)]

pub mod backup;
pub mod blocklist;
mod contract;
pub mod error;
mod export_file;
mod migrations;
pub mod model;
mod postgres;
mod row;
mod sql;
mod sqlite;
mod table;
pub mod transfer;

pub use contract::*;
pub use error::StoreError;
pub use export_file::{ExportCapability, ExportFile, ExportRow};
pub use model::*;

use postgres::PostgresStore;
use sqlite::SqliteStore;
use std::path::PathBuf;
use std::sync::Arc;

/// Database of every program that is not told another one.
pub const DEFAULT_DATABASE: &str = "sqlite:data/agentdex.db";

/// Directory of the search index of every program that is not told another one.
pub const DEFAULT_INDEX: &str = "data/index";

/// Opens the database at `url` and migrates its schema; creates the database if it does not exist.
///
/// A process opens it once, with all its roles, so that it has a single writing connection.
/// A role that another process already has is refused with a message that names that process.
///
/// `sqlite:PATH` and `sqlite://PATH` name a file, relative to the current directory or absolute;
/// `postgres://USER:PASSWORD@HOST/NAME` names a database of a PostgreSQL server.
pub async fn open(url: &str, roles: &[Role]) -> Result<Arc<dyn Store>, StoreError> {
    if is_postgres(url) {
        return Ok(Arc::new(PostgresStore::open(url, roles).await?));
    }
    let store = SqliteStore::open(sqlite_location(url)?, roles).await?;
    Ok(Arc::new(store))
}

/// Opens the database at `url` like [`open`], without a role, and reads from `replica` what may be some
/// seconds old, for a part that serves or exports: a crawler or an indexer reads what it is about to
/// write. Both are databases of PostgreSQL. One of them may be away.
///
/// [`Health::watch`] has to run meanwhile, so that a replica that is behind is not read.
pub async fn open_with_replica(url: &str, replica: &str) -> Result<Arc<dyn Store>, StoreError> {
    check_replica(url, replica)?;
    let store = PostgresStore::open_with_replica(url, replica).await?;
    Ok(Arc::new(store))
}

/// Checks the URLs of a database and its replica, without a connection.
pub fn check_replica(url: &str, replica: &str) -> Result<(), StoreError> {
    for url in [url, replica] {
        if !is_postgres(url) {
            return Err(StoreError::ReplicaOfFile);
        }
        PostgresStore::check_url(url)?;
    }
    Ok(())
}

/// Opens the database at `url` like [`open`], but returns `None`, and creates nothing, if it does
/// not exist, or has no tables.
pub async fn open_existing(
    url: &str,
    roles: &[Role],
) -> Result<Option<Arc<dyn Store>>, StoreError> {
    let exists = if is_postgres(url) {
        PostgresStore::has_tables(url).await?
    } else {
        SqliteStore::exists(sqlite_location(url)?)?
    };
    if exists {
        open(url, roles).await.map(Some)
    } else {
        Ok(None)
    }
}

/// Checks, as far as that is possible without a connection to a server and without writing anything,
/// that the database at `url` can be opened: its URL, and the kind and schema of a file that exists.
pub async fn inspect(url: &str) -> Result<(), StoreError> {
    if is_postgres(url) {
        return PostgresStore::check_url(url);
    }
    let location = sqlite_location(url)?;
    // A new file is empty.
    if std::fs::metadata(SqliteStore::file(location)?).is_ok_and(|it| it.len() > 0) {
        SqliteStore::inspect(location).await?;
    }
    Ok(())
}

/// Returns the file of a database, which need not exist.
pub fn file_of(url: &str) -> Result<PathBuf, StoreError> {
    SqliteStore::file(sqlite_location(url)?)
}

/// Reports whether a URL names a database of a PostgreSQL server.
pub fn is_postgres(url: &str) -> bool {
    matches!(url.split_once(':'), Some(("postgres" | "postgresql", _)))
}

/// Returns the part of a URL after `sqlite:`.
fn sqlite_location(url: &str) -> Result<&str, StoreError> {
    match url.split_once(':') {
        Some(("sqlite", location)) => Ok(location),
        Some(("postgres" | "postgresql", _)) => Err(StoreError::OnServer),
        Some(_) | None => Err(StoreError::UnsupportedUrl),
    }
}
