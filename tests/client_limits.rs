//! Limits of clients, and the secrets of the registry, of `web` as a process.

use crate::serving::{registry, serve};
use crate::support;
use crate::support::http;
use crate::support::server::Server;
use serde_json::Value;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::Command;

fn start(folder: &Path, arguments: &[&str]) -> Server {
    let mut command = Command::new(support::binary("web"));
    command
        .args(["--database", "sqlite:agentdex.db", "--index", "index"])
        .args(arguments)
        .current_dir(folder);
    Server::start(&mut command)
}

fn ask(server: &Server, headers: &str) -> String {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    let request = format!(
        "GET /api/v1/rules/A2-06 HTTP/1.1\r\nhost: a\r\nconnection: close\r\n{headers}\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_client_that_asks_too_often_is_refused_by_address_whatever_it_claims() {
    let folder = tempfile::tempdir().unwrap();
    // One request a minute, so that no test is too slow for the limit.
    let server = start(folder.path(), &["--rate-limit", "1"]);
    let first = ask(&server, "");
    assert!(first.starts_with("HTTP/1.1 200 OK\r\n"), "{first}");
    assert!(first.contains("\r\nx-ratelimit-limit: 1\r\n"), "{first}");
    let refused = ask(&server, "x-forwarded-for: 198.51.100.7\r\n");
    assert!(
        refused.starts_with("HTTP/1.1 429 Too Many Requests\r\n"),
        "{refused}"
    );
    assert!(refused.contains("\r\nretry-after: "), "{refused}");
    assert!(
        refused.contains("\"errorCode\":\"too_many_requests\""),
        "{refused}"
    );
}

#[test]
fn clients_of_a_trusted_proxy_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--rate-limit", "1", "--trusted-proxy", "127.0.0.1"];
    let server = start(folder.path(), &arguments);
    for (client, status) in [
        ("198.51.100.7", 200),
        ("198.51.100.8", 200),
        ("203.0.113.1, 198.51.100.7", 429),
        ("2001:db8::1", 200),
        ("2001:db8::2", 429),
    ] {
        let answer = ask(&server, &format!("x-forwarded-for: {client}\r\n"));
        let expected = format!("HTTP/1.1 {status} ");
        assert!(answer.starts_with(&expected), "{client}: {answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_keys_are_private_outlive_the_process_and_are_in_no_other_file() {
    let pipeline = registry().await;
    let folder = pipeline.folder.path();
    let server = serve(&pipeline);
    let path = folder.join("agentdex.secrets");
    assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    let text = std::fs::read_to_string(&path).unwrap();
    let key = text.split_whitespace().last().unwrap().to_owned();
    assert_eq!(key.len(), 64);
    let answer = http::get(&format!("{}/api/v1/search", server.url)).await;
    let body: Value = serde_json::from_str(&answer.text).unwrap();
    assert_eq!(body["total"], 1);
    assert!(!server.began.join("\n").contains(&key));
    drop(server);
    for name in ["agentdex.db", "agentdex.db-wal"] {
        if let Ok(bytes) = std::fs::read(folder.join(name)) {
            assert!(!String::from_utf8_lossy(&bytes).contains(&key), "{name}");
        }
    }
    let _server = serve(&pipeline);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn secrets_that_others_can_read_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    drop(start(folder.path(), &[]));
    let path = folder.path().join("agentdex.secrets");
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    std::fs::set_permissions(&path, open).unwrap();
    let database = [
        "--database",
        "sqlite:agentdex.db",
        "--listen",
        "127.0.0.1:0",
    ];
    support::run("web", folder.path(), &database).fails_with(1, &["mode 644", "chmod 600"]);
}
