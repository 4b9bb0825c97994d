//! The migrations of the schema of a file.

use crate::migrations::{files, migrator};
use sqlx::migrate::Migrator;
use std::sync::LazyLock;

/// The migrations, in order.
pub(crate) static MIGRATIONS: LazyLock<Migrator> = LazyLock::new(|| {
    migrator(&files! {
        "sqlite":
        "0001_registry"
        "0002_evidence"
        "0003_pace"
        "0004_submissions"
        "0005_broken_off"
        "0006_named"
        "0007_host_blocks"
        "0008_dialect_names"
        "0009_listing"
        "0010_advice"
        "0011_named_apis"
        "0012_history"
        "0013_feed"
        "0014_requested_visits"
        "0015_moderation"
        "0016_census"
        "0017_sessions"
        "0018_feed_epoch"
        "0019_networks"
        "0020_vectors"
        "0021_content"
        "0022_skills"
        "0023_edge_answers"
        "0024_operation"
        "0025_receipts"
        "0026_queue"
    })
});
