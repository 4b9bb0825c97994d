//! The index, a part of the operator's view.

use crate::{SearchError, Searcher};
use admin::prometheus::metrics::gauge::ConstGauge;
use admin::prometheus::registry::Registry;
use admin::{Disk, Part, measured, register_bytes, size_of};
use async_trait::async_trait;
use std::io;
use std::path::Path;
use std::sync::Arc;
use store::Store;

/// The index, as the operator sees it.
#[derive(Debug)]
pub struct Index {
    searcher: Searcher,
    store: Arc<dyn Store>,
    /// True if the process holds the index in memory, to search it.
    is_held: bool,
}

/// Figures of an index.
#[derive(Debug)]
struct Reading {
    generation: u64,
    /// Number of agents that wait for a sentence vector; none if the process does not hold the index.
    waiting: Option<u64>,
}

impl Reading {
    fn of(searcher: &Searcher, is_held: bool) -> Result<Self, SearchError> {
        Ok(if is_held {
            Self {
                generation: searcher.generation()?,
                waiting: Some(searcher.waiting()?),
            }
        } else {
            Self {
                generation: searcher.committed()?,
                waiting: None,
            }
        })
    }
}

/// Bytes of an index with its builds, and of the disk beneath it.
#[derive(Debug)]
struct Space {
    index: u64,
    disk: Disk,
}

impl Space {
    fn of(dir: &Path) -> io::Result<Self> {
        Ok(Self {
            index: size_of(dir)?,
            disk: Disk::of(dir)?,
        })
    }

    fn register(&self, registry: &mut Registry) {
        for (name, help, bytes) in [
            ("size", "Size of the index on disk", self.index),
            ("disk_free", "Free space of its disk", self.disk.free),
        ] {
            register_bytes(registry, name, help, bytes);
        }
    }
}

impl Index {
    /// Creates the part of a process that searches: the index must be readable.
    pub fn searched(searcher: Searcher, store: Arc<dyn Store>) -> Self {
        Self {
            searcher,
            store,
            is_held: true,
        }
    }

    /// Creates the part of a process that only writes the index in a directory, and so does not hold
    /// it in memory.
    pub fn written(dir: &Path, store: Arc<dyn Store>) -> Self {
        Self {
            searcher: Searcher::at(dir, None),
            store,
            is_held: false,
        }
    }

    /// Returns the seconds since the oldest of the changes that are not in an index of some generation.
    async fn missed_for(&self, generation: u64) -> Option<u64> {
        match self.store.changes(generation, 1).await {
            Ok(missed) => Some(missed.first().map_or(0, |it| {
                let millis = admin::now().0.saturating_sub(it.at.0);
                u64::try_from(millis).unwrap_or(0) / 1_000
            })),
            Err(error) => {
                tracing::warn!(%error, "cannot measure the lag of the index: {error}");
                None
            }
        }
    }

    /// Returns what is read of the index, and the newest sequence number of the change log.
    async fn read(&self) -> Result<(Reading, u64), String> {
        let last = self.store.last_change().await;
        let last = last.map_err(|error| error.to_string())?;
        let (searcher, is_held) = (self.searcher.clone(), self.is_held);
        match tokio::task::spawn_blocking(move || Reading::of(&searcher, is_held)).await {
            Ok(Ok(reading)) => Ok((reading, last)),
            // Nothing was indexed because there is nothing to index.
            Ok(Err(SearchError::NotBuilt { .. })) if last == 0 => {
                let none = Reading {
                    generation: 0,
                    waiting: is_held.then_some(0),
                };
                Ok((none, 0))
            }
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
                let missed_for = self.missed_for(reading.generation).await;
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
                        "lag_seconds",
                        "Time since the oldest change that is not in the index yet",
                        missed_for,
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
        let dir = self.searcher.dir().to_owned();
        let space = measured("the files of the index", move || Space::of(&dir));
        if let Some(space) = space.await {
            space.register(registry);
        }
    }
}
