//! Each limit, over a connection in memory with a paused clock, so that times are exact; stopping,
//! over sockets.

mod http2;
mod sockets;
mod stopping;

use super::activity::Activity;
use super::limits::Limits;
use super::{connection, serve};
use crate::client::Peer;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use futures_util::stream;
use hyper::body::Frame;
use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};
use tokio::task::JoinHandle;
use tokio::time::{Instant, Interval, interval, sleep, timeout};

const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_hours(1);
const LARGE: usize = 256 << 10;
/// Bytes that the connection buffers.
const LINE: usize = 4 << 10;

/// Endless stream of events of the given size, one a minute.
struct Events(usize, Interval);

impl hyper::body::Body for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let event = Bytes::from(vec![b'e'; self.0]);
        self.1
            .poll_tick(context)
            .map(|_| Some(Ok(Frame::data(event))))
    }
}

fn events(size: usize) -> impl IntoResponse {
    let events = Events(size, interval(Duration::from_mins(1)));
    ([(CONTENT_TYPE, "text/event-stream")], Body::new(events))
}

/// Returns a response of several frames.
fn parts() -> Body {
    let parts = [(); 16].map(|()| Ok::<_, Infallible>(Bytes::from(vec![b'x'; LARGE / 16])));
    Body::from_stream(stream::iter(parts))
}

fn site() -> Router {
    let few = post(async |words: String| words).layer(DefaultBodyLimit::max(4));
    Router::new()
        .route("/", get(async || "welcome"))
        .route("/large", get(async || "x".repeat(LARGE)))
        .route("/parts", get(async || parts()))
        .route("/words", post(async |words: String| words))
        .route(
            "/never-read",
            post(async || StatusCode::UNSUPPORTED_MEDIA_TYPE),
        )
        .route("/few-words", few)
        .route("/never", get(std::future::pending::<()>))
        .route("/events", get(async || events(8)))
        .route("/many-events", get(async || events(LARGE)))
}

/// Client's end of a connection, and the time until the server closes the other.
struct Line {
    stream: DuplexStream,
    served: JoinHandle<Duration>,
}

impl Line {
    fn open() -> Self {
        let (stream, socket) = tokio::io::duplex(LINE);
        let served = tokio::spawn(async move {
            let started = Instant::now();
            let limits = Limits::within(None).unwrap();
            let activity = Arc::new(Activity::new(started, &limits));
            let protocols = connection::protocols();
            let peer = Peer(Ipv4Addr::LOCALHOST.into());
            connection::serve(&protocols, socket, peer, site(), &activity, &limits).await;
            started.elapsed()
        });
        Self { stream, served }
    }

    async fn send(&mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).await.unwrap();
    }

    async fn receive(&mut self, end: &str) -> String {
        let mut text = String::new();
        while !text.ends_with(end) {
            let byte = self.stream.read_u8().await.unwrap();
            text.push(byte.into());
        }
        text
    }

    /// Sends a byte every second until the server closes; returns how long that took.
    async fn drip(mut self) -> Duration {
        while !self.served.is_finished() {
            sleep(SECOND).await;
            let _ = self.stream.write_all(b"x").await;
        }
        self.served.await.unwrap()
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_client_is_disconnected() {
    let line = Line::open();
    assert_eq!(line.served.await.unwrap(), 10 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn a_slow_head_closes_the_connection() {
    let mut line = Line::open();
    sleep(5 * SECOND).await;
    line.send("GET / HTTP/1.1\r\nhost: a\r\nx: ").await;
    assert_eq!(line.drip().await, 15 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn a_connection_without_another_request_is_closed() {
    let mut line = Line::open();
    for _ in 0..5 {
        line.send("GET / HTTP/1.1\r\nhost: a\r\n\r\n").await;
        line.receive("welcome").await;
        sleep(59 * SECOND).await;
    }
    assert_eq!(line.served.await.unwrap(), (4 * 59 + 60) * SECOND);
}

#[tokio::test(start_paused = true)]
async fn the_next_head_has_as_long_as_the_first() {
    let mut line = Line::open();
    line.send("GET / HTTP/1.1\r\nhost: a\r\n\r\n").await;
    line.receive("welcome").await;
    sleep(30 * SECOND).await;
    line.send("GET / HTTP/1.1\r\nhost: a\r\nx: ").await;
    assert_eq!(line.drip().await, 40 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn a_slow_body_is_refused_and_closes_the_connection() {
    let mut line = Line::open();
    line.send("POST /words HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n\r\n")
        .await;
    let asked = Instant::now();
    let dripping = async {
        let (mut from, mut to) = tokio::io::split(line.stream);
        let drip = async {
            while to.write_all(b"x").await.is_ok() {
                sleep(SECOND).await;
            }
        };
        let mut answer = String::new();
        let _ = tokio::join!(drip, from.read_to_string(&mut answer));
        answer
    };
    let (answer, lasted) = tokio::join!(dripping, line.served);
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    assert_eq!(lasted.unwrap(), 8 * SECOND, "{:?}", asked.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_body_that_comes_in_time_is_read() {
    let mut line = Line::open();
    line.send("POST /words HTTP/1.1\r\nhost: a\r\ncontent-length: 6\r\n\r\nabc")
        .await;
    sleep(7 * SECOND).await;
    line.send("def").await;
    line.receive("abcdef").await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_before_the_end_of_the_body_says_that_the_connection_closes() {
    // A body that is not waited for, and one of which only a part is accepted.
    for path in ["/never-read", "/few-words"] {
        let mut line = Line::open();
        line.send(&format!(
            "POST {path} HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n\r\nabcdef"
        ))
        .await;
        let mut answer = String::new();
        line.stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 4"), "{answer}");
        assert!(answer.contains("connection: close\r\n"), "{answer}");
        // The body may arrive until its deadline, as long as the client does not close.
        assert_eq!(line.served.await.unwrap(), 8 * SECOND);
    }
    let mut line = Line::open();
    for body in [
        "content-length: 3\r\n\r\nabc",
        "transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        "content-length: 0\r\n\r\n",
    ] {
        line.send(&format!("POST /words HTTP/1.1\r\nhost: a\r\n{body}"))
            .await;
        let answer = line.receive("\r\n\r\n").await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        assert!(!answer.contains("connection"), "{answer}");
        line.receive(if body.contains("abc") { "abc" } else { "" })
            .await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_reads_nothing_of_its_response_is_disconnected() {
    let mut line = Line::open();
    line.send("GET /large HTTP/1.1\r\nhost: a\r\n\r\n").await;
    assert_eq!(line.served.await.unwrap(), 30 * SECOND);
}

/// Reads a response with a pause before every 4 KiB; returns the bytes, and the time until the server
/// closed.
async fn read_slowly(path: &str, pause: Duration) -> (usize, Duration) {
    let mut line = Line::open();
    line.send(&format!(
        "GET {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n"
    ))
    .await;
    let mut taken = 0;
    let mut part = vec![0; LINE];
    while !line.served.is_finished() {
        sleep(pause).await;
        taken += line.stream.read(&mut part).await.unwrap();
    }
    (taken, line.served.await.unwrap())
}

#[tokio::test(start_paused = true)]
async fn a_client_that_reads_at_least_a_kilobyte_a_second_gets_the_whole_response() {
    for path in ["/large", "/parts"] {
        let (taken, lasted) = read_slowly(path, 4 * SECOND).await;
        assert!(taken > LARGE - LINE, "{path}: {taken}");
        assert!(lasted > 200 * SECOND, "{path}: {lasted:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_reads_less_than_a_kilobyte_a_second_is_disconnected() {
    for path in ["/large", "/parts"] {
        let (taken, lasted) = read_slowly(path, 5 * SECOND).await;
        assert!(taken < LARGE / 4, "{path}: {taken}");
        assert_eq!(lasted, 30 * SECOND, "{path}");
    }
    let mut line = Line::open();
    line.send("GET /large HTTP/1.1\r\nhost: a\r\n\r\n").await;
    let dripping = async {
        while line.stream.read_u8().await.is_ok() {
            sleep(SECOND).await;
        }
    };
    let (lasted, ()) = tokio::join!(line.served, dripping);
    assert_eq!(lasted.unwrap(), 30 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_was_fast_is_waited_for_no_longer_than_one_that_was_not() {
    let mut line = Line::open();
    line.send("GET /large HTTP/1.1\r\nhost: a\r\n\r\n").await;
    let mut much = vec![0; LARGE / 2];
    line.stream.read_exact(&mut much).await.unwrap();
    assert_eq!(line.served.await.unwrap(), 30 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn an_event_stream_stays_open_as_long_as_its_client_reads_the_events() {
    let started = Instant::now();
    let mut line = Line::open();
    line.send("GET /events HTTP/1.1\r\nhost: a\r\n\r\n").await;
    for _ in 0..60 {
        line.receive("eeeeeeee").await;
    }
    assert!(started.elapsed() >= 59 * Duration::from_mins(1));
    assert!(!line.served.is_finished());
    let mut line = Line::open();
    line.send("GET /many-events HTTP/1.1\r\nhost: a\r\n\r\n")
        .await;
    let lasted = timeout(HOUR, line.served).await.unwrap().unwrap();
    assert_eq!(lasted, 30 * SECOND);
}
