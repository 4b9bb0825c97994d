//! A SQLite file with the agents of a registry, for others.

use crate::error::StoreError;
use crate::sqlite::{explain, insert_rows};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection};
use std::path::{Path, PathBuf};

/// Tables of the file. It is written once, from its beginning to its end, and belongs to others, so
/// it has neither migrations nor a log.
const TABLES: &str = "
    CREATE TABLE about (
        name  TEXT PRIMARY KEY,
        value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE agents (
        id          TEXT PRIMARY KEY,   -- domain/slug
        site        TEXT NOT NULL,
        name        TEXT NOT NULL,
        description TEXT,
        url         TEXT,
        format      TEXT NOT NULL,
        level       TEXT NOT NULL,
        status      TEXT NOT NULL,
        first_seen  TEXT NOT NULL,      -- RFC 3339
        changed     TEXT NOT NULL,
        hash        TEXT NOT NULL,
        agent       TEXT NOT NULL       -- JSON, as in the API
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE capabilities (
        agent_id    TEXT    NOT NULL REFERENCES agents (id),
        position    INTEGER NOT NULL,
        id          TEXT    NOT NULL,
        name        TEXT    NOT NULL,
        description TEXT,
        PRIMARY KEY (agent_id, position)
    ) STRICT, WITHOUT ROWID";

/// Row of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExportRow {
    /// `<domain>/<slug>`.
    pub id: String,
    /// Domain.
    pub site: String,
    /// Name.
    pub name: String,
    /// Description.
    pub description: Option<String>,
    /// URL.
    pub url: Option<String>,
    /// Format of the leading document.
    pub format: String,
    /// Its level.
    pub level: String,
    /// Status of the site.
    pub status: String,
    /// Time when it was first listed, RFC 3339.
    pub first_seen: String,
    /// Time of its last change, RFC 3339.
    pub changed: String,
    /// Hash of its facts.
    pub hash: String,
    /// All of it, as JSON.
    pub agent: String,
    /// Its capabilities.
    pub capabilities: Vec<ExportCapability>,
}

/// Row of a capability.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExportCapability {
    /// Id that the document gives it.
    pub id: String,
    /// Name.
    pub name: String,
    /// Description.
    pub description: Option<String>,
}

/// New SQLite file that is being written.
#[derive(Debug)]
pub struct ExportFile {
    path: PathBuf,
    connection: SqliteConnection,
}

impl ExportFile {
    /// Begins the file at `path`, which must be empty or missing.
    pub async fn create(path: &Path) -> Result<Self, StoreError> {
        let explained = |error| explain(path, error);
        let mut connection = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Off)
            .synchronous(SqliteSynchronous::Off)
            .disable_statement_logging()
            .connect()
            .await
            .map_err(explained)?;
        sqlx::raw_sql(TABLES)
            .execute(&mut connection)
            .await
            .map_err(explained)?;
        Ok(Self {
            path: path.to_owned(),
            connection,
        })
    }

    /// Adds agents.
    pub async fn add(&mut self, rows: &[ExportRow]) -> Result<(), StoreError> {
        let Self { path, connection } = self;
        insert(connection, rows)
            .await
            .map_err(|error| explain(path, error))
    }

    /// Adds statements about the whole, by name, and closes the file.
    pub async fn finish(mut self, about: &[(&str, String)]) -> Result<(), StoreError> {
        let statement = "INSERT INTO about (name, value) ";
        let finished = async {
            insert_rows(&mut self.connection, statement, about, |mut values, row| {
                values.push_bind(row.0.to_owned()).push_bind(row.1.clone());
            })
            .await?;
            self.connection.close().await
        };
        finished.await.map_err(|error| explain(&self.path, error))
    }
}

async fn insert(connection: &mut SqliteConnection, rows: &[ExportRow]) -> sqlx::Result<()> {
    let mut transaction = connection.begin().await?;
    let statement = "INSERT INTO agents (id, site, name, description, url, format, level, status,
                                         first_seen, changed, hash, agent) ";
    insert_rows(&mut transaction, statement, rows, |mut values, row| {
        values
            .push_bind(row.id.clone())
            .push_bind(row.site.clone())
            .push_bind(row.name.clone())
            .push_bind(row.description.clone())
            .push_bind(row.url.clone())
            .push_bind(row.format.clone())
            .push_bind(row.level.clone())
            .push_bind(row.status.clone())
            .push_bind(row.first_seen.clone())
            .push_bind(row.changed.clone())
            .push_bind(row.hash.clone())
            .push_bind(row.agent.clone());
    })
    .await?;
    let capabilities: Vec<_> = rows
        .iter()
        .flat_map(|row| (0_i64..).zip(&row.capabilities).map(move |it| (row, it)))
        .collect();
    let statement = "INSERT INTO capabilities (agent_id, position, id, name, description) ";
    insert_rows(
        &mut transaction,
        statement,
        &capabilities,
        |mut values, row| {
            let (agent, (position, capability)) = row;
            values
                .push_bind(agent.id.clone())
                .push_bind(*position)
                .push_bind(capability.id.clone())
                .push_bind(capability.name.clone())
                .push_bind(capability.description.clone());
        },
    )
    .await?;
    transaction.commit().await
}
