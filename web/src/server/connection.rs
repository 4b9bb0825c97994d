//! One connection, from its first byte to its last.

use crate::client::Peer;
use crate::host::{BadHost, is_named};
use crate::server::activity::Activity;
use crate::server::exchange::Exchange;
use crate::server::limits::Limits;
use crate::server::stream::Stream;
use axum::Router;
use axum::body::Body;
use axum::http::HeaderValue;
use axum::http::header::CONNECTION;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Version};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, sleep_until};
use tower::Service as _;

/// Bytes that HTTP/1 buffers of a request's head, half of which may be the address, and of a
/// response.
const BUFFER: usize = 128 << 10;
/// Requests in flight on one connection of HTTP/2: the minimum of RFC 9113, section 6.5.2.
const MAX_STREAMS: u32 = 100;
/// Streams of HTTP/2 that a client may reset before we handle them (CVE-2023-44487).
const MAX_RESETS: usize = 20;
/// Streams of HTTP/2 that we may have to reset because of a client's errors (CVE-2025-8671).
const MAX_FAULTS: usize = 100;
/// Maximum number of bytes of a request's head over HTTP/2.
const MAX_HEADERS: u32 = 16 << 10;
/// Flow-control windows of HTTP/2 in bytes, of a stream and of a connection; request bodies are
/// short.
const WINDOWS: (u32, u32) = (64 << 10, 256 << 10);
/// Bytes of a response that HTTP/2 buffers for each stream.
const SEND_BUFFER: usize = 64 << 10;
/// Silence of a waiting client after which HTTP/2 sends a ping.
const PING_AFTER: Duration = Duration::from_secs(20);
/// Time for a client to answer a ping.
const PING_TIMEOUT: Duration = Duration::from_secs(10);

/// Returns the configuration of HTTP/1 and HTTP/2.
pub(super) fn protocols() -> Builder<TokioExecutor> {
    let mut protocols = Builder::new(TokioExecutor::new());
    protocols.http1().max_buf_size(BUFFER);
    protocols
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(MAX_STREAMS)
        .max_pending_accept_reset_streams(MAX_RESETS)
        .max_local_error_reset_streams(MAX_FAULTS)
        .max_header_list_size(MAX_HEADERS)
        .initial_stream_window_size(WINDOWS.0)
        .initial_connection_window_size(WINDOWS.1)
        .max_send_buf_size(SEND_BUFFER)
        .keep_alive_interval(PING_AFTER)
        .keep_alive_timeout(PING_TIMEOUT);
    protocols
}

/// Serves `site` over `socket`, until the client closes the connection or exceeds a time limit, or
/// the connection is asked to close.
pub(super) async fn serve<S>(
    protocols: &Builder<TokioExecutor>,
    socket: S,
    peer: Peer,
    site: Router,
    activity: &Arc<Activity>,
    limits: &Limits,
) where
    S: AsyncRead + AsyncWrite + Unpin + 'static,
{
    let service = service_fn(|request: Request<Incoming>| {
        let is_multiplexed = request.version() == Version::HTTP_2;
        let exchange = Exchange::begin(activity, is_multiplexed);
        let deadline = Instant::now() + limits.body;
        let mut request = request.map(|body| Body::new(exchange.question(body, deadline)));
        request.extensions_mut().insert(peer);
        if !is_named(request.version(), request.uri(), request.headers()) {
            request.extensions_mut().insert(BadHost);
        }
        let answer = site.clone().call(request);
        async move {
            let Ok(mut answer) = answer.await;
            if exchange.has_rest() {
                // The connection will be closed; a client that knows it opens another one.
                let close = HeaderValue::from_static("close");
                answer.headers_mut().insert(CONNECTION, close);
            }
            Ok::<_, Infallible>(answer.map(|body| exchange.answer(body)))
        }
    });
    let io = TokioIo::new(Stream::new(socket, Arc::clone(activity)));
    let mut connection = pin!(protocols.serve_connection(io, service));
    let mut asked_to_close = pin!(activity.asked_to_close());
    let mut is_closing = false;
    let mut alarm = pin!(sleep_until(Instant::now() + limits.first_byte));
    poll_fn(|context| {
        if !is_closing && asked_to_close.as_mut().poll(context).is_ready() {
            is_closing = true;
            connection.as_mut().graceful_shutdown();
        }
        if let Poll::Ready(ended) = connection.as_mut().poll(context) {
            if let Err(error) = ended {
                tracing::trace!(%error, "a connection failed");
            }
            return Poll::Ready(());
        }
        if is_closing && activity.may_close() {
            return Poll::Ready(());
        }
        loop {
            // Other tasks may start a time limit, so the alarm is never later than the shortest
            // one.
            let deadline = activity.deadline(limits);
            let next = deadline.unwrap_or_else(|| Instant::now() + limits.first_byte);
            if next < alarm.deadline() {
                alarm.as_mut().reset(next);
            }
            if alarm.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                break;
            }
            alarm.as_mut().reset(next);
        }
        // Over HTTP/2 this sends GOAWAY, if the socket accepts it at once.
        connection.as_mut().graceful_shutdown();
        let _ = connection.as_mut().poll(context);
        Poll::Ready(())
    })
    .await;
}
