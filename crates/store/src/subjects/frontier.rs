//! The frontier: due times of domains.
//!
//! `ready` is the time from which a domain may be leased: for an unleased domain its `due`, or
//! later if its site was busy then; for a leased domain the end of the lease. So one ordered index
//! serves every query, and expired leases need no sweep.

use super::{BATCH, Backend, Connection, PERSISTENT, QueryBuilder, exclusions, named};
use crate::contract::Frontier;
use crate::error::StoreError;
use crate::model::{
    Discovery, DocumentKind, DomainState, NamedDocument, Seed, SeedCounts, Waiting,
};
use crate::row::{count, json};
use crate::sql::frontier as sql;
use async_trait::async_trait;
use manifest::{Domain, Timestamp};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Milliseconds since the last visit within which a domain is not visited again, even on request.
const REVISIT_PAUSE_MS: i64 = 10 * 60 * 1000;

/// Number of slots, of one second each, over which domains that become due together are spread in
/// the hour before.
///
/// Few slots mean many neighbours in the index of due times: a transaction then touches some of its
/// pages instead of one page per row. One byte selects the slot.
const PLACES: i64 = 256;

/// Seconds between two slots.
const PLACE_SECONDS: i64 = 14;

/// Seeds per transaction, few enough that other writers wait only briefly.
const SEEDS_AT_ONCE: usize = 4_000;

/// Maximum number of steps between a seed and a discovered domain.
pub(super) const MAX_DEPTH: i64 = 2;

/// Makes unleased domains due that were not visited after `$5`. The factor scatters consecutive ids
/// over `$3` slots of `$4` milliseconds (Knuth's multiplicative hash).
const REVISIT: &str = "
    UPDATE queue
    SET due = CASE WHEN not_before > $1 THEN not_before
                   ELSE $2 - domain_id * 2654435761 % $3 * $4 END,
        ready = CASE WHEN not_before > $1 THEN not_before
                     ELSE $2 - domain_id * 2654435761 % $3 * $4 END
    WHERE due > $1 AND lease_until IS NULL
      AND domain_id IN (SELECT id FROM domains
                        WHERE last_visit < $5 AND name IN (SELECT value FROM json_each($6)))";

/// Puts the domains after the row `$1`, up to `$2`, into the queue: in the order of their rows over
/// `$4` slots of `$5` milliseconds before `$3`, so that those of a slot are adjacent. A submitted domain
/// comes before all others, because its submitter waits for it. Tokens begin with the time `$6`, so that
/// none repeats if a row is used again for another domain.
const ENQUEUE_NEW: &str = "
    INSERT INTO queue (domain_id, due, ready, lease_token)
    SELECT id, place, place, $6
    FROM (SELECT id, $3 - $5 * CASE WHEN source = 'submitted' THEN $4
                                    ELSE (id - $1 - 1) * $4 / ($2 - $1) END AS place
          FROM domains
          WHERE id > $1 AND id <= $2) AS new";

#[async_trait]
impl Frontier for Backend {
    /// Adds seeds roughly in order of name, which is the order of their index, so that a
    /// transaction touches adjacent pages. Within a transaction the order is pseudorandom (P22).
    async fn add_seeds(
        &self,
        seeds: &[Seed],
        revisit: bool,
        now: Timestamp,
    ) -> Result<SeedCounts, StoreError> {
        self.run(async {
            let mut added = SeedCounts::default();
            for batch in newest(seeds).chunks(SEEDS_AT_ONCE) {
                let mut transaction = self.begin_bulk().await?;
                let names = batch.iter().map(|seed| &seed.domain);
                let excluded = exclusions::concerning(&mut transaction, names).await?;
                let is_welcome = |seed: &&Seed| excluded.covers(&seed.domain).is_none();
                let mut welcome: Vec<&Seed> = batch.iter().copied().filter(is_welcome).collect();
                welcome.sort_by_cached_key(|seed| chance(&seed.domain));
                let new = add(&mut transaction, &welcome, revisit, now).await?;
                transaction.commit().await?;
                added.new += new;
                added.excluded += (batch.len() - welcome.len()) as u64;
            }
            added.known = seeds.len() as u64 - added.excluded - added.new;
            Ok(added)
        })
        .await
    }

    async fn name_documents(
        &self,
        documents: &[(Domain, NamedDocument)],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        if documents.is_empty() {
            return Ok(());
        }
        self.run(async {
            let mut transaction = self.begin_bulk().await?;
            for (domain, document) in documents {
                let named = named::name_document(&mut transaction, domain, document, now).await?;
                if let Some(id) = named {
                    super::query(sql::MAKE_DUE)
                        .bind(id)
                        .bind(now.0)
                        .bind(now.0.saturating_sub(REVISIT_PAUSE_MS))
                        .execute(&mut *transaction)
                        .await?;
                }
            }
            transaction.commit().await
        })
        .await
    }

    async fn discover(
        &self,
        discoveries: &[Discovery],
        most_waiting: u32,
        now: Timestamp,
    ) -> Result<u64, StoreError> {
        self.run(async {
            let mut transaction = self.begin_bulk().await?;
            let waiting: i64 = super::query_scalar(sql::DISCOVERED_WAITING)
                .bind(i64::from(most_waiting))
                .fetch_one(&mut *transaction)
                .await?;
            let mut room = u64::from(most_waiting).saturating_sub(count(waiting));
            let before = room;
            let names = discoveries.iter().map(|discovery| &discovery.to);
            let exclusions = exclusions::concerning(&mut transaction, names).await?;
            for discovery in discoveries {
                let Discovery { from, to, .. } = discovery;
                if exclusions.covers(to).is_some() {
                    continue;
                }
                if room > 0 {
                    let new: Option<i64> = super::query_scalar(sql::DISCOVER)
                        .bind(to.as_str())
                        .bind(now.0)
                        .bind(from.as_str())
                        .bind(MAX_DEPTH)
                        .fetch_optional(&mut *transaction)
                        .await?;
                    if let Some(id) = new {
                        let due = shuffled(to, now);
                        enqueue(&mut transaction, id, due, due).await?;
                        room -= 1;
                    }
                }
                let document = NamedDocument {
                    url: discovery.url.clone(),
                    named_by: discovery.named_by.clone(),
                    is_own: false,
                    kind: DocumentKind::Manifest,
                    is_absent: false,
                };
                named::name_document(&mut transaction, to, &document, now).await?;
            }
            transaction.commit().await?;
            Ok(before - room)
        })
        .await
    }

    async fn domain_state(&self, domain: &Domain) -> Result<Option<DomainState>, StoreError> {
        let query = super::query_as(sql::DOMAIN_STATE).bind(domain.as_str());
        self.run(async {
            query
                .fetch_optional(&mut *self.reading_replica().await?)
                .await
        })
        .await
    }

    async fn due(&self, now: Timestamp, most: u32) -> Result<u64, StoreError> {
        let query = super::query_scalar(sql::DUE)
            .bind(now.0)
            .bind(i64::from(most));
        self.run(async { query.fetch_one(&mut *self.reading().await?).await })
            .await
            .map(count)
    }

    async fn waiting(
        &self,
        now: Timestamp,
        until: Timestamp,
        since: Timestamp,
    ) -> Result<Waiting, StoreError> {
        let query = super::query_as(sql::WAITING)
            .bind(now.0)
            .bind(until.0)
            .bind(since.0);
        self.run(async { query.fetch_one(&mut *self.reading().await?).await })
            .await
    }

    async fn next_due(&self) -> Result<Option<Timestamp>, StoreError> {
        let query = super::query_scalar(sql::NEXT_DUE);
        let due: Option<i64> = self
            .run(async { query.fetch_optional(&mut *self.reading().await?).await })
            .await?;
        Ok(due.map(Timestamp))
    }
}

/// Returns the last seed of each domain ordered by name, because a statement must not touch a row
/// twice.
fn newest(seeds: &[Seed]) -> Vec<&Seed> {
    let mut unique: Vec<&Seed> = seeds.iter().rev().collect();
    // The sort is stable: the last seed of a domain stays first.
    unique.sort_by(|a, b| a.domain.cmp(&b.domain));
    unique.dedup_by(|other, first| other.domain == first.domain);
    unique
}

/// Adds domains, and returns the number of new ones. Existing domains get the port of the seed and,
/// with `revisit`, become due.
pub(super) async fn add(
    connection: &mut Connection,
    seeds: &[&Seed],
    revisit: bool,
    now: Timestamp,
) -> sqlx::Result<u64> {
    let before = last_domain(connection).await?;
    let mut new = 0;
    for part in seeds.chunks(BATCH) {
        new += insert(connection, part, revisit, now).await?;
    }
    if new > 0 {
        let last = last_domain(connection).await?;
        super::query(ENQUEUE_NEW)
            .bind(before)
            .bind(last)
            .bind(whole_second(now.0))
            .bind(PLACES)
            .bind(PLACE_SECONDS * 1000)
            .bind(now.0)
            .execute(connection)
            .await?;
    }
    Ok(new)
}

async fn last_domain(connection: &mut Connection) -> sqlx::Result<i64> {
    let last: Option<i64> = super::query_scalar(sql::LAST_DOMAIN)
        .fetch_one(connection)
        .await?;
    Ok(last.unwrap_or_default())
}

/// Inserts domains, of which the new ones are not in the queue yet, and returns the number of those.
async fn insert(
    connection: &mut Connection,
    seeds: &[&Seed],
    revisit: bool,
    now: Timestamp,
) -> sqlx::Result<u64> {
    let mut query = insert_query(seeds, now);
    query.push(" ON CONFLICT (name) DO NOTHING");
    let query = query.build().persistent(PERSISTENT && seeds.len() == BATCH);
    let inserted = query.execute(&mut *connection).await?.rows_affected();
    if inserted == seeds.len() as u64 {
        return Ok(inserted);
    }
    let mut query = insert_query(seeds, now);
    query.push(
        " ON CONFLICT (name) DO UPDATE SET port = excluded.port
          WHERE domains.port IS DISTINCT FROM excluded.port",
    );
    query
        .build()
        .persistent(PERSISTENT && seeds.len() == BATCH)
        .execute(&mut *connection)
        .await?;
    if revisit {
        let names: Vec<&str> = seeds.iter().map(|seed| seed.domain.as_str()).collect();
        super::query(REVISIT)
            .bind(now.0)
            .bind(whole_second(now.0))
            .bind(PLACES)
            .bind(PLACE_SECONDS * 1000)
            .bind(now.0.saturating_sub(REVISIT_PAUSE_MS))
            .bind(json(&names)?)
            .execute(connection)
            .await?;
    }
    Ok(inserted)
}

/// Returns the due time of a discovered domain: a slot in the hour before `now`, chosen by its name (P22).
fn shuffled(domain: &Domain, now: Timestamp) -> i64 {
    let place = i64::from(chance(domain).to_be_bytes()[0]);
    let before = place * PLACE_SECONDS * 1000;
    whole_second(now.0.saturating_sub(before))
}

/// Returns a pseudorandom number for a domain, independent of its position in a list.
fn chance(domain: &Domain) -> u64 {
    let mut hasher = DefaultHasher::new();
    domain.as_str().hash(&mut hasher);
    hasher.finish()
}

/// Rounds a time in milliseconds down to the second.
fn whole_second(moment: i64) -> i64 {
    moment.saturating_sub(moment.rem_euclid(1000))
}

fn insert_query<'a>(seeds: &[&'a Seed], now: Timestamp) -> QueryBuilder {
    let mut query = QueryBuilder::new("INSERT INTO domains (name, port, source, first_seen) ");
    query.push_values(seeds, |mut values, seed: &&'a Seed| {
        values
            .push_bind(seed.domain.as_str().to_owned())
            .push_bind(seed.port.map(i64::from))
            .push_bind(seed.source.as_str())
            .push_bind(now.0);
    });
    query
}

/// Puts a new domain into the queue.
pub(super) async fn enqueue(
    connection: &mut Connection,
    domain_id: i64,
    due: i64,
    ready: i64,
) -> sqlx::Result<()> {
    super::query(sql::ENQUEUE)
        .bind(domain_id)
        .bind(due)
        .bind(ready)
        .execute(connection)
        .await?;
    Ok(())
}
