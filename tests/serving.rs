//! `web` as a process: what it answers in whatever state its data are, over a real socket.

use crate::support::line::Line;
use crate::support::server::Server;
use crate::support::{self, http};
use serde_json::Value;
use simweb::Simweb;
use std::process::Command;

/// A registry of one agent, crawled and indexed.
async fn registry() -> Line {
    let card = r#"{"protocolVersion": "0.3.0", "name": "Ferry desk", "description": "Books a ferry crossing.",
        "url": "https://ferry.example/a2a", "version": "1.0.0", "capabilities": {}, "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"], "skills": [{"id": "book_ferry", "name": "Book a ferry",
        "description": "Books a crossing for cars and people.", "tags": ["ferry"]}]}"#;
    let web = Simweb::builder();
    let web = web
        .site("ferry.example")
        .file("/.well-known/agent-card.json", card);
    let line = Line::new(web.start().await.unwrap());
    let crawled = line.crawl(&["--delay", "0"]);
    assert_eq!(crawled.code, Some(0), "{}", crawled.output);
    let indexed = line.index();
    assert_eq!(indexed.code, Some(0), "{}", indexed.output);
    line
}

fn serve(line: &Line) -> Server {
    let mut command = Command::new(support::binary("web"));
    command
        .args(["--database", "sqlite:agentdex.db", "--index", "index"])
        .current_dir(line.folder.path());
    Server::start(&mut command)
}

#[tokio::test(flavor = "multi_thread")]
async fn it_starts_beside_an_index_of_another_version_and_searches_once_the_indexer_has_run() {
    let line = registry().await;
    let marker = line.folder.path().join("index/agentdex-index.json");
    let text = std::fs::read_to_string(&marker).unwrap();
    let older = text.replace("\"version\":", "\"version\":9");
    assert_ne!(text, older);
    std::fs::write(&marker, older).unwrap();

    let server = serve(&line);
    let search = format!("{}/api/v1/search?q=book+a+ferry", server.url);
    let answer = http::get(&search).await;
    assert_eq!(answer.status, 503, "{}", answer.text);
    let problem: Value = serde_json::from_str(&answer.text).unwrap();
    assert_eq!(problem["errorCode"], "index_of_other_version");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("Run `indexer`"), "{detail}");
    let site = http::get(&format!("{}/site/ferry.example", server.url)).await;
    assert_eq!(site.status, 200);

    let indexed = line.index();
    assert_eq!(indexed.code, Some(0), "{}", indexed.output);
    let answer = http::get(&search).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let answer: Value = serde_json::from_str(&answer.text).unwrap();
    assert_eq!(answer["results"][0]["site"], "ferry.example");
}
