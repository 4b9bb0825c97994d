//! The client for a host whose answers the usual one refuses: over HTTP/1.1, it examines the heads
//! itself and refuses only faults that may matter.

use super::CONNECT;
use super::addresses::Addresses;
use super::head::HEADER_COUNT;
use super::raw_head::RawHead;
use crate::fetch::{FetchError, Stage};
use hyper::Uri;
use hyper::rt::{Read, ReadBuf, ReadBufCursor, Write};
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::{Connected, Connection, HttpConnector};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::net::TcpStream;
use tower_service::Service;

/// A client whose requests have no body.
pub(super) type Client = legacy::Client<Connector, String>;

/// Maximum number of bytes that are read at once while a head is expected.
const STEP: usize = 4 * 1024;

/// Creates an examining client with its own connection pool, which connects to these addresses.
pub(super) fn client(
    tls: &Arc<rustls::ClientConfig>,
    addresses: &Addresses,
    idle: Duration,
) -> Client {
    // Every wait has a deadline here, so that TCP keepalive is not needed.
    let mut tcp = HttpConnector::new_with_resolver(addresses.clone());
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    let connector = Connector(HttpsConnector::from((tcp, Arc::clone(tls))));
    legacy::Client::builder(TokioExecutor::new())
        .timer(TokioTimer::new())
        .pool_timer(TokioTimer::new())
        .pool_max_idle_per_host(1)
        .pool_idle_timeout(idle)
        .http1_max_headers(HEADER_COUNT)
        // What must not be ignored is an error already: see `RawHead`.
        .http1_ignore_invalid_headers_in_responses(true)
        .http2_max_header_list_size(32 * 1024)
        .http2_initial_stream_window_size(65_535)
        .http2_initial_connection_window_size(131_072)
        .build(connector)
}

/// Opens connections, within [`CONNECT`].
#[derive(Clone, Debug)]
pub(super) struct Connector(HttpsConnector<HttpConnector<Addresses>>);

type BoxError = Box<dyn std::error::Error + Send + Sync>;

impl Service<Uri> for Connector {
    type Response = Stream;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Stream, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let connecting = self.0.call(uri);
        Box::pin(async move {
            let connected = tokio::time::timeout(CONNECT, connecting).await;
            let inner = connected.map_err(|_| FetchError::Timeout(Stage::Connect))??;
            let is_http1 = !inner.connected().is_negotiated_h2();
            Ok(Stream {
                head: is_http1.then(RawHead::default),
                inner,
            })
        })
    }
}

/// A connection; over HTTP/1, the heads of its answers are examined.
pub(super) struct Stream {
    inner: MaybeHttpsStream<TokioIo<TcpStream>>,
    head: Option<RawHead>,
}

impl Connection for Stream {
    fn connected(&self) -> Connected {
        self.inner.connected()
    }
}

impl Read for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        mut buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let Some(head) = this.head.as_mut().filter(|head| head.is_expected()) else {
            return Pin::new(&mut this.inner).poll_read(context, buffer);
        };
        let mut bytes = [0; STEP];
        let most = buffer.remaining().min(STEP);
        let mut read = ReadBuf::new(&mut bytes[..most]);
        ready!(Pin::new(&mut this.inner).poll_read(context, read.unfilled()))?;
        head.read(read.filled()).map_err(io::Error::other)?;
        buffer.put_slice(read.filled());
        Poll::Ready(Ok(()))
    }
}

impl Write for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.expect_head();
        Pin::new(&mut self.inner).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.expect_head();
        Pin::new(&mut self.inner).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}

impl Stream {
    fn expect_head(&mut self) {
        if let Some(head) = &mut self.head {
            head.expect();
        }
    }
}
