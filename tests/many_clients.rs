//! `web` and `agentdex` as processes that may have few files open, and clients that only take
//! connections: a new client is answered all the same.

use crate::support;
use crate::support::server::Server;
use std::net::SocketAddr;
use std::process::Command;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use web::server::limits::raise_file_limit;

/// Files that the server may have open, so that it cannot have all the connections that are made.
const FILES: u32 = 300;
const CLIENTS: usize = 500;
/// Time limit of a new client, which is usually answered within a second; other tests run in
/// parallel.
const DEADLINE: Duration = Duration::from_mins(1);

/// Behaviour of a client on its connection.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Nothing.
    Silent,
    /// A byte of a head every second.
    Dripping,
    /// One request, and then nothing.
    Idle,
    /// A byte of a body every second.
    SlowBody,
    /// It says that it speaks HTTP/2, and then nothing.
    SilentHttp2,
    /// More requests than its system takes answers for, of which it reads nothing.
    Unread,
}

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
const REQUEST: &[u8] = b"GET /docs/search HTTP/1.1\r\nhost: a\r\n\r\n";
const LONG_BODY: &[u8] = b"POST /search HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n\r\n";

impl Kind {
    /// Takes a connection to `address` and holds it.
    async fn hold(self, address: SocketAddr) -> TcpStream {
        let socket = TcpSocket::new_v4().unwrap();
        if matches!(self, Self::Unread) {
            socket.set_recv_buffer_size(4096).unwrap();
        }
        let mut stream = socket.connect(address).await.unwrap();
        // The server closes some while they write.
        let _ = match self {
            Self::Silent => Ok(()),
            Self::Dripping => stream.write_all(b"GET / HTTP/1.1\r\nx: ").await,
            Self::Idle => stream.write_all(REQUEST).await,
            Self::SlowBody => stream.write_all(LONG_BODY).await,
            Self::SilentHttp2 => stream.write_all(PREFACE).await,
            Self::Unread => stream.write_all(&REQUEST.repeat(20)).await,
        };
        if matches!(self, Self::Idle) {
            let _ = stream.read(&mut [0; 64]).await;
        }
        stream
    }

    fn drips(self) -> bool {
        matches!(self, Self::Dripping | Self::SlowBody)
    }
}

/// Starts a program that may have few files open.
fn start(program: &str, arguments: &[&str], folder: &std::path::Path) -> Server {
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("ulimit -n {FILES}; exec \"$@\""), "sh"])
        .arg(support::binary(program))
        .args(arguments)
        .current_dir(folder);
    Server::start(&mut command)
}

/// Lets 500 clients of a kind hold connections, and then sends a request as a new client.
#[expect(clippy::print_stdout, reason = "the time is part of the answer")]
async fn ask_beside_many(server: &Server, kind: Kind) {
    let address = server.url.trim_start_matches("http://");
    let address: SocketAddr = address.parse().unwrap();
    let mut clients = JoinSet::new();
    for _ in 0..CLIENTS {
        let mut stream = kind.hold(address).await;
        clients.spawn(async move {
            loop {
                sleep(Duration::from_secs(1)).await;
                if kind.drips() {
                    let _ = stream.write_all(b"x").await;
                }
            }
        });
    }
    let asked = Instant::now();
    let answer = timeout(DEADLINE, async {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = b"GET /docs/search HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
        stream.write_all(request).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    });
    let answer = answer
        .await
        .unwrap_or_else(|_| panic!("no answer beside {kind:?}"));
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer:.300}");
    println!(
        "beside {CLIENTS} {kind:?}: answered after {:?}",
        asked.elapsed()
    );
    assert_eq!(clients.len(), CLIENTS);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_client_is_answered_beside_500_that_only_hold_connections() {
    raise_file_limit();
    let folder = tempfile::tempdir().unwrap();
    let server = start("web", &["--database", "sqlite:agentdex.db"], folder.path());
    for kind in [
        Kind::Silent,
        Kind::Dripping,
        Kind::Idle,
        Kind::SlowBody,
        Kind::SilentHttp2,
        Kind::Unread,
    ] {
        ask_beside_many(&server, kind).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_registry_in_one_process_answers_a_new_client_as_well() {
    raise_file_limit();
    let folder = tempfile::tempdir().unwrap();
    let server = start("agentdex", &["--demo", "--progress", "none"], folder.path());
    ask_beside_many(&server, Kind::Silent).await;
}

#[test]
fn a_registry_with_too_few_files_names_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let program = support::binary("web");
    let script = format!(
        "ulimit -n 79; exec {} --listen 127.0.0.1:0",
        program.display()
    );
    let ran = support::run_program("sh", folder.path(), &["-c", &script]);
    ran.fails_with(
        1,
        &["only 79 files may be open", "80 or more", "ulimit -n 1024"],
    );
}
