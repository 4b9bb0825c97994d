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
    read: fn(&Searcher) -> Result<Reading, SearchError>,
}

/// Figures of an index.
#[derive(Debug, Default)]
struct Reading {
    generation: u64,
    /// Number of agents that wait for a sentence vector; none if the process does not hold the index.
    waiting: Option<u64>,
}

impl Index {
    /// Creates the part of a process that searches: the index must be readable.
    pub fn searched(searcher: Searcher, store: Arc<dyn Store>) -> Self {
        Self {
            searcher,
            store,
            read: |searcher| {
                Ok(Reading {
                    generation: searcher.generation()?,
                    waiting: Some(searcher.waiting()?),
                })
            },
        }
    }

    /// Creates the part of a process that only writes the index in a directory, and so does not hold
    /// it in memory.
    pub fn written(dir: &Path, store: Arc<dyn Store>) -> Self {
        Self {
            searcher: Searcher::at(dir, None),
            store,
            read: |searcher| {
                Ok(Reading {
                    generation: searcher.committed()?,
                    waiting: None,
                })
            },
        }
    }

    /// Returns what is read of the index, and the newest sequence number of the change log.
    async fn read(&self) -> Result<(Reading, u64), String> {
        let last = self.store.last_change().await;
        let last = last.map_err(|error| error.to_string())?;
        let (searcher, read) = (self.searcher.clone(), self.read);
        match tokio::task::spawn_blocking(move || read(&searcher)).await {
            Ok(Ok(reading)) => Ok((reading, last)),
            // Nothing was indexed because there is nothing to index.
            Ok(Err(SearchError::NotBuilt { .. })) if last == 0 => Ok((Reading::default(), 0)),
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
            Ok((reading, last)) => {
                let counts = [
                    (
                        "generation",
                        "Sequence number of the newest change in the index",
                        Some(reading.generation),
                    ),
                    (
                        "lag_changes",
                        "Changes that are not in the index yet",
                        Some(last.saturating_sub(reading.generation)),
                    ),
                    (
                        "waiting_vectors",
                        "Agents whose sentence vectors are not computed yet",
                        reading.waiting,
                    ),
                ];
                for (name, help, count) in counts {
                    let Some(count) = count else {
                        continue;
                    };
                    let count = i64::try_from(count).unwrap_or(i64::MAX);
                    registry.register(name, help, ConstGauge::new(count));
                }
            }
            Err(reason) => tracing::warn!("cannot measure the index: {reason}"),
        }
    }
}
