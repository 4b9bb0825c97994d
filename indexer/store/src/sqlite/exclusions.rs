//! Exclusions, and the deletion of the stored data of a domain (P4).

use super::changes::{append, removal};
use super::{BATCH, BATCH_ROWS, SqliteStore};
use crate::contract::Exclusions;
use crate::error::StoreError;
use crate::model::{Deleted, Exclusion, ExclusionSet, Scope, with_parents};
use crate::row::{count, json};
use crate::sql::{exclusions as sql, frontier::DOMAIN_ID};
use async_trait::async_trait;
use manifest::{Domain, Timestamp};
use sqlx::SqliteConnection;
use std::collections::BTreeSet;

/// Exclusions of names.
const EXCLUSIONS_OF: &str = sql::exclusions!("WHERE name IN (SELECT value FROM json_each($1))");

/// Agents of domains.
const AGENTS_OF: &str = "
    SELECT id, hash FROM agents
    WHERE domain_id IN (SELECT value FROM json_each($1))
    ORDER BY id";

/// Number of documents of domains.
const COUNT_DOCUMENTS: &str = "
    SELECT COUNT(*) FROM documents WHERE domain_id IN (SELECT value FROM json_each($1))";

/// Hashes of the bytes that domains have now or had in an earlier version.
const HASHES_OF: &str = "
    SELECT hash FROM documents WHERE domain_id IN (SELECT value FROM json_each($1))
    UNION
    SELECT versions.hash FROM versions
    JOIN documents ON documents.id = versions.document_id
    WHERE domain_id IN (SELECT value FROM json_each($1))";

/// Deletes domains with all their rows.
const DELETE_DOMAINS: &str = "
    DELETE FROM domains WHERE id IN (SELECT value FROM json_each($1))";

/// Deletes those of the bytes that no document refers to any more.
pub(super) const DELETE_ORPHANS: &str = "
    DELETE FROM blobs
    WHERE hash IN (SELECT value FROM json_each($1))
      AND NOT EXISTS (SELECT 1 FROM documents WHERE documents.hash = blobs.hash)
      AND NOT EXISTS (SELECT 1 FROM versions WHERE versions.hash = blobs.hash)";

#[async_trait]
impl Exclusions for SqliteStore {
    async fn exclude(&self, exclusion: &Exclusion, now: Timestamp) -> Result<Deleted, StoreError> {
        self.run(async {
            let (scope, reason) = (&exclusion.scope, exclusion.reason.as_str());
            let below = format!(".{}", scope.name());
            let mut transaction = self.begin().await?;
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
            for statement in [sql::FORGET_SUBMISSIONS_BELOW, sql::FORGET_HOSTS_BELOW] {
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
                    .bind(BATCH_ROWS)
                    .fetch_all(&self.reader)
                    .await?;
                let Some(newest) = ids.last() else {
                    return Ok(deleted);
                };
                last = *newest;
                let mut transaction = self.begin().await?;
                deleted += forget_rows(&mut transaction, &ids, reason, now).await?;
                transaction.commit().await?;
            }
        })
        .await
    }

    async fn include(&self, scope: &Scope) -> Result<bool, StoreError> {
        let query = sqlx::query(sql::INCLUDE)
            .bind(scope.name())
            .bind(i64::from(scope.is_suffix()));
        let result = self.run(query.execute(&self.writer)).await?;
        Ok(result.rows_affected() > 0)
    }

    async fn exclusions(&self) -> Result<Vec<Exclusion>, StoreError> {
        let query = sqlx::query_as(sql::EXCLUSIONS);
        self.run(query.fetch_all(&self.reader)).await
    }

    async fn forget(
        &self,
        domains: &[Domain],
        reason: &str,
        now: Timestamp,
    ) -> Result<Deleted, StoreError> {
        self.run(async {
            let mut deleted = Deleted::default();
            for batch in domains.chunks(BATCH) {
                let names: Vec<&str> = batch.iter().map(Domain::as_str).collect();
                let mut transaction = self.begin().await?;
                deleted += forget_names(&mut transaction, &names, reason, now).await?;
                transaction.commit().await?;
            }
            Ok(deleted)
        })
        .await
    }
}

/// Returns the exclusions that concern these domains.
pub(super) async fn concerning(
    connection: &mut SqliteConnection,
    domains: impl Iterator<Item = &Domain>,
) -> sqlx::Result<ExclusionSet> {
    let is_any: bool = sqlx::query_scalar(sql::ANY_EXCLUSION)
        .fetch_one(&mut *connection)
        .await?;
    if !is_any {
        return Ok(ExclusionSet::default());
    }
    let names: BTreeSet<&str> = domains.flat_map(with_parents).collect();
    let exclusions: Vec<Exclusion> = sqlx::query_as(EXCLUSIONS_OF)
        .bind(json(&names)?)
        .fetch_all(connection)
        .await?;
    Ok(exclusions.into_iter().collect())
}

/// Returns the exclusion of a domain.
pub(super) async fn covering(
    connection: &mut SqliteConnection,
    domain: &Domain,
) -> sqlx::Result<Option<Exclusion>> {
    let names: Vec<&str> = with_parents(domain).collect();
    let exclusions: Vec<Exclusion> = sqlx::query_as(EXCLUSIONS_OF)
        .bind(json(&names)?)
        .fetch_all(connection)
        .await?;
    let mut exclusions = exclusions.into_iter();
    Ok(exclusions.find(|exclusion| exclusion.scope.covers(domain)))
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
        for statement in [sql::FORGET_SUBMISSIONS, sql::FORGET_HOST] {
            sqlx::query(statement)
                .bind(name)
                .execute(&mut *connection)
                .await?;
        }
        let id: Option<i64> = sqlx::query_scalar(DOMAIN_ID)
            .bind(name)
            .fetch_optional(&mut *connection)
            .await?;
        ids.extend(id);
    }
    forget_rows(connection, &ids, reason, now).await
}

/// Deletes domains by row, and logs the removal of their agents.
async fn forget_rows(
    connection: &mut SqliteConnection,
    ids: &[i64],
    reason: &str,
    now: Timestamp,
) -> sqlx::Result<Deleted> {
    if ids.is_empty() {
        return Ok(Deleted::default());
    }
    let ids = json(ids)?;
    let agents: Vec<(String, String)> = sqlx::query_as(AGENTS_OF)
        .bind(&ids)
        .fetch_all(&mut *connection)
        .await?;
    let mut changes = agents
        .into_iter()
        .map(|(id, hash)| removal(id, hash, reason, now))
        .collect::<sqlx::Result<Vec<_>>>()?;
    append(connection, &mut changes).await?;
    let documents: i64 = sqlx::query_scalar(COUNT_DOCUMENTS)
        .bind(&ids)
        .fetch_one(&mut *connection)
        .await?;
    let hashes: Vec<String> = sqlx::query_scalar(HASHES_OF)
        .bind(&ids)
        .fetch_all(&mut *connection)
        .await?;
    let result = sqlx::query(DELETE_DOMAINS)
        .bind(&ids)
        .execute(&mut *connection)
        .await?;
    sqlx::query(DELETE_ORPHANS)
        .bind(json(&hashes)?)
        .execute(connection)
        .await?;
    Ok(Deleted {
        domains: result.rows_affected(),
        documents: count(documents),
        agents: changes.len() as u64,
    })
}
