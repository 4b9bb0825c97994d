//! Bytes that the system buffers for a client that reads slowly, and the end of a connection whose client
//! still sends.

use super::serve;
use crate::server::limits::Limits;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use axum::routing::{get, post};
use futures_util::stream;
use std::convert::Infallible;
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

const FRAME: usize = 16 << 10;
/// Bytes that the client reads, and those that the server may write beyond them: the buffers of the
/// client, of the server and of the system.
const READ: usize = 6 << 20;
const BEYOND: usize = 1 << 20;

#[tokio::test]
async fn the_system_takes_little_more_of_a_response_than_its_client_reads() {
    let written = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&written);
    let endless = async move || {
        let frames = stream::repeat_with(move || {
            counted.fetch_add(FRAME, Ordering::Relaxed);
            Ok::<_, Infallible>(Bytes::from(vec![b'x'; FRAME]))
        });
        Body::from_stream(frames)
    };
    let site = Router::new().route("/", get(endless));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let limits = Limits::within(None).unwrap();
    let server = tokio::spawn(serve(listener, site, limits, pending()));
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(16 << 10).unwrap();
    let mut client = socket.connect(address).await.unwrap();
    client
        .write_all(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n")
        .await
        .unwrap();
    client.read_exact(&mut vec![0; READ]).await.unwrap();
    let beyond = written.load(Ordering::Relaxed).saturating_sub(READ);
    assert!(beyond < BEYOND, "{beyond}");
    server.abort();
}

#[tokio::test]
async fn a_client_that_still_sends_a_refused_body_can_read_the_answer() {
    let refused = post(async || StatusCode::PAYLOAD_TOO_LARGE);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let limits = Limits::within(None).unwrap();
    let site = Router::new().route("/", refused);
    let server = tokio::spawn(serve(listener, site, limits, pending()));
    let mut client = TcpStream::connect(address).await.unwrap();
    let head = format!("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: {READ}\r\n\r\n");
    client.write_all(head.as_bytes()).await.unwrap();
    let mut answer = [0; 12];
    client.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 413");
    // More than the buffers of the system take.
    client.write_all(&vec![b'a'; READ]).await.unwrap();
    let mut rest = String::new();
    client.read_to_string(&mut rest).await.unwrap();
    assert!(rest.contains("connection: close"), "{rest}");
    server.abort();
}
