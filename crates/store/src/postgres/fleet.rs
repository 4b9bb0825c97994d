//! Crawlers that share a database, each a row that it renews.
//!
//! A crawler whose term has ended sends nothing until it is renewed. Another one may end its membership
//! meanwhile: then its row is gone, and it is a new member or none. Each statement locks the rows that it
//! changes, skips those of others, and looks again once it has them.

use super::PostgresStore;
use super::persistence::PERSISTENT;
use super::roles::process;
use crate::contract::Fleet;
use crate::error::StoreError;
use crate::model::{FleetView, Holding, Member, Renewal};
use crate::row::{json, stored};
use async_trait::async_trait;
use sqlx::{PgConnection, Row as _};
use std::time::Duration;

/// Makes a process described as `$1` a member for `$2` seconds.
const JOIN: &str = "
    INSERT INTO crawlers (name, description, since, until)
    VALUES (CAST(gen_random_uuid() AS TEXT),
            'process ' || $1 || COALESCE(' (' || host(inet_client_addr()) || ')', ''),
            now(), now() + make_interval(secs => $2))
    RETURNING name";

/// Renews the member `$1` in the round `$2` for `$4` seconds.
const RENEW: &str = "
    UPDATE crawlers
    SET round = $2, is_leaving = is_leaving OR $3,
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

/// Deletes the row of a member.
const END: &str = "DELETE FROM crawlers WHERE name = $1";

/// Takes those of the slots `$2` that are free for the member `$1`.
const TAKE: &str = "
    UPDATE network_slots
    SET holder = $1
    WHERE slot IN (SELECT slot FROM network_slots
                   WHERE holder IS NULL AND slot IN (SELECT CAST(value AS BIGINT) FROM json_each($2))
                   ORDER BY slot
                   FOR UPDATE SKIP LOCKED)";

/// The clock.
const NOW: &str = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";

/// All members.
const MEMBERS: &str = "
    SELECT name, CAST(EXTRACT(EPOCH FROM until) * 1000 AS BIGINT) AS until, is_leaving FROM crawlers";

/// All slots.
const SLOTS: &str = "
    SELECT holder, CAST(EXTRACT(EPOCH FROM GREATEST(usable_from, 'epoch')) * 1000 AS BIGINT) AS usable_from
    FROM network_slots
    ORDER BY slot";

#[async_trait]
impl Fleet for PostgresStore {
    async fn join_fleet(&self, term: Duration) -> Result<String, StoreError> {
        self.run(async {
            let mut transaction = self.begin_beside_others().await?;
            let query = sqlx::query_scalar(JOIN).persistent(PERSISTENT);
            let name = query
                .bind(process())
                .bind(term.as_secs_f64())
                .fetch_one(&mut *transaction)
                .await?;
            transaction.commit().await?;
            Ok(name)
        })
        .await
    }

    async fn renew_member(&self, renewal: &Renewal) -> Result<Option<FleetView>, StoreError> {
        self.run(async {
            let mut transaction = self.begin_beside_others().await?;
            if !renew(&mut transaction, renewal).await? {
                return Ok(None);
            }
            for name in &renewal.plan.expired {
                end_expired(&mut transaction, name, renewal.after_end).await?;
            }
            let query = sqlx::query(TAKE).persistent(PERSISTENT);
            query
                .bind(&renewal.name)
                .bind(json(&renewal.plan.take)?)
                .execute(&mut *transaction)
                .await?;
            let view = view(&mut transaction).await?;
            transaction.commit().await?;
            Ok(Some(view))
        })
        .await
    }

    async fn leave_fleet(&self, renewal: &Renewal) -> Result<(), StoreError> {
        self.run(async {
            let mut transaction = self.begin_beside_others().await?;
            if renew(&mut transaction, renewal).await? {
                let query = sqlx::query_scalar(NOW).persistent(PERSISTENT);
                let now: i64 = query.fetch_one(&mut *transaction).await?;
                let now = Duration::from_millis(u64::try_from(now).unwrap_or(0));
                end(
                    &mut transaction,
                    &renewal.name,
                    now.as_secs_f64(),
                    renewal.after_end,
                )
                .await?;
            }
            transaction.commit().await
        })
        .await
    }
}

/// Renews a member and frees what it gives up; false if its membership has ended.
async fn renew(connection: &mut PgConnection, renewal: &Renewal) -> sqlx::Result<bool> {
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
        .execute(connection)
        .await?;
    Ok(true)
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
    let query = sqlx::query(FREE).persistent(PERSISTENT);
    query
        .bind(name)
        .bind(until)
        .bind(wait.as_secs_f64())
        .execute(&mut *connection)
        .await?;
    let query = sqlx::query(END).persistent(PERSISTENT);
    query.bind(name).execute(connection).await?;
    Ok(())
}

/// Returns crawlers and slots.
async fn view(connection: &mut PgConnection) -> sqlx::Result<FleetView> {
    let query = sqlx::query_scalar(NOW).persistent(PERSISTENT);
    let mut view = FleetView {
        now: query.fetch_one(&mut *connection).await?,
        ..FleetView::default()
    };
    let query = sqlx::query(MEMBERS).persistent(PERSISTENT);
    for row in query.fetch_all(&mut *connection).await? {
        let member = Member {
            until: row.try_get("until")?,
            is_leaving: row.try_get("is_leaving")?,
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
