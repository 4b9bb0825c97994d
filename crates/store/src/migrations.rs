//! Migrations of the schema, which are part of the program.
//!
//! `migrate!` would read their directory by itself, but it compiles the driver a second time, for the
//! compiler.

use sqlx::SqlSafeStr as _;
use sqlx::migrate::{Migration, MigrationType, Migrator};

/// Includes files of a directory of migrations, with their names.
macro_rules! files {
    ($folder:literal: $($name:literal)+) => {
        [$((
            $name,
            include_str!(concat!("../../../../migrations/", $folder, "/", $name, ".sql")),
        ),)+]
    };
}
pub(crate) use files;

/// Returns the migrations of files, whose names begin with their versions.
pub(crate) fn migrator(files: &[(&'static str, &'static str)]) -> Migrator {
    let migrations = files.iter().map(|(name, sql)| {
        let (version, description) = name.split_once('_').unwrap_or((name, ""));
        Migration::new(
            version.parse().unwrap_or_default(),
            description.replace('_', " ").into(),
            MigrationType::Simple,
            sql.into_sql_str(),
            false,
        )
    });
    Migrator::with_migrations(migrations.collect())
}

/// Returns the newest version.
pub(crate) fn newest(migrations: &Migrator) -> i64 {
    let versions = migrations.iter().map(|it| it.version);
    versions.max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{postgres, sqlite};
    use std::path::Path;

    #[tokio::test]
    async fn the_migrations_are_the_files_of_the_directories() {
        for (folder, ours) in [
            ("sqlite", &*sqlite::migrations::MIGRATIONS),
            ("postgres", &*postgres::migrations::MIGRATIONS),
        ] {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("../../migrations")
                .join(folder);
            let files = Migrator::new(folder).await.unwrap();
            let facts = |it: &Migration| (it.version, it.description.clone(), it.checksum.clone());
            let ours: Vec<_> = ours.iter().map(facts).collect();
            assert_eq!(ours, files.iter().map(facts).collect::<Vec<_>>());
        }
    }
}
