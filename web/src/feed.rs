//! The change feed: the folder of exports, and the event streams that are open.

use crate::client::{self, Client};
use crate::error::AppError;
use crate::slots::{PerKey, Slot, Slots};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, watch};

/// Most event streams at once.
const MAX_STREAMS: usize = 256;
/// Most event streams of a client at once.
pub(crate) const MAX_STREAMS_OF_CLIENT: usize = 8;
/// Seconds after which a client with too many of them may try again: connections that are gone have been
/// noticed by then.
const WAIT_S: u64 = 30;

/// State of the change feed, shared by all handlers; cheap to clone.
#[derive(Clone, Debug)]
pub struct Feed {
    export: Arc<Path>,
    streams: Slots,
    clients: PerKey<Client>,
    stopping: watch::Sender<bool>,
}

impl Feed {
    /// Returns a feed with the exports in `folder`, which an indexer writes.
    pub fn new(folder: PathBuf) -> Self {
        Self {
            export: folder.into(),
            streams: Slots::new(MAX_STREAMS),
            clients: PerKey::new(MAX_STREAMS_OF_CLIENT),
            stopping: watch::Sender::new(false),
        }
    }

    /// Returns the folder of exports.
    pub(crate) fn export(&self) -> Arc<Path> {
        Arc::clone(&self.export)
    }

    /// Returns a place for an event stream of this request's client, unless too many are taken.
    pub(crate) fn place(&self) -> Result<Place, AppError> {
        let own = client::current().map(|it| self.clients.of(it).try_acquire_owned());
        let own = own.transpose().map_err(|_| AppError::Limited {
            message: format!(
                "a client may have {MAX_STREAMS_OF_CLIENT} event streams; close one of them, or read \
                 /api/v1/changes"
            ),
            wait_s: WAIT_S,
        })?;
        let slot = self.streams.try_acquire();
        Ok(Place {
            stopping: self.stopping.subscribe(),
            _own: own,
            _slot: slot.ok_or(AppError::TooManyStreams)?,
        })
    }

    /// Ends all event streams.
    pub(crate) fn stop(&self) {
        self.stopping.send_replace(true);
    }
}

/// Place of an event stream, free again when dropped.
#[derive(Debug)]
pub(crate) struct Place {
    stopping: watch::Receiver<bool>,
    _own: Option<OwnedSemaphorePermit>,
    _slot: Slot,
}

impl Place {
    /// Completes when the stream is to end.
    pub(crate) async fn stopped(&mut self) {
        // A feed that is gone ends its streams as well.
        let _ = self.stopping.wait_for(|is_stopping| *is_stopping).await;
    }
}
