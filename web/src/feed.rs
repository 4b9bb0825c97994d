//! The change feed: the folder of exports, and the event streams that are open.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// Most event streams at once.
const MAX_STREAMS: usize = 256;

/// State of the change feed, shared by all handlers; cheap to clone.
#[derive(Clone, Debug)]
pub struct Feed {
    export: Arc<Path>,
    streams: Arc<Semaphore>,
    stopping: CancellationToken,
}

impl Feed {
    /// Returns a feed with the exports in `folder`, which an indexer writes.
    pub fn new(folder: PathBuf) -> Self {
        Self {
            export: folder.into(),
            streams: Arc::new(Semaphore::new(MAX_STREAMS)),
            stopping: CancellationToken::new(),
        }
    }

    /// Returns the folder of exports.
    pub(crate) fn export(&self) -> Arc<Path> {
        Arc::clone(&self.export)
    }

    /// Returns a place for an event stream; `None` if all are taken.
    pub(crate) fn place(&self) -> Option<Place> {
        let permit = Arc::clone(&self.streams).try_acquire_owned().ok()?;
        Some(Place {
            stopping: self.stopping.clone(),
            _permit: permit,
        })
    }

    /// Ends all event streams.
    pub(crate) fn stop(&self) {
        self.stopping.cancel();
    }
}

/// Place of an event stream, free again when dropped.
#[derive(Debug)]
pub(crate) struct Place {
    stopping: CancellationToken,
    _permit: OwnedSemaphorePermit,
}

impl Place {
    /// Completes when the stream is to end.
    pub(crate) async fn stopped(&self) {
        self.stopping.cancelled().await;
    }
}
