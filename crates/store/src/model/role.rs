//! Roles of processes.

/// A role of a process on one store. A process that only reads for a moment needs none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Leases domains and records visits; one process at a time with a file, any number on a server,
    /// which are members of a fleet.
    Crawler,
    /// The same as the only process, also on a server.
    SoleCrawler,
    /// Reads documents and replaces agents; one process at a time.
    Indexer,
    /// Serves the registry; any number of processes.
    Web,
}

impl std::fmt::Display for Role {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.pad(match self {
            Self::Crawler | Self::SoleCrawler => "crawler",
            Self::Indexer => "indexer",
            Self::Web => "web",
        })
    }
}
