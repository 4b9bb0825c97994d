//! Domains that one crawler hands on to another, and registrable domains under visit.

use super::{PERSISTENT, PostgresStore};
use crate::model::{Blocked, Lease, NotedBlock, SiteAnswer, SiteExchange};
use crate::row::json;
use manifest::{Domain, Timestamp};
use std::time::Duration;

/// Largest number of blocks that are read at once.
const MOST_BLOCKS: i64 = 10_000;

/// Returns the leases `$1`, a row, a token and a slot each, for the holder of that slot, unless they were
/// handed on to another one too often. They are ready as before.
const HAND_ON: &str = "
    UPDATE queue
    SET lease_until = NULL, lease_owner = NULL, ready = due, slot = handed.slot,
        handed_on = handed_on + CASE WHEN queue.slot = handed.slot THEN 0 ELSE 1 END
    FROM (SELECT CAST(value ->> 0 AS BIGINT) AS row, CAST(value ->> 1 AS BIGINT) AS token,
                 CAST(value ->> 2 AS BIGINT) AS slot
          FROM json_array_elements(CAST($1 AS JSON))) AS handed
    WHERE domain_id = handed.row AND lease_token = handed.token AND COALESCE(lease_until, 0) > 0
      AND (handed_on < 4 OR queue.slot = handed.slot)
    RETURNING domain_id";

/// Releases those of the sites `$2`, pairs of a name and a rest in milliseconds, that the member `$1` has.
/// Like all statements on several sites it locks them in the order of their names, so that no two members
/// wait for each other.
const RELEASE: &str = "
    WITH released AS (
        SELECT value ->> 0 AS name, CAST(value ->> 1 AS BIGINT) AS rest
        FROM json_array_elements(CAST($2 AS JSON)) AS value
    ),
    locked AS (
        SELECT site FROM site_reservations
        WHERE holder = $1 AND site IN (SELECT name FROM released)
        ORDER BY site FOR UPDATE
    )
    UPDATE site_reservations
    SET holder = NULL,
        free_from = GREATEST(free_from, clock_timestamp() + make_interval(secs => rest / 1000.0))
    FROM released
    WHERE site = released.name AND site IN (SELECT site FROM locked)";

/// Reserves those of the sites `$2` for the member `$1` that no other one visits.
const RESERVE: &str = "
    INSERT INTO site_reservations AS known (site, holder, free_from)
    SELECT value, $1, clock_timestamp() FROM json_array_elements_text(CAST($2 AS JSON)) AS value
    ORDER BY value COLLATE \"C\"
    ON CONFLICT (site) DO UPDATE SET holder = excluded.holder
    WHERE known.holder IS NULL OR known.holder = excluded.holder
    RETURNING site, CAST(GREATEST(EXTRACT(EPOCH FROM free_from - clock_timestamp()) * 1000, 0) AS BIGINT)";

/// Reserves the site `$2` for the member `$1` if no member has it. If there is a limit `$3`, the request is
/// counted among those of the last hour.
const RESERVE_ONE: &str = "
    INSERT INTO site_reservations AS known (site, holder, free_from, redirected)
    VALUES ($2, $1, clock_timestamp(),
            CASE WHEN CAST($3 AS BIGINT) IS NULL THEN '{}' ELSE ARRAY[clock_timestamp()] END)
    ON CONFLICT (site) DO UPDATE
    SET holder = excluded.holder,
        redirected = ARRAY(SELECT at FROM unnest(known.redirected) AS at
                           WHERE at > clock_timestamp() - INTERVAL '1 hour')
                     || excluded.redirected
    WHERE known.holder IS NULL
      AND ($3 IS NULL
           OR (SELECT COUNT(*) FROM unnest(known.redirected) AS at
               WHERE at > clock_timestamp() - INTERVAL '1 hour') < $3)
    RETURNING CAST(GREATEST(EXTRACT(EPOCH FROM free_from - clock_timestamp()) * 1000, 0) AS BIGINT)";

/// Deletes sites that nothing is known of any more.
const FORGET: &str = "
    DELETE FROM site_reservations
    WHERE site IN (SELECT site FROM site_reservations
                   WHERE holder IS NULL AND free_from < clock_timestamp() - INTERVAL '10 seconds'
                     AND NOT EXISTS (SELECT 1 FROM unnest(redirected) AS at
                                     WHERE at > clock_timestamp() - INTERVAL '1 hour')
                   ORDER BY free_from
                   LIMIT 1000
                   FOR UPDATE SKIP LOCKED)";

/// Blocks that were noted after `$1`, up to `$2`.
const BLOCKS: &str = "
    SELECT number, address, NULL AS host, until FROM address_blocks WHERE number > $1
    UNION ALL
    SELECT number, NULL, host, until FROM host_blocks WHERE number > $1
    ORDER BY number
    LIMIT $2";

/// Returns leases for other members.
pub(super) async fn hand_on(
    store: &PostgresStore,
    leases: &[(Lease, u8)],
) -> sqlx::Result<Vec<i64>> {
    let rows: Vec<(i64, i64, u8)> = leases
        .iter()
        .map(|(lease, slot)| (lease.row, lease.token, *slot))
        .collect();
    let mut transaction = store.begin_beside_others().await?;
    let query = sqlx::query_scalar(HAND_ON).persistent(PERSISTENT);
    let handed = query
        .bind(json(&rows)?)
        .fetch_all(&mut *transaction)
        .await?;
    transaction.commit().await?;
    Ok(handed)
}

/// Releases and reserves sites, and reads blocks: those that were noted by a visit to a site are known
/// before the next visit there.
pub(super) async fn exchange(
    store: &PostgresStore,
    exchange: &SiteExchange,
) -> sqlx::Result<SiteAnswer> {
    if !exchange.released.is_empty() {
        let mut transaction = store.begin_beside_others().await?;
        let released: Vec<(&str, u64)> = exchange
            .released
            .iter()
            .map(|(site, rest)| (site.as_str(), milliseconds(*rest)))
            .collect();
        sqlx::query(RELEASE)
            .persistent(PERSISTENT)
            .bind(&exchange.name)
            .bind(json(&released)?)
            .execute(&mut *transaction)
            .await?;
        // A transaction that keeps these rows locked must not wait for those of others.
        transaction.commit().await?;
    }
    let mut transaction = store.begin_beside_others().await?;
    let mut reserved: Vec<(String, i64)> = Vec::new();
    if !exchange.wanted.is_empty() {
        reserved = sqlx::query_as(RESERVE)
            .persistent(PERSISTENT)
            .bind(&exchange.name)
            .bind(json(&exchange.wanted)?)
            .fetch_all(&mut *transaction)
            .await?;
    }
    let blocks: Vec<(i64, Option<String>, Option<String>, i64)> = sqlx::query_as(BLOCKS)
        .persistent(PERSISTENT)
        .bind(exchange.known_blocks)
        .bind(MOST_BLOCKS)
        .fetch_all(&mut *transaction)
        .await?;
    transaction.commit().await?;
    Ok(SiteAnswer {
        reserved: reserved
            .into_iter()
            .map(|(site, rest)| (site, wait(rest)))
            .collect(),
        blocks: blocks.into_iter().filter_map(block).collect(),
    })
}

/// Reserves a site for a request that belongs to no visit there.
pub(super) async fn reserve_site(
    store: &PostgresStore,
    name: &str,
    site: &str,
    most: Option<u32>,
) -> sqlx::Result<Option<Duration>> {
    let mut transaction = store.begin_beside_others().await?;
    let rest: Option<i64> = sqlx::query_scalar(RESERVE_ONE)
        .persistent(PERSISTENT)
        .bind(name)
        .bind(site)
        .bind(most.map(i64::from))
        .fetch_optional(&mut *transaction)
        .await?;
    transaction.commit().await?;
    Ok(rest.map(wait))
}

/// Deletes what is known of sites without a visit.
pub(super) async fn forget(connection: &mut sqlx::PgConnection) -> sqlx::Result<()> {
    let query = sqlx::query(FORGET).persistent(PERSISTENT);
    query.execute(connection).await?;
    Ok(())
}

/// Returns a block; none for a row that cannot be read.
fn block(
    (number, address, host, until): (i64, Option<String>, Option<String>, i64),
) -> Option<NotedBlock> {
    let address = address.and_then(|it| it.parse().ok().map(Blocked::Address));
    let host = || host.and_then(|it| Domain::parse(&it).ok().map(Blocked::Host));
    Some(NotedBlock {
        number,
        of: address.or_else(host)?,
        until: Timestamp(until),
    })
}

fn wait(milliseconds: i64) -> Duration {
    Duration::from_millis(u64::try_from(milliseconds).unwrap_or(0))
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
