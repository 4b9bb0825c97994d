//! What can be wrong with a command line.

/// A wrong value on the command line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// P1.
    #[error(
        "--user-agent-token '{0}' may have letters, '-' and '_' only, so that robots.txt can name it"
    )]
    Token(String),
    /// P16.
    #[error(
        "--delay and --address-delay below 1000 are for your own hosts: name them with --allow-address, such as 127.0.0.0/8"
    )]
    Delay,
    /// P3.
    #[error("--contact '{0}' is neither an http(s) URL nor a mailbox such as crawler@example.com")]
    Contact(String),
    /// P4.
    #[error("--reason says nothing; those who look at the log of changes want to know why")]
    Reason,
    /// Nobody can listen there.
    #[error("cannot listen on --metrics {address}")]
    Metrics {
        /// The address.
        address: std::net::SocketAddr,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// There is nothing to visit again.
    #[error("--now is for the domains of a seed list: name it with --seeds")]
    NowWithoutSeeds,
    /// A crawl of nothing.
    #[error("--limit 0 leaves nothing to visit: give 1 or more, or leave it out")]
    Limit,
    /// A seed list that is not there.
    #[error("cannot read --seeds {path}: {reason}")]
    Seeds {
        /// The file.
        path: String,
        /// Why not.
        reason: String,
    },
    /// A key that cannot sign (P5).
    #[error("cannot use --sign-key {path}: {reason}")]
    SignKey {
        /// The file.
        path: String,
        /// Why not.
        reason: String,
    },
    /// Not an origin.
    #[error("--sign-agent '{0}' is not an https origin such as https://agents.example.com")]
    SignAgent(String),
    /// Nobody could verify a signature.
    #[error(
        "--sign-key needs --sign-agent, the https origin that serves the key directory, or an https page in --contact"
    )]
    NoSignAgent,
    /// A list of shared addresses that cannot be used.
    #[error("cannot use --shared-addresses {path}: {reason}")]
    SharedAddresses {
        /// The file.
        path: String,
        /// Why not.
        reason: String,
    },
    /// An unreadable certificate file.
    #[error("cannot read certificates from --root-ca {path}: {reason}")]
    RootCa {
        /// The file.
        path: String,
        /// Why not.
        reason: String,
    },
    /// No domain to check.
    #[error("cannot check '{text}': {reason}")]
    Domain {
        /// As typed.
        text: String,
        /// Why not.
        reason: String,
    },
}
