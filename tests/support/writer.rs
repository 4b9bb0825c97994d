//! A writer beside the work of a test, as another process is one.

use manifest::Timestamp;
use std::net::Ipv4Addr;
use std::path::Path;
use std::time::{Duration, Instant};
use store::StoreError;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Writer with a connection of its own, which writes one row after the other.
pub(crate) struct Writer {
    stop: CancellationToken,
    writing: JoinHandle<Result<Waits, StoreError>>,
}

/// Writes of a [`Writer`].
pub(crate) struct Waits {
    pub(crate) writes: u32,
    /// Time of the one that took longest.
    pub(crate) longest: Duration,
}

impl Writer {
    /// Begins to write into a database: a pause that ends `now`, again and again.
    pub(crate) async fn begin(database: &Path, now: Timestamp) -> Self {
        let url = format!("sqlite:{}", database.display());
        let store = store::open(&url, &[]).await.unwrap();
        let stop = CancellationToken::new();
        let is_over = stop.clone();
        let writing = tokio::spawn(async move {
            let mut waits = Waits {
                writes: 0,
                longest: Duration::ZERO,
            };
            while !is_over.is_cancelled() {
                let started = Instant::now();
                let address = Ipv4Addr::LOCALHOST.into();
                store.block_address(address, now).await?;
                waits.longest = waits.longest.max(started.elapsed());
                waits.writes += 1;
            }
            store.close().await;
            Ok(waits)
        });
        Self { stop, writing }
    }

    /// Ends it, and returns its writes, none of which may have been refused.
    pub(crate) async fn end(self) -> Waits {
        self.stop.cancel();
        self.writing.await.unwrap().unwrap()
    }
}
