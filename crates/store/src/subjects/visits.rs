//! Records finished visits and their documents.

use super::ended_leases::{end_leases, keep_domains, parts};
use super::{
    Backend, Connection, PERSISTENT, QueryBuilder, edge_answers, named, opt_outs, status,
    submissions, visit_hours,
};
use crate::contract::Visits;
use crate::error::StoreError;
use crate::model::{KnownDocument, RecordCounts, Visit};
use crate::row::{compress, count, from_json, json, pack, rows, stored};
use crate::sql::visits as sql;
use async_trait::async_trait;
use manifest::Timestamp;
use manifest::document::{Delivery, Document};
use std::collections::BTreeMap;

/// Document before this visit.
struct PriorDocument {
    id: i64,
    hash: String,
    content: Option<String>,
    url: String,
    media_type: Option<String>,
    served: Option<String>,
    fetched: i64,
}

rows! {
    PriorDocument { id, hash, content, url, media_type, served, fetched }
}

#[async_trait]
impl Visits for Backend {
    async fn record_visits(&self, visits: &[Visit]) -> Result<RecordCounts, StoreError> {
        self.run(async {
            let blobs = new_blobs(&mut *self.reading().await?, visits).await?;
            let receipts: Vec<Packed> = visits
                .iter()
                .map(|visit| pack(&visit.receipts))
                .collect::<sqlx::Result<_>>()?;
            let mut recorded = RecordCounts::default();
            let mut transaction = self.begin_durable().await?;
            for (hash, blob) in &blobs {
                keep_blob(&mut transaction, hash, blob).await?;
            }
            keep_blobs_of_others(&mut transaction, visits, &blobs).await?;
            let mut current = Vec::with_capacity(visits.len());
            let mut current_receipts = Vec::with_capacity(visits.len());
            let mut ended = end_leases(&mut transaction, visits).await?;
            for (visit, receipts) in visits.iter().zip(&receipts) {
                let domain_id = visit.lease.row;
                // Removing it ensures that a visit that is in the batch twice is recorded once.
                if ended.remove(&(domain_id, visit.lease.token)) {
                    current.push((domain_id, visit));
                    current_receipts.push(receipts);
                } else {
                    recorded.fenced += 1;
                }
            }
            recorded.visits = current.len() as u64;
            keep_domains(&mut transaction, &current).await?;
            for (domain_id, visit) in &current {
                keep_documents(&mut transaction, *domain_id, visit, &mut recorded).await?;
                named::keep(&mut transaction, *domain_id, visit).await?;
            }
            keep_visits(&mut transaction, &current, &current_receipts).await?;
            edge_answers::keep(&mut transaction, &current).await?;
            opt_outs::obey(&mut transaction, &current).await?;
            status::log(&mut transaction, &current).await?;
            visit_hours::count_finished(&mut transaction, &current).await?;
            submissions::answer_visited(&mut transaction, &current).await?;
            transaction.commit().await?;
            Ok(recorded)
        })
        .await
    }
}

/// Size and compressed bytes of a body, or of JSON text.
type Packed = (i64, Vec<u8>);

/// Compresses the bodies that are not stored yet, before the transaction to keep it short.
async fn new_blobs(
    connection: &mut Connection,
    visits: &[Visit],
) -> sqlx::Result<BTreeMap<String, Packed>> {
    let mut blobs = BTreeMap::new();
    for document in visits.iter().flat_map(|visit| &visit.documents) {
        let hash = document.hash();
        if !blobs.contains_key(&hash) && !has_blob(connection, &hash).await? {
            blobs.insert(hash, compress(&document.body)?);
        }
    }
    Ok(blobs)
}

/// Stores bodies that existed before the transaction but have since been deleted with another
/// domain.
async fn keep_blobs_of_others(
    connection: &mut Connection,
    visits: &[Visit],
    stored: &BTreeMap<String, Packed>,
) -> sqlx::Result<()> {
    for document in visits.iter().flat_map(|visit| &visit.documents) {
        let hash = document.hash();
        if !stored.contains_key(&hash) && !has_blob(connection, &hash).await? {
            keep_blob(connection, &hash, &compress(&document.body)?).await?;
        }
    }
    Ok(())
}

async fn has_blob(connection: &mut Connection, hash: &str) -> sqlx::Result<bool> {
    super::query_scalar(sql::HAS_BLOB)
        .bind(hash)
        .fetch_one(connection)
        .await
}

async fn keep_blob(
    connection: &mut Connection,
    hash: &str,
    (size, bytes): &Packed,
) -> sqlx::Result<()> {
    super::query(sql::INSERT_BLOB)
        .bind(hash)
        .bind(size)
        .bind(bytes.as_slice())
        .execute(connection)
        .await?;
    Ok(())
}

/// Stores visits by row id of their domain, and deletes old ones.
async fn keep_visits(
    connection: &mut Connection,
    visits: &[(i64, &Visit)],
    receipts: &[&Packed],
) -> sqlx::Result<()> {
    for (batch, receipts) in parts(visits).zip(parts(receipts)) {
        let mut query = QueryBuilder::new(
            "INSERT INTO visits (domain_id, started, ended, outcome, detail, requests, bytes,
                                 receipts, receipts_size, packed_receipts) ",
        );
        query.push_values(batch.iter().zip(receipts), |mut values, row| {
            let ((domain_id, visit), (size, packed)) = row;
            values
                .push_bind(*domain_id)
                .push_bind(visit.started.0)
                .push_bind(visit.ended.0)
                .push_bind(visit.outcome.as_str())
                .push_bind(visit.detail.clone())
                .push_bind(i64::from(visit.requests))
                .push_bind(stored(visit.bytes))
                .push_bind("")
                .push_bind(*size)
                .push_bind(packed.clone());
        });
        let query = query.build().persistent(PERSISTENT);
        query.execute(&mut *connection).await?;
    }
    for (domain_id, visit) in visits {
        // Before its first visit a domain has no old visits.
        if visit.lease.last_outcome.is_some() {
            super::query(sql::FORGET_VISITS)
                .bind(domain_id)
                .execute(&mut *connection)
                .await?;
        }
    }
    Ok(())
}

/// Updates the documents of the domain, and counts them.
async fn keep_documents(
    connection: &mut Connection,
    domain_id: i64,
    visit: &Visit,
    recorded: &mut RecordCounts,
) -> sqlx::Result<()> {
    let mut is_unread = false;
    for document in &visit.documents {
        let effect = keep_document(connection, domain_id, document).await?;
        recorded.documents += u64::from(effect == Effect::Bytes);
        is_unread |= effect != Effect::Confirmed;
    }
    for requested in &visit.unchanged {
        let id: Option<i64> = super::query_scalar(sql::CONFIRM_DOCUMENT)
            .bind(domain_id)
            .bind(requested)
            .bind(visit.ended.0)
            .fetch_optional(&mut *connection)
            .await?;
        if let Some(id) = id {
            recorded.unchanged_agents += confirm_agents(connection, id, visit.ended).await?;
            let findings = super::query_scalar(sql::COUNT_FINDINGS)
                .bind(id)
                .fetch_one(&mut *connection)
                .await?;
            recorded.unchanged_findings += count(findings);
        }
    }
    for requested in &visit.missing {
        is_unread |= miss_document(connection, domain_id, requested, visit.ended).await?;
    }
    for requested in &visit.gone {
        let result = super::query(sql::DELETE_DOCUMENT)
            .bind(domain_id)
            .bind(requested)
            .execute(&mut *connection)
            .await?;
        is_unread |= result.rows_affected() > 0;
    }
    if is_unread {
        super::query(sql::MARK_UNREAD)
            .bind(domain_id)
            .bind(visit.ended.0)
            .execute(connection)
            .await?;
    }
    Ok(())
}

/// Records that a document is missing; returns true if it is removed because it was missing a day
/// ago too (P40).
async fn miss_document(
    connection: &mut Connection,
    domain_id: i64,
    requested: &str,
    when: Timestamp,
) -> sqlx::Result<bool> {
    let confirmation = Timestamp(0).after(KnownDocument::CONFIRMATION);
    let result = super::query(sql::DELETE_MISSING_DOCUMENT)
        .bind(domain_id)
        .bind(requested)
        .bind(when.0.saturating_sub(confirmation.0))
        .execute(&mut *connection)
        .await?;
    if result.rows_affected() > 0 {
        return Ok(true);
    }
    super::query(sql::MISS_DOCUMENT)
        .bind(domain_id)
        .bind(requested)
        .bind(when.0)
        .execute(connection)
        .await?;
    Ok(false)
}

/// Effect of a fetched document on the stored one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// New document or different bytes.
    Bytes,
    /// Same bytes with another URL or other headers, which may be read differently.
    Circumstances,
    /// Unchanged.
    Confirmed,
}

async fn keep_document(
    connection: &mut Connection,
    domain_id: i64,
    document: &Document,
) -> sqlx::Result<Effect> {
    let hash = document.hash();
    let before: Option<PriorDocument> = super::query_as(sql::DOCUMENT_BEFORE)
        .bind(domain_id)
        .bind(document.requested.as_str())
        .fetch_optional(&mut *connection)
        .await?;
    let Some(before) = before else {
        insert_document(connection, domain_id, document, &hash).await?;
        return Ok(Effect::Bytes);
    };
    let effect = if before.hash != hash {
        Effect::Bytes
    } else if before.url != document.url.as_str()
        || before.media_type != document.media_type
        || is_served_otherwise(before.served.as_deref(), document)?
    {
        Effect::Circumstances
    } else {
        Effect::Confirmed
    };
    let served = document.served.as_ref().map(json).transpose()?;
    let content = document.content_hash();
    let is_same = before.content.as_ref() == Some(&content);
    let changed = (effect == Effect::Bytes && !is_same).then_some(document.fetched.0);
    super::query(sql::UPDATE_DOCUMENT)
        .bind(before.id)
        .bind(document.url.as_str())
        .bind(i64::from(document.status))
        .bind(&document.media_type)
        .bind(&document.etag)
        .bind(&document.last_modified)
        .bind(served)
        .bind(&hash)
        .bind(content)
        .bind(document.fetched.0)
        .bind(changed)
        .execute(&mut *connection)
        .await?;
    if effect == Effect::Bytes {
        super::query(sql::CLOSE_VERSION)
            .bind(before.id)
            .bind(before.fetched)
            .execute(&mut *connection)
            .await?;
        open_version(connection, before.id, &hash, document.fetched).await?;
    } else {
        confirm_agents(connection, before.id, document.fetched).await?;
    }
    Ok(effect)
}

/// Reports whether headers differ that rules depend on; cache lifetimes do not count, because they
/// change from answer to answer.
fn is_served_otherwise(before: Option<&str>, document: &Document) -> sqlx::Result<bool> {
    let before: Option<Delivery> = before.map(from_json).transpose()?;
    let seen = |served: Delivery| (served.cache_control.is_some(), served.allow_origin);
    Ok(before.map(seen) != document.served.clone().map(seen))
}

async fn insert_document(
    connection: &mut Connection,
    domain_id: i64,
    document: &Document,
    hash: &str,
) -> sqlx::Result<()> {
    let served = document.served.as_ref().map(json).transpose()?;
    let id: i64 = super::query_scalar(sql::INSERT_DOCUMENT)
        .bind(domain_id)
        .bind(document.requested.as_str())
        .bind(document.url.as_str())
        .bind(i64::from(document.status))
        .bind(&document.media_type)
        .bind(&document.etag)
        .bind(&document.last_modified)
        .bind(served)
        .bind(hash)
        .bind(document.content_hash())
        .bind(document.fetched.0)
        .fetch_one(&mut *connection)
        .await?;
    open_version(connection, id, hash, document.fetched).await
}

async fn open_version(
    connection: &mut Connection,
    document_id: i64,
    hash: &str,
    since: Timestamp,
) -> sqlx::Result<()> {
    super::query(sql::OPEN_VERSION)
        .bind(document_id)
        .bind(hash)
        .bind(since.0)
        .execute(connection)
        .await?;
    Ok(())
}

/// Updates the time of the agents that are listed from a document, and returns their number.
async fn confirm_agents(
    connection: &mut Connection,
    document_id: i64,
    when: Timestamp,
) -> sqlx::Result<u64> {
    let result = super::query(sql::CONFIRM_AGENTS)
        .bind(document_id)
        .bind(when.0)
        .execute(connection)
        .await?;
    Ok(result.rows_affected())
}
