//! `agentdex backup` and `agentdex restore`.

use admin::now;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use store::backup::BackupError;
use store::{Backup, StoreError};
use terminal::without_password;

/// Command for backups.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write a backup of the database to one file, also while other programs use it.
    ///
    /// The file is a tar archive compressed with Zstandard: a manifest with counts and the SHA-256,
    /// and the database as of one moment. It appears when it is complete, replaces an earlier one
    /// of the same name, and is readable only by its owner. Beside it, space for an uncompressed copy
    /// of the database is needed. Not in it: the search index, which is derived, and the file of
    /// secrets, which is made anew.
    Backup(File),
    /// Restore a backup as a new database.
    ///
    /// Size, SHA-256 and counts are verified, and the schema is brought up to date; the database
    /// appears at the end. An existing database is never overwritten.
    Restore(File),
}

/// Backup and database.
#[derive(Args, Debug)]
pub(crate) struct File {
    /// Backup, such as agentdex.backup.tar.zst.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Database URL.
    #[arg(
        long,
        value_name = "URL",
        env = "AGENTDEX_DATABASE",
        default_value = store::DEFAULT_DATABASE
    )]
    database: String,
}

impl Command {
    /// Executes the command, and returns its report for the operator.
    pub(crate) async fn execute(&self) -> Result<String, BackupError> {
        match self {
            Self::Backup(File { file, database }) => {
                let backup = store::backup::backup(database, file, now()).await?;
                Ok(format!(
                    "backed up {} to {}: {}\nnot in it: the search index, which is rebuilt, and the file of secrets, which is made anew",
                    without_password(database),
                    file.display(),
                    counts(&backup)
                ))
            }
            Self::Restore(File { file, database }) => {
                let backup = store::backup::restore(file, database).await?;
                Ok(format!(
                    "restored {} of {} as {}: {}\nsize, SHA-256 and counts are as stated; the next start of agentdex or indexer rebuilds the search index",
                    file.display(),
                    backup.made.format("%FT%TZ"),
                    without_password(database),
                    counts(&backup)
                ))
            }
        }
    }
}

/// Reports whether the command line has to be corrected.
pub(crate) fn is_usage(error: &BackupError) -> bool {
    match error {
        BackupError::NoDatabase(_) | BackupError::Exists(_) | BackupError::Foreign { .. } => true,
        BackupError::Store(error) => StoreError::is_wrong_name(error),
        _ => false,
    }
}

fn counts(backup: &Backup) -> String {
    let rows = |table| backup.tables.get(table).copied().unwrap_or_default();
    format!(
        "{} domains, {} documents, {} agents, {} visits, change {}, schema {}, {} bytes, SHA-256 {}",
        rows("domains"),
        rows("documents"),
        rows("agents"),
        rows("visits"),
        backup.last_change,
        backup.schema,
        backup.bytes,
        backup.sha256
    )
}
