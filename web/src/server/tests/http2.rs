//! The limits of HTTP/2.

use super::{HOUR, Line, SECOND};
use axum::body::Bytes;
use axum::http::Request;
use h2::client::{Builder, Connection, SendRequest};
use std::time::Duration;
use tokio::io::{AsyncWriteExt as _, DuplexStream};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const NO_SETTINGS: &[u8] = &[0, 0, 0, 4, 0, 0, 0, 0, 0];

type Sender = SendRequest<Bytes>;

/// Opens a client whose streams have a window of so many bytes; the handle returns the time until
/// the server closes.
async fn client(window: u32) -> (Sender, Connection<DuplexStream>, JoinHandle<Duration>) {
    let Line { stream, served } = Line::open();
    let mut builder = Builder::new();
    let builder = builder.initial_window_size(window);
    let (sender, connection) = builder.handshake(stream).await.unwrap();
    (sender, connection, served)
}

fn ask(path: &str) -> Request<()> {
    let url = format!("http://a{path}");
    Request::get(url).body(()).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_client_that_sends_only_the_preface_is_disconnected() {
    let mut line = Line::open();
    line.stream.write_all(PREFACE).await.unwrap();
    assert_eq!(line.served.await.unwrap(), 10 * SECOND);
    let mut line = Line::open();
    line.stream.write_all(PREFACE).await.unwrap();
    line.stream.write_all(NO_SETTINGS).await.unwrap();
    assert_eq!(line.served.await.unwrap(), 10 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn pings_do_not_keep_a_connection_without_requests() {
    let (mut sender, mut connection, served) = client(65_535).await;
    let mut pings = connection.ping_pong().unwrap();
    let driver = tokio::spawn(connection);
    let (answer, _) = sender.send_request(ask("/"), true).unwrap();
    assert_eq!(answer.await.unwrap().status(), 200);
    let pinging = async {
        while pings.ping(h2::Ping::opaque()).await.is_ok() {
            sleep(5 * SECOND).await;
        }
    };
    let (lasted, ()) = tokio::join!(served, pinging);
    assert_eq!(lasted.unwrap(), 60 * SECOND);
    drop(driver);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_opens_no_window_for_its_response_is_disconnected() {
    let (mut sender, connection, served) = client(0).await;
    let driver = tokio::spawn(connection);
    let (answer, _) = sender.send_request(ask("/large"), true).unwrap();
    assert_eq!(answer.await.unwrap().status(), 200);
    // A short response is buffered whole, and then the connection counts as idle.
    let lasted = timeout(HOUR, served).await.unwrap().unwrap();
    assert_eq!(lasted, 60 * SECOND);
    drop(driver);
}

#[tokio::test(start_paused = true)]
async fn a_slow_response_is_waited_for() {
    let (mut sender, connection, served) = client(65_535).await;
    let _driver = tokio::spawn(connection);
    let (answer, _) = sender.send_request(ask("/never"), true).unwrap();
    assert!(timeout(HOUR, answer).await.is_err());
    assert!(!served.is_finished());
}

#[tokio::test(start_paused = true)]
async fn a_client_that_cancels_request_after_request_is_disconnected() {
    let (mut sender, connection, served) = client(65_535).await;
    let driver = tokio::spawn(connection);
    let mut sent = 0_u32;
    // One at a time, each handled before it is reset, so the limit of h2 itself is not reached.
    while let Ok(ready) = sender.clone().ready().await {
        sender = ready;
        let Ok((answer, mut stream)) = sender.send_request(ask("/never"), true) else {
            break;
        };
        sleep(Duration::from_millis(1)).await;
        stream.send_reset(h2::Reason::CANCEL);
        drop(answer);
        sent += 1;
        assert!(sent < 1_000, "all requests were accepted");
    }
    assert!(sent > 100, "{sent}");
    timeout(HOUR, served).await.unwrap().unwrap();
    drop(driver);
}

#[tokio::test(start_paused = true)]
async fn requests_that_are_reset_before_we_handle_them_are_an_attack() {
    let mut line = Line::open();
    let mut frames = [PREFACE, NO_SETTINGS].concat();
    for stream in (1..160_u8).step_by(2) {
        // HEADERS with GET http://a/, then RST_STREAM with CANCEL.
        let head = [0x82, 0x86, 0x84, 0x41, 1, b'a'];
        frames.extend([0, 0, 6, 1, 5, 0, 0, 0, stream]);
        frames.extend(head);
        frames.extend([0, 0, 4, 3, 0, 0, 0, 0, stream, 0, 0, 0, 8]);
    }
    line.stream.write_all(&frames).await.unwrap();
    let lasted = line.served.await.unwrap();
    assert!(lasted < SECOND, "{lasted:?}");
}

#[tokio::test(start_paused = true)]
async fn a_connection_has_no_more_than_a_hundred_requests_in_flight() {
    let (mut sender, connection, _served) = client(65_535).await;
    let _driver = tokio::spawn(connection);
    let (answer, _) = sender.send_request(ask("/"), true).unwrap();
    answer.await.unwrap();
    let limit = sender.current_max_send_streams();
    assert_eq!(limit, 100);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_opens_its_window_by_less_than_a_kilobyte_a_second_is_disconnected() {
    for (bytes, is_served) in [(900, false), (2_000, true)] {
        let (mut sender, connection, served) = client(1_000).await;
        let _driver = tokio::spawn(connection);
        let (answer, _) = sender.send_request(ask("/parts"), true).unwrap();
        let mut body = answer.await.unwrap().into_body();
        let reading = tokio::spawn(async move {
            while let Some(Ok(part)) = body.data().await {
                sleep(Duration::from_millis(1_000 * part.len() as u64 / bytes)).await;
                let _ = body.flow_control().release_capacity(part.len());
            }
        });
        let lasted = timeout(HOUR, served).await.unwrap().unwrap();
        // What HTTP/2 has buffered at the start, 64 KiB, counts as read.
        let seconds = if is_served { 120..240 } else { 30..100 };
        assert!(seconds.contains(&lasted.as_secs()), "{bytes}: {lasted:?}");
        reading.abort();
    }
}
