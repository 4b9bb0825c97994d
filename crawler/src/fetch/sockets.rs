//! Sockets for lookups that record when this process has no file descriptor left.
//!
//! The resolver's own errors do not tell why it could not reach its name servers.

use crate::descriptors;
use hickory_resolver::net::runtime::{RuntimeProvider, TokioRuntimeProvider};
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

type Opening<T> = Pin<Box<dyn Future<Output = io::Result<T>> + Send>>;

/// Opens sockets, and counts failures due to a lack of descriptors.
#[derive(Clone, Default)]
pub(super) struct Sockets {
    inner: TokioRuntimeProvider,
    shortages: Arc<AtomicU64>,
}

impl std::fmt::Debug for Sockets {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Sockets")
            .field("shortages", &self.shortages)
            .finish_non_exhaustive()
    }
}

impl Sockets {
    /// Returns the number of sockets so far that could not be opened because too many files were
    /// open.
    pub(super) fn shortages(&self) -> u64 {
        self.shortages.load(Ordering::Relaxed)
    }

    fn counted<T: 'static>(&self, opening: Opening<T>) -> Opening<T> {
        let shortages = Arc::clone(&self.shortages);
        Box::pin(async move {
            opening.await.inspect_err(|error| {
                if descriptors::is_exhausted(error) {
                    shortages.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
    }
}

impl RuntimeProvider for Sockets {
    type Handle = <TokioRuntimeProvider as RuntimeProvider>::Handle;
    type Timer = <TokioRuntimeProvider as RuntimeProvider>::Timer;
    type Udp = <TokioRuntimeProvider as RuntimeProvider>::Udp;
    type Tcp = <TokioRuntimeProvider as RuntimeProvider>::Tcp;

    fn create_handle(&self) -> Self::Handle {
        self.inner.create_handle()
    }

    fn connect_tcp(
        &self,
        server: SocketAddr,
        local: Option<SocketAddr>,
        timeout: Option<Duration>,
    ) -> Opening<Self::Tcp> {
        self.counted(self.inner.connect_tcp(server, local, timeout))
    }

    fn bind_udp(&self, local: SocketAddr, server: SocketAddr) -> Opening<Self::Udp> {
        self.counted(self.inner.bind_udp(local, server))
    }
}
