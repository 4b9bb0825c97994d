//! Agents: replaced by a new reading of their domain, and listed.

use super::changes::{append, removal};
use super::moderation::HiddenAgents;
use super::site_states::keep_after;
use super::{Backend, Connection, insert_rows};
use crate::contract::Agents;
use crate::error::StoreError;
use crate::model::{Change, DocumentReading, DomainReadings, ListedAgent, Operation, StoredAgent};
use crate::row::{from_json, json, rows, stored};
use crate::sql::agents as sql;
use async_trait::async_trait;
use manifest::change::classes;
use manifest::succession::successors;
use manifest::{AgentId, Listing, Timestamp};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};

/// Agents by id.
const AGENTS_BY_ID: &str = sql::agents!("WHERE agents.id IN (SELECT value FROM json_each($1))");

/// Agent before the reading.
struct PriorAgent {
    id: String,
    hash: String,
    listing: String,
    first_seen: i64,
}

impl PriorAgent {
    /// Returns its listing; `None` if an earlier version of the program wrote it in another form,
    /// which has no classes of changes and no successor.
    fn listing(&self) -> Option<Listing> {
        from_json(&self.listing).ok()
    }
}

/// Document of the domain.
struct Place {
    id: i64,
    url: String,
    fetched: i64,
}

rows! {
    PriorAgent { id, hash, listing, first_seen }
    Place { id, url, fetched }
}

#[async_trait]
impl Agents for Backend {
    async fn replace_agents(
        &self,
        readings: &DomainReadings,
        now: Timestamp,
    ) -> Result<Vec<Change>, StoreError> {
        self.run(async {
            let mut transaction = self.begin_durable().await?;
            let domain_id: Option<i64> = super::query_scalar(sql::FINISH_READING)
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
            keep_after(&mut transaction, &readings.unread.domain).await?;
            transaction.commit().await?;
            Ok(changes)
        })
        .await
    }

    async fn agents(
        &self,
        after: Option<&AgentId>,
        limit: u32,
    ) -> Result<Vec<StoredAgent>, StoreError> {
        let query = super::query_as(sql::AGENTS)
            .bind(after.map_or("", AgentId::as_str))
            .bind(i64::from(limit));
        self.run(async { query.fetch_all(&mut *self.reading_replica().await?).await })
            .await
    }

    async fn listed_agents(&self, before: u64, limit: u32) -> Result<Vec<ListedAgent>, StoreError> {
        let query = super::query_as(sql::LISTED_AGENTS)
            .bind(stored(before))
            .bind(i64::from(limit));
        self.run(async { query.fetch_all(&mut *self.reading_replica().await?).await })
            .await
    }

    async fn agents_by_id(&self, ids: &[AgentId]) -> Result<Vec<StoredAgent>, StoreError> {
        self.run(async {
            let found: Vec<StoredAgent> = super::query_as(AGENTS_BY_ID)
                .bind(json(ids)?)
                .fetch_all(&mut *self.reading_replica().await?)
                .await?;
            let mut found: HashMap<AgentId, StoredAgent> = found
                .into_iter()
                .map(|agent| (agent.listing.id.clone(), agent))
                .collect();
            Ok(ids.iter().filter_map(|id| found.remove(id)).collect())
        })
        .await
    }
}

/// Stores the result of reading a document.
async fn keep_reading(
    connection: &mut Connection,
    domain_id: i64,
    reading: &DocumentReading,
) -> sqlx::Result<()> {
    let result = super::query(sql::READ_DOCUMENT)
        .bind(reading.id)
        .bind(domain_id)
        .bind(reading.format.as_str())
        .bind(&reading.generation)
        .bind(reading.level.as_str())
        .execute(&mut *connection)
        .await?;
    if result.rows_affected() == 0 {
        return Ok(());
    }
    for statement in [sql::DELETE_FINDINGS, sql::DELETE_MENTIONS] {
        super::query(statement)
            .bind(reading.id)
            .execute(&mut *connection)
            .await?;
    }
    let with_places = reading.findings.iter().map(|it| Ok((it, json(&it.also)?)));
    let with_places: Vec<_> = with_places.collect::<sqlx::Result<_>>()?;
    let numbered: Vec<_> = (0_i64..).zip(&with_places).collect();
    let statement = "INSERT INTO findings (document_id, position, rule, severity, pointer, line,
                                           line_column, excerpt, message, help,
                                           correction, places, also) ";
    insert_rows(connection, statement, &numbered, |mut values, row| {
        let (position, (finding, also)) = row;
        values
            .push_bind(reading.id)
            .push_bind(*position)
            .push_bind(finding.rule.id)
            .push_bind(finding.severity.as_str())
            .push_bind(finding.pointer.clone())
            .push_bind(finding.line.map(i64::from))
            .push_bind(finding.column.map(i64::from))
            .push_bind(finding.excerpt.clone())
            .push_bind(finding.message.clone())
            .push_bind(finding.help.clone())
            .push_bind(finding.correction.clone())
            .push_bind(i64::from(finding.count))
            .push_bind(also.clone());
    })
    .await?;
    let numbered: Vec<_> = (0_i64..).zip(&reading.mentions).collect();
    let statement = "INSERT INTO mentions (document_id, position, name, publisher, url, pointer) ";
    insert_rows(connection, statement, &numbered, |mut values, row| {
        let (position, mention) = row;
        values
            .push_bind(reading.id)
            .push_bind(*position)
            .push_bind(mention.name.clone())
            .push_bind(mention.publisher.clone())
            .push_bind(mention.url.clone())
            .push_bind(mention.pointer.clone());
    })
    .await
}

/// Stores the listings and returns the changes without sequence numbers, in the order of the
/// listings, removals last.
async fn keep_listings(
    connection: &mut Connection,
    domain_id: i64,
    readings: &DomainReadings,
    now: Timestamp,
) -> sqlx::Result<Vec<Change>> {
    let before: Vec<PriorAgent> = super::query_as(sql::AGENTS_BEFORE)
        .bind(domain_id)
        .fetch_all(&mut *connection)
        .await?;
    let mut before: BTreeMap<String, PriorAgent> = before
        .into_iter()
        .map(|agent| (agent.id.clone(), agent))
        .collect();
    let places: Vec<Place> = super::query_as(sql::DOCUMENT_PLACES)
        .bind(domain_id)
        .fetch_all(&mut *connection)
        .await?;

    let hidden = HiddenAgents::of(connection, readings.unread.domain.as_str()).await?;
    let mut changes = Vec::new();
    let mut present = Vec::new();
    for listing in &readings.listings {
        let old = before.remove(listing.id.as_str());
        present.extend(old);
        let old = present.last().filter(|it| it.id == listing.id.as_str());
        let hash = hash(listing)?;
        let text = json(listing)?;
        if old.is_some_and(|old| old.listing == text) {
            continue;
        }
        keep_listing(connection, domain_id, listing, &text, &hash, &places, now).await?;
        let op = match old {
            _ if hidden.covers(listing.id.as_str()) => continue,
            None => first_operation(connection, listing.id.as_str()).await?,
            Some(old) if old.hash == hash => continue,
            Some(_) => Operation::Update,
        };
        let earlier = old.and_then(PriorAgent::listing);
        changes.push(Change {
            classes: earlier.map_or_else(Vec::new, |it| classes(&it, listing)),
            hash: Some(hash),
            previous_hash: old.map(|it| it.hash.clone()),
            ..Change::new(op, listing.id.clone(), "", now)
        });
    }
    let added = changes.iter().enumerate();
    let added = added.filter(|(_, change)| change.op == Operation::Add);
    let added: HashMap<AgentId, usize> = added.map(|(at, it)| (it.agent.clone(), at)).collect();
    let successors = successors_of(&before, &present, &readings.listings);
    for (id, old) in before {
        super::query(sql::DELETE_AGENT)
            .bind(&id)
            .execute(&mut *connection)
            .await?;
        if hidden.covers(&id) {
            continue;
        }
        let mut change = removal(id, old.hash, &readings.reason, now)?;
        if let Some(successor) = successors.get(&change.agent) {
            change.reason = match added.get(successor) {
                Some(at) => {
                    changes[*at].reason = format!("renamed from {}", change.agent);
                    super::query(sql::INHERIT_FIRST_SEEN)
                        .bind(successor.as_str())
                        .bind(old.first_seen)
                        .execute(&mut *connection)
                        .await?;
                    format!("renamed to {successor}")
                }
                None => format!("became part of {successor}"),
            };
            change.successor = Some(successor.clone());
        }
        changes.push(change);
    }
    Ok(changes)
}

/// Returns the operation that lists an agent: one that left with its owner is restored.
async fn first_operation(connection: &mut Connection, id: &str) -> sqlx::Result<Operation> {
    let last: Option<String> = super::query_scalar(sql::LAST_OPERATION)
        .bind(id)
        .fetch_optional(connection)
        .await?;
    let has_left = last.as_deref() == Some(Operation::OptOut.as_str());
    Ok(if has_left {
        Operation::Restore
    } else {
        Operation::Add
    })
}

/// Returns the present ids of the agents that are no longer listed under their own; `kept` has those
/// that are, as they were before.
fn successors_of(
    gone: &BTreeMap<String, PriorAgent>,
    kept: &[PriorAgent],
    listings: &[Listing],
) -> BTreeMap<AgentId, AgentId> {
    if gone.is_empty() || listings.is_empty() {
        return BTreeMap::new();
    }
    let before = gone.values().chain(kept);
    let before: Vec<Listing> = before.filter_map(PriorAgent::listing).collect();
    successors(&before, listings)
}

/// Stores one listing with its sources.
async fn keep_listing(
    connection: &mut Connection,
    domain_id: i64,
    listing: &Listing,
    text: &str,
    hash: &str,
    places: &[Place],
    now: Timestamp,
) -> sqlx::Result<()> {
    let id = listing.id.as_str();
    let sources: Vec<&Place> = places
        .iter()
        .filter(|place| listing.sources.iter().any(|source| source.url == place.url))
        .collect();
    let last_seen = sources.iter().map(|place| place.fetched).max();
    super::query(sql::UPSERT_AGENT)
        .bind(id)
        .bind(domain_id)
        .bind(stored(listing.agent.capabilities.len() as u64))
        .bind(text)
        .bind(hash)
        .bind(now.0)
        .bind(last_seen.unwrap_or(now.0))
        .execute(&mut *connection)
        .await?;
    super::query(sql::DELETE_SOURCES)
        .bind(id)
        .execute(&mut *connection)
        .await?;
    let statement = "INSERT INTO sources (agent_id, document_id) ";
    insert_rows(connection, statement, &sources, |mut values, place| {
        values.push_bind(id.to_owned()).push_bind(place.id);
    })
    .await
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
    Ok(format!("{:x}", Sha256::digest(json(&content)?)))
}
