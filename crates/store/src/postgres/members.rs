//! The rows of crawlers and slots of networks.

use super::clock;
use super::persistence::PERSISTENT;
use super::process::process;
use crate::model::{FleetView, Holding, Member, Renewal};
use crate::row::{from_json, json, stored};
use sqlx::{PgConnection, Row as _};
use std::collections::BTreeMap;
use std::time::Duration;

/// Time after which all that an expired member may have sent was answered, for a process that is to be
/// the only crawler.
const LONG_AFTER: Duration = Duration::from_mins(2);

/// Serializes crawlers that join and processes that are to be the only crawler.
const ONE_BY_ONE: &str = "SELECT pg_advisory_xact_lock(4701235)";

/// Makes a process described as `$1` a member for `$2` seconds with the options `$3`, unless another one is
/// to be the only crawler.
const JOIN: &str = "
    INSERT INTO crawlers (name, description, since, until, options)
    SELECT CAST(gen_random_uuid() AS TEXT),
           'process ' || $1 || COALESCE(' (' || host(inet_client_addr()) || ')', ''),
           now(), clock_timestamp() + make_interval(secs => $2), $3
    WHERE NOT EXISTS (SELECT 1 FROM roles WHERE role = 'crawler' AND until >= now())
    RETURNING name";

/// Takes those of the slots `$2` that are free for the member `$1`.
const TAKE: &str = "
    UPDATE network_slots
    SET holder = $1
    WHERE slot IN (SELECT slot FROM network_slots
                   WHERE holder IS NULL AND slot IN (SELECT CAST(value AS BIGINT) FROM json_each($2))
                   ORDER BY slot
                   FOR UPDATE SKIP LOCKED)";

/// Describes a member whose term has not ended.
const ANY: &str = "
    SELECT description || ', since ' || to_char(since AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')
    FROM crawlers WHERE until >= clock_timestamp()
    ORDER BY since LIMIT 1";

/// Members with the ends of their terms.
const ENDS: &str =
    "SELECT name, CAST(EXTRACT(EPOCH FROM until) AS FLOAT8) FROM crawlers FOR UPDATE";

/// Renews the member `$1` in the round `$2` for `$4` seconds.
const RENEW: &str = "
    UPDATE crawlers
    SET round = $2, is_leaving = $3,
        until = clock_timestamp() + make_interval(secs => $4)
    WHERE name = $1 AND round < $2";

/// Frees those of the slots `$2` that the member `$1` has, for others from in `$3` seconds on.
const GIVE_UP: &str = "
    UPDATE network_slots
    SET holder = NULL,
        usable_from = GREATEST(usable_from, clock_timestamp() + make_interval(secs => $3))
    WHERE holder = $1 AND slot IN (SELECT CAST(value AS BIGINT) FROM json_each($2))";

/// Locks the member `$1` if its term has ended, and returns when, unless it is just being renewed.
const EXPIRED: &str = "
    SELECT CAST(EXTRACT(EPOCH FROM until) AS FLOAT8) FROM crawlers
    WHERE name = $1 AND until < clock_timestamp()
    FOR UPDATE SKIP LOCKED";

/// Frees all slots of the member `$1`, for others from `$3` seconds after `$2` on.
const FREE: &str = "
    UPDATE network_slots
    SET holder = NULL,
        usable_from = GREATEST(usable_from, to_timestamp($2) + make_interval(secs => $3))
    WHERE holder = $1";

/// Releases all sites of the member `$1`, for others from `$3` seconds after `$2` on. They are locked in
/// the order in which others reserve them.
const RELEASE_SITES: &str = "
    UPDATE site_reservations
    SET holder = NULL,
        free_from = GREATEST(free_from, to_timestamp($2) + make_interval(secs => $3))
    WHERE site IN (SELECT site FROM site_reservations WHERE holder = $1 ORDER BY site FOR UPDATE)";

/// Deletes the row of a member.
const END: &str = "DELETE FROM crawlers WHERE name = $1";

/// All members.
const MEMBERS: &str = "
    SELECT name, description, CAST(EXTRACT(EPOCH FROM since) * 1000 AS BIGINT) AS since,
           CAST(EXTRACT(EPOCH FROM until) * 1000 AS BIGINT) AS until, is_leaving, options
    FROM crawlers";

/// All slots.
const SLOTS: &str = "
    SELECT holder, CAST(EXTRACT(EPOCH FROM GREATEST(usable_from, 'epoch')) * 1000 AS BIGINT) AS usable_from
    FROM network_slots
    ORDER BY slot";

/// Makes this process a member, and returns its name; `None` beside a process that is to be the only
/// crawler.
pub(super) async fn join(
    connection: &mut PgConnection,
    term: Duration,
    options: &BTreeMap<String, String>,
) -> sqlx::Result<Option<String>> {
    let query = sqlx::query(ONE_BY_ONE).persistent(PERSISTENT);
    query.execute(&mut *connection).await?;
    let query = sqlx::query_scalar(JOIN).persistent(PERSISTENT);
    let query = query.bind(process()).bind(term.as_secs_f64());
    query.bind(json(options)?).fetch_optional(connection).await
}

/// Returns the description of a member whose term has not ended; otherwise no crawler joins before the end
/// of this transaction, and the membership of all others has ended.
pub(super) async fn any_member(connection: &mut PgConnection) -> sqlx::Result<Option<String>> {
    let query = sqlx::query(ONE_BY_ONE).persistent(PERSISTENT);
    query.execute(&mut *connection).await?;
    let query = sqlx::query_scalar(ANY).persistent(PERSISTENT);
    let other: Option<String> = query.fetch_optional(&mut *connection).await?;
    if other.is_some() {
        return Ok(other);
    }
    let query = sqlx::query_as(ENDS).persistent(PERSISTENT);
    let expired: Vec<(String, f64)> = query.fetch_all(&mut *connection).await?;
    for (name, until) in expired {
        end(connection, &name, until, LONG_AFTER).await?;
    }
    Ok(None)
}

/// Renews a member and makes the changes that it asks for; false if its membership has ended.
pub(super) async fn renew(connection: &mut PgConnection, renewal: &Renewal) -> sqlx::Result<bool> {
    let query = sqlx::query(RENEW).persistent(PERSISTENT);
    let renewed = query
        .bind(&renewal.name)
        .bind(stored(renewal.round))
        .bind(renewal.is_leaving)
        .bind(renewal.term.as_secs_f64())
        .execute(&mut *connection)
        .await?;
    if renewed.rows_affected() == 0 {
        return Ok(false);
    }
    let query = sqlx::query(GIVE_UP).persistent(PERSISTENT);
    query
        .bind(&renewal.name)
        .bind(json(&renewal.plan.give_up)?)
        .bind(renewal.after_giving_up.as_secs_f64())
        .execute(&mut *connection)
        .await?;
    for name in &renewal.plan.expired {
        end_expired(connection, name, renewal.after_end).await?;
    }
    let query = sqlx::query(TAKE).persistent(PERSISTENT);
    query
        .bind(&renewal.name)
        .bind(json(&renewal.plan.take)?)
        .execute(connection)
        .await?;
    Ok(true)
}

/// Ends the membership of a member that was just renewed.
pub(super) async fn leave(connection: &mut PgConnection, renewal: &Renewal) -> sqlx::Result<()> {
    let now = clock::now(connection).await?;
    let now = Duration::from_millis(u64::try_from(now).unwrap_or(0));
    end(
        connection,
        &renewal.name,
        now.as_secs_f64(),
        renewal.after_end,
    )
    .await
}

/// Ends the membership of another crawler if its term has ended.
async fn end_expired(
    connection: &mut PgConnection,
    name: &str,
    wait: Duration,
) -> sqlx::Result<()> {
    let query = sqlx::query_scalar(EXPIRED).persistent(PERSISTENT);
    let until: Option<f64> = query.bind(name).fetch_optional(&mut *connection).await?;
    match until {
        Some(until) => end(connection, name, until, wait).await,
        None => Ok(()),
    }
}

/// Ends a membership whose term ended at `until`, in seconds of the server's clock.
async fn end(
    connection: &mut PgConnection,
    name: &str,
    until: f64,
    wait: Duration,
) -> sqlx::Result<()> {
    for statement in [FREE, RELEASE_SITES] {
        let query = sqlx::query(statement).persistent(PERSISTENT);
        query
            .bind(name)
            .bind(until)
            .bind(wait.as_secs_f64())
            .execute(&mut *connection)
            .await?;
    }
    let query = sqlx::query(END).persistent(PERSISTENT);
    query.bind(name).execute(connection).await?;
    Ok(())
}

/// Returns crawlers and slots.
pub(super) async fn view(connection: &mut PgConnection) -> sqlx::Result<FleetView> {
    let mut view = FleetView {
        now: clock::now(connection).await?,
        ..FleetView::default()
    };
    let query = sqlx::query(MEMBERS).persistent(PERSISTENT);
    for row in query.fetch_all(&mut *connection).await? {
        let member = Member {
            description: row.try_get("description")?,
            since: row.try_get("since")?,
            until: row.try_get("until")?,
            is_leaving: row.try_get("is_leaving")?,
            options: from_json(row.try_get("options")?)?,
        };
        view.members.insert(row.try_get("name")?, member);
    }
    let query = sqlx::query(SLOTS).persistent(PERSISTENT);
    for row in query.fetch_all(connection).await? {
        view.slots.push(Holding {
            holder: row.try_get("holder")?,
            usable_from: row.try_get("usable_from")?,
        });
    }
    Ok(view)
}
