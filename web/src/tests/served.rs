//! The site over a socket on loopback, with a client that reads answers as they are sent.

use super::{Answer, Registry, app};
use crate::server::{self, Limits};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A server; dropping it stops it.
#[derive(Debug)]
pub(super) struct Served {
    address: std::net::SocketAddr,
    task: JoinHandle<()>,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Served {
    /// Serves a registry.
    pub(super) async fn start(registry: &Registry) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let site = app(registry.state.clone());
        let limits = Limits::within(None).unwrap();
        let served = server::serve(listener, site, limits, std::future::pending());
        Self {
            address,
            task: tokio::spawn(served),
        }
    }

    /// Sends a request with these header lines and this body.
    pub(super) async fn ask(&self, method: &str, path: &str, lines: &str, body: &[u8]) -> Answer {
        let length = match body.len() {
            0 => String::new(),
            length => format!("content-length: {length}\r\n"),
        };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: agentdex.example\r\nconnection: close\r\n{length}{lines}\r\n"
        );
        let mut stream = self.connect().await;
        stream.write_all(head.as_bytes()).await.unwrap();
        // The server may refuse a body before it is sent completely.
        let _ = stream.write_all(body).await;
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes).await;
        answer(&bytes)
    }

    /// Opens a connection.
    pub(super) async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// Sends a text as it is, and returns the answer once the server has closed the connection.
    pub(super) async fn raw(&self, text: &str) -> Answer {
        let mut stream = self.connect().await;
        stream.write_all(text.as_bytes()).await.unwrap();
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes).await;
        answer(&bytes)
    }

    /// Sends a GET request.
    pub(super) async fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, "", b"").await
    }

    /// Asserts that an address answers GET, HEAD and conditional requests consistently; returns the
    /// answer to GET.
    pub(super) async fn read(&self, path: &str) -> Answer {
        let answer = self.get(path).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
        let head = self.ask("HEAD", path, "", b"").await;
        assert_eq!((head.status, &*head.body), (StatusCode::OK, ""), "{path}");
        // Its digits vary from answer to answer.
        let has_fixed_length = !answer.body.contains("\"took_ms\"");
        for name in ["content-type", "content-length", "etag", "cache-control"] {
            let is_fixed = has_fixed_length || name != "content-length";
            let name = HeaderName::from_static(name);
            let (value, same) = (answer.header(name.clone()), head.header(name.clone()));
            assert!(!value.is_empty() && !same.is_empty(), "{path}: {name}");
            assert!(value == same || !is_fixed, "{path}: {name}: {same}");
        }
        let nosniff = HeaderName::from_static("x-content-type-options");
        assert_eq!(answer.header(nosniff), "nosniff", "{path}");
        let tag = answer.header(HeaderName::from_static("etag"));
        let known = format!("if-none-match: {tag}\r\n");
        for method in ["GET", "HEAD"] {
            let same = self.ask(method, path, &known, b"").await;
            assert_eq!(same.status, StatusCode::NOT_MODIFIED, "{path}");
            assert_eq!(same.body, "");
            assert_eq!(same.header(HeaderName::from_static("etag")), tag);
        }
        answer
    }

    /// Asserts that an address answers with a problem document of this status and returns it.
    pub(super) async fn refused(&self, path: &str, status: u16) -> serde_json::Value {
        problem(&self.get(path).await, status)
    }
}

/// Returns the body of a problem document of this status.
pub(super) fn problem(answer: &Answer, status: u16) -> serde_json::Value {
    assert_eq!(answer.status.as_u16(), status, "{}", answer.body);
    let kind = answer.header(HeaderName::from_static("content-type"));
    assert_eq!(kind, "application/problem+json");
    let body = answer.json();
    assert_eq!(body["status"], status);
    body
}

fn answer(bytes: &[u8]) -> Answer {
    let end = bytes.windows(4).position(|it| it == b"\r\n\r\n");
    let end = end.expect("the head of an answer ends with an empty line");
    let head = std::str::from_utf8(&bytes[..end]).unwrap();
    let mut lines = head.split("\r\n");
    let status = lines.next().unwrap().split(' ').nth(1).unwrap();
    let headers: HeaderMap = lines
        .map(|line| {
            let (name, value) = line.split_once(": ").unwrap();
            let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
            (name, HeaderValue::from_str(value).unwrap())
        })
        .collect();
    assert!(!headers.contains_key("transfer-encoding"), "{head}");
    Answer {
        status: StatusCode::from_bytes(status.as_bytes()).unwrap(),
        headers,
        body: String::from_utf8(bytes[end + 4..].to_vec()).unwrap(),
    }
}
