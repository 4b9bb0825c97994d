//! Errors of a crawl.

use crate::descriptors::TooFew;
use crate::fetch::http::HttpError;
use crate::report::ReportError;
use crate::seeds::SeedError;
use store::StoreError;
use store::blocklist::BlocklistError;

/// Errors that end a crawl early. Recorded results are kept; the same command continues from there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// Too many domains without contact information.
    #[error(
        "more than {0} domains are due and site owners could not reach you: give --contact, a web page about this crawler or a mailbox"
    )]
    NoContact(u32),
    /// This machine is offline (P38).
    #[error(
        "no host and no name server answers: this machine seems to be offline, so nothing was recorded"
    )]
    Offline,
    /// There are not enough file descriptors for a single visit.
    #[error(transparent)]
    TooFewFiles(#[from] TooFew),
    /// A seed list does not exist.
    #[error("cannot read --seeds {path}")]
    OpenSeeds {
        /// The file.
        path: String,
        /// Reason.
        #[source]
        source: std::io::Error,
    },
    /// A seed list is not usable.
    #[error("cannot use --seeds {path}")]
    Seeds {
        /// The file.
        path: String,
        /// Reason.
        #[source]
        source: SeedError,
    },
    /// The database failed.
    #[error("cannot {doing}")]
    Store {
        /// Action that failed.
        doing: &'static str,
        /// Cause.
        #[source]
        source: StoreError,
    },
    /// The blocklist is not usable.
    #[error(transparent)]
    Blocklist(#[from] BlocklistError),
    /// The network cannot be set up.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// This crawler is no member of the fleet any more, because its membership was not renewed in time:
    /// [`run`](super::run) joins again.
    #[error("this crawler is no member of the fleet any more")]
    Expelled,
    /// The report's reader closed it; recorded visits are kept.
    #[error("the report's reader closed it")]
    ReaderGone,
    /// The report cannot be written.
    #[error(transparent)]
    Report(#[from] ReportError),
}

impl RunError {
    /// Reports whether the server of the database is away, so that trying again may help.
    pub(super) fn is_away(&self) -> bool {
        matches!(
            self,
            Self::Store {
                source: StoreError::Away { .. },
                ..
            }
        )
    }

    /// Reports whether the cause is a usage error.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::NoContact(_) | Self::OpenSeeds { .. } | Self::Blocklist(_)
        )
    }
}

/// Returns a function that adds the failed action to a store error.
pub(super) fn while_doing(doing: &'static str) -> impl Fn(StoreError) -> RunError {
    move |source| RunError::Store { doing, source }
}
