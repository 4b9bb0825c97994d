//! The comparison: `SQLite` FTS5, bm25 over one column, porter stems.

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions as _, Connection as _, QueryBuilder, Sqlite, SqliteConnection};
use std::path::Path;
use store::StoredAgent;
use tokio::runtime::Runtime;

/// Rows of one statement.
const ROWS: usize = 500;

/// Database with the texts of agents and three of their properties.
pub(crate) struct Fts {
    runtime: Runtime,
    connection: SqliteConnection,
    waiting: Vec<(i64, String, [String; 3])>,
}

impl Fts {
    pub(crate) fn begin(file: &Path) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .expect("a runtime");
        let options = SqliteConnectOptions::new()
            .filename(file)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Off)
            .synchronous(SqliteSynchronous::Off)
            .pragma("mmap_size", "8000000000")
            .pragma("cache_size", "-200000");
        let mut connection = runtime.block_on(options.connect()).expect("a database");
        for statement in [
            "CREATE VIRTUAL TABLE texts USING fts5(text, content='', tokenize='porter unicode61')",
            "CREATE TABLE facets (id INTEGER PRIMARY KEY, format TEXT, protocol TEXT, auth TEXT)",
            "BEGIN",
        ] {
            runtime
                .block_on(sqlx::query(statement).execute(&mut connection))
                .expect("a statement");
        }
        Self {
            runtime,
            connection,
            waiting: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, id: u64, text: String, stored: &StoredAgent) {
        let agent = &stored.listing.agent;
        let protocol = agent.interfaces.first().map(|it| it.protocol.clone());
        let auth = agent.auth.first().map(|it| it.scheme.clone());
        let facets = [
            stored.listing.format.to_string(),
            protocol.unwrap_or_default(),
            auth.unwrap_or_default(),
        ];
        let id = i64::try_from(id).expect("a small number");
        self.waiting.push((id, text, facets));
        if self.waiting.len() == ROWS {
            self.write();
        }
    }

    fn write(&mut self) {
        let mut texts = QueryBuilder::<Sqlite>::new("INSERT INTO texts (rowid, text) ");
        texts.push_values(&self.waiting, |mut row, (id, text, _)| {
            row.push_bind(id).push_bind(text);
        });
        let mut facets =
            QueryBuilder::<Sqlite>::new("INSERT INTO facets (id, format, protocol, auth) ");
        facets.push_values(&self.waiting, |mut row, (id, _, values)| {
            row.push_bind(id);
            for value in values {
                row.push_bind(value);
            }
        });
        let connection = &mut self.connection;
        self.runtime.block_on(async {
            texts.build().execute(&mut *connection).await.expect("rows");
            facets.build().execute(connection).await.expect("rows");
        });
        self.waiting.clear();
    }

    /// Writes what waits, and lets FTS5 merge all that it has.
    pub(crate) fn end(&mut self) {
        if !self.waiting.is_empty() {
            self.write();
        }
        for statement in ["INSERT INTO texts (texts) VALUES ('optimize')", "COMMIT"] {
            self.runtime
                .block_on(sqlx::query(statement).execute(&mut self.connection))
                .expect("a statement");
        }
    }

    /// Returns the ten best for any of the words.
    pub(crate) fn best(&mut self, words: &str) -> u64 {
        let statement = "SELECT rowid FROM texts WHERE texts MATCH $1 ORDER BY rank LIMIT 10";
        let query = sqlx::query(statement).bind(any_of(words));
        let rows = self.runtime.block_on(query.fetch_all(&mut self.connection));
        rows.expect("an answer").len() as u64
    }

    /// Returns the ten best, and the counts of three properties over all.
    pub(crate) fn best_and_counts(&mut self, words: &str) -> u64 {
        let mut found = self.best(words);
        for statement in [
            "SELECT format, count(*) FROM facets WHERE id IN (SELECT rowid FROM texts WHERE texts MATCH $1) GROUP BY 1",
            "SELECT protocol, count(*) FROM facets WHERE id IN (SELECT rowid FROM texts WHERE texts MATCH $1) GROUP BY 1",
            "SELECT auth, count(*) FROM facets WHERE id IN (SELECT rowid FROM texts WHERE texts MATCH $1) GROUP BY 1",
        ] {
            let query = sqlx::query(statement).bind(any_of(words));
            let rows = self.runtime.block_on(query.fetch_all(&mut self.connection));
            found += rows.expect("an answer").len() as u64;
        }
        found
    }

    /// Closes the database.
    pub(crate) fn close(self) {
        self.runtime
            .block_on(self.connection.close())
            .expect("a closed database");
    }
}

fn any_of(words: &str) -> String {
    let words: Vec<String> = words.split(' ').map(|word| format!("\"{word}\"")).collect();
    words.join(" OR ")
}
