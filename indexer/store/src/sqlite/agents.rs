//! Replaces the agents of a domain by a new reading, and maintains the change log.

use super::{BATCH, begin};
use crate::{Change, DocumentReading, DomainReadings, Operation, row, sql};
use manifest::{AgentId, Capability, Listing, Timestamp};
use sha2::{Digest, Sha256};
use sqlx::{FromRow, QueryBuilder, Sqlite, SqliteConnection, SqlitePool};
use std::collections::BTreeMap;

/// Agent before the reading.
#[derive(FromRow)]
struct Before {
    id: String,
    hash: String,
    listing: String,
}

/// Document of the domain.
#[derive(FromRow)]
struct Place {
    id: i64,
    url: String,
    fetched: i64,
}

/// Stores a reading, unless the documents have changed since: then nothing changes and the domain
/// stays unread.
pub(super) async fn replace(
    writer: &SqlitePool,
    readings: &DomainReadings,
    now: Timestamp,
) -> sqlx::Result<Vec<Change>> {
    let mut transaction = begin(writer).await?;
    let domain_id: Option<i64> = sqlx::query_scalar(sql::FINISH_READING)
        .bind(readings.unread.domain.as_str())
        .bind(readings.unread.revision)
        .fetch_optional(&mut *transaction)
        .await?;
    let Some(domain_id) = domain_id else {
        return Ok(Vec::new());
    };
    for document in &readings.documents {
        keep_reading(&mut transaction, domain_id, document).await?;
    }
    let mut changes = keep_listings(&mut transaction, domain_id, readings, now).await?;
    append(&mut transaction, &mut changes).await?;
    transaction.commit().await?;
    Ok(changes)
}

/// Marks all documents as unread.
pub(super) async fn mark_all_unread(writer: &SqlitePool) -> sqlx::Result<u64> {
    let result = sqlx::query(sql::MARK_ALL_UNREAD).execute(writer).await?;
    Ok(result.rows_affected())
}

/// Stores the result of reading a document.
async fn keep_reading(
    connection: &mut SqliteConnection,
    domain_id: i64,
    reading: &DocumentReading,
) -> sqlx::Result<()> {
    let result = sqlx::query(sql::READ_DOCUMENT)
        .bind(reading.id)
        .bind(domain_id)
        .bind(&reading.format)
        .bind(&reading.generation)
        .bind(reading.level.as_str())
        .execute(&mut *connection)
        .await?;
    if result.rows_affected() == 0 {
        return Ok(());
    }
    sqlx::query(sql::DELETE_FINDINGS)
        .bind(reading.id)
        .execute(&mut *connection)
        .await?;
    let numbered: Vec<_> = (0_i64..).zip(&reading.findings).collect();
    for batch in numbered.chunks(BATCH) {
        let mut query = QueryBuilder::<Sqlite>::new(
            "INSERT INTO findings (document_id, position, rule, severity, pointer, line,
                                   line_column, excerpt, message) ",
        );
        query.push_values(batch, |mut values, (position, finding)| {
            values
                .push_bind(reading.id)
                .push_bind(*position)
                .push_bind(finding.rule.id)
                .push_bind(finding.severity.as_str())
                .push_bind(finding.pointer.clone())
                .push_bind(finding.line.map(i64::from))
                .push_bind(finding.column.map(i64::from))
                .push_bind(finding.excerpt.clone())
                .push_bind(finding.message.clone());
        });
        query
            .build()
            .persistent(false)
            .execute(&mut *connection)
            .await?;
    }
    keep_mentions(connection, reading).await
}

/// Stores the mentions of a document.
async fn keep_mentions(
    connection: &mut SqliteConnection,
    reading: &DocumentReading,
) -> sqlx::Result<()> {
    sqlx::query(sql::DELETE_MENTIONS)
        .bind(reading.id)
        .execute(&mut *connection)
        .await?;
    let numbered: Vec<_> = (0_i64..).zip(&reading.mentions).collect();
    for batch in numbered.chunks(BATCH) {
        let mut query = QueryBuilder::<Sqlite>::new(
            "INSERT INTO mentions (document_id, position, name, publisher, url, pointer) ",
        );
        query.push_values(batch, |mut values, (position, mention)| {
            values
                .push_bind(reading.id)
                .push_bind(*position)
                .push_bind(mention.name.clone())
                .push_bind(mention.publisher.clone())
                .push_bind(mention.url.clone())
                .push_bind(mention.pointer.clone());
        });
        query
            .build()
            .persistent(false)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

/// Stores the listings and returns the changes without sequence numbers, in the order of the
/// listings, removals last.
async fn keep_listings(
    connection: &mut SqliteConnection,
    domain_id: i64,
    readings: &DomainReadings,
    now: Timestamp,
) -> sqlx::Result<Vec<Change>> {
    let before: Vec<Before> = sqlx::query_as(sql::AGENTS_BEFORE)
        .bind(domain_id)
        .fetch_all(&mut *connection)
        .await?;
    let mut before: BTreeMap<String, Before> = before
        .into_iter()
        .map(|agent| (agent.id.clone(), agent))
        .collect();
    let places: Vec<Place> = sqlx::query_as(sql::DOCUMENT_PLACES)
        .bind(domain_id)
        .fetch_all(&mut *connection)
        .await?;

    let mut changes = Vec::new();
    for listing in &readings.listings {
        let old = before.remove(listing.id.as_str());
        let hash = hash(listing)?;
        let text = row::json(listing)?;
        if old.as_ref().is_some_and(|old| old.listing == text) {
            continue;
        }
        keep_listing(connection, domain_id, listing, &text, &hash, &places, now).await?;
        let (op, previous_hash) = match old {
            None => (Operation::Add, None),
            Some(old) if old.hash == hash => continue,
            Some(old) => (Operation::Update, Some(old.hash)),
        };
        changes.push(Change {
            seq: 0,
            at: now,
            op,
            agent: listing.id.clone(),
            hash: Some(hash),
            previous_hash,
            reason: String::new(),
        });
    }
    for (id, old) in before {
        sqlx::query(sql::DELETE_AGENT)
            .bind(&id)
            .execute(&mut *connection)
            .await?;
        changes.push(Change {
            seq: 0,
            at: now,
            op: Operation::Remove,
            agent: row::agent_id(&id)?,
            hash: None,
            previous_hash: Some(old.hash),
            reason: readings.reason.clone(),
        });
    }
    Ok(changes)
}

/// Stores one listing with its sources and capabilities.
async fn keep_listing(
    connection: &mut SqliteConnection,
    domain_id: i64,
    listing: &Listing,
    text: &str,
    hash: &str,
    places: &[Place],
    now: Timestamp,
) -> sqlx::Result<()> {
    let sources: Vec<&Place> = places
        .iter()
        .filter(|place| listing.sources.iter().any(|source| source.url == place.url))
        .collect();
    let last_seen = sources.iter().map(|place| place.fetched).max();
    let agent = &listing.agent;
    sqlx::query(sql::UPSERT_AGENT)
        .bind(listing.id.as_str())
        .bind(domain_id)
        .bind(&agent.name)
        .bind(&agent.description)
        .bind(&agent.url)
        .bind(&agent.version)
        .bind(agent.provider.as_ref().map(|provider| &provider.name))
        .bind(&listing.format)
        .bind(listing.level.as_str())
        .bind(text)
        .bind(hash)
        .bind(now.0)
        .bind(last_seen.unwrap_or(now.0))
        .execute(&mut *connection)
        .await?;
    keep_sources(connection, &listing.id, &sources).await?;
    keep_capabilities(connection, &listing.id, &agent.capabilities).await
}

async fn keep_sources(
    connection: &mut SqliteConnection,
    agent: &AgentId,
    sources: &[&Place],
) -> sqlx::Result<()> {
    sqlx::query(sql::DELETE_SOURCES)
        .bind(agent.as_str())
        .execute(&mut *connection)
        .await?;
    for batch in sources.chunks(BATCH) {
        let mut query = QueryBuilder::<Sqlite>::new("INSERT INTO sources (agent_id, document_id) ");
        query.push_values(batch, |mut values, place| {
            values
                .push_bind(agent.as_str().to_owned())
                .push_bind(place.id);
        });
        query
            .build()
            .persistent(false)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

async fn keep_capabilities(
    connection: &mut SqliteConnection,
    agent: &AgentId,
    capabilities: &[Capability],
) -> sqlx::Result<()> {
    sqlx::query(sql::DELETE_CAPABILITIES)
        .bind(agent.as_str())
        .execute(&mut *connection)
        .await?;
    let numbered: Vec<_> = (0_i64..).zip(capabilities).collect();
    for batch in numbered.chunks(BATCH) {
        let mut query = QueryBuilder::<Sqlite>::new(
            "INSERT INTO capabilities (agent_id, position, name, description, method, endpoint,
                                       input_schema, output_schema, requires_auth,
                                       requires_session, human_handoff) ",
        );
        query.push_values(batch, |mut values, (position, capability)| {
            values
                .push_bind(agent.as_str().to_owned())
                .push_bind(*position)
                .push_bind(capability.name.clone())
                .push_bind(capability.description.clone())
                .push_bind(capability.method.clone())
                .push_bind(capability.endpoint.clone())
                .push_bind(capability.input_schema.as_ref().map(ToString::to_string))
                .push_bind(capability.output_schema.as_ref().map(ToString::to_string))
                .push_bind(capability.requires_auth.map(i64::from))
                .push_bind(capability.requires_session.map(i64::from))
                .push_bind(capability.human_handoff.map(i64::from));
        });
        query
            .build()
            .persistent(false)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

/// Numbers and stores the changes. No other transaction writes at the same time, so numbers follow
/// the order of commits.
pub(super) async fn append(
    connection: &mut SqliteConnection,
    changes: &mut [Change],
) -> sqlx::Result<()> {
    let last: i64 = sqlx::query_scalar(sql::LAST_CHANGE)
        .fetch_one(&mut *connection)
        .await?;
    for (seq, change) in (row::count(last) + 1..).zip(changes.iter_mut()) {
        change.seq = seq;
    }
    for batch in changes.chunks(BATCH) {
        let mut query = QueryBuilder::<Sqlite>::new(
            "INSERT INTO changes (seq, at, op, agent_id, hash, previous_hash, reason) ",
        );
        query.push_values(batch, |mut values, change| {
            values
                .push_bind(row::stored(change.seq))
                .push_bind(change.at.0)
                .push_bind(change.op.as_str())
                .push_bind(change.agent.as_str().to_owned())
                .push_bind(change.hash.clone())
                .push_bind(change.previous_hash.clone())
                .push_bind(change.reason.clone());
        });
        query
            .build()
            .persistent(false)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

/// Returns the SHA-256 of the facts of a listing without hashes of sources and positions, so that a
/// document that changed only in layout changes no agent.
fn hash(listing: &Listing) -> sqlx::Result<String> {
    let mut content = listing.clone();
    content.provenance.clear();
    for source in &mut content.sources {
        source.hash.clear();
    }
    for capability in &mut content.agent.capabilities {
        capability.pointer.clear();
    }
    let claims = content.conflicts.iter_mut().flat_map(|it| &mut it.claims);
    for claim in claims {
        claim.evidence.pointer.clear();
    }
    Ok(format!("{:x}", Sha256::digest(row::json(&content)?)))
}
