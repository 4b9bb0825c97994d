//! What can go wrong with a store, worded for the operator.

/// A failed store operation.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The URL names no supported database.
    #[error("cannot use database '{url}': give sqlite:PATH, such as sqlite:data/agentdex.db")]
    UnsupportedUrl {
        /// As given.
        url: String,
    },
}
