//! Converts errors to messages for the operator.

use crate::error::{Obstacle, StoreError};
use rustix::fs::{Access, StatVfs, StatVfsMountFlags, access, statvfs};
use std::io;
use std::path::Path;

/// Converts an error of the operating system.
pub(super) fn refused(path: &Path, error: &io::Error) -> StoreError {
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => read_only(path),
        io::ErrorKind::StorageFull => StoreError::DiskFull {
            path: path.to_owned(),
        },
        _ => StoreError::CannotOpen {
            path: path.to_owned(),
            reason: error.to_string(),
        },
    }
}

/// Returns the error for a database that cannot be written.
fn read_only(path: &Path) -> StoreError {
    StoreError::ReadOnly {
        path: path.to_owned(),
        obstacle: obstacle(path).unwrap_or(Obstacle::File),
    }
}

/// Returns what keeps a database from being read, or files from being written beside it; `None` if nothing
/// is found.
fn obstacle(path: &Path) -> Option<Obstacle> {
    let folder = path.ancestors().skip(1).find(|it| it.is_dir())?;
    let is_read_only = |space: StatVfs| space.f_flag.contains(StatVfsMountFlags::RDONLY);
    if statvfs(folder).is_ok_and(is_read_only) {
        return Some(Obstacle::Mount);
    }
    if access(folder, Access::WRITE_OK | Access::EXEC_OK).is_err() {
        return Some(Obstacle::Folder(folder.to_owned()));
    }
    let is_unreadable = path.is_file() && access(path, Access::READ_OK).is_err();
    is_unreadable.then_some(Obstacle::Unreadable)
}

/// Returns the description of a damaged page, or of a file that is no database any more; `None` of any
/// other error, such as one damaged row.
pub(super) fn damage(error: &sqlx::Error) -> Option<String> {
    let database = error.as_database_error()?;
    let code: i32 = database.code()?.parse().ok()?;
    matches!(code & 0xff, 11 | 26).then(|| database.message().to_owned())
}

/// Converts an error of the driver, by SQLite's primary result code.
pub(crate) fn explain(path: &Path, error: sqlx::Error) -> StoreError {
    let (place, path) = (path, path.to_owned());
    match &error {
        sqlx::Error::PoolTimedOut => return StoreError::Locked { path },
        sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_) => {
            return StoreError::Damaged {
                path,
                reason: error.to_string(),
            };
        }
        _ => {}
    }
    let database = error.as_database_error();
    let code = database
        .and_then(|error| error.code()?.parse::<i32>().ok())
        .map(|code| code & 0xff);
    let reason = database.map_or_else(String::new, |error| error.message().to_owned());
    match code {
        Some(5 | 6) => StoreError::Locked { path },
        Some(8) => read_only(place),
        Some(10) => StoreError::DiskFailed { path, reason },
        Some(11) => StoreError::Damaged { path, reason },
        Some(13) => StoreError::DiskFull { path },
        Some(14) => match obstacle(place) {
            Some(obstacle) => StoreError::ReadOnly { path, obstacle },
            None => StoreError::CannotOpen { path, reason },
        },
        Some(26) => StoreError::NotADatabase { path, reason },
        Some(_) | None => StoreError::Database {
            path,
            source: error.into(),
        },
    }
}
