//! Turns for requests to the networks of another crawler.

use super::{PERSISTENT, PostgresStore};
use crate::model::{GuestPermit, TurnAnswer, TurnExchange};
use sqlx::postgres::PgRow;
use sqlx::{PgConnection, Row as _};
use std::net::IpAddr;
use std::time::Duration;

/// Largest number of permits that one member serves at once.
const MOST_GUESTS: i64 = 1_000;

/// Adds and changes permits of the member `$1`. A turn that was granted stays granted.
const ASK: &str = "
    INSERT INTO guest_permits AS known
        (guest, number, slot, address, is_counted, site, host, asked, answered, rest_ms, is_ended)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
    ON CONFLICT (guest, number) DO UPDATE
    SET site = excluded.site, host = excluded.host, asked = excluded.asked, answered = excluded.answered,
        rest_ms = excluded.rest_ms, is_ended = excluded.is_ended";

/// Deletes the permit `$2` of the guest `$1`, which has ended.
const END: &str = "DELETE FROM guest_permits WHERE guest = $1 AND number = $2 AND is_ended";

/// Grants the turn `$4` of the permit `$3` of the guest `$2` for `$5` seconds, if the member `$1` has that
/// slot and its term has not ended: the wait after its end reckons with turns that it granted before.
const GRANT: &str = "
    UPDATE guest_permits
    SET granted = $4, granted_until = clock_timestamp() + make_interval(secs => $5)
    WHERE guest = $2 AND number = $3 AND asked = $4
      AND slot IN (SELECT slot FROM network_slots WHERE holder = $1)
      AND EXISTS (SELECT 1 FROM crawlers WHERE name = $1 AND until > clock_timestamp())";

/// Turns that the member `$1` was granted and has not used yet.
const GRANTED: &str = "
    SELECT number, granted,
           CAST(GREATEST(EXTRACT(EPOCH FROM granted_until - clock_timestamp()) * 1000, 0) AS BIGINT)
    FROM guest_permits
    WHERE guest = $1 AND granted > answered";

/// Permits of others, up to `$2`, in slots of the member `$1`.
const GUESTS: &str = "
    SELECT guest, number, guest_permits.slot, address, is_counted, site, host, asked, answered, rest_ms,
           is_ended
    FROM guest_permits
    JOIN network_slots ON network_slots.slot = guest_permits.slot AND holder = $1
    WHERE guest <> $1
    ORDER BY guest, number
    LIMIT $2";

/// Asks for turns, grants those of others, and returns both.
pub(super) async fn exchange(
    store: &PostgresStore,
    exchange: &TurnExchange,
) -> sqlx::Result<TurnAnswer> {
    let mut transaction = store.begin_beside_others().await?;
    for (guest, number) in &exchange.ended {
        sqlx::query(END)
            .persistent(PERSISTENT)
            .bind(guest)
            .bind(number)
            .execute(&mut *transaction)
            .await?;
    }
    for permit in &exchange.asked {
        ask(&mut transaction, permit).await?;
    }
    for grant in &exchange.grants {
        sqlx::query(GRANT)
            .persistent(PERSISTENT)
            .bind(&exchange.name)
            .bind(&grant.guest)
            .bind(grant.number)
            .bind(grant.turn)
            .bind(exchange.valid.as_secs_f64())
            .execute(&mut *transaction)
            .await?;
    }
    let query = sqlx::query_as(GRANTED).persistent(PERSISTENT);
    let granted: Vec<(i64, i64, i64)> = query
        .bind(&exchange.name)
        .fetch_all(&mut *transaction)
        .await?;
    let query = sqlx::query(GUESTS).persistent(PERSISTENT);
    let guests = query
        .bind(&exchange.name)
        .bind(MOST_GUESTS)
        .fetch_all(&mut *transaction)
        .await?;
    transaction.commit().await?;
    let valid = |ms: i64| Duration::from_millis(u64::try_from(ms).unwrap_or(0));
    Ok(TurnAnswer {
        granted: granted
            .into_iter()
            .map(|(number, turn, ms)| (number, turn, valid(ms)))
            .collect(),
        guests: guests.iter().map(permit).collect::<sqlx::Result<_>>()?,
    })
}

async fn ask(connection: &mut PgConnection, permit: &GuestPermit) -> sqlx::Result<()> {
    sqlx::query(ASK)
        .persistent(PERSISTENT)
        .bind(&permit.guest)
        .bind(permit.number)
        .bind(i64::from(permit.slot))
        .bind(permit.address.to_string())
        .bind(permit.is_counted)
        .bind(&permit.site)
        .bind(&permit.host)
        .bind(permit.asked)
        .bind(permit.answered)
        .bind(i64::try_from(permit.rest.as_millis()).unwrap_or(i64::MAX))
        .bind(permit.is_ended)
        .execute(connection)
        .await?;
    Ok(())
}

fn permit(row: &PgRow) -> sqlx::Result<GuestPermit> {
    let address: String = row.try_get("address")?;
    let address: IpAddr = address
        .parse()
        .map_err(|error| sqlx::Error::Decode(Box::new(error)))?;
    let slot: i64 = row.try_get("slot")?;
    let rest: i64 = row.try_get("rest_ms")?;
    Ok(GuestPermit {
        guest: row.try_get("guest")?,
        number: row.try_get("number")?,
        slot: u8::try_from(slot).map_err(|error| sqlx::Error::Decode(Box::new(error)))?,
        address,
        is_counted: row.try_get("is_counted")?,
        site: row.try_get("site")?,
        host: row.try_get("host")?,
        asked: row.try_get("asked")?,
        answered: row.try_get("answered")?,
        rest: Duration::from_millis(u64::try_from(rest).unwrap_or(0)),
        is_ended: row.try_get("is_ended")?,
    })
}
