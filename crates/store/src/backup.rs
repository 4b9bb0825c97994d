//! Backups: a whole database in one file, verified when it is restored.
//!
//! A backup is a tar archive, compressed with Zstandard: a manifest with counts and the hash, then
//! the database. It may be made while other processes write; they do not wait for it.

mod archive;
mod error;

pub use error::BackupError;

use crate::StoreError;
use crate::model::Backup;
use crate::sqlite::SqliteStore;
use crate::sqlite::snapshot::{Content, Vacancy};
use crate::sqlite_location;
use archive::{DATABASE, Manifest};
use error::while_doing;
use manifest::Timestamp;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Writes a backup of the database at `url` to `file`, as of one moment. The file appears when it
/// is complete, replaces an earlier one, but no other file, and is readable only by its owner.
///
/// Beside the file, this takes space for a copy of the database.
pub async fn backup(url: &str, file: &Path, now: Timestamp) -> Result<Backup, BackupError> {
    let location = sqlite_location(url)?;
    if !SqliteStore::exists(location)? {
        return Err(BackupError::NoDatabase(url.to_owned()));
    }
    if !archive::may_be_replaced(file).map_err(while_doing("read", file))? {
        return Err(BackupError::NoBackup(file.to_owned()));
    }
    let work = work_folder(file)?;
    let copy = work.path().join(DATABASE);
    SqliteStore::copy(location, &copy)
        .await
        .map_err(|error| match error {
            // Only the copy is written.
            StoreError::DiskFull { .. } => {
                while_doing("write", file)(ErrorKind::StorageFull.into())
            }
            error => error.into(),
        })?;
    let content = SqliteStore::content(&copy).await?;
    let file = file.to_owned();
    blocking(move || {
        let fail = while_doing("write", &file);
        let (bytes, sha256) = archive::hash(&copy).map_err(while_doing("read", &copy))?;
        let backup = Backup {
            made: now,
            schema: content.schema,
            last_change: content.last_change,
            tables: content.tables,
            bytes,
            sha256,
        };
        let archive = work.path().join("archive");
        archive::write(&archive, &Manifest::of(&backup), &copy).map_err(&fail)?;
        fs::rename(&archive, &file)
            .and_then(|()| keep_name(&file))
            .map_err(&fail)?;
        Ok(backup)
    })
    .await
}

/// Records a backup of the database at `url` that is complete, as the last one
/// ([`Health::last_backup`](crate::Health::last_backup)).
///
/// An older schema, which [`backup`] copies as well, has no place for it and is refused.
pub async fn record(url: &str, backup: &Backup) -> Result<(), StoreError> {
    SqliteStore::record_backup(sqlite_location(url)?, backup.made).await
}

/// Restores the backup in `file` as the database at `url`, which must not exist, and migrates its
/// schema. The database appears when it is verified; a backup that is refused leaves nothing behind.
pub async fn restore(file: &Path, url: &str) -> Result<Backup, BackupError> {
    let path = Vacancy::find(sqlite_location(url)?)?.map_err(BackupError::Exists)?;
    let folders = missing_folders(&path);
    let folder = folder_of(&path);
    fs::create_dir_all(folder).map_err(while_doing("create", folder))?;
    let restored = restore_at(file, path).await;
    if restored.is_err() {
        for folder in folders {
            // Another program may use it by now.
            let _ = fs::remove_dir(folder);
        }
    }
    restored
}

async fn restore_at(file: &Path, place: PathBuf) -> Result<Backup, BackupError> {
    let work = work_folder(&place)?;
    let (backup, copy) = restore_into(file, &work).await?;
    // Only now, since the files of the locks stay.
    let vacancy = Vacancy::claim(place)?.map_err(BackupError::Exists)?;
    blocking(move || {
        let fail = while_doing("write", vacancy.path());
        File::open(&copy)
            .and_then(|copy| copy.sync_all())
            .and_then(|()| fs::rename(&copy, vacancy.path()))
            .and_then(|()| keep_name(vacancy.path()))
            .map_err(fail)
    })
    .await?;
    Ok(backup)
}

/// Restores the backup in `file` into a temporary folder beside it, with every check and migration of
/// [`restore`], and deletes the result.
///
/// Beside the file, this takes space for the database.
pub async fn verify(file: &Path) -> Result<Backup, BackupError> {
    let work = work_folder(file)?;
    let (backup, _) = restore_into(file, &work).await?;
    Ok(backup)
}

/// Restores a backup as a file in `work`, verifies it and migrates its schema; returns its path.
async fn restore_into(file: &Path, work: &TempDir) -> Result<(Backup, PathBuf), BackupError> {
    let copy = work.path().join(DATABASE);
    let (path, to) = (file.to_owned(), copy.clone());
    let backup =
        blocking(move || archive::extract(&path, &to, SqliteStore::newest_schema())).await?;
    let damaged = |reason| BackupError::Damaged {
        path: file.to_owned(),
        reason,
    };
    let found = SqliteStore::content(&copy).await?;
    if let Some(difference) = difference(&backup, &found) {
        return Err(damaged(difference));
    }
    if let Some(fault) = SqliteStore::fault(&copy).await? {
        return Err(damaged(fault));
    }
    SqliteStore::renew(&copy).await?;
    Ok((backup, copy))
}

/// Returns the folders above a file that do not exist, the innermost first.
fn missing_folders(file: &Path) -> Vec<PathBuf> {
    let above = file.ancestors().skip(1);
    let missing = above.take_while(|it| it.symlink_metadata().is_err());
    missing.map(Path::to_owned).collect()
}

/// Returns the first difference between the manifest of a backup and its database.
fn difference(backup: &Backup, found: &Content) -> Option<String> {
    if (backup.schema, backup.last_change) != (found.schema, found.last_change) {
        return Some(format!(
            "its manifest states schema {} and change {}, but its database has {} and {}",
            backup.schema, backup.last_change, found.schema, found.last_change
        ));
    }
    let names = backup.tables.keys().chain(found.tables.keys());
    names.into_iter().find_map(|name| {
        let (stated, counted) = (backup.tables.get(name), found.tables.get(name));
        (stated != counted).then(|| {
            let rows =
                |it: Option<&u64>| it.map_or("no such table".to_owned(), |it| format!("{it} rows"));
            format!(
                "its manifest states {} for table {name}, but its database has {}",
                rows(stated),
                rows(counted)
            )
        })
    })
}

/// Creates a private folder beside a file, on the same file system, which is removed at the end.
fn work_folder(file: &Path) -> Result<TempDir, BackupError> {
    let folder = folder_of(file);
    let made = tempfile::Builder::new()
        .prefix(".agentdex-backup-")
        .tempdir_in(folder);
    made.map_err(|source| match source.kind() {
        ErrorKind::NotFound | ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            BackupError::Folder {
                folder: folder.to_owned(),
                source,
            }
        }
        _ => while_doing("write to", folder)(source),
    })
}

/// Makes the name of a new file durable.
fn keep_name(file: &Path) -> std::io::Result<()> {
    File::open(folder_of(file))?.sync_all()
}

fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        Some(_) | None => Path::new("."),
    }
}

/// Runs work on files in a blocking thread.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, BackupError> + Send + 'static,
) -> Result<T, BackupError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| BackupError::Stopped)?
}
