//! Named documents outside of the default paths (P9): stored with their domain and requested on its
//! visits, a few at a time.

use super::Connection;
use crate::model::{Lease, NamedDocument, Visit};
use crate::row::{get, json};
use crate::sql::{frontier::DOMAIN_ID, named as sql};
use manifest::{Domain, Timestamp};
use sqlx::FromRow as _;
use std::collections::HashMap;

/// Maximum number of documents per domain that the domain itself or the operator names.
const MAX_OWN: i64 = 200;

/// Maximum number of documents per domain that other domains name, so that they cannot displace its
/// own.
const MAX_OTHERS: i64 = 20;

/// Milliseconds for which a missing document is not requested again.
const ABSENT_MS: i64 = 30 * DAY_MS;

/// Milliseconds after which a document that was never found is deleted, until something names it
/// again.
const FORGET_MS: i64 = 180 * DAY_MS;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Named documents of domains, in the order in which to request them; absent are those that were
/// requested after `$2` without success.
const NAMED_DOCUMENTS: &str = "
    SELECT domain_id, url, named_by, is_own, kind, COALESCE(asked > $2, FALSE) AS is_absent
    FROM named_documents
    WHERE domain_id IN (SELECT CAST(value AS BIGINT) FROM json_each($1))
    ORDER BY domain_id, is_own DESC, COALESCE(asked, 0), since, url";

/// Returns the named documents of leased domains by row of the domain, in the order in which to
/// request them.
pub(super) async fn of_domains(
    connection: &mut Connection,
    leases: &[Lease],
    now: Timestamp,
) -> sqlx::Result<HashMap<i64, Vec<NamedDocument>>> {
    let ids: Vec<i64> = leases.iter().map(|lease| lease.row).collect();
    let rows = super::query(NAMED_DOCUMENTS)
        .bind(json(&ids)?)
        .bind(now.0.saturating_sub(ABSENT_MS))
        .fetch_all(connection)
        .await?;
    let mut named: HashMap<i64, Vec<NamedDocument>> = HashMap::new();
    for row in &rows {
        let documents = named.entry(get(row, "domain_id")?).or_default();
        documents.push(NamedDocument::from_row(row)?);
    }
    Ok(named)
}

/// Stores the named documents that a visit leaves to later ones, and records those that it
/// requested: a document that was found is a known document from now on, a missing one is not
/// requested again soon.
pub(super) async fn keep(
    connection: &mut Connection,
    domain_id: i64,
    visit: &Visit,
) -> sqlx::Result<()> {
    if visit.named.is_empty() && visit.asked.is_empty() {
        return Ok(());
    }
    let now = visit.ended;
    super::query(sql::FORGET)
        .bind(domain_id)
        .bind(now.0.saturating_sub(FORGET_MS))
        .execute(&mut *connection)
        .await?;
    for document in &visit.named {
        name(connection, domain_id, document, now).await?;
    }
    for document in &visit.asked {
        name(connection, domain_id, document, now).await?;
        super::query(sql::NOTE_ASKED)
            .bind(domain_id)
            .bind(&document.url)
            .bind(now.0)
            .execute(&mut *connection)
            .await?;
    }
    super::query(sql::FORGET_KNOWN)
        .bind(domain_id)
        .execute(connection)
        .await?;
    Ok(())
}

/// Stores a document of a domain, if that domain exists; returns the row of the domain if the
/// document is new.
pub(super) async fn name_document(
    connection: &mut Connection,
    domain: &Domain,
    document: &NamedDocument,
    now: Timestamp,
) -> sqlx::Result<Option<i64>> {
    let id: Option<i64> = super::query_scalar(DOMAIN_ID)
        .bind(domain.as_str())
        .fetch_optional(&mut *connection)
        .await?;
    match id {
        Some(id) if name(connection, id, document, now).await? => Ok(Some(id)),
        Some(_) | None => Ok(None),
    }
}

/// Stores one document, unless it is known or its domain has the maximum number; returns true if it
/// is new.
async fn name(
    connection: &mut Connection,
    domain_id: i64,
    document: &NamedDocument,
    now: Timestamp,
) -> sqlx::Result<bool> {
    let most = if document.is_own { MAX_OWN } else { MAX_OTHERS };
    let result = super::query(sql::NAME)
        .bind(domain_id)
        .bind(&document.url)
        .bind(&document.named_by)
        .bind(document.is_own)
        .bind(document.kind.as_str())
        .bind(now.0)
        .bind(most)
        .execute(connection)
        .await?;
    Ok(result.rows_affected() > 0)
}
