//! The migrations of the schema, which are part of the program.

use sqlx::SqlSafeStr as _;
use sqlx::migrate::{Migration, MigrationType, Migrator};
use std::sync::LazyLock;

/// Includes files of the directory of migrations, with their names.
macro_rules! files {
    ($($name:literal)+) => {
        [$(($name, include_str!(concat!("../../../../migrations/sqlite/", $name, ".sql"))),)+]
    };
}

/// The migrations, in order. `migrate!` would read the directory by itself, but it compiles the driver a
/// second time, for the compiler.
pub(super) static MIGRATIONS: LazyLock<Migrator> = LazyLock::new(|| {
    let files = files! {
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
    };
    let migrations = (1..).zip(files).map(|(version, (name, sql))| {
        let description = name.trim_start_matches(|it: char| it.is_ascii_digit() || it == '_');
        let sql = sql.into_sql_str();
        Migration::new(
            version,
            description.replace('_', " ").into(),
            MigrationType::Simple,
            sql,
            false,
        )
    });
    Migrator::with_migrations(migrations.collect())
});

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[tokio::test]
    async fn the_migrations_are_the_files_of_the_directory() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations/sqlite");
        let files = Migrator::new(folder).await.unwrap();
        let facts = |it: &Migration| (it.version, it.description.clone(), it.checksum.clone());
        let ours: Vec<_> = MIGRATIONS.iter().map(facts).collect();
        assert_eq!(ours, files.iter().map(facts).collect::<Vec<_>>());
    }
}
