//! Exclusions, and the deletion of the stored data of a domain (P4).

use super::changes::{removal, withdraw, withdraw_removed};
use super::{Backend, Connection, Transaction, let_others_write, moderation};
use crate::contract::Exclusions;
use crate::error::StoreError;
use crate::model::{
    Change, DeletedCounts, Exclusion, ExclusionSet, ModerationAction, Operation, Scope,
    with_parents,
};
use crate::row::{count, json, stored};
use crate::sql::{exclusions as sql, frontier::DOMAIN_ID};
use async_trait::async_trait;
use manifest::{Domain, Timestamp};
use std::collections::BTreeSet;

/// Domains whose data one transaction deletes, for which other writers wait.
pub(super) const DELETED_AT_ONCE: usize = 100;

/// Exclusions of names.
const EXCLUSIONS_OF: &str = sql::exclusions!("WHERE name IN (SELECT value FROM json_each($1))");

/// Agents of domains; the removal of a hidden one is in the change log already.
const AGENTS_OF: &str = "
    SELECT agents.id, hash,
           EXISTS (SELECT 1 FROM hidden WHERE target IN (agents.id, domains.name))
    FROM agents
    JOIN domains ON domains.id = agents.domain_id
    WHERE domain_id IN (SELECT CAST(value AS BIGINT) FROM json_each($1))
    ORDER BY agents.id";

/// Number of documents of domains.
const COUNT_DOCUMENTS: &str = "
    SELECT COUNT(*) FROM documents WHERE domain_id IN (SELECT CAST(value AS BIGINT) FROM json_each($1))";

/// Hashes of the bytes that domains have now or had in an earlier version.
const HASHES_OF: &str = "
    SELECT hash FROM documents WHERE domain_id IN (SELECT CAST(value AS BIGINT) FROM json_each($1))
    UNION
    SELECT versions.hash FROM versions
    JOIN documents ON documents.id = versions.document_id
    WHERE domain_id IN (SELECT CAST(value AS BIGINT) FROM json_each($1))";

/// Deletes the agents of domains.
const DELETE_AGENTS: &str = "
    DELETE FROM agents WHERE domain_id IN (SELECT CAST(value AS BIGINT) FROM json_each($1))";

/// Deletes the documents of domains.
const DELETE_DOCUMENTS: &str = "
    DELETE FROM documents WHERE domain_id IN (SELECT CAST(value AS BIGINT) FROM json_each($1))";

/// Deletes domains with all their rows.
pub(super) const DELETE_DOMAINS: &str = "
    DELETE FROM domains WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each($1))";

/// Deletes those of the bytes that no document refers to any more.
pub(super) const DELETE_ORPHANS: &str = "
    DELETE FROM blobs
    WHERE hash IN (SELECT value FROM json_each($1))
      AND NOT EXISTS (SELECT 1 FROM documents WHERE documents.hash = blobs.hash)
      AND NOT EXISTS (SELECT 1 FROM versions WHERE versions.hash = blobs.hash)";

#[async_trait]
impl Exclusions for Backend {
    async fn exclude(
        &self,
        exclusion: &Exclusion,
        now: Timestamp,
    ) -> Result<DeletedCounts, StoreError> {
        self.run(async { exclude(self, self.begin_durable().await?, exclusion, now).await })
            .await
    }

    async fn include(
        &self,
        scope: &Scope,
        reason: &str,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.run(async {
            let mut transaction = self.begin_durable().await?;
            let exclusion = of_scope(&mut transaction, scope).await?;
            if let Some(exclusion) = &exclusion {
                end(&mut transaction, exclusion, reason, now).await?;
            }
            transaction.commit().await?;
            Ok(exclusion.is_some())
        })
        .await
    }

    async fn exclusions_of(&self, domain: &Domain) -> Result<Vec<Exclusion>, StoreError> {
        self.run(async { covering(&mut *self.reading_replica().await?, domain).await })
            .await
    }

    async fn exclusions(&self) -> Result<Vec<Exclusion>, StoreError> {
        let query = super::query_as(sql::EXCLUSIONS);
        self.run(async { query.fetch_all(&mut *self.reading_replica().await?).await })
            .await
    }

    async fn forget(
        &self,
        domains: &[Domain],
        reason: &str,
        now: Timestamp,
    ) -> Result<DeletedCounts, StoreError> {
        self.run(async {
            let mut deleted = DeletedCounts::default();
            let removed = Removal {
                op: Operation::Remove,
                reason,
                now,
            };
            for batch in domains.chunks(DELETED_AT_ONCE) {
                let names: Vec<&str> = batch.iter().map(Domain::as_str).collect();
                let mut transaction = self.begin_durable().await?;
                for name in &names {
                    withdraw_removed(&mut transaction, name, None).await?;
                }
                deleted += forget_names(&mut transaction, &names, &removed).await?;
                transaction.commit().await?;
                if batch.len() == DELETED_AT_ONCE {
                    let_others_write().await;
                }
            }
            Ok(deleted)
        })
        .await
    }
}

/// Excludes domains, logs it, and deletes their stored data; the first transaction is `transaction`.
pub(super) async fn exclude(
    store: &Backend,
    mut transaction: Transaction,
    exclusion: &Exclusion,
    now: Timestamp,
) -> sqlx::Result<DeletedCounts> {
    let scope = &exclusion.scope;
    let below = format!(".{}", scope.name());
    let before = of_scope(&mut transaction, scope).await?;
    if before.as_ref() != Some(exclusion) {
        super::query(sql::EXCLUDE)
            .bind(scope.name())
            .bind(i64::from(scope.is_suffix()))
            .bind(&exclusion.reason)
            .bind(exclusion.source.as_str())
            .bind(exclusion.since.0)
            .execute(&mut *transaction)
            .await?;
    }
    let is_same = |it: &Exclusion| (&it.reason, it.source) == (&exclusion.reason, exclusion.source);
    if !before.as_ref().is_some_and(is_same) {
        let action = ModerationAction::excluding(exclusion.source);
        let entry = (action, &*scope.target(), &*exclusion.reason);
        moderation::log(&mut transaction, entry, exclusion.source, now).await?;
        let below = scope.is_suffix().then_some(&*below);
        withdraw_removed(&mut transaction, scope.name(), below).await?;
    }
    let removed = Removal::of(exclusion, now);
    if !scope.is_suffix() {
        let deleted = forget_names(&mut transaction, &[scope.name()], &removed).await?;
        transaction.commit().await?;
        return Ok(deleted);
    }
    for statement in [sql::FORGET_SUBMISSIONS_BELOW, sql::FORGET_HOSTS_BELOW] {
        super::query(statement)
            .bind(scope.name())
            .bind(&below)
            .execute(&mut *transaction)
            .await?;
    }
    transaction.commit().await?;
    let mut deleted = DeletedCounts::default();
    let (mut last, rows) = (0, stored(DELETED_AT_ONCE as u64));
    loop {
        // The search reads the whole table; other writers should not wait for it.
        let ids: Vec<i64> = super::query_scalar(sql::DOMAINS_BELOW)
            .bind(scope.name())
            .bind(&below)
            .bind(last)
            .bind(rows)
            .fetch_all(&mut *store.reading().await?)
            .await?;
        let Some(newest) = ids.last() else {
            return Ok(deleted);
        };
        last = *newest;
        let mut transaction = store.begin_durable().await?;
        deleted += forget_rows(&mut transaction, &ids, &removed).await?;
        transaction.commit().await?;
        if ids.len() < DELETED_AT_ONCE {
            return Ok(deleted);
        }
        let_others_write().await;
    }
}

/// Ends an exclusion, and logs it.
pub(super) async fn end(
    connection: &mut Connection,
    exclusion: &Exclusion,
    reason: &str,
    now: Timestamp,
) -> sqlx::Result<()> {
    super::query(sql::INCLUDE)
        .bind(exclusion.scope.name())
        .bind(i64::from(exclusion.scope.is_suffix()))
        .execute(&mut *connection)
        .await?;
    let action = ModerationAction::including(exclusion.source);
    let entry = (action, &*exclusion.scope.target(), reason);
    moderation::log(connection, entry, exclusion.source, now).await
}

/// Returns the exclusion of exactly this scope.
async fn of_scope(connection: &mut Connection, scope: &Scope) -> sqlx::Result<Option<Exclusion>> {
    super::query_as(sql::EXCLUSION_OF_SCOPE)
        .bind(scope.name())
        .bind(i64::from(scope.is_suffix()))
        .fetch_optional(connection)
        .await
}

/// Returns the exclusions that cover a domain.
pub(super) async fn covering(
    connection: &mut Connection,
    domain: &Domain,
) -> sqlx::Result<Vec<Exclusion>> {
    let names: Vec<&str> = with_parents(domain).collect();
    let mut exclusions: Vec<Exclusion> = super::query_as(EXCLUSIONS_OF)
        .bind(json(&names)?)
        .fetch_all(connection)
        .await?;
    exclusions.retain(|it| it.scope.covers(domain));
    Ok(exclusions)
}

/// Deletes agents and documents of a domain that opted out; the domain stays known.
pub(super) async fn forget_contents(
    connection: &mut Connection,
    domain_id: i64,
    reason: &str,
    now: Timestamp,
) -> sqlx::Result<()> {
    let ids = json(&[domain_id])?;
    let removed = Removal {
        op: Operation::OptOut,
        reason,
        now,
    };
    log_removals(connection, &ids, &removed).await?;
    let hashes: Vec<String> = super::query_scalar(HASHES_OF)
        .bind(&ids)
        .fetch_all(&mut *connection)
        .await?;
    for statement in [DELETE_AGENTS, DELETE_DOCUMENTS] {
        super::query(statement)
            .bind(&ids)
            .execute(&mut *connection)
            .await?;
    }
    delete_orphans(connection, &hashes).await
}

/// Cause of a deletion, for the change log.
pub(super) struct Removal<'a> {
    op: Operation,
    reason: &'a str,
    now: Timestamp,
}

impl<'a> Removal<'a> {
    pub(super) fn of(exclusion: &'a Exclusion, now: Timestamp) -> Self {
        Self {
            op: if exclusion.source.is_owner() {
                Operation::OptOut
            } else {
                Operation::Remove
            },
            reason: &exclusion.reason,
            now,
        }
    }

    /// Returns the change that removes an agent, without its sequence number.
    fn change(&self, id: String, hash: String) -> sqlx::Result<Change> {
        let removal = removal(id, hash, self.reason, self.now)?;
        Ok(Change {
            op: self.op,
            ..removal
        })
    }
}

/// Returns the exclusions that concern these domains.
pub(super) async fn concerning(
    connection: &mut Connection,
    domains: impl Iterator<Item = &Domain>,
) -> sqlx::Result<ExclusionSet> {
    let is_any: bool = super::query_scalar(sql::ANY_EXCLUSION)
        .fetch_one(&mut *connection)
        .await?;
    if !is_any {
        return Ok(ExclusionSet::default());
    }
    let names: BTreeSet<&str> = domains.flat_map(with_parents).collect();
    let exclusions: Vec<Exclusion> = super::query_as(EXCLUSIONS_OF)
        .bind(json(&names)?)
        .fetch_all(connection)
        .await?;
    Ok(exclusions.into_iter().collect())
}

/// Deletes domains by name, with their submissions.
async fn forget_names(
    connection: &mut Connection,
    names: &[&str],
    removed: &Removal<'_>,
) -> sqlx::Result<DeletedCounts> {
    let mut ids = Vec::with_capacity(names.len());
    for name in names {
        for statement in [sql::FORGET_SUBMISSIONS, sql::FORGET_HOST] {
            super::query(statement)
                .bind(name)
                .execute(&mut *connection)
                .await?;
        }
        let id: Option<i64> = super::query_scalar(DOMAIN_ID)
            .bind(name)
            .fetch_optional(&mut *connection)
            .await?;
        ids.extend(id);
    }
    forget_rows(connection, &ids, removed).await
}

/// Deletes domains by row, and logs the removal of their agents.
pub(super) async fn forget_rows(
    connection: &mut Connection,
    ids: &[i64],
    removed: &Removal<'_>,
) -> sqlx::Result<DeletedCounts> {
    if ids.is_empty() {
        return Ok(DeletedCounts::default());
    }
    let ids = json(ids)?;
    let agents = log_removals(connection, &ids, removed).await?;
    let documents: i64 = super::query_scalar(COUNT_DOCUMENTS)
        .bind(&ids)
        .fetch_one(&mut *connection)
        .await?;
    let hashes: Vec<String> = super::query_scalar(HASHES_OF)
        .bind(&ids)
        .fetch_all(&mut *connection)
        .await?;
    let result = super::query(DELETE_DOMAINS)
        .bind(&ids)
        .execute(&mut *connection)
        .await?;
    delete_orphans(connection, &hashes).await?;
    Ok(DeletedCounts {
        domains: result.rows_affected(),
        documents: count(documents),
        agents,
    })
}

/// Logs the removal of the agents of domains, and returns their number.
async fn log_removals(
    connection: &mut Connection,
    ids: &str,
    removed: &Removal<'_>,
) -> sqlx::Result<u64> {
    let agents: Vec<(String, String, bool)> = super::query_as(AGENTS_OF)
        .bind(ids)
        .fetch_all(&mut *connection)
        .await?;
    let number = agents.len() as u64;
    let shown = agents.into_iter().filter(|(.., is_hidden)| !is_hidden);
    let mut changes = shown
        .map(|(id, hash, _)| removed.change(id, hash))
        .collect::<sqlx::Result<Vec<_>>>()?;
    withdraw(connection, &mut changes).await?;
    Ok(number)
}

/// Deletes those of the bytes that no document refers to any more.
async fn delete_orphans(connection: &mut Connection, hashes: &[String]) -> sqlx::Result<()> {
    super::query(DELETE_ORPHANS)
        .bind(json(hashes)?)
        .execute(connection)
        .await?;
    Ok(())
}
