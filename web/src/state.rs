//! What every handler is given.

use crate::error::AppError;
use indexer::search::{Request, Results};
use manifest::Timestamp;
use std::sync::Arc;
use store::Store;

/// What every handler is given.
#[derive(Clone, Debug)]
pub struct AppState {
    /// The database.
    pub store: Arc<dyn Store>,
    /// The index.
    pub search: Arc<dyn Search>,
    /// Where visitors reach us, such as `https://agentdex.example`, without a slash at the end.
    pub public_url: String,
    /// The clock.
    pub now: fn() -> Timestamp,
}

/// Answers searches from the index.
pub trait Search: Send + Sync + std::fmt::Debug {
    /// The hits for `request`. Blocks while it reads the index.
    fn search(&self, request: &Request) -> Result<Results, SearchError>;

    /// A number that changes whenever an answer could.
    fn generation(&self) -> u64;
}

/// Why the index gave no answer.
#[derive(Debug, thiserror::Error)]
#[error("the index cannot be read")]
pub struct SearchError(#[source] pub Box<dyn std::error::Error + Send + Sync>);

impl AppState {
    /// Searches on a thread that may block.
    pub(crate) async fn find(&self, request: Request) -> Result<Results, AppError> {
        let search = Arc::clone(&self.search);
        let answer = tokio::task::spawn_blocking(move || search.search(&request)).await;
        Ok(answer.map_err(|error| SearchError(error.into()))??)
    }
}
