//! What every handler is given.

use crate::error::AppError;
use indexer::search::{Request, Results, SearchError, Searcher, Suggestion};
use manifest::Timestamp;
use std::sync::Arc;
use store::Store;

/// What every handler is given.
#[derive(Clone, Debug)]
pub struct AppState {
    /// The database.
    pub store: Arc<dyn Store>,
    /// The index.
    pub searcher: Searcher,
    /// Where visitors reach us, such as `https://agentdex.example`, without a slash at the end.
    pub public_url: String,
    /// The clock.
    pub now: fn() -> Timestamp,
}

impl AppState {
    /// Searches, on a thread that may block.
    ///
    /// An index that nobody has built yet holds nothing, as long as there are no agents either.
    pub(crate) async fn find(&self, request: Request) -> Result<Results, AppError> {
        let searcher = self.searcher.clone();
        let answer = tokio::task::spawn_blocking(move || searcher.search(&request))
            .await
            .map_err(|_| AppError::Panic)?;
        match answer {
            Ok(results) => Ok(results),
            Err(error) => self.without_agents(error, Results::default()).await,
        }
    }

    /// Completes what somebody types, on a thread that may block.
    pub(crate) async fn suggest(
        &self,
        prefix: &str,
        limit: usize,
    ) -> Result<Vec<Suggestion>, AppError> {
        let (searcher, prefix) = (self.searcher.clone(), prefix.to_owned());
        let answer = tokio::task::spawn_blocking(move || searcher.suggest(&prefix, limit))
            .await
            .map_err(|_| AppError::Panic)?;
        match answer {
            Ok(suggestions) => Ok(suggestions),
            Err(error) => self.without_agents(error, Vec::new()).await,
        }
    }

    /// A number that changes whenever an answer could, as text for tags.
    pub(crate) async fn generation(&self) -> Result<String, AppError> {
        // What is new is read on the way.
        let searcher = self.searcher.clone();
        let generation = tokio::task::spawn_blocking(move || searcher.generation())
            .await
            .map_err(|_| AppError::Panic)?;
        match generation {
            Ok(generation) => Ok(generation.to_string()),
            Err(error) => self.without_agents(error, "none".to_owned()).await,
        }
    }

    /// `answer` when there is no index because no agent is stored; else to say that nothing was found would be a lie.
    async fn without_agents<T>(&self, error: SearchError, answer: T) -> Result<T, AppError> {
        let is_new = matches!(error, SearchError::NotBuilt { .. });
        if is_new && self.store.agents(None, 1).await?.is_empty() {
            Ok(answer)
        } else {
            Err(error.into())
        }
    }
}
