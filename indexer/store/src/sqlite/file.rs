//! The file behind an open database, which another one may replace.

use super::errors::refused;
use crate::error::StoreError;
use std::path::{Path, PathBuf};

/// File of an open database.
#[derive(Debug)]
pub(super) struct DatabaseFile {
    path: PathBuf,
    identity: Identity,
}

/// Numbers of the device and of the file on it.
type Identity = (u64, u64);

impl DatabaseFile {
    /// Remembers which file is at the path of a database that is about to be opened.
    pub(super) fn open(path: PathBuf) -> Result<Self, StoreError> {
        let identity = identity(&path).map_err(|error| refused(&path, &error))?;
        Ok(Self { path, identity })
    }

    /// Returns its path.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns an error if the path no longer leads to the file: SQLite would write into one without
    /// a name.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        match identity(&self.path) {
            Ok(found) if found == self.identity => Ok(()),
            Ok(_) | Err(_) => Err(StoreError::Replaced {
                path: self.path.clone(),
            }),
        }
    }
}

#[cfg(unix)]
fn identity(path: &Path) -> std::io::Result<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = path.metadata()?;
    Ok((metadata.dev(), metadata.ino()))
}

/// Accepts every file that exists, because files have no numbers on this system.
#[cfg(not(unix))]
fn identity(path: &Path) -> std::io::Result<Identity> {
    path.metadata().map(|_| (0, 0))
}
