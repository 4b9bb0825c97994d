//! `agentdex backup` and `agentdex restore`.

use admin::now;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use store::backup::BackupError;
use store::{Backup, StoreError};
use terminal::{failure, without_password};

/// Checks of a restored database, for the report.
const VERIFIED: &str =
    "size, SHA-256, rows of each table, change number and structure are as stated";

/// Command for backups.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write a backup of the database to one file, also while other programs use it.
    ///
    /// The file is a tar archive compressed with Zstandard: a manifest with counts and the SHA-256,
    /// and the database as of one moment. It appears when it is complete, replaces an earlier one
    /// of the same name, but no other file, and is readable only by its owner. Beside it, space for
    /// an uncompressed copy of the database is needed. Not in it: the search index, which is derived, and the file of
    /// secrets, which is made anew.
    Backup {
        /// Backup and database.
        #[command(flatten)]
        file: File,

        /// Restore the backup for a test once it is written.
        ///
        /// It is restored into a temporary folder beside it, with all checks of `restore`, and the
        /// result is deleted. If that fails, the exit code is 1, and the backup stays where it is.
        #[arg(long)]
        verify: bool,
    },
    /// Restore a backup as a new database.
    ///
    /// Size, SHA-256, counts and structure are verified, and the schema is brought up to date; the
    /// database appears at the end. An existing database is never overwritten.
    Restore {
        /// Backup and database.
        #[command(flatten)]
        file: File,

        /// Only verify the backup: nothing is put in the place of the database.
        ///
        /// It is restored into a temporary folder beside it, which is deleted at the end. --database is
        /// ignored.
        #[arg(long)]
        verify: bool,
    },
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
            Self::Backup { file, verify } => file.back_up(*verify).await,
            Self::Restore { file, verify: true } => {
                let backup = store::backup::verify(&file.file).await?;
                Ok(format!(
                    "verified {} of {}: {}\n{VERIFIED}; it can be restored by this program",
                    file.file.display(),
                    backup.made.format("%FT%TZ"),
                    counts(&backup)
                ))
            }
            Self::Restore { file, .. } => file.restore().await,
        }
    }
}

impl File {
    async fn back_up(&self, is_verified: bool) -> Result<String, BackupError> {
        let backup = store::backup::backup(&self.database, &self.file, now()).await?;
        let verified = if is_verified {
            store::backup::verify(&self.file).await?;
            format!("\nrestored for a test: {VERIFIED}")
        } else {
            String::new()
        };
        let unrecorded = match store::backup::record(&self.database, &backup).await {
            Ok(()) => String::new(),
            Err(error) => format!(
                "\nwarning: the backup is complete, but its time cannot be recorded in the database, so metrics name an older one\n{}",
                failure(&error)
            ),
        };
        Ok(format!(
            "backed up {} to {}: {}{verified}{unrecorded}\nnot in it: the search index, which is rebuilt, and the file of secrets, which is made anew",
            without_password(&self.database),
            self.file.display(),
            counts(&backup)
        ))
    }

    async fn restore(&self) -> Result<String, BackupError> {
        let backup = store::backup::restore(&self.file, &self.database).await?;
        Ok(format!(
            "restored {} of {} as {}: {}\n{VERIFIED}; the next start of agentdex or indexer rebuilds the search index",
            self.file.display(),
            backup.made.format("%FT%TZ"),
            without_password(&self.database),
            counts(&backup)
        ))
    }
}

/// Reports whether the command line has to be corrected.
pub(crate) fn is_usage(error: &BackupError) -> bool {
    match error {
        BackupError::NoDatabase(_)
        | BackupError::Exists(_)
        | BackupError::NoBackup(_)
        | BackupError::Foreign { .. } => true,
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
