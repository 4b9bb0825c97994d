//! A database of a server as the target of a transfer: no other program uses it meanwhile.

mod indexes;

use super::errors::explain;
use super::open::Purpose;
use super::{BEGIN_BULK, PERSISTENT, PostgresStore, TAKE_TURN};
use crate::contract::Health as _;
use crate::error::StoreError;
use crate::model::Role;
use crate::row::count;
use crate::sql::transfer as sql;
use crate::table::digest::Digest;
use crate::table::row::Splitter;
use crate::table::{Column, Kind, Table, quoted};
use futures_util::TryStreamExt as _;
use sqlx::{Postgres, QueryBuilder, Transaction};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// Tables of the server itself.
const OWN: [&str; 9] = [
    "_sqlx_migrations",
    "crawlers",
    "guest_permits",
    "network_slots",
    "roles",
    "site_reservations",
    "transfer",
    "transfer_indexes",
    "transfer_tables",
];

/// Columns that a file does not have.
const OWN_COLUMNS: [(&str, &str); 4] = [
    ("address_blocks", "number"),
    ("host_blocks", "number"),
    ("queue", "handed_on"),
    ("queue", "slot"),
];

/// Table with a row that the migrations make.
const FEED: &str = "feed";

/// Longest wait for the connections of programs that have just ended, in steps of [`STEP`].
const STEPS: u32 = 30;
const STEP: Duration = Duration::from_millis(100);

/// Target of a transfer.
pub(crate) struct Incoming {
    store: PostgresStore,
}

/// Record of a transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// Epoch of the feed of its source.
    pub(crate) epoch: String,
    /// Size of its source in bytes, as it began.
    pub(crate) size: i64,
    /// Time of the last write to its source, as it began.
    pub(crate) modified: i64,
    /// Schema with which it began.
    pub(crate) schema: i64,
    /// True if it is done.
    pub(crate) is_complete: bool,
}

/// State of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TableProgress {
    /// Key of the last row in the order of the source, as JSON.
    pub(crate) position: String,
    /// Number of rows.
    pub(crate) rows: u64,
}

impl Incoming {
    /// Opens the database at `url` alone, and migrates its schema.
    pub(crate) async fn open(url: &str) -> Result<Self, StoreError> {
        let roles = [Role::SoleCrawler, Role::Indexer];
        let store = PostgresStore::open_for(url, &roles, Purpose::Transfer).await?;
        Ok(Self { store })
    }

    /// Returns its place, without user and password.
    pub(crate) fn location(&self) -> &Path {
        &self.store.location
    }

    /// Waits until no other program of this registry is connected; the number of their connections if
    /// they stay.
    pub(crate) async fn others(&self) -> Result<u64, StoreError> {
        let mut others = 0;
        for step in 0..STEPS {
            if step > 0 {
                tokio::time::sleep(STEP).await;
            }
            others = count(self.scalar(sql::OTHERS).await?);
            if others == 0 {
                break;
            }
        }
        Ok(others)
    }

    /// Returns the record of a transfer, if there is or was one.
    pub(crate) async fn record(&self) -> Result<Option<Record>, StoreError> {
        if !self.scalar::<bool>(sql::HAS_RECORD).await? {
            return Ok(None);
        }
        let work = async {
            let mut transaction = self.store.reading().await?;
            let query = sqlx::query_as(sql::CURRENT).persistent(PERSISTENT);
            query.fetch_optional(&mut *transaction).await
        };
        let record: Option<(String, i64, i64, i64, bool)> = self.store.run(work).await?;
        Ok(
            record.map(|(epoch, size, modified, schema, is_complete)| Record {
                epoch,
                size,
                modified,
                schema,
                is_complete,
            }),
        )
    }

    /// Begins a transfer in a database without rows, and puts the indexes off. The first table with rows
    /// if there is one.
    pub(crate) async fn begin(
        &self,
        record: &Record,
        tables: &[Table],
    ) -> Result<Option<(String, u64)>, StoreError> {
        let work = async {
            let mut transaction = self.store.primary.pool().begin().await?;
            let turn = sqlx::query(TAKE_TURN).persistent(PERSISTENT);
            turn.execute(&mut *transaction).await?;
            for table in tables.iter().filter(|it| it.name != FEED) {
                let rows = rows(&mut transaction, table).await?;
                if rows > 0 {
                    return Ok(Some((table.name.clone(), rows)));
                }
            }
            sqlx::raw_sql(sql::RECORD)
                .execute(&mut *transaction)
                .await?;
            sqlx::query(sql::BEGIN)
                .persistent(PERSISTENT)
                .bind(&record.epoch)
                .bind(record.size)
                .bind(record.modified)
                .bind(record.schema)
                .execute(&mut *transaction)
                .await?;
            indexes::put_off(&mut transaction).await?;
            transaction.commit().await?;
            Ok(None)
        };
        self.store.run(work).await
    }

    /// Returns the tables and their columns.
    pub(crate) async fn tables(&self) -> Result<Vec<Table>, StoreError> {
        let work = async {
            let mut transaction = self.store.reading().await?;
            let query = sqlx::query_as(sql::TARGET_COLUMNS).persistent(PERSISTENT);
            query.fetch_all(&mut *transaction).await
        };
        let columns: Vec<(String, String, String)> = self.store.run(work).await?;
        let mut tables: Vec<Table> = Vec::new();
        for (table, name, kind) in columns {
            if OWN.contains(&table.as_str())
                || OWN_COLUMNS.contains(&(table.as_str(), name.as_str()))
            {
                continue;
            }
            if tables.last().is_none_or(|it| it.name != table) {
                tables.push(Table {
                    name: table,
                    columns: Vec::new(),
                    key: Vec::new(),
                });
            }
            let kind = match kind.as_str() {
                "bigint" => Kind::Integer,
                "text" => Kind::Text,
                "bytea" => Kind::Bytes,
                "boolean" => Kind::Flag,
                _ => {
                    return Err(StoreError::NotADatabase {
                        path: self.location().to_owned(),
                        reason: format!("a column is of type {kind}"),
                    });
                }
            };
            if let Some(current) = tables.last_mut() {
                current.columns.push(Column { name, kind });
            }
        }
        Ok(tables)
    }

    /// Returns the state of each table that has been begun.
    pub(crate) async fn progress(&self) -> Result<BTreeMap<String, TableProgress>, StoreError> {
        let work = async {
            let mut transaction = self.store.reading().await?;
            let query = sqlx::query_as(sql::PROGRESS).persistent(PERSISTENT);
            query.fetch_all(&mut *transaction).await
        };
        let tables: Vec<(String, String, i64)> = self.store.run(work).await?;
        let tables = tables.into_iter().map(|(name, position, rows)| {
            let rows = count(rows);
            (name, TableProgress { position, rows })
        });
        Ok(tables.collect())
    }

    /// Adds rows in their common form to a table, and records its new state with them.
    pub(crate) async fn write(
        &self,
        table: &Table,
        rows: &[u8],
        progress: &TableProgress,
    ) -> Result<(), StoreError> {
        let work = async {
            let mut transaction = self.store.primary.pool().begin_with(BEGIN_BULK).await?;
            let statement = format!(
                "COPY {} ({}) FROM STDIN (FORMAT binary)",
                table.quoted(),
                table.columns()
            );
            let mut copying = transaction.copy_in_raw(&statement).await?;
            copying.send(rows).await?;
            copying.finish().await?;
            sqlx::query(sql::ADVANCE)
                .persistent(PERSISTENT)
                .bind(&table.name)
                .bind(&progress.position)
                .bind(i64::try_from(progress.rows).unwrap_or(i64::MAX))
                .execute(&mut *transaction)
                .await?;
            transaction.commit().await
        };
        self.store.run(work).await
    }

    /// Makes the next index or constraint that was put off; its statement, or none if all are made.
    pub(crate) async fn make_index(&self) -> Result<Option<String>, StoreError> {
        let work = async {
            let mut transaction = self.store.primary.pool().begin_with(BEGIN_BULK).await?;
            let made = indexes::make_next(&mut transaction).await?;
            transaction.commit().await?;
            Ok(made)
        };
        self.store.run(work).await
    }

    /// Counts and hashes the rows of a table.
    pub(crate) async fn digest(&self, table: &Table) -> Result<Digest, StoreError> {
        let work = async {
            let mut transaction = self.store.reading().await?;
            let statement = format!(
                "COPY (SELECT {} FROM {}) TO STDOUT (FORMAT binary)",
                table.columns(),
                table.quoted()
            );
            let (mut splitter, mut digest) = (Splitter::default(), Digest::default());
            let mut pieces = transaction.copy_out_raw(&statement).await?;
            while let Some(piece) = pieces.try_next().await? {
                splitter.take(&piece, |row| digest.add(row));
            }
            if splitter.is_complete() {
                Ok(digest)
            } else {
                Err(sqlx::Error::Protocol("rows are cut off".to_owned()))
            }
        };
        self.store.run(work).await
    }

    /// Lets new rows have new numbers, gathers statistics, and records that the transfer is done.
    pub(crate) async fn complete(&self) -> Result<(), StoreError> {
        let work = async {
            let mut transaction = self.store.primary.pool().begin().await?;
            let columns: Vec<(String, String)> = sqlx::query_as(sql::IDENTITIES)
                .persistent(PERSISTENT)
                .fetch_all(&mut *transaction)
                .await?;
            for (table, column) in columns {
                let (table, column_name) = (quoted(&table), quoted(&column));
                let mut query =
                    QueryBuilder::<Postgres>::new("SELECT setval(pg_get_serial_sequence(");
                query.push_bind(table.clone()).push(", ").push_bind(column);
                query.push(format_args!(
                    "), COALESCE(MAX({column_name}), 0) + 1, false) FROM {table}"
                ));
                let query = query.build().persistent(false);
                query.execute(&mut *transaction).await?;
            }
            sqlx::raw_sql(sql::COMPLETE)
                .execute(&mut *transaction)
                .await?;
            transaction.commit().await
        };
        self.store.run(work).await
    }

    /// Gathers statistics on the tables of the registry, which queries are planned by.
    pub(crate) async fn analyze(&self) -> Result<(), StoreError> {
        let work = async {
            let mut transaction = self.store.primary.pool().begin().await?;
            sqlx::raw_sql(sql::ANALYZE)
                .execute(&mut *transaction)
                .await?;
            transaction.commit().await
        };
        self.store.run(work).await
    }

    /// Lets others use the database.
    pub(crate) async fn close(self) {
        self.store.close().await;
    }

    async fn scalar<T>(&self, statement: &'static str) -> Result<T, StoreError>
    where
        T: Send + Unpin,
        (T,): for<'r> sqlx::FromRow<'r, sqlx::postgres::PgRow>,
    {
        let work = async {
            let mut transaction = self.store.reading().await?;
            let query = sqlx::query_scalar(statement).persistent(PERSISTENT);
            query.fetch_one(&mut *transaction).await
        };
        let done = work.await;
        done.map_err(|error| explain(self.location(), error))
    }
}

async fn rows(
    transaction: &mut Transaction<'static, Postgres>,
    table: &Table,
) -> sqlx::Result<u64> {
    let mut query = QueryBuilder::<Postgres>::new("SELECT COUNT(*) FROM ");
    let rows: i64 = query
        .push(table.quoted())
        .build_query_scalar()
        .persistent(false)
        .fetch_one(&mut **transaction)
        .await?;
    Ok(count(rows))
}
