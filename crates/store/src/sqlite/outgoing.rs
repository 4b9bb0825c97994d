//! A file as the source of a transfer: no other program uses it meanwhile.

use super::errors::{explain, refused};
use super::lock::Lock;
use super::snapshot::claim_all;
use super::{SqliteStore, open};
use crate::contract::Health as _;
use crate::error::StoreError;
use crate::row::count;
use crate::sql::transfer as sql;
use crate::table::row::{self, Misfit, Value};
use crate::table::{Column, Kind, Table, quoted};
use futures_util::TryStreamExt as _;
use futures_util::stream::BoxStream;
use sqlx::sqlite::SqliteRow;
use sqlx::{Decode, QueryBuilder, Row as _, Sqlite, Transaction, ValueRef as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// Tables that are not moved: the record of the migrations, and that of a file's backups.
const OWN: [&str; 2] = ["_sqlx_migrations", "last_backup"];

/// Moves all of the write-ahead log into the file, so that the time of the file is that of the last
/// write.
const EMPTY_LOG: &str = "PRAGMA wal_checkpoint(TRUNCATE)";

/// Keeps other writers out until the transaction ends.
const BEGIN_ALONE: &str = "BEGIN IMMEDIATE";

/// Most rows of a batch.
const BATCH_ROWS: u64 = 10_000;

/// Bytes after which a batch is full.
const BATCH_BYTES: usize = 8 << 20;

/// Source of a transfer.
pub(crate) struct Outgoing {
    path: PathBuf,
    store: SqliteStore,
    transaction: Transaction<'static, Sqlite>,
    _locks: [Lock; 3],
}

/// Facts by which a source is recognised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    /// Epoch of its feed.
    pub(crate) epoch: String,
    /// Size in bytes.
    pub(crate) size: i64,
    /// Time of the last write, in nanoseconds since 1970.
    pub(crate) modified: i64,
}

/// Rows of a table in the order of its key.
pub(crate) struct Rows<'a> {
    path: &'a Path,
    table: &'a Table,
    stream: BoxStream<'a, sqlx::Result<SqliteRow>>,
}

/// Row in its common form.
#[derive(Debug, Default)]
pub(crate) struct Last {
    /// Values of the key, as JSON.
    pub(crate) position: String,
    /// Columns whose text was replaced in part.
    pub(crate) replaced: Vec<String>,
}

/// Rows that are written at once.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    /// The rows in their common form.
    pub(crate) bytes: Vec<u8>,
    /// Their number.
    pub(crate) rows: u64,
    /// Key of the last one, as JSON.
    pub(crate) position: String,
    /// Column and key of each text that was replaced in part.
    pub(crate) replaced: Vec<(String, String)>,
}

impl Outgoing {
    /// Opens the file at `location`, which exists, alone, and migrates its schema.
    pub(crate) async fn open(location: &str) -> Result<Self, StoreError> {
        let path = open::absolute(location)?;
        // The locks are found by the name of the file itself.
        let path = path
            .canonicalize()
            .map_err(|error| refused(&path, &error))?;
        let locks = claim_all(&path)?;
        let store = SqliteStore::open(&path.to_string_lossy(), &[]).await?;
        let explained = |error| explain(&path, error);
        sqlx::query(EMPTY_LOG)
            .execute(&store.writer)
            .await
            .map_err(explained)?;
        let transaction = store.writer.begin_with(BEGIN_ALONE).await;
        Ok(Self {
            transaction: transaction.map_err(explained)?,
            path,
            store,
            _locks: locks,
        })
    }

    /// Returns the path of the file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns its identity.
    pub(crate) async fn identity(&mut self) -> Result<Identity, StoreError> {
        let epoch = sqlx::query_scalar(sql::EPOCH)
            .fetch_one(&mut *self.transaction)
            .await
            .map_err(|error| explain(&self.path, error))?;
        let metadata = self.path.metadata();
        let metadata = metadata.map_err(|error| refused(&self.path, &error))?;
        let modified = metadata.modified().ok();
        let modified = modified.and_then(|it| it.duration_since(UNIX_EPOCH).ok());
        let modified = modified.map_or(0, |it| it.as_nanos());
        Ok(Identity {
            epoch,
            size: i64::try_from(metadata.len()).unwrap_or(i64::MAX),
            modified: i64::try_from(modified).unwrap_or(i64::MAX),
        })
    }

    /// Returns the tables, in the order of their names.
    pub(crate) async fn tables(&mut self) -> Result<Vec<Table>, StoreError> {
        let columns: Vec<(String, bool, String, String, i64)> = sqlx::query_as(sql::SOURCE_COLUMNS)
            .fetch_all(&mut *self.transaction)
            .await
            .map_err(|error| explain(&self.path, error))?;
        let mut tables: Vec<Table> = Vec::new();
        let mut keys: Vec<(i64, String)> = Vec::new();
        for (table, has_row_ids, name, kind, place) in columns {
            if OWN.contains(&table.as_str()) {
                continue;
            }
            if tables.last().is_none_or(|it| it.name != table) {
                keys.clear();
                tables.push(Table {
                    name: table,
                    columns: Vec::new(),
                    key: vec!["rowid".to_owned()],
                });
            }
            let Some(current) = tables.last_mut() else {
                continue;
            };
            if place > 0 && !has_row_ids {
                keys.push((place, name.clone()));
                keys.sort();
                current.key = keys.iter().map(|(_, name)| name.clone()).collect();
            }
            current.columns.push(Column {
                name,
                kind: self.kind(&kind)?,
            });
        }
        Ok(tables)
    }

    fn kind(&self, name: &str) -> Result<Kind, StoreError> {
        match name {
            "INTEGER" => Ok(Kind::Integer),
            "TEXT" => Ok(Kind::Text),
            "BLOB" => Ok(Kind::Bytes),
            _ => Err(StoreError::NotADatabase {
                path: self.path.clone(),
                reason: format!("a column is of type {name}"),
            }),
        }
    }

    /// Counts the rows of a table.
    pub(crate) async fn count(&mut self, table: &Table) -> Result<u64, StoreError> {
        let mut query = QueryBuilder::<Sqlite>::new("SELECT COUNT(*) FROM ");
        let rows: i64 = query
            .push(table.quoted())
            .build_query_scalar()
            .persistent(false)
            .fetch_one(&mut *self.transaction)
            .await
            .map_err(|error| explain(&self.path, error))?;
        Ok(count(rows))
    }

    /// Reads the rows of a table after the one with this key, or all.
    pub(crate) fn rows<'a>(
        &'a mut self,
        table: &'a Table,
        after: Option<&str>,
    ) -> Result<Rows<'a>, StoreError> {
        let key: Vec<String> = table.key.iter().map(|it| quoted(it)).collect();
        let key = key.join(", ");
        let mut statement = QueryBuilder::<Sqlite>::new("SELECT ");
        statement.push(format_args!(
            "{}, {key} FROM {}",
            table.columns(),
            table.quoted()
        ));
        let values = after.map(|it| self.position(it)).transpose()?;
        let values = values.unwrap_or_default();
        if !values.is_empty() {
            let places = vec!["?"; values.len()].join(", ");
            statement.push(format_args!(" WHERE ({key}) > ({places})"));
        }
        statement.push(format_args!(" ORDER BY {key}"));
        let mut query = sqlx::query(statement.into_sql()).persistent(false);
        for value in values {
            query = match value {
                serde_json::Value::Number(number) => query.bind(number.as_i64()),
                value => query.bind(value.as_str().map(str::to_owned)),
            };
        }
        Ok(Rows {
            path: &self.path,
            table,
            stream: query.fetch(&mut *self.transaction),
        })
    }

    fn position(&self, json: &str) -> Result<Vec<serde_json::Value>, StoreError> {
        serde_json::from_str(json).map_err(|error| StoreError::Damaged {
            path: self.path.clone(),
            reason: format!("the position of the transfer is no JSON: {error}"),
        })
    }

    /// Lets others use the file.
    pub(crate) async fn close(self) {
        // Nothing was written.
        let _ = self.transaction.rollback().await;
        self.store.close().await;
    }
}

impl Rows<'_> {
    /// Appends the next row in its common form.
    pub(crate) async fn append_next(
        &mut self,
        bytes: &mut Vec<u8>,
    ) -> Result<Option<Last>, StoreError> {
        let next = self.stream.try_next().await;
        let explained = |error| explain(self.path, error);
        let Some(found) = next.map_err(explained)? else {
            return Ok(None);
        };
        let position = position(&found, self.table).map_err(explained)?;
        let mut replaced = Vec::new();
        row::begin(self.table, bytes);
        for (index, column) in self.table.columns.iter().enumerate() {
            let value = value(&found, index, column.kind).map_err(explained)?;
            let appended = row::append(column.kind, value, bytes);
            if appended.map_err(|misfit| self.misfit(column, &position, &misfit))? {
                replaced.push(column.name.clone());
            }
        }
        Ok(Some(Last { position, replaced }))
    }

    fn misfit(&self, column: &Column, position: &str, misfit: &Misfit) -> StoreError {
        let (table, column) = (&self.table.name, &column.name);
        StoreError::Damaged {
            path: self.path.to_owned(),
            reason: format!("column {column} of row {position} of table {table} {misfit}"),
        }
    }

    /// Reads the next batch; none after the last row.
    pub(crate) async fn next_batch(&mut self) -> Result<Option<Batch>, StoreError> {
        let mut batch = Batch::default();
        batch.bytes.extend_from_slice(row::HEAD);
        while batch.rows < BATCH_ROWS && batch.bytes.len() < BATCH_BYTES {
            let Some(last) = self.append_next(&mut batch.bytes).await? else {
                break;
            };
            batch.rows += 1;
            for column in last.replaced {
                batch.replaced.push((column, last.position.clone()));
            }
            batch.position = last.position;
        }
        batch.bytes.extend_from_slice(row::END);
        Ok((batch.rows > 0).then_some(batch))
    }
}

fn value(row: &SqliteRow, index: usize, kind: Kind) -> sqlx::Result<Value<'_>> {
    let found = row.try_get_raw(index)?;
    if found.is_null() {
        return Ok(Value::Null);
    }
    let value = match kind {
        Kind::Integer | Kind::Flag => Decode::<Sqlite>::decode(found).map(Value::Integer),
        Kind::Text | Kind::Bytes => Decode::<Sqlite>::decode(found).map(Value::Bytes),
    };
    value.map_err(sqlx::Error::Decode)
}

/// Returns the key of a row as JSON; its columns stand after those of the table.
fn position(row: &SqliteRow, table: &Table) -> sqlx::Result<String> {
    let mut values = Vec::with_capacity(table.key.len());
    for (index, name) in (table.columns.len()..).zip(&table.key) {
        let column = table.columns.iter().find(|it| it.name == *name);
        values.push(match column.map(|it| it.kind) {
            Some(Kind::Text | Kind::Bytes) => {
                serde_json::Value::from(row.try_get::<&str, _>(index)?)
            }
            Some(Kind::Integer | Kind::Flag) | None => row.try_get::<i64, _>(index)?.into(),
        });
    }
    Ok(serde_json::Value::Array(values).to_string())
}
