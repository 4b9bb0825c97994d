//! Connections of a running crawl to its caller.

use crate::summary::Progress;
use admin::{Signal, Signals};
use std::convert::Infallible;
use std::future;
use std::sync::{Arc, OnceLock};
use terminal::announce;
use tokio_util::sync::CancellationToken;

/// Connections of a running crawl to its caller.
#[derive(Clone, Debug)]
pub struct Control {
    /// Cancelled when the crawl is to stop: each visit ends after its current request, and is
    /// continued by the next run.
    pub stop: CancellationToken,
    /// Cancelled when it is to stop at once: visits in flight are aborted, and made again later.
    pub abort: CancellationToken,
    /// Progress so far.
    pub progress: Arc<Progress>,
}

impl Control {
    /// Returns the connections of a crawl that is not stopped yet.
    pub fn new(progress: Arc<Progress>) -> Self {
        Self {
            stop: CancellationToken::new(),
            abort: CancellationToken::new(),
            progress,
        }
    }

    /// Stops the crawl, and what stops with it, on signals, of which `signalled` keeps the first one:
    /// there visits end after their current request; at the second one they are aborted.
    pub async fn listen(&self, mut signals: Signals, signalled: &OnceLock<Signal>) -> Infallible {
        let signal = signals.next().await;
        let _ = signalled.set(signal);
        let in_flight = self.progress.snapshot().in_flight;
        announce(&format!(
            "ending {in_flight} visits in flight; a second signal stops immediately"
        ));
        self.stop.cancel();
        signals.next().await;
        self.abort.cancel();
        future::pending().await
    }
}
