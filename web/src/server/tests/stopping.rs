//! Stopping: requests in flight may finish; idle connections are closed.

use super::{HOUR, SECOND, serve};
use crate::server::GRACE;
use crate::server::limits::Limits;
use axum::Router;
use axum::routing::get;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

struct Server {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    stopped: JoinHandle<()>,
    began: Arc<Notify>,
    finish: Arc<Notify>,
}

async fn start(connections: usize) -> Server {
    let (began, finish) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (tell, wait) = (Arc::clone(&began), Arc::clone(&finish));
    let slow = async move || {
        tell.notify_one();
        wait.notified().await;
        "done"
    };
    let site = Router::new()
        .route("/", get(async || "welcome"))
        .route("/slow", get(slow));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, asked) = oneshot::channel();
    let limits = Limits {
        connections,
        ..Limits::within(None).unwrap()
    };
    let stopped = tokio::spawn(serve(listener, site, limits, async {
        let _ = asked.await;
    }));
    Server {
        address,
        stop,
        stopped,
        began,
        finish,
    }
}

async fn send(server: &Server, text: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    stream
}

async fn receive(stream: &mut TcpStream) -> String {
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    text
}

#[tokio::test]
async fn requests_in_flight_finish_and_idle_connections_are_closed() {
    let server = start(100).await;
    let mut streams = Vec::new();
    for begun in ["", "GET / HTTP/1.1\r\nx: ", "PRI * HTTP/2"] {
        streams.push(send(&server, begun).await);
    }
    let mut idle = send(&server, "GET / HTTP/1.1\r\nhost: a\r\n\r\n").await;
    let mut first = [0; 512];
    assert!(idle.read(&mut first).await.unwrap() > 0);
    let mut slow = send(&server, "GET /slow HTTP/1.1\r\nhost: a\r\n\r\n").await;
    server.began.notified().await;
    server.stop.send(()).unwrap();
    for stream in streams.iter_mut().chain([&mut idle]) {
        // Closed, with or without an error.
        assert_eq!(stream.read(&mut first).await.unwrap_or(0), 0);
    }
    assert!(!server.stopped.is_finished());
    assert!(TcpStream::connect(server.address).await.is_err());
    server.finish.notify_one();
    let answer = receive(&mut slow).await;
    assert!(answer.ends_with("\r\n\r\ndone"), "{answer}");
    server.stopped.await.unwrap();
}

#[tokio::test]
async fn requests_that_take_too_long_are_not_waited_for() {
    let server = start(100).await;
    let _slow = send(&server, "GET /slow HTTP/1.1\r\nhost: a\r\n\r\n").await;
    server.began.notified().await;
    server.stop.send(()).unwrap();
    let asked = Instant::now();
    timeout(HOUR, server.stopped).await.unwrap().unwrap();
    assert!(asked.elapsed() + SECOND > GRACE);
}

#[tokio::test]
async fn the_longest_idle_connection_is_closed_for_a_new_one_and_requests_in_flight_stay() {
    let server = start(2).await;
    let mut slow = send(
        &server,
        "GET /slow HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n",
    )
    .await;
    server.began.notified().await;
    let mut silent = send(&server, "").await;
    for _ in 0..10 {
        let request = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";
        let mut next = send(&server, request).await;
        let mut answer = [0; 15];
        next.read_exact(&mut answer).await.unwrap();
        assert_eq!(&answer, b"HTTP/1.1 200 OK");
        // The previous connection was closed.
        assert_eq!(silent.read(&mut [0; 512]).await.unwrap_or(0), 0);
        let mut rest = vec![0; 512];
        let rest_of_it = timeout(Duration::from_mins(1), next.read(&mut rest)).await;
        assert!(rest_of_it.unwrap().unwrap() > 0);
        silent = next;
    }
    server.finish.notify_one();
    let answer = receive(&mut slow).await;
    assert!(answer.ends_with("\r\n\r\ndone"), "{answer}");
}
