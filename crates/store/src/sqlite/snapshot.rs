//! Copies of a database as files of their own, for backups.

use super::errors::explain;
use super::lock::Lock;
use super::migrations::MIGRATIONS;
use super::{SqliteStore, open};
use crate::contract::Health as _;
use crate::error::StoreError;
use crate::migrations::newest;
use crate::model::Role;
use crate::row::count;
use crate::sql::changes::LAST_CHANGE;
use crate::sql::operation as sql;
use manifest::Timestamp;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, QueryBuilder, Sqlite, SqliteConnection};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Copies the database into a new file, in one read transaction.
const COPY: &str = "VACUUM INTO $1";

/// Begins another epoch of the change log: the numbers after the backup may have been given before.
const NEW_EPOCH: &str = "UPDATE feed SET epoch = lower(hex(randomblob(8)))";

/// Checks the structure of the file, and that each index has the rows of its table; "ok" if it is sound.
const CHECK: &str = "PRAGMA integrity_check(1)";

/// Newest migration.
const SCHEMA: &str = "SELECT COALESCE(MAX(version), 0) FROM _sqlx_migrations";

/// Names of all tables.
const TABLES: &str = "
    SELECT name FROM sqlite_schema
    WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
    ORDER BY name";

/// Content of a database, counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Content {
    /// Newest migration of the schema.
    pub(crate) schema: i64,
    /// Newest sequence number of the change log.
    pub(crate) last_change: u64,
    /// Rows by table.
    pub(crate) tables: BTreeMap<String, u64>,
}

/// Place for a new database; no crawler, indexer or web server uses it meanwhile.
pub(crate) struct Vacancy {
    path: PathBuf,
    _locks: [Lock; 3],
}

/// Path of a database to be, or of the file that is in its place.
pub(crate) type Place = Result<PathBuf, PathBuf>;

impl SqliteStore {
    /// Copies the database at `location` to the file `to`, which must not exist, as of one moment.
    /// Other processes may write meanwhile. The schema is copied as it is.
    pub(crate) async fn copy(location: &str, to: &Path) -> Result<(), StoreError> {
        let path = open::absolute(location)?;
        let explained = |error| explain(&path, error);
        let options = open::options(&path).read_only(true);
        let mut connection = options.connect().await.map_err(explained)?;
        if open::is_foreign(&mut connection).await.map_err(explained)? {
            return Err(StoreError::of_other_program(path));
        }
        let name = to.to_str().ok_or_else(|| StoreError::CannotOpen {
            path: to.to_owned(),
            reason: "SQLite takes only names in UTF-8".to_owned(),
        })?;
        let copying = sqlx::query(COPY).bind(name);
        copying.execute(&mut connection).await.map_err(explained)?;
        connection.close().await.map_err(explained)
    }

    /// Records in the database at `location` that it was backed up.
    pub(crate) async fn record_backup(location: &str, at: Timestamp) -> Result<(), StoreError> {
        let path = open::absolute(location)?;
        let work = async {
            let mut connection = open::options(&path).connect().await?;
            let schema: i64 = sqlx::query_scalar(SCHEMA)
                .fetch_one(&mut connection)
                .await?;
            let is_current = schema >= Self::newest_schema();
            if is_current {
                let recording = sqlx::query(sql::RECORD_BACKUP).bind(at.0);
                recording.execute(&mut connection).await?;
            }
            connection.close().await?;
            Ok(is_current)
        };
        match work.await {
            Ok(true) => Ok(()),
            Ok(false) => Err(StoreError::Older { path }),
            Err(error) => Err(explain(&path, error)),
        }
    }

    /// Checks that the file at `location` is a database of this program, with a schema that it knows,
    /// and returns the version of the schema. Nothing is written, no file beside it either.
    pub(crate) async fn inspect(location: &str) -> Result<i64, StoreError> {
        let path = open::absolute(location)?;
        let mut log = path.clone().into_os_string();
        log.push("-wal");
        // Without a log no program uses it, and then a connection would make the files of one.
        let is_still = !Path::new(&log).exists();
        let work = async {
            let options = open::options(&path).read_only(true).immutable(is_still);
            let mut connection = options.connect().await?;
            let is_foreign = open::is_foreign(&mut connection).await?;
            let version: i64 = if is_foreign {
                0
            } else {
                sqlx::query_scalar(SCHEMA)
                    .fetch_one(&mut connection)
                    .await?
            };
            connection.close().await?;
            Ok((is_foreign, version))
        };
        match work.await.map_err(|error| explain(&path, error))? {
            (true, _) => Err(StoreError::of_other_program(path)),
            (_, version) if version > Self::newest_schema() => {
                Err(StoreError::Newer { path, version })
            }
            (_, version) => Ok(version),
        }
    }

    /// Counts the content of a copy, which no process writes.
    pub(crate) async fn content(copy: &Path) -> Result<Content, StoreError> {
        let work = async {
            let mut connection = still(copy).connect().await?;
            let schema = sqlx::query_scalar(SCHEMA).fetch_one(&mut connection);
            let schema = schema.await?;
            let last_change: i64 = sqlx::query_scalar(LAST_CHANGE)
                .fetch_one(&mut connection)
                .await?;
            let tables = count_rows(&mut connection).await?;
            connection.close().await?;
            Ok(Content {
                schema,
                last_change: count(last_change),
                tables,
            })
        };
        work.await.map_err(|error| explain(copy, error))
    }

    /// Returns the first fault in the structure of a copy.
    pub(crate) async fn fault(copy: &Path) -> Result<Option<String>, StoreError> {
        let work = async {
            let mut connection = still(copy).connect().await?;
            let found: String = sqlx::query_scalar(CHECK).fetch_one(&mut connection).await?;
            connection.close().await?;
            Ok((found != "ok").then_some(found))
        };
        work.await.map_err(|error| explain(copy, error))
    }

    /// Returns the newest schema of this program.
    pub(crate) fn newest_schema() -> i64 {
        newest(&MIGRATIONS)
    }

    /// Migrates a copy to the schema of this program, and gives its change log another epoch; it stays
    /// one file.
    pub(crate) async fn renew(copy: &Path) -> Result<(), StoreError> {
        let store = Self::open(&copy.to_string_lossy(), &[]).await?;
        store
            .run(sqlx::query(NEW_EPOCH).execute(&store.writer))
            .await?;
        store.close().await;
        Ok(())
    }
}

impl Vacancy {
    /// Looks for the place of a database that does not exist.
    pub(crate) fn find(location: &str) -> Result<Place, StoreError> {
        let path = open::absolute(location)?;
        let Some(occupant) = occupant(&path) else {
            return Ok(Ok(path));
        };
        if occupant != path {
            // The database is gone, but a program may have it open still.
            claim_all(&path)?;
        }
        Ok(Err(occupant))
    }

    /// Claims the place; the path of a file that is there by now is the inner error. This creates the
    /// files of the locks.
    pub(crate) fn claim(path: PathBuf) -> Result<Result<Self, PathBuf>, StoreError> {
        let locks = claim_all(&path)?;
        Ok(match occupant(&path) {
            Some(occupant) => Err(occupant),
            None => Ok(Self {
                path,
                _locks: locks,
            }),
        })
    }

    /// Returns the path of the database to be.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// Claims a database for this process alone in all roles.
pub(super) fn claim_all(path: &Path) -> Result<[Lock; 3], StoreError> {
    Ok([
        Lock::claim_alone(path, Role::Crawler)?,
        Lock::claim_alone(path, Role::Indexer)?,
        Lock::claim_alone(path, Role::Web)?,
    ])
}

/// Returns the first file of a database at this path, or beside it, that exists.
fn occupant(path: &Path) -> Option<PathBuf> {
    ["", "-wal", "-shm", "-journal"]
        .into_iter()
        .find_map(|suffix| {
            let mut name = path.as_os_str().to_owned();
            name.push(suffix);
            let name = PathBuf::from(name);
            name.symlink_metadata().is_ok().then_some(name)
        })
}

/// Returns the options for a file that no process writes.
fn still(copy: &Path) -> SqliteConnectOptions {
    open::options(copy).read_only(true).immutable(true)
}

async fn count_rows(connection: &mut SqliteConnection) -> sqlx::Result<BTreeMap<String, u64>> {
    let names: Vec<String> = sqlx::query_scalar(TABLES)
        .fetch_all(&mut *connection)
        .await?;
    let mut tables = BTreeMap::new();
    for name in names {
        let quoted = name.replace('"', "\"\"");
        let mut query = QueryBuilder::<Sqlite>::new("SELECT COUNT(*) FROM \"");
        query.push(quoted).push("\"");
        let rows: i64 = query
            .build_query_scalar()
            .persistent(false)
            .fetch_one(&mut *connection)
            .await?;
        tables.insert(name, count(rows));
    }
    Ok(tables)
}
