//! Errors of the command line.

use std::path::Path;

/// Invalid value on the command line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// Invalid user agent token (P1).
    #[error(
        "--user-agent-token '{0}' may have letters, '-' and '_' only, so that robots.txt can name it"
    )]
    Token(String),
    /// Delay below a second (P16).
    #[error(
        "--delay and --address-delay below 1000 are for your own hosts: name them with --allow-address, such as 127.0.0.0/8"
    )]
    Delay,
    /// Missing contact information (P3).
    #[error("--contact '{0}' is neither an http(s) URL nor a mailbox such as crawler@example.com")]
    Contact(String),
    /// Invalid domain or suffix to exclude (P4).
    #[error("--reason is empty; readers of the change log need a reason")]
    Reason,
    /// Nothing to visit again.
    #[error("--now applies to the domains of a seed list: name one with --seeds")]
    NowWithoutSeeds,
    /// A limit of zero visits.
    #[error("--limit 0 leaves nothing to visit: give 1 or more, or leave it out")]
    Limit,
    /// Not an origin.
    #[error("--sign-agent '{0}' is not an https origin such as https://agents.example.com")]
    SignAgent(String),
    /// No origin at which signatures could be verified.
    #[error(
        "--sign-key needs --sign-agent, the https origin that serves the key directory, or an https page in --contact"
    )]
    NoSignAgent,
    /// An unusable file.
    #[error("cannot {doing} {path}: {reason}")]
    File {
        /// Action that failed, with the option.
        doing: &'static str,
        /// The file.
        path: String,
        /// Reason.
        reason: String,
    },
    /// An invalid domain to check.
    #[error("cannot check '{text}': {reason}")]
    Domain {
        /// As typed.
        text: String,
        /// Reason.
        reason: String,
    },
}

impl ConfigError {
    /// Returns a function that adds the failed action and the file to a reason.
    pub(super) fn of_file(doing: &'static str, path: &Path) -> impl Fn(String) -> Self {
        let path = path.display().to_string();
        move |reason| Self::File {
            doing,
            path: path.clone(),
            reason,
        }
    }
}
