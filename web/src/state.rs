//! State shared by all handlers.

use crate::error::AppError;
use indexer::search::{Request, Results, SearchError, Searcher, Suggestion};
use manifest::Timestamp;
use std::sync::Arc;
use store::Store;

/// State shared by all handlers.
#[derive(Clone, Debug)]
pub struct AppState {
    /// Database.
    pub store: Arc<dyn Store>,
    /// Search index.
    pub searcher: Searcher,
    /// URL that visitors use, such as `https://agentdex.example`, without a trailing slash.
    pub public_url: String,
    /// Clock.
    pub now: fn() -> Timestamp,
}

impl AppState {
    /// Searches, on a blocking thread.
    ///
    /// Returns no results if the index is not built yet and no agents are stored.
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

    /// Completes a partial query, on a blocking thread.
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

    /// Returns a number, as text for entity tags, that changes whenever results may change.
    pub(crate) async fn generation(&self) -> Result<String, AppError> {
        // Loads a newer generation, if there is one.
        let searcher = self.searcher.clone();
        let generation = tokio::task::spawn_blocking(move || searcher.generation())
            .await
            .map_err(|_| AppError::Panic)?;
        match generation {
            Ok(generation) => Ok(generation.to_string()),
            Err(error) => self.without_agents(error, "none".to_owned()).await,
        }
    }

    /// Returns `answer` if there is no index because no agent is stored, else the error: "no
    /// results"
    /// would be wrong.
    async fn without_agents<T>(&self, error: SearchError, answer: T) -> Result<T, AppError> {
        let is_new = matches!(error, SearchError::NotBuilt { .. });
        if is_new && self.store.agents(None, 1).await?.is_empty() {
            Ok(answer)
        } else {
            Err(error.into())
        }
    }
}
