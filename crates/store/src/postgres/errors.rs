//! Converts errors to messages for the operator.

use crate::error::{Obstacle, StoreError};
use std::io::ErrorKind;
use std::path::Path;

/// A replica ends what reads for so long that it could not follow its primary. The same code means a
/// conflict of transactions, of which those here have none: they read, or take turns.
const RECOVERY_CONFLICT: &str = "40001";

/// Fault of a connection that ends before the server has said whether it speaks TLS: the driver takes the
/// missing byte for a zero.
const CUT_OFF: &str = "unexpected response from SSLRequest: 0x00";

/// Reports whether an error means that a server takes no connections.
pub(super) fn is_away(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::PoolTimedOut | sqlx::Error::Io(_) | sqlx::Error::Tls(_) => true,
        sqlx::Error::Database(error) => {
            let code = error.code().unwrap_or_default();
            // The last one ends a transaction in which this process was stopped.
            ["08", "57P", "53", "25P03"]
                .iter()
                .any(|it| code.starts_with(it))
        }
        sqlx::Error::Protocol(fault) => fault.starts_with(CUT_OFF),
        _ => false,
    }
}

/// Converts an error of the driver, by the code of PostgreSQL
/// (<https://www.postgresql.org/docs/current/errcodes-appendix.html>).
pub(super) fn explain(location: &Path, error: sqlx::Error) -> StoreError {
    let path = location.to_owned();
    let away = |reason: String| StoreError::Away {
        path: location.to_owned(),
        reason,
    };
    let Some(database) = error.as_database_error() else {
        return match error {
            sqlx::Error::PoolTimedOut => away("no connection within the time".to_owned()),
            sqlx::Error::Io(error) if error.kind() == ErrorKind::NotFound => {
                away("no server has a socket there".to_owned())
            }
            sqlx::Error::Io(error) => away(error.to_string()),
            sqlx::Error::Protocol(fault) if fault.starts_with(CUT_OFF) => {
                away("the connection was cut off".to_owned())
            }
            sqlx::Error::Tls(error) => away(error.to_string()),
            sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_) => StoreError::Damaged {
                path,
                reason: error.to_string(),
            },
            error => StoreError::Database {
                path,
                source: error.into(),
            },
        };
    };
    let reason = database.message().to_owned();
    match database.code().as_deref().unwrap_or_default() {
        "53100" => StoreError::DiskFull { path },
        "58030" => StoreError::DiskFailed { path, reason },
        "25006" => StoreError::ReadOnly {
            path,
            obstacle: Obstacle::Server,
        },
        "55P03" => StoreError::Locked { path },
        "42501" => StoreError::Forbidden { path, reason },
        // A migration prepares statements.
        "26000" | "42P05" => StoreError::CannotOpen {
            path,
            reason: format!(
                "{reason}; start once past the pooler, which makes or changes the tables"
            ),
        },
        "28000" | "28P01" | "3D000" => StoreError::CannotOpen { path, reason },
        "XX001" | "XX002" => StoreError::Damaged { path, reason },
        RECOVERY_CONFLICT => away(reason),
        _ if is_away(&error) => away(reason),
        _ => StoreError::Database {
            path,
            source: error.into(),
        },
    }
}
