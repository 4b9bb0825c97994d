//! Connections of a running crawl to its caller.

use crate::summary::Progress;
use std::sync::Arc;
use tokio::sync::watch;

/// Stop signal of a crawl.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stop {
    /// Keep running.
    #[default]
    No,
    /// Finish the visits in flight and begin no others.
    Finish,
    /// Abort the visits in flight; their domains are visited again later.
    Now,
}

/// Connections of a running crawl to its caller.
#[derive(Clone, Debug)]
pub struct Control {
    /// The stop signal.
    pub stop: watch::Receiver<Stop>,
    /// Progress so far.
    pub progress: Arc<Progress>,
}
