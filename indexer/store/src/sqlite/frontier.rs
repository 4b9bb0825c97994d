//! The frontier: due times and leases of domains.
//!
//! `ready` is the time from which a domain may be leased: for an unleased domain its `due`, or
//! later if its site was busy then; for a leased domain the end of the lease. So one ordered index
//! serves every query, and expired leases need no sweep.

use super::{BATCH, begin, exclusions, named};
use crate::row::{KnownRow, LeaseRow, count};
use crate::{Added, KnownDocument, Lease, NamedDocument, Seed, SeedSource, Waiting, sql};
use manifest::Timestamp;
use sqlx::{QueryBuilder, Sqlite, SqliteConnection, SqlitePool};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::IpAddr;

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

/// Leases the first domains in order. In another database, row locks belong in the inner select.
const LEASE: &str = "
    UPDATE domains
    SET lease_until = $2, ready = $2, lease_token = lease_token + 1
    WHERE id IN (SELECT id FROM domains WHERE ready <= $1 ORDER BY ready
                 LIMIT CAST($3 AS BIGINT))
    RETURNING id, name, port, due, lease_token, fails, interval_ms, rotation, last_outcome,
              robots, unanswered";

/// Adds seeds, roughly in order of name, which is the order of their index, so that a transaction
/// touches adjacent pages. Within a transaction the order is pseudorandom (P22).
pub(super) async fn add_seeds(
    writer: &SqlitePool,
    seeds: &[Seed],
    revisit: bool,
    now: Timestamp,
) -> sqlx::Result<Added> {
    let mut added = Added::default();
    for batch in newest(seeds).chunks(SEEDS_AT_ONCE) {
        let mut transaction = begin(writer).await?;
        let names = batch.iter().map(|seed| &seed.domain);
        let excluded = exclusions::concerning(&mut transaction, names).await?;
        let is_welcome = |seed: &&Seed| excluded.covers(&seed.domain).is_none();
        let mut welcome: Vec<&Seed> = batch.iter().copied().filter(is_welcome).collect();
        welcome.sort_by_cached_key(|seed| chance(seed));
        let mut new = 0;
        for part in welcome.chunks(BATCH) {
            let inserted = insert(&mut transaction, part, now).await?;
            if inserted < part.len() as u64 {
                update(&mut transaction, part, revisit, now).await?;
            }
            new += inserted;
        }
        transaction.commit().await?;
        added.new += new;
        added.excluded += (batch.len() - welcome.len()) as u64;
    }
    added.known = seeds.len() as u64 - added.excluded - added.new;
    Ok(added)
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

/// Inserts domains that do not exist yet, and returns their number.
pub(super) async fn insert(
    connection: &mut SqliteConnection,
    seeds: &[&Seed],
    now: Timestamp,
) -> sqlx::Result<u64> {
    if seeds.is_empty() {
        return Ok(0);
    }
    let mut query = insert_query(seeds, now);
    query.push(" ON CONFLICT (name) DO NOTHING");
    let result = query.build().persistent(seeds.len() == BATCH);
    Ok(result.execute(connection).await?.rows_affected())
}

/// Updates the ports of existing domains and, with `revisit`, makes them due.
pub(super) async fn update(
    connection: &mut SqliteConnection,
    seeds: &[&Seed],
    revisit: bool,
    now: Timestamp,
) -> sqlx::Result<()> {
    let mut query = insert_query(seeds, now);
    query.push(
        " ON CONFLICT (name) DO UPDATE SET port = excluded.port
          WHERE domains.port IS DISTINCT FROM excluded.port",
    );
    query
        .build()
        .persistent(seeds.len() == BATCH)
        .execute(&mut *connection)
        .await?;
    if !revisit {
        return Ok(());
    }
    let mut query = QueryBuilder::<Sqlite>::new(
        "UPDATE domains
         SET due = CASE WHEN not_before > ",
    );
    // The factor scatters consecutive ids (Knuth's multiplicative hash).
    let shuffled = format!(" - id * 2654435761 % {PLACES} * {PLACE_SECONDS} * 1000 END");
    let second = whole_second(now.0);
    query.push_bind(now.0).push(" THEN not_before ELSE ");
    query
        .push_bind(second)
        .push(&shuffled)
        .push(", ready = CASE WHEN not_before > ");
    query.push_bind(now.0).push(" THEN not_before ELSE ");
    query
        .push_bind(second)
        .push(&shuffled)
        .push(" WHERE due > ");
    query
        .push_bind(now.0)
        .push(" AND lease_until IS NULL AND last_visit < ");
    query.push_bind(now.0.saturating_sub(REVISIT_PAUSE_MS));
    query.push(" AND name IN (");
    let mut names = query.separated(", ");
    for seed in seeds {
        names.push_bind(seed.domain.as_str());
    }
    query.push(")");
    query
        .build()
        .persistent(seeds.len() == BATCH)
        .execute(connection)
        .await?;
    Ok(())
}

/// Returns the due time of a seed: a slot in the hour before `now`, chosen by its name (P22).
pub(super) fn shuffled(seed: &Seed, now: Timestamp) -> i64 {
    let place = if seed.source == SeedSource::Submitted {
        // Its submitter waits for it.
        PLACES
    } else {
        // The first bits, so that seeds inserted in pseudorandom order are adjacent to those of the
        // same slot.
        i64::from(chance(seed).to_be_bytes()[0])
    };
    let before = place * PLACE_SECONDS * 1000;
    whole_second(now.0.saturating_sub(before))
}

/// Returns a pseudorandom number for a seed, independent of its position in a list.
fn chance(seed: &Seed) -> u64 {
    let mut hasher = DefaultHasher::new();
    seed.domain.as_str().hash(&mut hasher);
    hasher.finish()
}

/// Rounds a time in milliseconds down to the second.
fn whole_second(moment: i64) -> i64 {
    moment.saturating_sub(moment.rem_euclid(1000))
}

fn insert_query<'a>(seeds: &[&'a Seed], now: Timestamp) -> QueryBuilder<Sqlite> {
    let mut query = QueryBuilder::new(
        "INSERT INTO domains (name, registrable, port, source, first_seen, due, ready) ",
    );
    query.push_values(seeds, |mut values, seed: &&'a Seed| {
        values
            .push_bind(seed.domain.as_str().to_owned())
            .push_bind(seed.domain.registrable().to_owned())
            .push_bind(seed.port.map(i64::from))
            .push_bind(seed.source.as_str())
            .push_bind(now.0)
            .push_bind(shuffled(seed, now))
            .push_bind(shuffled(seed, now));
    });
    query
}

/// Leases domains with their known and named documents.
pub(super) async fn lease(
    writer: &SqlitePool,
    now: Timestamp,
    lease_until: Timestamp,
    limit: u32,
) -> sqlx::Result<Vec<Lease>> {
    let mut transaction = begin(writer).await?;
    let mut rows: Vec<LeaseRow> = sqlx::query_as(LEASE)
        .bind(now.0)
        .bind(lease_until.0)
        .bind(i64::from(limit))
        .fetch_all(&mut *transaction)
        .await?;
    rows.sort_by_key(|row| (row.due, row.id));
    let mut known = known_documents(&mut transaction, &rows).await?;
    let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
    let mut named = named::of_domains(&mut transaction, &ids, now).await?;
    transaction.commit().await?;
    Ok(rows
        .into_iter()
        .filter_map(|row| {
            let documents = known.remove(&row.id).unwrap_or_default();
            let named = named.remove(&row.id).unwrap_or_default();
            readable(row, documents, named)
        })
        .collect())
}

/// Returns the lease of a row. A damaged row must not stop the crawl: it is left out until its
/// lease expires.
fn readable(
    row: LeaseRow,
    documents: Vec<KnownDocument>,
    named: Vec<NamedDocument>,
) -> Option<Lease> {
    row.lease(documents, named)
        .inspect_err(|error| tracing::error!(%error, "left out a damaged domain: {error}"))
        .ok()
}

async fn known_documents(
    connection: &mut SqliteConnection,
    rows: &[LeaseRow],
) -> sqlx::Result<HashMap<i64, Vec<KnownDocument>>> {
    let mut known: HashMap<i64, Vec<KnownDocument>> = HashMap::new();
    let visited: Vec<i64> = rows
        .iter()
        .filter(|row| row.last_outcome.is_some())
        .map(|row| row.id)
        .collect();
    for ids in visited.chunks(BATCH) {
        let mut query = QueryBuilder::<Sqlite>::new(
            // A conditional request would be pointless for bytes that are lost.
            "SELECT domain_id, requested, url,
                    CASE WHEN blobs.hash IS NULL THEN NULL ELSE etag END AS etag,
                    CASE WHEN blobs.hash IS NULL THEN NULL ELSE last_modified END AS last_modified,
                    documents.hash, missing_since, format
             FROM documents
             LEFT JOIN blobs ON blobs.hash = documents.hash
             WHERE domain_id IN (",
        );
        let mut list = query.separated(", ");
        for id in ids {
            list.push_bind(*id);
        }
        // The least recently seen document comes first, because a visit may not have requests for
        // all.
        query.push(") ORDER BY fetched, id");
        let rows: Vec<KnownRow> = query
            .build_query_as()
            .persistent(false)
            .fetch_all(&mut *connection)
            .await?;
        for row in rows {
            known.entry(row.domain_id).or_default().push(row.known());
        }
    }
    Ok(known)
}

/// Releases all leases.
pub(super) async fn release(writer: &SqlitePool, now: Timestamp, gap_ms: u32) -> sqlx::Result<u64> {
    let result = sqlx::query(sql::RELEASE_LEASES)
        .bind(now.0)
        .bind(i64::from(gap_ms))
        .execute(writer)
        .await?;
    Ok(result.rows_affected())
}

/// Stores the pause that a host needs.
pub(super) async fn note_delay(
    writer: &SqlitePool,
    lease: &Lease,
    delay_ms: u32,
) -> sqlx::Result<()> {
    sqlx::query(sql::NOTE_DELAY)
        .bind(lease.domain.as_str())
        .bind(lease.token)
        .bind(i64::from(delay_ms))
        .execute(writer)
        .await?;
    Ok(())
}

/// Returns leases.
pub(super) async fn give_back(writer: &SqlitePool, leases: &[Lease]) -> sqlx::Result<()> {
    let mut transaction = begin(writer).await?;
    for lease in leases {
        sqlx::query(sql::RETURN_LEASE)
            .bind(lease.domain.as_str())
            .bind(lease.token)
            .execute(&mut *transaction)
            .await?;
    }
    transaction.commit().await
}

/// Returns leases that are to be taken later.
pub(super) async fn postpone(
    writer: &SqlitePool,
    leases: &[(Lease, Timestamp)],
) -> sqlx::Result<()> {
    let mut transaction = begin(writer).await?;
    for (lease, until) in leases {
        sqlx::query(sql::POSTPONE_LEASE)
            .bind(lease.domain.as_str())
            .bind(lease.token)
            .bind(until.0)
            .execute(&mut *transaction)
            .await?;
    }
    transaction.commit().await
}

/// Counts the domains that may be leased, up to `most`.
pub(super) async fn due(reader: &SqlitePool, now: Timestamp, most: u32) -> sqlx::Result<u64> {
    let due: i64 = sqlx::query_scalar(sql::DUE)
        .bind(now.0)
        .bind(i64::from(most))
        .fetch_one(reader)
        .await?;
    Ok(count(due))
}

/// Summarizes the domains that were not visited since a given time and fall due after `now`.
pub(super) async fn waiting(
    reader: &SqlitePool,
    now: Timestamp,
    until: Timestamp,
    since: Timestamp,
) -> sqlx::Result<Waiting> {
    let (domains, next, last): (i64, Option<i64>, Option<i64>) = sqlx::query_as(sql::WAITING)
        .bind(now.0)
        .bind(until.0)
        .bind(since.0)
        .fetch_one(reader)
        .await?;
    Ok(Waiting {
        domains: count(domains),
        next: next.map(Timestamp),
        last: last.map(Timestamp),
    })
}

/// Returns the due time of the next unleased domain.
pub(super) async fn next_due(reader: &SqlitePool) -> sqlx::Result<Option<Timestamp>> {
    let due: Option<i64> = sqlx::query_scalar(sql::NEXT_DUE)
        .fetch_optional(reader)
        .await?;
    Ok(due.map(Timestamp))
}

/// Blocks an address.
pub(super) async fn block_address(
    writer: &SqlitePool,
    address: IpAddr,
    until: Timestamp,
) -> sqlx::Result<()> {
    sqlx::query(sql::BLOCK_ADDRESS)
        .bind(address.to_string())
        .bind(until.0)
        .execute(writer)
        .await?;
    Ok(())
}

/// Returns the blocked addresses.
pub(super) async fn address_blocks(
    writer: &SqlitePool,
    now: Timestamp,
) -> sqlx::Result<Vec<(IpAddr, Timestamp)>> {
    sqlx::query(sql::FORGET_ADDRESS_BLOCKS)
        .bind(now.0)
        .execute(writer)
        .await?;
    let rows: Vec<(String, i64)> = sqlx::query_as(sql::ADDRESS_BLOCKS)
        .fetch_all(writer)
        .await?;
    let blocks = rows.into_iter();
    Ok(blocks
        .filter_map(|(address, until)| Some((address.parse().ok()?, Timestamp(until))))
        .collect())
}
