//! The frontier: which domains are to be visited, and who has them.
//!
//! `ready` is when a domain may be leased: its `due` while it is free, or later when its site was busy
//! then, and the end of the lease while it is not free. So one ordered index serves every question, and an expired lease needs no sweep.

use super::{BATCH, begin, leaving, named};
use crate::row::{KnownRow, LeaseRow, count};
use crate::{Added, KnownDocument, Lease, NamedDocument, Seed, SeedSource, Waiting, sql};
use manifest::Timestamp;
use sqlx::{QueryBuilder, Sqlite, SqliteConnection, SqlitePool};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::IpAddr;

/// A domain visited within this many milliseconds is not asked again, whoever wants it.
const REVISIT_PAUSE_MS: i64 = 10 * 60 * 1000;

/// Domains that become due together are spread over so many places in the hour before, a place being a
/// second.
///
/// They are few, so that neighbours in the index of what is due are many: a transaction then touches some of
/// its pages instead of one for each row. A byte says which.
const PLACES: i64 = 256;

/// Seconds from one place to the next.
const PLACE_SECONDS: i64 = 14;

/// Seeds in one transaction: as many as keep others that write waiting for a moment only.
const SEEDS_AT_ONCE: usize = 4_000;

/// Leases the first domains in line. Any lock on rows in another database goes into the inner select.
const LEASE: &str = "
    UPDATE domains
    SET lease_until = $2, ready = $2, lease_token = lease_token + 1
    WHERE id IN (SELECT id FROM domains WHERE ready <= $1 ORDER BY ready
                 LIMIT CAST($3 AS BIGINT))
    RETURNING id, name, port, due, lease_token, fails, interval_ms, rotation, last_outcome,
              robots, unanswered";

/// Adds seeds, by and large in order of name: that of the index that they go to, of which a transaction then
/// touches neighbouring pages. Within a transaction it is an order by chance (P22), which costs nothing more.
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
        let excluded = leaving::concerning(&mut transaction, names).await?;
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

/// The last seed of each domain in order of name, since no statement may touch a row twice.
fn newest(seeds: &[Seed]) -> Vec<&Seed> {
    let mut unique: Vec<&Seed> = seeds.iter().rev().collect();
    // Stable: of the same domain the last seed stays the first.
    unique.sort_by(|a, b| a.domain.cmp(&b.domain));
    unique.dedup_by(|other, first| other.domain == first.domain);
    unique
}

/// Inserts domains that are not there; answers how many.
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

/// Gives domains that are there their newest port and, with `revisit`, makes them due.
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
    // The factor scatters consecutive ids, as Knuth's multiplicative hash does.
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

/// When a seed is due: at some place in the hour before `now`, as its name decides (P22).
pub(super) fn shuffled(seed: &Seed, now: Timestamp) -> i64 {
    let place = if seed.source == SeedSource::Submitted {
        // Somebody waits for it.
        PLACES
    } else {
        // The first bits, so that seeds that go in by chance are side by side with those of the same place.
        i64::from(chance(seed).to_be_bytes()[0])
    };
    let before = place * PLACE_SECONDS * 1000;
    whole_second(now.0.saturating_sub(before))
}

/// What chance gives a seed: a number that has nothing to do with its place in a list.
fn chance(seed: &Seed) -> u64 {
    let mut hasher = DefaultHasher::new();
    seed.domain.as_str().hash(&mut hasher);
    hasher.finish()
}

/// The second that a moment is in, both in milliseconds.
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

/// Leases domains with what is known of their documents.
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

/// The lease of a row. One damaged row must not stop the crawl: it is left out, and met again when
/// its lease expires.
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
            // Nobody is asked whether bytes that were lost have changed.
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
        // The one that was not seen for longest comes first: a visit may have no room for all.
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

/// Frees every lease.
pub(super) async fn release(writer: &SqlitePool, now: Timestamp, gap_ms: u32) -> sqlx::Result<u64> {
    let result = sqlx::query(sql::RELEASE_LEASES)
        .bind(now.0)
        .bind(i64::from(gap_ms))
        .execute(writer)
        .await?;
    Ok(result.rows_affected())
}

/// Remembers the pause that a host is owed.
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

/// Gives leases back.
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

/// Gives leases back that are to be taken later.
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

/// Counts what may be leased, up to `most`.
pub(super) async fn due(reader: &SqlitePool, now: Timestamp, most: u32) -> sqlx::Result<u64> {
    let due: i64 = sqlx::query_scalar(sql::DUE)
        .bind(now.0)
        .bind(i64::from(most))
        .fetch_one(reader)
        .await?;
    Ok(count(due))
}

/// What was not visited since a moment, and falls due after `now`.
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

/// When the next free domain falls due.
pub(super) async fn next_due(reader: &SqlitePool) -> sqlx::Result<Option<Timestamp>> {
    let due: Option<i64> = sqlx::query_scalar(sql::NEXT_DUE)
        .fetch_optional(reader)
        .await?;
    Ok(due.map(Timestamp))
}

/// Remembers that an address is to be left alone.
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

/// The addresses that are to be left alone still.
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
