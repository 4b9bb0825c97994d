//! Locks that permit one crawler and one indexer per file, and no restored database in the place of
//! one that is used; released by the operating system when the process ends.

use super::errors::refused;
use crate::error::StoreError;
use crate::model::Role;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Maximum time for the migration of the schema by another process, in steps of [`STEP`].
const STEPS: u32 = 100;
const STEP: Duration = Duration::from_millis(50);

/// Locked file; dropping it releases the lock.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Claims the database for this process in this role, beside other processes if the role permits
    /// several.
    pub(super) fn claim(database: &Path, role: Role) -> Result<Self, StoreError> {
        match role {
            Role::Crawler | Role::SoleCrawler | Role::Indexer => Self::claim_alone(database, role),
            Role::Web => Self::claim_by(File::try_lock_shared, database, role),
        }
    }

    /// Claims the database for this process alone in this role.
    pub(super) fn claim_alone(database: &Path, role: Role) -> Result<Self, StoreError> {
        Self::claim_by(File::try_lock, database, role)
    }

    fn claim_by(
        try_lock: impl Fn(&File) -> Result<(), TryLockError>,
        database: &Path,
        role: Role,
    ) -> Result<Self, StoreError> {
        let name = match role {
            Role::Crawler | Role::SoleCrawler => "crawler.lock",
            Role::Indexer => "indexer.lock",
            Role::Web => "web.lock",
        };
        let mut file = open(database, name)?;
        match try_lock(&file) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::InUse {
                    path: database.to_owned(),
                    role,
                    holder: holder(&mut file),
                });
            }
            Err(TryLockError::Error(error)) => return Err(refused(database, &error)),
        }
        write_holder(&mut file).map_err(|error| refused(database, &error))?;
        Ok(Self { _file: file })
    }

    /// Waits for the lock on the schema, so that processes that start together do not create it
    /// twice.
    pub(super) async fn schema(database: &Path) -> Result<Self, StoreError> {
        let file = open(database, "schema.lock")?;
        for _ in 0..STEPS {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::WouldBlock) => tokio::time::sleep(STEP).await,
                Err(TryLockError::Error(error)) => {
                    return Err(refused(database, &error));
                }
            }
        }
        Err(StoreError::Locked {
            path: database.to_owned(),
        })
    }
}

/// Opens the lock file `<database>.<name>` without truncating it.
fn open(database: &Path, name: &str) -> Result<File, StoreError> {
    let mut path = database.as_os_str().to_owned();
    path.push(".");
    path.push(name);
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(PathBuf::from(path))
        .map_err(|error| refused(database, &error))
}

/// Writes the holder of the lock into the file; the modification time of the file is its start.
fn write_holder(file: &mut File) -> io::Result<()> {
    let text = format!("process {}\n", std::process::id());
    file.rewind()?;
    file.write_all(text.as_bytes())?;
    file.set_len(text.len() as u64)
}

/// Returns a description of the holder of the lock, as far as the file tells.
fn holder(file: &mut File) -> String {
    let mut text = String::new();
    let who = match file.take(64).read_to_string(&mut text) {
        Ok(_) if text.starts_with("process ") => text.trim(),
        Ok(_) | Err(_) => "in another process",
    };
    let since = file
        .metadata()
        .and_then(|metadata| metadata.modified())
        .ok()
        .and_then(|time| jiff::Timestamp::try_from(time).ok())
        .and_then(|time| time.round(jiff::Unit::Second).ok());
    match since {
        Some(since) => format!("{who}, since {since},"),
        None => who.to_owned(),
    }
}
