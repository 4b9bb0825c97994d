//! Connections of a running crawl to its caller.

use crate::summary::Progress;
use std::sync::Arc;
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
}
