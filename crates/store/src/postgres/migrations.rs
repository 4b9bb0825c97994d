//! The migrations of the schema on PostgreSQL.
//!
//! They have the numbers of those for SQLite, of which the first one has the result of all before.

use crate::migrations::{files, migrator};
use sqlx::migrate::Migrator;
use std::sync::LazyLock;

/// Two facts: the schema has no tables, and it has ours.
pub(super) const STATE: &str = "
    SELECT NOT EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = current_schema()),
           EXISTS (SELECT 1 FROM information_schema.tables
                   WHERE table_schema = current_schema() AND table_name = '_sqlx_migrations')";

/// Newest migration of the database.
pub(super) const VERSION: &str = "SELECT COALESCE(MAX(version), 0) FROM _sqlx_migrations";

/// The migrations, in order.
pub(crate) static MIGRATIONS: LazyLock<Migrator> = LazyLock::new(|| {
    migrator(&files! {
        "postgres":
        "0025_registry"
        "0026_queue"
        "0027_fleet"
    })
});
