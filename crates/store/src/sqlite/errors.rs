//! Converts errors to messages for the operator.

use crate::error::StoreError;
use std::io;
use std::path::Path;

/// Converts an error of the operating system.
pub(super) fn refused(path: &Path, error: &io::Error) -> StoreError {
    let path = path.to_owned();
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            StoreError::ReadOnly { path }
        }
        io::ErrorKind::StorageFull => StoreError::DiskFull { path },
        _ => StoreError::CannotOpen {
            path,
            reason: error.to_string(),
        },
    }
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
    let path = path.to_owned();
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
        Some(8) => StoreError::ReadOnly { path },
        Some(10) => StoreError::DiskFailed { path, reason },
        Some(11) => StoreError::Damaged { path, reason },
        Some(13) => StoreError::DiskFull { path },
        Some(14) => StoreError::CannotOpen { path, reason },
        Some(26) => StoreError::NotADatabase { path, reason },
        Some(_) | None => StoreError::Database {
            path,
            source: error.into(),
        },
    }
}
