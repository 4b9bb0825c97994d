//! `web` as a process, and requests that are wrong in every way: each gets a clear 4xx or a closed
//! connection, never a 5xx, and the process does not grow.

use crate::serving::{registry, serve};
use crate::support::http;
use crate::support::server::Server;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;
use tokio::io::AsyncReadExt as _;
use tokio::task::JoinSet;
use tokio::time::timeout;
use web::server::limits::raise_file_limit;

/// Memory that a process may gain, in kibibytes: buffers and caches, which are bounded, and what the
/// allocator keeps.
const GROWTH: u64 = 96 << 10;

/// Sends bytes, and returns all that the server answers until it closes.
fn send(server: &Server, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_mins(1)))
        .unwrap();
    // A server that refuses may hang up before it has read all.
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

fn post(path: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: a\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n"
    );
    [head.as_bytes(), body].concat()
}

fn get(path: &str, headers: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n{headers}\r\n").into_bytes()
}

/// Returns bad requests with what they are.
fn bad() -> Vec<(&'static str, Vec<u8>)> {
    let json = "content-type: application/json\r\n";
    let deep = "[".repeat(200_000);
    let huge = vec![b'x'; (1 << 20) + 1];
    let chunk = format!("{:x}\r\n{}\r\n", 1 << 16, "x".repeat(1 << 16)).repeat(40);
    let chunked = format!(
        "POST /api/v1/search HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n{chunk}0\r\n\r\n"
    );
    let many = (0..500).fold(String::new(), |all, number| {
        all + &format!("x-{number}: a\r\n")
    });
    let long = format!("x: {}\r\n", "a".repeat(1 << 20));
    let cursor = format!("/api/v1/search?cursor={}", "A".repeat(1_000));
    vec![
        ("deep JSON", post("/api/v1/search", json, deep.as_bytes())),
        ("a huge body", post("/api/v1/search", json, &huge)),
        ("a huge body for a page", post("/search", "", &huge)),
        ("a huge chunked body", chunked.into_bytes()),
        (
            "a body that is not UTF-8",
            post("/api/v1/search", json, b"\xff\xfe\x00"),
        ),
        ("many headers", get("/", &many)),
        ("a long header", get("/", &long)),
        ("a forged cursor", get(&cursor, "")),
        ("a number that is none", get("/api/v1/search?limit=ten", "")),
        (
            "a huge number",
            get("/api/v1/search?limit=99999999999999999999", ""),
        ),
        ("a negative number", get("/api/v1/suggest?limit=-1", "")),
        ("an unknown parameter", get("/api/v1/rules?x=1", "")),
        ("an address that is not UTF-8", get("/site/%ff%fe", "")),
        (
            "a domain of control characters",
            get("/api/v1/sites/%00%0d%0a", ""),
        ),
        (
            "an address with raw bytes",
            b"GET /\xff HTTP/1.1\r\nhost: a\r\n\r\n".to_vec(),
        ),
        (
            "another method",
            b"BREW / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n".to_vec(),
        ),
        (
            "another protocol",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec(),
        ),
        ("another version", b"GET / HTTP/9.9\r\n\r\n".to_vec()),
        ("nothing but line ends", b"\r\n\r\n\r\n\r\n".to_vec()),
        (
            "two lengths",
            b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab"
                .to_vec(),
        ),
        (
            "a length that is none",
            b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: -1\r\n\r\n".to_vec(),
        ),
        (
            "a length beyond all numbers",
            b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 99999999999999999999999\r\n\r\n"
                .to_vec(),
        ),
        (
            "an invalid chunk",
            b"POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n".to_vec(),
        ),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_requests_are_refused_and_cost_no_memory() {
    let pipeline = registry().await;
    let server = serve(&pipeline);
    let mut before = 0;
    for round in 0..10 {
        for (what, bytes) in bad() {
            let answer = send(&server, &bytes);
            let is_refused = answer.is_empty() || answer.starts_with("HTTP/1.1 4");
            assert!(is_refused, "{what}: {answer:.300}");
            if what.contains("huge body") && !answer.is_empty() {
                let is_clear = answer.starts_with("HTTP/1.1 413 ") || what.contains("chunked");
                assert!(is_clear, "{what}: {answer:.300}");
            }
        }
        if round == 1 {
            before = server.memory();
        }
    }
    let grown = server.memory().saturating_sub(before);
    assert!(grown < GROWTH, "{grown} KiB more than {before} KiB");
    let search = format!("{}/api/v1/search?q=book+a+ferry", server.url);
    assert_eq!(http::get(&search).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn faults_of_clients_over_http2_and_mcp_leave_no_line_in_the_log() {
    let pipeline = registry().await;
    let server = serve(&pipeline);
    let mut frames = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    frames.extend([0, 0, 0, 4, 0, 0, 0, 0, 0]);
    for _ in 0..1_000 {
        // An answer to a ping that the server never sent.
        frames.extend([0, 0, 8, 6, 1, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
    }
    // GOAWAY ends the connection once all that is read.
    frames.extend([0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    send(&server, &frames);
    let mcp = "content-type: application/json\r\naccept: application/json, text/event-stream\r\n";
    let call = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"none"}}"#;
    for _ in 0..100 {
        let foreign = format!("{mcp}origin: http://evil.example\r\n");
        send(&server, &post("/mcp", &foreign, call));
        send(&server, &post("/mcp", mcp, call));
        send(&server, &post("/mcp", mcp, b"{"));
    }
    let log = server.killed();
    assert!(log.len() < 10, "{} lines: {:?}", log.len(), log.last());
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_idle_connections_leave_room_for_a_new_one() {
    raise_file_limit();
    let pipeline = registry().await;
    let server = serve(&pipeline);
    let before = server.memory();
    let mut idle = JoinSet::new();
    for _ in 0..100 {
        let address = server.address();
        idle.spawn(async move {
            let mut streams = Vec::new();
            for _ in 0..100 {
                // The server closes the longest idle ones for new ones.
                streams.push(tokio::net::TcpStream::connect(address).await.unwrap());
            }
            streams
        });
    }
    let mut streams: Vec<_> = idle.join_all().await.into_iter().flatten().collect();
    assert_eq!(streams.len(), 10_000);
    let url = format!("{}/api/v1/rules", server.url);
    let answer = timeout(Duration::from_mins(1), http::get(&url)).await;
    assert_eq!(answer.unwrap().status, 200);
    let mut closed = 0;
    for stream in &mut streams {
        let end = timeout(Duration::from_millis(1), stream.read(&mut [0; 1])).await;
        closed += usize::from(end.is_ok());
    }
    assert!(closed > 7_000, "only {closed} are closed");
    let grown = server.memory().saturating_sub(before);
    assert!(grown < GROWTH, "{grown} KiB more than {before} KiB");
}
