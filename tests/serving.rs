//! `web` as a process: what it answers in whatever state its data are, over a real socket.

use crate::support::pipeline::Pipeline;
use crate::support::server::Server;
use crate::support::{self, http};
use serde_json::Value;
use simweb::Simweb;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

/// Builds a registry of one agent, crawled and indexed.
pub(crate) async fn registry() -> Pipeline {
    let card = r#"{"protocolVersion": "0.3.0", "name": "Ferry desk", "description": "Books a ferry crossing.",
        "url": "https://ferry.example/a2a", "version": "1.0.0", "capabilities": {}, "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"], "skills": [{"id": "book_ferry", "name": "Book a ferry",
        "description": "Books a crossing for cars and people.", "tags": ["ferry"]}]}"#;
    let web = Simweb::builder();
    let web = web
        .site("ferry.example")
        .file("/.well-known/agent-card.json", card);
    let pipeline = Pipeline::new(web.start().await.unwrap());
    let crawled = pipeline.crawl(&["--delay", "0"]);
    assert_eq!(crawled.code, Some(0), "{}", crawled.output);
    let indexed = pipeline.index();
    assert_eq!(indexed.code, Some(0), "{}", indexed.output);
    pipeline
}

pub(crate) fn serve(pipeline: &Pipeline) -> Server {
    let mut command = Command::new(support::binary("web"));
    command
        .args(["--database", "sqlite:agentdex.db", "--index", "index"])
        .current_dir(pipeline.folder.path());
    Server::start(&mut command)
}

#[tokio::test(flavor = "multi_thread")]
async fn it_starts_beside_an_index_of_another_version_and_searches_once_the_indexer_has_run() {
    let pipeline = registry().await;
    let marker = pipeline.folder.path().join("index/agentdex-index.json");
    let text = std::fs::read_to_string(&marker).unwrap();
    let older = text.replace("\"version\":", "\"version\":9");
    assert_ne!(text, older);
    std::fs::write(&marker, older).unwrap();

    let server = serve(&pipeline);
    let search = format!("{}/api/v1/search?q=book+a+ferry", server.url);
    let answer = http::get(&search).await;
    assert_eq!(answer.status, 503, "{}", answer.text);
    let problem: Value = serde_json::from_str(&answer.text).unwrap();
    assert_eq!(problem["errorCode"], "index_of_other_version");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("Run `indexer`"), "{detail}");
    let site = http::get(&format!("{}/site/ferry.example", server.url)).await;
    assert_eq!(site.status, 200);

    let indexed = pipeline.index();
    assert_eq!(indexed.code, Some(0), "{}", indexed.output);
    let answer = http::get(&search).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let answer: Value = serde_json::from_str(&answer.text).unwrap();
    assert_eq!(answer["results"][0]["site"], "ferry.example");
}

/// The longest address that the HTTP library reads (the `http` crate's `Uri`).
const LONGEST_ADDRESS: usize = 65_534;

/// Asks for `address` in so many bytes, and reads the answer to its end.
fn ask(server: &Server, address: &str) -> String {
    let mut stream = TcpStream::connect(server.url.trim_start_matches("http://")).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_mins(1)))
        .unwrap();
    let request = format!("GET {address} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    // A server that refuses may hang up before it has read all.
    let _ = stream.write_all(request.as_bytes());
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8(answer).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_is_answered_as_long_as_the_library_reads_its_address() {
    let pipeline = registry().await;
    let server = serve(&pipeline);
    for path in ["/search", "/api/v1/search", "/api/v1/suggest"] {
        let start = format!("{path}?q=book+a+ferry+");
        let long = |length: usize| format!("{start}{}", "z".repeat(length - start.len()));
        let answer = ask(&server, &long(LONGEST_ADDRESS));
        assert!(
            answer.starts_with("HTTP/1.1 200 OK\r\n"),
            "{path}: {answer:.300}"
        );
        let refused = ask(&server, &long(LONGEST_ADDRESS + 1));
        assert!(
            refused.starts_with("HTTP/1.1 414 URI Too Long\r\n"),
            "{path}: {refused:.300}"
        );
        let huge = ask(&server, &long(1 << 20));
        assert!(
            huge.is_empty() || huge.starts_with("HTTP/1.1 4"),
            "{path}: {huge:.300}"
        );
    }
    let words = "/api/v1/search?q=book+a+ferry+".to_owned() + &"crossing+".repeat(7_000);
    let answer = ask(&server, &words);
    assert!(
        answer.contains("\"site\":\"ferry.example\""),
        "{answer:.300}"
    );
    assert!(!answer.contains("\"ignored\":[]"), "{answer:.300}");
}
