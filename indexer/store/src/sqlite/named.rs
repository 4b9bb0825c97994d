//! Named documents outside of the default paths (P9): stored with their domain and requested on its
//! visits, a few at a time.

use super::{BATCH, begin};
use crate::row::named::NamedRow;
use crate::sql::named as sql;
use crate::{Discovery, NamedDocument, Visit};
use manifest::{Domain, Timestamp};
use sqlx::{QueryBuilder, Sqlite, SqliteConnection, SqlitePool};
use std::collections::HashMap;

/// Maximum number of documents per domain that the domain itself or the operator names.
const MOST_OWN: i64 = 200;

/// Maximum number of documents per domain that other domains name, so that they cannot displace its
/// own.
const MOST_OTHERS: i64 = 20;

/// Milliseconds for which a missing document is not requested again.
const ABSENT_MS: i64 = 30 * DAY_MS;

/// Milliseconds after which a document that was never found is deleted, until something names it
/// again.
const FORGET_MS: i64 = 180 * DAY_MS;

/// Milliseconds since the last visit within which naming a document does not make its domain due.
const REVISIT_PAUSE_MS: i64 = 10 * 60 * 1000;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Returns the named documents of domains by row id, in the order in which to request them.
pub(super) async fn of_domains(
    connection: &mut SqliteConnection,
    ids: &[i64],
    now: Timestamp,
) -> sqlx::Result<HashMap<i64, Vec<NamedDocument>>> {
    let mut named: HashMap<i64, Vec<NamedDocument>> = HashMap::new();
    for ids in ids.chunks(BATCH) {
        let mut query = QueryBuilder::<Sqlite>::new(
            "SELECT domain_id, url, named_by, is_own, asked FROM named_documents
             WHERE domain_id IN (",
        );
        let mut list = query.separated(", ");
        for id in ids {
            list.push_bind(*id);
        }
        query.push(") ORDER BY domain_id, is_own DESC, COALESCE(asked, 0), since, url");
        let rows: Vec<NamedRow> = query
            .build_query_as()
            .persistent(false)
            .fetch_all(&mut *connection)
            .await?;
        for row in rows {
            let is_absent = row.asked.is_some_and(|at| at > now.0 - ABSENT_MS);
            named
                .entry(row.domain_id)
                .or_default()
                .push(row.named(is_absent));
        }
    }
    Ok(named)
}

/// Stores the named documents that a visit leaves to later ones, and records those that it
/// requested: a document that was found is a known document from now on, a missing one is not
/// requested again soon.
pub(super) async fn keep(
    connection: &mut SqliteConnection,
    domain_id: i64,
    visit: &Visit,
) -> sqlx::Result<()> {
    if visit.named.is_empty() && visit.asked.is_empty() {
        return Ok(());
    }
    let now = visit.ended;
    sqlx::query(sql::FORGET)
        .bind(domain_id)
        .bind(now.0.saturating_sub(FORGET_MS))
        .execute(&mut *connection)
        .await?;
    for document in &visit.named {
        name(connection, domain_id, document, now).await?;
    }
    for document in &visit.asked {
        name(connection, domain_id, document, now).await?;
        sqlx::query(sql::NOTE_ASKED)
            .bind(domain_id)
            .bind(&document.url)
            .bind(now.0)
            .execute(&mut *connection)
            .await?;
    }
    sqlx::query(sql::FORGET_KNOWN)
        .bind(domain_id)
        .execute(connection)
        .await?;
    Ok(())
}

/// Stores the document of a discovery with the discovered domain, if that domain exists.
pub(super) async fn discover(
    connection: &mut SqliteConnection,
    discovery: &Discovery,
    now: Timestamp,
) -> sqlx::Result<()> {
    let Some(id) = domain_id(connection, &discovery.to).await? else {
        return Ok(());
    };
    let document = NamedDocument {
        url: discovery.url.clone(),
        named_by: discovery.named_by.clone(),
        is_own: false,
        is_absent: false,
    };
    name(connection, id, &document, now).await?;
    Ok(())
}

/// Stores documents that the operator names; their domains become due, though not before their
/// `not_before`.
pub(super) async fn seed(
    writer: &SqlitePool,
    documents: &[(Domain, NamedDocument)],
    now: Timestamp,
) -> sqlx::Result<()> {
    if documents.is_empty() {
        return Ok(());
    }
    let mut transaction = begin(writer).await?;
    for (domain, document) in documents {
        let Some(id) = domain_id(&mut transaction, domain).await? else {
            continue;
        };
        if name(&mut transaction, id, document, now).await? {
            sqlx::query(sql::MAKE_DUE)
                .bind(id)
                .bind(now.0)
                .bind(now.0.saturating_sub(REVISIT_PAUSE_MS))
                .execute(&mut *transaction)
                .await?;
        }
    }
    transaction.commit().await
}

/// Stores one document, unless it is known or its domain has the maximum number; returns true if it
/// is new.
async fn name(
    connection: &mut SqliteConnection,
    domain_id: i64,
    document: &NamedDocument,
    now: Timestamp,
) -> sqlx::Result<bool> {
    let most = if document.is_own {
        MOST_OWN
    } else {
        MOST_OTHERS
    };
    let result = sqlx::query(sql::NAME)
        .bind(domain_id)
        .bind(&document.url)
        .bind(&document.named_by)
        .bind(document.is_own)
        .bind(now.0)
        .bind(most)
        .execute(connection)
        .await?;
    Ok(result.rows_affected() > 0)
}

async fn domain_id(
    connection: &mut SqliteConnection,
    domain: &Domain,
) -> sqlx::Result<Option<i64>> {
    sqlx::query_scalar(sql::DOMAIN_ID)
        .bind(domain.as_str())
        .fetch_optional(connection)
        .await
}
