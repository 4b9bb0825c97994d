//! The index, a part of the operator's view.

use crate::{SearchError, Searcher};
use admin::Part;
use admin::prometheus::metrics::gauge::ConstGauge;
use admin::prometheus::registry::Registry;
use async_trait::async_trait;
use std::path::Path;
use std::sync::Arc;
use store::Store;

/// The index, as the operator sees it.
#[derive(Debug)]
pub struct Index {
    searcher: Searcher,
    store: Arc<dyn Store>,
    generation: fn(&Searcher) -> Result<u64, SearchError>,
}

impl Index {
    /// Creates the part of a process that searches: the index must be readable.
    pub fn searched(searcher: Searcher, store: Arc<dyn Store>) -> Self {
        Self {
            searcher,
            store,
            generation: Searcher::generation,
        }
    }

    /// Creates the part of a process that only writes the index in a directory, and so does not hold
    /// it in memory.
    pub fn written(dir: &Path, store: Arc<dyn Store>) -> Self {
        Self {
            searcher: Searcher::at(dir, None),
            store,
            generation: Searcher::committed,
        }
    }

    /// Returns the generation, and the newest sequence number of the change log.
    async fn read(&self) -> Result<(u64, u64), String> {
        let last = self.store.last_change().await;
        let last = last.map_err(|error| error.to_string())?;
        let (searcher, generation) = (self.searcher.clone(), self.generation);
        match tokio::task::spawn_blocking(move || generation(&searcher)).await {
            Ok(Ok(generation)) => Ok((generation, last)),
            // Nothing was indexed because there is nothing to index.
            Ok(Err(SearchError::NotBuilt { .. })) if last == 0 => Ok((0, 0)),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err("reading the index stopped".to_owned()),
        }
    }
}

#[async_trait]
impl Part for Index {
    fn name(&self) -> &'static str {
        "index"
    }

    async fn ready(&self) -> Result<(), String> {
        self.read().await.map(|_| ())
    }

    async fn register(&self, registry: &mut Registry) {
        match self.read().await {
            Ok((generation, last)) => {
                for (name, help, count) in [
                    (
                        "generation",
                        "Sequence number of the newest change in the index",
                        generation,
                    ),
                    (
                        "lag_changes",
                        "Changes that are not in the index yet",
                        last.saturating_sub(generation),
                    ),
                ] {
                    let count = i64::try_from(count).unwrap_or(i64::MAX);
                    registry.register(name, help, ConstGauge::new(count));
                }
            }
            Err(reason) => tracing::warn!("cannot measure the index: {reason}"),
        }
    }
}
