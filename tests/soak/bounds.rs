//! The bound of each table, as docs/operating.md states them ("What is kept for how long").

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, SqliteConnection};
use std::collections::BTreeMap;
use std::path::Path;

/// Table, and a query for the number of its rows that should not be there any more. `$1` is the time in
/// milliseconds, and deletions have a day until the next round: `$1 - 31 * 86400000` is 30 days ago.
///
/// `SELECT 0` stands for tables whose rows belong to a row of another table, which takes them with it,
/// and for those that are always kept.
const BOUNDS: &[(&str, &str)] = &[
    ("_sqlx_migrations", "SELECT 0"),
    (
        "address_blocks",
        "SELECT COUNT(*) FROM address_blocks WHERE until < $1 - 86400000",
    ),
    (
        "agents",
        "SELECT COUNT(*) FROM agents WHERE id NOT IN (SELECT agent_id FROM sources)",
    ),
    (
        "blobs",
        "SELECT COUNT(*) FROM blobs
         WHERE hash NOT IN (SELECT hash FROM documents) AND hash NOT IN (SELECT hash FROM versions)",
    ),
    (
        "census",
        "SELECT MAX(0, COUNT(*) - 1 - MAX(day) + MIN(day)) FROM census",
    ),
    (
        "changes",
        "SELECT COUNT(*) FROM changes WHERE at < $1 - 91 * 86400000",
    ),
    (
        "claim_checks",
        "SELECT COUNT(*) FROM claim_checks WHERE at < $1 - 2 * 86400000",
    ),
    (
        "claims",
        "SELECT COUNT(*) FROM claims
         WHERE expires < $1 - 31 * 86400000 AND domain NOT IN (SELECT name FROM exclusions)",
    ),
    (
        "documents",
        "SELECT COUNT(*) FROM documents WHERE missing_since < $1 - 7 * 86400000",
    ),
    (
        "domains",
        "SELECT COUNT(*) FROM domains
         WHERE source <> 'seed' AND last_outcome = 'dns_error' AND fails >= 5
           AND interval_ms >= 180 * 86400000",
    ),
    (
        "edge_answers",
        "SELECT COUNT(*) FROM edge_answers JOIN domains ON domains.id = domain_id
         WHERE last_outcome <> 'refused'",
    ),
    ("exclusions", "SELECT 0"),
    ("feed", "SELECT COUNT(*) - 1 FROM feed"),
    ("findings", "SELECT 0"),
    ("hidden", "SELECT 0"),
    (
        "host_blocks",
        "SELECT COUNT(*) FROM host_blocks WHERE until < $1 - 86400000",
    ),
    ("last_backup", "SELECT MAX(0, COUNT(*) - 1) FROM last_backup"),
    ("mentions", "SELECT 0"),
    ("moderation", "SELECT 0"),
    ("named_documents", "SELECT 0"),
    (
        "new_names",
        "SELECT COUNT(*) FROM new_names WHERE at < $1 - 2 * 86400000",
    ),
    (
        "queue",
        "SELECT (SELECT COUNT(*) FROM queue) - (SELECT COUNT(*) FROM domains)",
    ),
    (
        "reports",
        "SELECT COUNT(*) FROM reports
         WHERE closed < $1 - 31 * 86400000 OR at < $1 - 2 * 86400000 AND network IS NOT NULL",
    ),
    (
        "requested_hours",
        "SELECT COUNT(*) FROM requested_hours WHERE hour * 3600000 < $1 - 2 * 86400000",
    ),
    (
        "session_calls",
        "SELECT COUNT(*) FROM session_calls WHERE session NOT IN (SELECT id FROM sessions)",
    ),
    (
        "sessions",
        "SELECT COUNT(*) FROM sessions
         WHERE expires < $1 - 31 * 86400000 OR created < $1 - 2 * 86400000 AND network <> ''",
    ),
    ("sources", "SELECT 0"),
    (
        "submissions",
        "SELECT COUNT(*) FROM submissions
         WHERE state <> 'waiting' AND at < $1 - 31 * 86400000
            OR state = 'visited' AND network IS NOT NULL",
    ),
    (
        "tombstones",
        "SELECT COUNT(*) FROM (SELECT 1 FROM tombstones GROUP BY domain HAVING COUNT(*) > 2000)",
    ),
    ("vectors", "SELECT 0"),
    (
        "versions",
        "SELECT (SELECT COUNT(*) FROM versions WHERE last_seen < $1 - 731 * 86400000)
              + (SELECT COUNT(*) FROM (SELECT 1 FROM versions WHERE last_seen IS NOT NULL
                                       GROUP BY document_id HAVING COUNT(*) > 100))",
    ),
    (
        "visit_hours",
        "SELECT COUNT(*) FROM visit_hours WHERE hour * 3600000 < $1 - 8 * 86400000",
    ),
    (
        "visits",
        "SELECT COUNT(*) FROM (
             SELECT name, COUNT(*) AS visits FROM visits JOIN domains ON domains.id = domain_id
             GROUP BY domain_id)
         WHERE visits > 20
            OR visits > 3 AND name NOT IN (SELECT domain FROM tombstones)
               AND name NOT IN (SELECT substr(id, 1, instr(id, '/') - 1) FROM agents)",
    ),
];

/// Tables that the events of a soak fill within ten days.
pub(crate) const TABLES_IN_USE: &[&str] = &[
    "address_blocks",
    "blobs",
    "census",
    "changes",
    "claim_checks",
    "claims",
    "edge_answers",
    "exclusions",
    "findings",
    "hidden",
    "host_blocks",
    "moderation",
    "new_names",
    "reports",
    "requested_hours",
    "session_calls",
    "submissions",
    "tombstones",
    "versions",
    "visit_hours",
];

/// Opens the database for looking only.
pub(crate) async fn look(path: &Path) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(path).read_only(true);
    options.connect().await.unwrap()
}

/// Returns the rows of each table.
#[expect(clippy::disallowed_methods, reason = "the names are constants")]
pub(crate) async fn rows(database: &mut SqliteConnection) -> BTreeMap<&'static str, u64> {
    let mut rows = BTreeMap::new();
    for (table, _) in BOUNDS {
        let statement = sqlx::AssertSqlSafe(format!("SELECT COUNT(*) FROM {table}"));
        let number: i64 = sqlx::query_scalar(statement)
            .fetch_one(&mut *database)
            .await
            .unwrap();
        rows.insert(*table, u64::try_from(number).unwrap());
    }
    rows
}

/// Asserts that each table is within its bound at `now`, and that each has one.
pub(crate) async fn hold(database: &mut SqliteConnection, now: i64) {
    let names = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
    let names: Vec<String> = sqlx::query_scalar(names)
        .fetch_all(&mut *database)
        .await
        .unwrap();
    let stated: Vec<_> = BOUNDS.iter().map(|(table, _)| *table).collect();
    assert_eq!(names, stated, "each table has a bound");
    let mut beyond = Vec::new();
    for (table, statement) in BOUNDS {
        let excess: i64 = sqlx::query_scalar(*statement)
            .bind(now)
            .fetch_one(&mut *database)
            .await
            .unwrap();
        if excess != 0 {
            beyond.push((table, excess));
        }
    }
    assert!(beyond.is_empty(), "rows beyond their time: {beyond:?}");
}
