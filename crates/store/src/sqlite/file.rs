//! The file behind an open database, which another one may replace.

use super::errors::refused;
use crate::error::StoreError;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Ends of the names of the files that SQLite keeps beside a database in use.
const BESIDE: [&str; 2] = [LOG, "-shm"];

/// End of the name of the write-ahead log.
const LOG: &str = "-wal";

/// End of the name of such a file once another database is in the place.
const SET_ASIDE: &str = ".replaced";

/// File of an open database.
#[derive(Debug)]
pub(super) struct DatabaseFile {
    path: PathBuf,
    identity: Identity,
    /// The files beside it, as last seen.
    beside: Mutex<[Option<Identity>; 2]>,
}

/// Numbers of the device and of the file on it.
type Identity = (u64, u64);

impl DatabaseFile {
    /// Remembers which file is at the path of a database that is about to be opened.
    pub(super) fn open(path: PathBuf) -> Result<Self, StoreError> {
        let identity = identity(&path).map_err(|error| refused(&path, &error))?;
        Ok(Self {
            path,
            identity,
            beside: Mutex::default(),
        })
    }

    /// Remembers the files beside the database while it is in its place.
    pub(super) fn note_beside(&self) {
        let seen = BESIDE.map(|end| identity(&self.with_end(end)).ok());
        if self.is_in_place() {
            *self.beside() = seen;
        }
    }

    /// Returns its path.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of its write-ahead log.
    pub(super) fn log(&self) -> PathBuf {
        self.with_end(LOG)
    }

    /// Returns an error if the path no longer leads to the file: SQLite would write into one without
    /// a name. The files beside it are then set aside, because the next program would play the log
    /// of this database into the one that took its place.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        if self.is_in_place() {
            return Ok(());
        }
        self.set_aside();
        Err(StoreError::Replaced {
            path: self.path.clone(),
        })
    }

    fn is_in_place(&self) -> bool {
        identity(&self.path).is_ok_and(|found| found == self.identity)
    }

    fn set_aside(&self) {
        for (end, known) in BESIDE.iter().zip(&mut *self.beside()) {
            let (from, to) = (
                self.with_end(end),
                self.with_end(&format!("{end}{SET_ASIDE}")),
            );
            let is_own = known
                .take()
                .is_some_and(|known| identity(&from).ok() == Some(known));
            if is_own && let Err(error) = std::fs::rename(&from, &to) {
                tracing::error!(
                    %error,
                    "cannot move {} away, which belongs to the former database: move it before you start a program",
                    from.display()
                );
            }
        }
    }

    fn with_end(&self, end: &str) -> PathBuf {
        let mut name = self.path.as_os_str().to_owned();
        name.push(end);
        PathBuf::from(name)
    }

    fn beside(&self) -> MutexGuard<'_, [Option<Identity>; 2]> {
        self.beside.lock().unwrap_or_else(PoisonError::into_inner)
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
