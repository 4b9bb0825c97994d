//! The subjects of the contract, in statements that SQLite and PostgreSQL both understand.
//!
//! This module is compiled once for each database, as a part of the module of its back end: `Driver`
//! and `Backend` are those of that module, and so is what the databases do differently.
//!
//! A list of values is bound as one JSON array, so that a statement is constant text.

mod agents;
mod blocks;
mod census;
mod changes;
mod claims;
mod documents;
mod edge_answers;
mod ended_leases;
mod exclusions;
mod frontier;
mod leases;
mod moderation;
mod named;
mod opt_outs;
mod recovery;
mod retention;
mod sessions;
mod site_states;
mod sites;
mod snapshots;
mod status;
mod submissions;
mod vectors;
mod visit_hours;
mod visits;

use super::{
    Backend, Driver, Location, PERSISTENT, at_end, explain, is_own, is_ownerless, let_others_write,
    skip_locked,
};
use crate::error::StoreError;
use sqlx::query_builder::Separated;
use sqlx::{Database, FromRow};

type Connection = <Driver as Database>::Connection;
type Row = <Driver as Database>::Row;
type QueryBuilder = sqlx::QueryBuilder<Driver>;
type Arguments = <Driver as Database>::Arguments;
type Query = sqlx::query::Query<'static, Driver, Arguments>;
type QueryAs<T> = sqlx::query::QueryAs<'static, Driver, T, Arguments>;
type QueryScalar<T> = sqlx::query::QueryScalar<'static, Driver, T, Arguments>;
type Transaction = sqlx::Transaction<'static, Driver>;

/// Rows per multi-row statement; 500 rows stay far below SQLite's limit of 32,766 binds.
const BATCH: usize = 500;

/// Maximum number of rows per transaction.
const BATCH_ROWS: i64 = 500;

impl Backend {
    /// Executes one statement in a transaction of its own, and returns the number of its rows.
    async fn execute(&self, query: Query) -> sqlx::Result<u64> {
        let mut transaction = self.begin_bulk().await?;
        let result = query.execute(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(result.rows_affected())
    }

    /// Returns the damage that any call met, as an error.
    fn check_damage(&self) -> Result<(), StoreError> {
        match self.damage.get() {
            None => Ok(()),
            Some(reason) => Err(StoreError::Damaged {
                path: self.location(),
                reason: reason.clone(),
            }),
        }
    }
}

/// Returns a statement whose rows are counted, or read by name.
fn query(statement: &'static str) -> Query {
    sqlx::query(statement).persistent(PERSISTENT)
}

/// Returns a statement whose rows are converted.
fn query_as<T: for<'r> FromRow<'r, Row>>(statement: &'static str) -> QueryAs<T> {
    sqlx::query_as(statement).persistent(PERSISTENT)
}

/// Returns a statement whose rows have one column.
fn query_scalar<T>(statement: &'static str) -> QueryScalar<T>
where
    (T,): for<'r> FromRow<'r, Row>,
{
    sqlx::query_scalar(statement).persistent(PERSISTENT)
}

/// Inserts rows by a statement that ends before its `VALUES`.
pub(crate) async fn insert_rows<T: Sync>(
    connection: &mut Connection,
    statement: &'static str,
    rows: &[T],
    mut bind: impl FnMut(Separated<'_, Driver, &'static str>, &T) + Send,
) -> sqlx::Result<()> {
    for batch in rows.chunks(BATCH) {
        let mut query = QueryBuilder::new(statement);
        query.push_values(batch, &mut bind);
        query
            .build()
            .persistent(false)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}
