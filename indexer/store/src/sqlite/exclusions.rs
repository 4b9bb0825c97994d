//! Exclusions, and the deletion of the stored data of a domain (P4).

use super::{BATCH, agents, begin};
use crate::model::with_parents;
use crate::row::exclusions::ExclusionRow;
use crate::sql::{blocks, exclusions as sql};
use crate::{Change, Deleted, Exclusion, Exclusions, Operation, Scope, row};
use manifest::{Domain, Timestamp};
use sqlx::{QueryBuilder, Sqlite, SqliteConnection, SqlitePool};
use std::collections::BTreeSet;

/// Excludes domains, then deletes the covered data.
pub(super) async fn exclude(
    writer: &SqlitePool,
    reader: &SqlitePool,
    exclusion: &Exclusion,
    now: Timestamp,
) -> sqlx::Result<Deleted> {
    let (scope, reason) = (&exclusion.scope, exclusion.reason.as_str());
    let below = format!(".{}", scope.name());
    let mut transaction = begin(writer).await?;
    sqlx::query(sql::EXCLUDE)
        .bind(scope.name())
        .bind(i64::from(scope.is_suffix()))
        .bind(reason)
        .bind(exclusion.source.as_str())
        .bind(exclusion.since.0)
        .execute(&mut *transaction)
        .await?;
    if !scope.is_suffix() {
        let deleted = forget_names(&mut transaction, &[scope.name()], reason, now).await?;
        transaction.commit().await?;
        return Ok(deleted);
    }
    for statement in [sql::FORGET_SUBMISSIONS_BELOW, blocks::FORGET_HOSTS_BELOW] {
        sqlx::query(statement)
            .bind(scope.name())
            .bind(&below)
            .execute(&mut *transaction)
            .await?;
    }
    transaction.commit().await?;
    let mut deleted = Deleted::default();
    let mut last = 0;
    loop {
        // The search reads the whole table; other writers should not wait for it.
        let ids: Vec<i64> = sqlx::query_scalar(sql::DOMAINS_BELOW)
            .bind(scope.name())
            .bind(&below)
            .bind(last)
            .bind(super::BATCH_ROWS)
            .fetch_all(reader)
            .await?;
        let Some(newest) = ids.last() else {
            return Ok(deleted);
        };
        last = *newest;
        let mut transaction = begin(writer).await?;
        deleted += forget_rows(&mut transaction, &ids, reason, now).await?;
        transaction.commit().await?;
    }
}

/// Removes an exclusion.
pub(super) async fn include(writer: &SqlitePool, scope: &Scope) -> sqlx::Result<bool> {
    let result = sqlx::query(sql::INCLUDE)
        .bind(scope.name())
        .bind(i64::from(scope.is_suffix()))
        .execute(writer)
        .await?;
    Ok(result.rows_affected() > 0)
}

/// Returns all exclusions.
pub(super) async fn exclusions(reader: &SqlitePool) -> sqlx::Result<Vec<Exclusion>> {
    let rows: Vec<ExclusionRow> = sqlx::query_as(sql::EXCLUSIONS).fetch_all(reader).await?;
    rows.into_iter().map(ExclusionRow::exclusion).collect()
}

/// Deletes the stored data of domains.
pub(super) async fn forget(
    writer: &SqlitePool,
    domains: &[Domain],
    reason: &str,
    now: Timestamp,
) -> sqlx::Result<Deleted> {
    let mut deleted = Deleted::default();
    for batch in domains.chunks(BATCH) {
        let names: Vec<&str> = batch.iter().map(Domain::as_str).collect();
        let mut transaction = begin(writer).await?;
        deleted += forget_names(&mut transaction, &names, reason, now).await?;
        transaction.commit().await?;
    }
    Ok(deleted)
}

/// Returns the exclusions that concern these domains.
pub(super) async fn concerning(
    connection: &mut SqliteConnection,
    domains: impl Iterator<Item = &Domain>,
) -> sqlx::Result<Exclusions> {
    let is_any: bool = sqlx::query_scalar(sql::ANY_EXCLUSION)
        .fetch_one(&mut *connection)
        .await?;
    if !is_any {
        return Ok(Exclusions::default());
    }
    let names: BTreeSet<&str> = domains.flat_map(with_parents).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let mut exclusions = Vec::new();
    for batch in names.chunks(BATCH) {
        let mut query = QueryBuilder::<Sqlite>::new(sql::EXCLUSIONS_OF);
        let mut list = query.separated(", ");
        for name in batch {
            list.push_bind(*name);
        }
        let rows: Vec<ExclusionRow> = query
            .push(")")
            .build_query_as()
            .persistent(false)
            .fetch_all(&mut *connection)
            .await?;
        for row in rows {
            exclusions.push(row.exclusion()?);
        }
    }
    Ok(exclusions.into_iter().collect())
}

/// Deletes domains by name, with their submissions.
async fn forget_names(
    connection: &mut SqliteConnection,
    names: &[&str],
    reason: &str,
    now: Timestamp,
) -> sqlx::Result<Deleted> {
    let mut ids = Vec::with_capacity(names.len());
    for name in names {
        for statement in [sql::FORGET_SUBMISSIONS, blocks::FORGET_HOST] {
            sqlx::query(statement)
                .bind(name)
                .execute(&mut *connection)
                .await?;
        }
        let id: Option<i64> = sqlx::query_scalar("SELECT id FROM domains WHERE name = $1")
            .bind(name)
            .fetch_optional(&mut *connection)
            .await?;
        ids.extend(id);
    }
    forget_rows(connection, &ids, reason, now).await
}

/// Deletes domains by row, at most [`BATCH`] of them, and logs the removal of their agents.
async fn forget_rows(
    connection: &mut SqliteConnection,
    ids: &[i64],
    reason: &str,
    now: Timestamp,
) -> sqlx::Result<Deleted> {
    if ids.is_empty() {
        return Ok(Deleted::default());
    }
    let mut query = with_ids("SELECT id, hash FROM agents WHERE domain_id IN (", ids);
    query.push(") ORDER BY id");
    let agents: Vec<(String, String)> = query
        .build_query_as()
        .persistent(false)
        .fetch_all(&mut *connection)
        .await?;
    let mut changes = Vec::with_capacity(agents.len());
    for (id, hash) in agents {
        changes.push(Change {
            seq: 0,
            at: now,
            op: Operation::Remove,
            agent: row::agent_id(&id)?,
            hash: None,
            previous_hash: Some(hash),
            reason: reason.to_owned(),
        });
    }
    agents::append(connection, &mut changes).await?;
    let documents: i64 = with_ids("SELECT COUNT(*) FROM documents WHERE domain_id IN (", ids)
        .push(")")
        .build_query_scalar()
        .persistent(false)
        .fetch_one(&mut *connection)
        .await?;
    let hashes = hashes(connection, ids).await?;
    let result = with_ids("DELETE FROM domains WHERE id IN (", ids)
        .push(")")
        .build()
        .persistent(false)
        .execute(&mut *connection)
        .await?;
    delete_orphans(connection, &hashes).await?;
    Ok(Deleted {
        domains: result.rows_affected(),
        documents: row::count(documents),
        agents: changes.len() as u64,
    })
}

/// Returns a statement that ends with an open list of these rows.
fn with_ids(start: &'static str, ids: &[i64]) -> QueryBuilder<Sqlite> {
    let mut query = QueryBuilder::new(start);
    let mut list = query.separated(", ");
    for id in ids {
        list.push_bind(*id);
    }
    query
}

/// Returns the hashes of the bytes that domains have now or had in an earlier version.
async fn hashes(connection: &mut SqliteConnection, ids: &[i64]) -> sqlx::Result<Vec<String>> {
    let mut hashes: Vec<String> = with_ids(
        "SELECT DISTINCT versions.hash FROM versions
         JOIN documents ON documents.id = versions.document_id
         WHERE domain_id IN (",
        ids,
    )
    .push(")")
    .build_query_scalar()
    .persistent(false)
    .fetch_all(&mut *connection)
    .await?;
    let current: Vec<String> = with_ids(
        "SELECT DISTINCT hash FROM documents WHERE domain_id IN (",
        ids,
    )
    .push(")")
    .build_query_scalar()
    .persistent(false)
    .fetch_all(connection)
    .await?;
    hashes.extend(current);
    Ok(hashes)
}

/// Deletes bytes that no document refers to any more.
async fn delete_orphans(connection: &mut SqliteConnection, hashes: &[String]) -> sqlx::Result<()> {
    for batch in hashes.chunks(BATCH) {
        let mut query = QueryBuilder::<Sqlite>::new(
            "DELETE FROM blobs
             WHERE NOT EXISTS (SELECT 1 FROM documents WHERE documents.hash = blobs.hash)
               AND NOT EXISTS (SELECT 1 FROM versions WHERE versions.hash = blobs.hash)
               AND hash IN (",
        );
        let mut list = query.separated(", ");
        for hash in batch {
            list.push_bind(hash);
        }
        query
            .push(")")
            .build()
            .persistent(false)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}
