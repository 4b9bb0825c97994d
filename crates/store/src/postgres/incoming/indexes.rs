//! Indexes and constraints, which are made once all rows are there.
//!
//! An index of names or hashes that grows row by row writes each of its pages many times once it no
//! longer fits into memory; one that is made of all rows is sorted first. A reference that is checked
//! for all rows at once is one join.

use super::PERSISTENT;
use sqlx::{Postgres, QueryBuilder, Transaction};

/// Statements that drop and make constraints and indexes again: references are dropped first and made
/// last, because they need the keys.
const ALL: &str = "
    SELECT CASE con.contype WHEN 'f' THEN 3 ELSE 1 END AS step,
           format('ALTER TABLE %s DROP CONSTRAINT %I', CAST(con.conrelid AS regclass), con.conname),
           format('ALTER TABLE %s ADD CONSTRAINT %I %s', CAST(con.conrelid AS regclass), con.conname,
                  pg_get_constraintdef(con.oid))
    FROM pg_constraint AS con JOIN pg_class AS class ON class.oid = con.conrelid
    WHERE con.connamespace = CAST(current_schema() AS regnamespace) AND con.contype IN ('f', 'p', 'u')
      AND NOT class.relispartition AND con.conparentid = 0 AND class.relname NOT IN
          ('_sqlx_migrations', 'crawlers', 'guest_permits', 'network_slots', 'roles',
           'site_reservations', 'transfer', 'transfer_tables', 'transfer_indexes')
    UNION ALL
    SELECT 2, format('DROP INDEX %s', CAST(ind.indexrelid AS regclass)),
           -- The index of a partitioned table is described without those of its parts.
           replace(pg_get_indexdef(ind.indexrelid), ' ON ONLY ', ' ON ')
    FROM pg_index AS ind
    JOIN pg_class AS class ON class.oid = ind.indrelid
    JOIN pg_class AS own ON own.oid = ind.indexrelid
    WHERE class.relnamespace = CAST(current_schema() AS regnamespace)
      AND NOT class.relispartition AND NOT own.relispartition
      AND NOT EXISTS (SELECT 1 FROM pg_constraint AS con WHERE con.conindid = ind.indexrelid)
      AND class.relname NOT IN
          ('_sqlx_migrations', 'crawlers', 'guest_permits', 'network_slots', 'roles',
           'site_reservations', 'transfer', 'transfer_tables', 'transfer_indexes')
    ORDER BY 1, 3";

/// Records a statement for later.
const PUT_OFF: &str = "INSERT INTO transfer_indexes (position, statement) VALUES ($1, $2)";

/// Takes the next statement.
const TAKE: &str = "
    DELETE FROM transfer_indexes WHERE position = (SELECT MIN(position) FROM transfer_indexes)
    RETURNING statement";

/// Drops all constraints and indexes, and records the statements that make them again.
pub(super) async fn put_off(transaction: &mut Transaction<'static, Postgres>) -> sqlx::Result<()> {
    let all: Vec<(i32, String, String)> = sqlx::query_as(ALL)
        .persistent(PERSISTENT)
        .fetch_all(&mut **transaction)
        .await?;
    for (_, drop, _) in all.iter().rev() {
        execute(transaction, drop).await?;
    }
    for (position, (_, _, statement)) in (1_i64..).zip(&all) {
        sqlx::query(PUT_OFF)
            .persistent(PERSISTENT)
            .bind(position)
            .bind(statement)
            .execute(&mut **transaction)
            .await?;
    }
    Ok(())
}

/// Makes the next one of them; its statement, or none if all are made.
pub(super) async fn make_next(
    transaction: &mut Transaction<'static, Postgres>,
) -> sqlx::Result<Option<String>> {
    let statement: Option<String> = sqlx::query_scalar(TAKE)
        .persistent(PERSISTENT)
        .fetch_optional(&mut **transaction)
        .await?;
    if let Some(statement) = &statement {
        execute(transaction, statement).await?;
    }
    Ok(statement)
}

async fn execute(
    transaction: &mut Transaction<'static, Postgres>,
    statement: &str,
) -> sqlx::Result<()> {
    let mut query = QueryBuilder::<Postgres>::new(statement);
    let query = query.build().persistent(false);
    query.execute(&mut **transaction).await?;
    Ok(())
}
