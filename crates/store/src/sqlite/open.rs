//! Opens a SQLite file.

use super::SqliteStore;
use super::errors::{explain, refused};
use super::file::DatabaseFile;
use super::lock::Lock;
use super::migrations::MIGRATIONS;
use crate::error::StoreError;
use crate::model::Role;
use sqlx::migrate::MigrateError;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection as _, SqliteConnection, SqlitePool};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

/// Time to wait while another process writes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Longest write-ahead log in bytes that stays as a file for the next writes: twice what is written until
/// it is written back. It grows beyond that while a long read needs it, such as a backup.
pub(super) const LONGEST_LOG: u64 = 32 << 20;

/// Read-only connections.
const READERS: u32 = 4;

impl SqliteStore {
    /// Opens or creates the file named by the part of a URL after `sqlite:`.
    pub(crate) async fn open(location: &str, roles: &[Role]) -> Result<Self, StoreError> {
        // Before the first connection: a file that comes later is another one.
        let file = DatabaseFile::open(prepare(location)?)?;
        let path = file.path().to_owned();
        let locks = roles
            .iter()
            .map(|role| Lock::claim(&path, *role))
            .collect::<Result<_, _>>()?;
        let writer = {
            let _schema = Lock::schema(&path).await?;
            let writer = connect(&path).await?;
            file.note_beside();
            migrate(&path, &writer).await?;
            writer
        };
        let reader = SqlitePoolOptions::new()
            .max_connections(READERS)
            .max_lifetime(None)
            .idle_timeout(None)
            // A connection to a file is never lost, and every test is a trip to another thread.
            .test_before_acquire(false)
            .connect_lazy_with(options(&path).read_only(true).pragma("cache_size", "-8192"));
        Ok(Self {
            file,
            writer,
            reader,
            refuses_writes: AtomicBool::new(false),
            checked: Mutex::default(),
            damage: OnceLock::new(),
            _locks: locks,
        })
    }

    /// Returns the absolute path of the file.
    pub(crate) fn file(location: &str) -> Result<PathBuf, StoreError> {
        absolute(location)
    }

    /// Reports whether the file exists.
    pub(crate) fn exists(location: &str) -> Result<bool, StoreError> {
        let path = absolute(location)?;
        path.try_exists().map_err(|error| refused(&path, &error))
    }
}

/// Returns the absolute path of the file named by the part of a URL after `sqlite:`.
pub(super) fn absolute(location: &str) -> Result<PathBuf, StoreError> {
    let name = location.strip_prefix("//").unwrap_or(location);
    if name.contains(":memory:") || name.contains("mode=memory") {
        return Err(StoreError::InMemory);
    }
    if name.is_empty() || name.contains('?') {
        return Err(StoreError::UnsupportedUrl);
    }
    std::path::absolute(name).map_err(|error| refused(Path::new(name), &error))
}

/// Creates the directory and returns the absolute path of the file with symbolic links resolved, so
/// that two names of one file share their locks.
fn prepare(location: &str) -> Result<PathBuf, StoreError> {
    let path = absolute(location)?;
    if path.is_dir() {
        return Err(StoreError::CannotOpen {
            path,
            reason: "it is a directory; name a file in it".to_owned(),
        });
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| refused(&path, &error))?;
    }
    let path = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(&path)
        .and_then(|_| path.canonicalize())
        .map_err(|error| refused(&path, &error))?;
    check_names(&path)?;
    Ok(path)
}

/// Refuses a database with several hard links: its log and its locks are found by name, so two
/// processes that use different names damage it
/// (<https://www.sqlite.org/howtocorrupt.html#_multiple_links_to_the_same_file>).
#[cfg(unix)]
fn check_names(path: &Path) -> Result<(), StoreError> {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = path.metadata().map_err(|error| refused(path, &error))?;
    if metadata.nlink() > 1 {
        return Err(StoreError::Linked {
            path: path.to_owned(),
            links: metadata.nlink(),
        });
    }
    for suffix in ["-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        let path = PathBuf::from(name);
        match path.symlink_metadata() {
            Ok(metadata) if metadata.is_file() && metadata.nlink() <= 1 => {}
            Ok(_) => return Err(StoreError::LinkedLog { path }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(refused(&path, &error)),
        }
    }
    Ok(())
}

/// Accepts every file, because hard links cannot be counted on this system.
#[cfg(not(unix))]
fn check_names(_: &Path) -> Result<(), StoreError> {
    Ok(())
}

/// Returns the options that all connections share.
pub(super) fn options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .busy_timeout(BUSY_TIMEOUT)
        .foreign_keys(true)
        .pragma("temp_store", "memory")
        .disable_statement_logging()
}

/// Opens the only writing connection.
async fn connect(path: &Path) -> Result<SqlitePool, StoreError> {
    SqlitePoolOptions::new()
        .max_connections(1)
        .max_lifetime(None)
        .idle_timeout(None)
        .after_release(|connection, _| Box::pin(is_outside_of_transactions(connection)))
        .connect_with(
            options(path)
                .journal_mode(SqliteJournalMode::Wal)
                .synchronous(SqliteSynchronous::Normal)
                .pragma("cache_size", "-32768")
                .pragma("wal_autocheckpoint", "4000")
                .pragma("journal_size_limit", LONGEST_LOG.to_string()),
        )
        .await
        .map_err(|error| explain(path, error))
}

/// Reports whether a connection that is no longer used is outside of any transaction, as it must be.
///
/// SQLite rolls some transactions back by itself, such as those for which the disk had no space
/// (<https://www.sqlite.org/lang_transaction.html>, section 3). The driver still counts them, and
/// would refuse each later one: such a connection is replaced.
async fn is_outside_of_transactions(connection: &mut SqliteConnection) -> sqlx::Result<bool> {
    // A rollback may still be in the queue of the connection.
    connection.ping().await?;
    Ok(!connection.is_in_transaction())
}

/// Migrates the schema.
async fn migrate(path: &Path, writer: &SqlitePool) -> Result<(), StoreError> {
    let mut connection = writer
        .acquire()
        .await
        .map_err(|error| explain(path, error))?;
    if is_foreign(&mut connection)
        .await
        .map_err(|error| explain(path, error))?
    {
        return Err(StoreError::of_other_program(path.to_owned()));
    }
    let path = path.to_owned();
    match MIGRATIONS.run(&mut *connection).await {
        Ok(()) => Ok(()),
        Err(MigrateError::VersionMissing(version)) => Err(StoreError::Newer { path, version }),
        Err(MigrateError::VersionMismatch(version) | MigrateError::Dirty(version)) => {
            Err(StoreError::OtherSchema { path, version })
        }
        Err(MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _)) => {
            Err(explain(&path, error))
        }
        Err(error) => Err(StoreError::Database {
            path,
            source: error.into(),
        }),
    }
}

/// Reports whether a database has tables but none of our migrations.
pub(super) async fn is_foreign(connection: &mut SqliteConnection) -> sqlx::Result<bool> {
    sqlx::query_scalar(
        "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table')
            AND NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = '_sqlx_migrations')",
    )
    .fetch_one(connection)
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the message for the error of the second statement, which has to fail.
    async fn fails(
        options: SqliteConnectOptions,
        first: &'static str,
        second: &'static str,
    ) -> StoreError {
        let mut connection = SqliteConnection::connect_with(&options).await.unwrap();
        sqlx::query(first).execute(&mut connection).await.unwrap();
        let error = sqlx::query(second)
            .execute(&mut connection)
            .await
            .unwrap_err();
        explain(Path::new("data/agentdex.db"), error)
    }

    #[tokio::test]
    async fn a_full_disk_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let options = options(&folder.path().join("small.db"))
            .create_if_missing(true)
            .pragma("max_page_count", "8");
        let error = fails(
            options,
            "CREATE TABLE blobs (bytes BLOB)",
            "INSERT INTO blobs (bytes) VALUES (zeroblob(100000))",
        )
        .await;
        assert!(matches!(error, StoreError::DiskFull { .. }), "{error}");
        assert_eq!(
            error.to_string(),
            "the disk of database data/agentdex.db is full: free some space; everything recorded so far is safe"
        );
    }

    #[tokio::test]
    async fn a_read_only_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("still.db");
        std::fs::File::create(&path).unwrap();
        let error = fails(
            options(&path).read_only(true),
            "SELECT 1",
            "CREATE TABLE blobs (bytes BLOB)",
        )
        .await;
        assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}");
    }

    #[test]
    fn what_the_system_refuses_is_named() {
        let path = Path::new("data/agentdex.db");
        for (kind, start) in [
            (
                io::ErrorKind::PermissionDenied,
                "database data/agentdex.db is read-only",
            ),
            (
                io::ErrorKind::ReadOnlyFilesystem,
                "database data/agentdex.db is read-only",
            ),
            (
                io::ErrorKind::StorageFull,
                "the disk of database data/agentdex.db is full",
            ),
            (
                io::ErrorKind::NotADirectory,
                "cannot open database data/agentdex.db: not a",
            ),
        ] {
            let text = refused(path, &kind.into()).to_string();
            assert!(text.starts_with(start), "{text}");
        }
    }
}
