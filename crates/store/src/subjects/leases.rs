//! Leases of due domains.

use super::{Backend, Connection, Row, is_own, named, skip_locked};
use crate::contract::Leases;
use crate::error::StoreError;
use crate::model::{KnownDocument, Lease};
use crate::row::{get, json};
use crate::sql::leases as sql;
use async_trait::async_trait;
use manifest::Timestamp;
use sqlx::FromRow as _;
use std::collections::HashMap;

/// The first domains in order that the process `$3` may lease, up to `$2`, each with the token of its next
/// lease.
const FIRST: &str = concat!(
    "
    SELECT id AS row, name AS domain, port, due, lease_token + 1 AS token, fails, interval_ms,
           rotation, requests_left, last_outcome, robots, COALESCE(unanswered, '[]') AS unanswered
    FROM (SELECT domain_id, due, lease_token FROM queue WHERE ready <= $1 AND ",
    is_own!(),
    " ORDER BY ready
          LIMIT CAST($2 AS BIGINT) ",
    skip_locked!(),
    ") AS first
    JOIN domains ON domains.id = domain_id"
);

/// Leases domains until `$2` for the process `$3`.
const LEASE: &str = "
    UPDATE queue
    SET lease_until = $2, ready = $2, lease_token = lease_token + 1, lease_owner = $3
    WHERE domain_id IN (SELECT CAST(value AS BIGINT) FROM json_each($1))";

/// Documents of domains. A conditional request would be pointless for bytes that are lost. The
/// least recently seen document comes first, because a visit may not have requests for all.
const KNOWN_DOCUMENTS: &str = "
    SELECT domain_id, requested, url,
           CASE WHEN blobs.hash IS NULL THEN NULL ELSE etag END AS etag,
           CASE WHEN blobs.hash IS NULL THEN NULL ELSE last_modified END AS last_modified,
           documents.hash, content, missing_since, format
    FROM documents
    LEFT JOIN blobs ON blobs.hash = documents.hash
    WHERE domain_id IN (SELECT CAST(value AS BIGINT) FROM json_each($1))
    ORDER BY fetched, id";

#[async_trait]
impl Leases for Backend {
    async fn lease_domains(
        &self,
        now: Timestamp,
        lease_until: Timestamp,
        limit: u32,
    ) -> Result<Vec<Lease>, StoreError> {
        self.run(async {
            let mut transaction = self.begin_beside_others().await?;
            let rows = super::query(FIRST)
                .bind(now.0)
                .bind(i64::from(limit))
                .bind(self.lease_owner())
                .fetch_all(&mut *transaction)
                .await?;
            let ids: Vec<i64> = rows
                .iter()
                .map(|row| get(row, "row"))
                .collect::<sqlx::Result<_>>()?;
            super::query(LEASE)
                .bind(json(&ids)?)
                .bind(lease_until.0)
                .bind(self.lease_owner())
                .execute(&mut *transaction)
                .await?;
            let mut leases: Vec<(i64, Lease)> = rows.iter().filter_map(readable).collect();
            leases.sort_by_key(|(due, lease)| (*due, lease.row));
            let mut leases: Vec<Lease> = leases.into_iter().map(|(_, lease)| lease).collect();
            let mut known = known_documents(&mut transaction, &leases).await?;
            let mut named = named::of_domains(&mut transaction, &leases, now).await?;
            transaction.commit().await?;
            for lease in &mut leases {
                lease.known = known.remove(&lease.row).unwrap_or_default();
                lease.named = named.remove(&lease.row).unwrap_or_default();
            }
            Ok(leases)
        })
        .await
    }

    async fn note_delay(&self, lease: &Lease, delay_ms: u32) -> Result<(), StoreError> {
        let query = super::query(sql::NOTE_DELAY)
            .bind(lease.domain.as_str())
            .bind(lease.token)
            .bind(i64::from(delay_ms));
        self.run(self.execute(query)).await?;
        Ok(())
    }

    async fn return_leases(&self, leases: &[Lease]) -> Result<(), StoreError> {
        self.run(give_back(self, leases.iter().map(|lease| (lease, None))))
            .await
    }

    async fn postpone_leases(&self, leases: &[(Lease, Timestamp)]) -> Result<(), StoreError> {
        let leases = leases.iter().map(|(lease, until)| (lease, Some(until.0)));
        self.run(give_back(self, leases)).await
    }
}

/// Returns leases, each not to be taken again before its time.
async fn give_back(
    store: &Backend,
    leases: impl Iterator<Item = (&Lease, Option<i64>)> + Send,
) -> sqlx::Result<()> {
    let mut transaction = store.begin_bulk().await?;
    for (lease, until) in leases {
        super::query(sql::RETURN_LEASE)
            .bind(lease.domain.as_str())
            .bind(lease.token)
            .bind(until)
            .execute(&mut *transaction)
            .await?;
    }
    transaction.commit().await
}

/// Returns the due time and the lease of a row. A damaged row must not stop the crawl: it is left
/// out until its lease expires.
fn readable(row: &Row) -> Option<(i64, Lease)> {
    get(row, "due")
        .and_then(|due| Ok((due, Lease::from_row(row)?)))
        .inspect_err(|error| tracing::error!(%error, "left out a damaged domain: {error}"))
        .ok()
}

/// Returns the documents of domains that were visited before, by row of the domain.
async fn known_documents(
    connection: &mut Connection,
    leases: &[Lease],
) -> sqlx::Result<HashMap<i64, Vec<KnownDocument>>> {
    let visited = leases.iter().filter(|lease| lease.last_outcome.is_some());
    let ids: Vec<i64> = visited.map(|lease| lease.row).collect();
    let mut known: HashMap<i64, Vec<KnownDocument>> = HashMap::new();
    if ids.is_empty() {
        return Ok(known);
    }
    let rows = super::query(KNOWN_DOCUMENTS)
        .bind(json(&ids)?)
        .fetch_all(connection)
        .await?;
    for row in &rows {
        let documents = known.entry(get(row, "domain_id")?).or_default();
        documents.push(KnownDocument::from_row(row)?);
    }
    Ok(known)
}
