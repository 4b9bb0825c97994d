//! State of the change log as a feed.

/// Identity and position of the change log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FeedState {
    /// Random id of the log: 16 hexadecimal digits. A restored database continues the numbers of its
    /// backup under another epoch, since they may have been given before.
    pub epoch: String,
    /// Newest sequence number; zero if the log is empty.
    pub last_change: u64,
    /// Number of times that agents were withdrawn, by an owner or by the operator, rather than no
    /// longer announced. An export from before the last time has some of them.
    pub withdrawals: u64,
}
