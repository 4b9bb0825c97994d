//! The migrations of the schema on PostgreSQL.
//!
//! They have the numbers of those for SQLite, of which the first one has the result of all before.

use crate::migrations::{files, migrator};
use sqlx::migrate::Migrator;
use std::sync::LazyLock;

/// Two facts: the schema has no tables or views, also none that this user may not read, and it has ours.
/// The table of migrations alone is what an interrupted start leaves.
pub(super) const STATE: &str = "
    WITH relations AS (
        SELECT relname FROM pg_class
        WHERE relnamespace = to_regnamespace(quote_ident(current_schema()))
          AND relkind IN ('r', 'p', 'v', 'm', 'f')
    )
    SELECT NOT EXISTS (SELECT 1 FROM relations WHERE relname <> '_sqlx_migrations'),
           EXISTS (SELECT 1 FROM relations WHERE relname = '_sqlx_migrations')
           AND EXISTS (SELECT 1 FROM relations WHERE relname = 'domains')";

/// Newest migration of the database.
pub(super) const VERSION: &str = "SELECT COALESCE(MAX(version), 0) FROM _sqlx_migrations";

/// The migrations, in order.
pub(crate) static MIGRATIONS: LazyLock<Migrator> = LazyLock::new(|| {
    let mut migrator = migrator(&files! {
        "postgres":
        "0025_registry"
        "0026_queue"
        "0027_fleet"
        "0028_fleet_visits"
        "0029_fleet_options"
    });
    // Its lock would outlast a failure in a connection that a pooler keeps.
    migrator.set_locking(false);
    migrator
});
