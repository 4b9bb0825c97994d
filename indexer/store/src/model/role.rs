//! Roles of processes.

/// A role that only one process at a time may have on one store. A process that only reads needs
/// none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Leases domains and records visits.
    Crawler,
    /// Reads documents and replaces agents.
    Indexer,
}

impl std::fmt::Display for Role {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.pad(match self {
            Self::Crawler => "crawler",
            Self::Indexer => "indexer",
        })
    }
}
