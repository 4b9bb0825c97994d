//! Clock of the server, the only one that all processes share.

use super::persistence::PERSISTENT;
use sqlx::PgConnection;

const NOW: &str = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";

/// Returns the time in milliseconds since 1970.
pub(super) async fn now(connection: &mut PgConnection) -> sqlx::Result<i64> {
    let query = sqlx::query_scalar(NOW).persistent(PERSISTENT);
    query.fetch_one(connection).await
}
