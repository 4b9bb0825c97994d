//! The change feed: the folder of exports, and the event streams that are open.

use crate::client::{self, Client};
use crate::slots::{PerKey, Slot, Slots};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::OwnedSemaphorePermit;
use tokio_util::sync::CancellationToken;

/// Most event streams at once.
const MAX_STREAMS: usize = 256;
/// Most event streams of a client at once.
pub(crate) const MAX_STREAMS_OF_CLIENT: usize = 8;

/// State of the change feed, shared by all handlers; cheap to clone.
#[derive(Clone, Debug)]
pub struct Feed {
    export: Arc<Path>,
    streams: Slots,
    clients: PerKey<Client>,
    stopping: CancellationToken,
}

impl Feed {
    /// Returns a feed with the exports in `folder`, which an indexer writes.
    pub fn new(folder: PathBuf) -> Self {
        Self {
            export: folder.into(),
            streams: Slots::new(MAX_STREAMS),
            clients: PerKey::new(MAX_STREAMS_OF_CLIENT),
            stopping: CancellationToken::new(),
        }
    }

    /// Returns the folder of exports.
    pub(crate) fn export(&self) -> Arc<Path> {
        Arc::clone(&self.export)
    }

    /// Returns a place for an event stream of this request's client.
    pub(crate) fn place(&self) -> Result<Place, NoPlace> {
        let own = client::current().map(|it| self.clients.of(it).try_acquire_owned());
        let own = own.transpose().map_err(|_| NoPlace::OfClient)?;
        let slot = self.streams.try_acquire();
        Ok(Place {
            stopping: self.stopping.clone(),
            _own: own,
            _slot: slot.ok_or(NoPlace::Any)?,
        })
    }

    /// Returns the number of event streams that are open.
    pub(crate) fn streams(&self) -> usize {
        self.streams.used()
    }

    /// Ends all event streams.
    pub(crate) fn stop(&self) {
        self.stopping.cancel();
    }
}

/// Reason why there is no place for an event stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoPlace {
    /// Its client has as many as it may have.
    OfClient,
    /// All are taken, or as many as its network may have.
    Any,
}

/// Place of an event stream, free again when dropped.
#[derive(Debug)]
pub(crate) struct Place {
    stopping: CancellationToken,
    _own: Option<OwnedSemaphorePermit>,
    _slot: Slot,
}

impl Place {
    /// Completes when the stream is to end.
    pub(crate) async fn stopped(&self) {
        self.stopping.cancelled().await;
    }
}
