//! Tests of moving a registry from a file to a server.

mod refusals;

use crate::cast::{self, NOON, found, lease, minutes, reading, seeds, visit};
use crate::opening::{stranger, url};
use crate::postgres::Database;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, SqliteConnection};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use store::transfer::{Progress, Stage, Transfer, TransferError, transfer};
use store::{Store, StoreError};
use tempfile::TempDir;

/// Rows of the large tables, which take three batches.
const MANY: i64 = 25_000;

/// Everything about the schema that a transfer takes away and makes again.
const SCHEMA: &str = "
    SELECT pg_get_indexdef(indexrelid) FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
    WHERE relnamespace = CAST('public' AS regnamespace) AND relname <> 'transfer'
    UNION ALL
    SELECT CAST(conrelid AS regclass) || ' ' || conname || ' ' || pg_get_constraintdef(oid)
    FROM pg_constraint
    WHERE connamespace = CAST('public' AS regnamespace)
      AND conrelid NOT IN (SELECT oid FROM pg_class WHERE relname = 'transfer')
    UNION ALL
    SELECT concat(attrelid, ' ', attname, ' ', attnotnull, ' ', attidentity)
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
    WHERE relnamespace = CAST('public' AS regnamespace) AND relkind IN ('r', 'p')
      AND attnum > 0 AND relname <> 'transfer'
    ORDER BY 1";

/// File of a registry, and its folder.
struct Source {
    _folder: TempDir,
    path: PathBuf,
}

impl Source {
    /// Creates a file with the schema.
    async fn create() -> (Self, std::sync::Arc<dyn Store>) {
        let folder = tempfile::tempdir().unwrap();
        let store = cast::sqlite(folder.path()).await;
        let path = folder.path().join("registry.db");
        let source = Self {
            _folder: folder,
            path,
        };
        (source, store)
    }

    fn url(&self) -> String {
        url(&self.path)
    }

    /// Moves it to a server, and stops where `report` says so.
    async fn transfer(
        &self,
        target: &Database,
        mut report: impl FnMut(Progress) -> ControlFlow<()> + Send,
    ) -> Result<Transfer, TransferError> {
        transfer(&self.url(), &target.url(), &mut report).await
    }

    /// Moves it to a server without a stop.
    async fn move_to(&self, target: &Database) -> Result<Transfer, TransferError> {
        self.transfer(target, |_| ControlFlow::Continue(())).await
    }
}

/// Fills every table of a file with rows whose columns all have a value, and with one that has none
/// where it may.
async fn fill_all(path: &Path) -> Vec<String> {
    let mut file = stranger(path).await;
    execute(&mut file, "PRAGMA foreign_keys = off").await;
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'
            AND name NOT IN ('_sqlx_migrations', 'last_backup')",
    )
    .fetch_all(&mut file)
    .await
    .unwrap();
    for table in &tables {
        let columns: Vec<(String, String, bool)> =
            sqlx::query_as("SELECT name, type, \"notnull\" OR pk FROM pragma_table_info($1)")
                .bind(table)
                .fetch_all(&mut file)
                .await
                .unwrap();
        for (row, is_full) in [(0, true), (1, true), (2, false)] {
            let value = |(name, kind, is_needed): &(String, String, bool)| match kind.as_str() {
                _ if !is_full && !is_needed => "NULL".to_owned(),
                "INTEGER" if name == "is_own" => "1".to_owned(),
                "INTEGER" => row.to_string(),
                "TEXT" => format!("'ü\t\\N {row}'"),
                _ => format!("x'00ff0{row}'"),
            };
            let values: Vec<String> = columns.iter().map(value).collect();
            // A table may check that it has one row.
            let insert = format!(
                "INSERT OR IGNORE INTO {table} VALUES ({})",
                values.join(", ")
            );
            execute(&mut file, &insert).await;
        }
    }
    file.close().await.unwrap();
    tables
}

/// Adds many rows to a table with numbers, to one that is kept in the order of its key, and to one
/// without a key.
async fn fill_large(path: &Path) {
    let mut file = stranger(path).await;
    for insert in [
        "INSERT INTO visits (id, domain_id, started, ended, outcome, requests, bytes, receipts)
         SELECT number * 3, 1, number, number, 'empty', 0, 0, '[]'",
        "INSERT INTO named_documents (domain_id, url, named_by, is_own, since)
         SELECT 1, printf('https://a.example/%d', number), 'ß', number % 2, number",
        "INSERT INTO new_names (registrable, at) SELECT 'a.example', number / 7",
    ] {
        let numbers = format!(
            "{insert} FROM (WITH RECURSIVE numbers (number) AS
                 (SELECT 10 UNION ALL SELECT number + 1 FROM numbers LIMIT {MANY})
             SELECT number FROM numbers)"
        );
        execute(&mut file, &numbers).await;
    }
    file.close().await.unwrap();
}

#[expect(
    clippy::disallowed_methods,
    reason = "the names are those of the schema"
)]
async fn execute(file: &mut SqliteConnection, statement: &str) {
    let query = sqlx::query(AssertSqlSafe(statement.to_owned()));
    query.execute(file).await.unwrap();
}

async fn schema(database: &mut PgConnection) -> Vec<String> {
    let query = sqlx::query_scalar(SCHEMA);
    query.fetch_all(database).await.unwrap()
}

#[tokio::test]
async fn every_table_is_moved_and_every_stop_is_made_good() {
    let Some(target) = Database::create().await else {
        return;
    };
    let (source, store) = Source::create().await;
    store.close().await;
    let mut tables = fill_all(&source.path).await;
    fill_large(&source.path).await;
    let mut fresh = target.stranger().await;
    let before = schema(&mut fresh).await;
    fresh.close().await.unwrap();

    let (mut stops, mut may_stop_at_index) = (Vec::new(), true);
    let moved = loop {
        let mut indexes = 0;
        let moved = source
            .transfer(&target, |progress| {
                indexes += u32::from(progress.stage == Stage::Index);
                let is_half = progress.stage == Stage::Copy && progress.rows < progress.total;
                if is_half || (may_stop_at_index && indexes == 3) {
                    may_stop_at_index &= is_half;
                    stops.push((progress.subject, progress.rows));
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            })
            .await;
        match moved {
            Err(TransferError::Stopped) => {
                let refusal = store::open(&target.url(), &[]).await.unwrap_err();
                assert!(
                    matches!(refusal, StoreError::HalfFilled { .. }),
                    "{refusal}"
                );
            }
            moved => break moved.unwrap(),
        }
    };
    stops.pop();
    let large = ["named_documents", "new_names", "visits"];
    let expected = large.map(|it| [(it.to_owned(), 10_000), (it.to_owned(), 20_000)]);
    assert_eq!(stops, expected.concat());
    tables.sort();
    let names: Vec<_> = moved.tables.iter().map(|it| it.name.clone()).collect();
    assert_eq!(names, tables);
    for table in &moved.tables {
        let rows = match table.name.as_str() {
            "feed" => 1,
            name if large.contains(&name) => 3 + MANY.unsigned_abs(),
            _ => 3,
        };
        assert_eq!(table.rows, rows, "{}", table.name);
    }
    assert_eq!(moved.replacements, 0);

    let again = source.move_to(&target).await.unwrap();
    assert!(again.was_complete);
    let mut filled = target.stranger().await;
    assert_eq!(schema(&mut filled).await, before);
    let next: i64 = sqlx::query_scalar(
        "INSERT INTO visits (domain_id, started, ended, outcome, requests, bytes, receipts)
         VALUES (1, 0, 0, 'empty', 0, 0, '[]') RETURNING id",
    )
    .fetch_one(&mut filled)
    .await
    .unwrap();
    assert_eq!(next, (MANY + 9) * 3 + 1);
    filled.close().await.unwrap();
    target.drop().await;
}

#[tokio::test]
async fn a_moved_registry_answers_as_before_and_goes_on() {
    let Some(target) = Database::create().await else {
        return;
    };
    let (source, file) = Source::create().await;
    let names = seeds(&["a.example", "b.example"]);
    file.add_seeds(&names[..1], false, NOON).await.unwrap();
    let documents = [("/a", "alpha \u{fffd} \\N"), ("/b", "beta")];
    found(&*file, "a.example", &documents, NOON).await;
    let readings = reading(&*file).await;
    file.replace_agents(&readings, NOON).await.unwrap();
    file.add_seeds(&names[1..], false, NOON).await.unwrap();
    let answers = answers(&*file).await;
    file.close().await;

    source.move_to(&target).await.unwrap();
    let server = target.open().await;
    assert_eq!(self::answers(&*server).await, answers);
    let lease = lease(&*server, "b.example", NOON).await;
    let visits = [visit(lease, NOON)];
    assert_eq!(server.record_visits(&visits).await.unwrap().visits, 1);
    let new = seeds(&["c.example"]);
    assert_eq!(server.add_seeds(&new, false, NOON).await.unwrap().new, 1);
    let documents = [("/c", "gamma")];
    found(&*server, "c.example", &documents, minutes(1)).await;
    let changes = server
        .replace_agents(&reading(&*server).await, minutes(1))
        .await
        .unwrap();
    assert_eq!(changes[0].seq, 3);
    server.close().await;
    target.drop().await;
}

/// Returns the answers to all kinds of questions.
async fn answers(store: &dyn Store) -> String {
    let domain = cast::domain("a.example");
    format!(
        "{:#?}",
        (
            store.agents(None, 10).await.unwrap(),
            store.changes(0, 10).await.unwrap(),
            store.feed_state().await.unwrap(),
            store.documents(&domain).await.unwrap(),
            store.site(&domain).await.unwrap(),
            store.stats(NOON).await.unwrap(),
            store.due(NOON, 10).await.unwrap(),
        )
    )
}
