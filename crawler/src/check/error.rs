//! Errors of `crawler check`.

use crate::config::ConfigError;
use crate::fetch::http::HttpError;
use crate::status::span;
use manifest::{Domain, Timestamp};
use std::path::PathBuf;
use std::time::Duration;
use store::StoreError;

/// Errors of `crawler check`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// The command is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The network cannot be set up.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// The site is excluded (P4).
    #[error("{domain} is excluded ({reason}) and receives no requests")]
    Excluded {
        /// The site.
        domain: Domain,
        /// The reason of the exclusion.
        reason: String,
    },
    /// The site or its address asked for a pause, which is not over (P35).
    #[error(
        "{domain} or its address must not be contacted until {} ({} from now)",
        .until.to_rfc3339(),
        span(*.wait)
    )]
    Paused {
        /// The site.
        domain: Domain,
        /// The end of the pause.
        until: Timestamp,
        /// Time until then.
        wait: Duration,
    },
    /// A crawler or another check is using the database. It applies its own rate limits to the same
    /// hosts (P16, P18, P19).
    #[error(
        "crawler {holder} is using database {}: wait until it ends, or submit the domain to it; another check counts as a crawler",
        path.display()
    )]
    InUse {
        /// The database.
        path: PathBuf,
        /// Process id and start time of the other process.
        holder: String,
    },
    /// The exclusions cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The output cannot be written.
    #[error("cannot write")]
    Write(#[from] std::io::Error),
}
