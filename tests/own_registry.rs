//! The registry as one of its own sites: our crawler visits it, and lists it once.

use crate::first_call::client::{Client, Outcome};
use crate::serving::{registry, serve};
use crate::support::http;
use crate::support::pipeline::{Pipeline, agents};
use crate::support::server::Server;
use bytes::Bytes;
use serde_json::Value;
use simweb::Simweb;
use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::Command;

/// Host of the registry.
const HOST: &str = "agentdex.example";

/// Capabilities of the registry.
const CAPABILITIES: [&str; 9] = [
    "browse",
    "capabilities",
    "check",
    "detail",
    "leave",
    "recheck",
    "search",
    "submission",
    "submit",
];

/// Starts `web` on the data of a crawl, with an address of its own.
fn serve_as_host(pipeline: &Pipeline) -> Server {
    let mut command = Command::new(crate::support::binary("web"));
    command
        .args(["--database", "sqlite:agentdex.db", "--index", "index"])
        .args(["--public-url", &format!("https://{HOST}")])
        .args(["--contact", &format!("registry@{HOST}")])
        .args(["--rate-limit", "100000"])
        .current_dir(pipeline.folder.path());
    Server::start(&mut command)
}

/// Calls every capability of the listing of the registry, as `connect` says; returns the protocols.
async fn call_all(own: &Server, client: &Client) -> BTreeSet<String> {
    let mut protocols = BTreeSet::new();
    // Only the answer to `submit` has the id of a submission, which the tests of MCP follow.
    for capability in CAPABILITIES.iter().filter(|it| **it != "submission") {
        let address = format!(
            "{}/api/v1/agents/{HOST}/agentdex?capability={capability}",
            own.url
        );
        // What a schema does not tell: an agent and a site that exist.
        let agent = http::get(&address).await.text;
        let agent = agent.replace("{id}", "ferry.example%2Fferry-desk");
        let agent = agent.replace("{slug}", "ferry-desk");
        let agent = agent.replace("{domain}", "ferry.example");
        let mut agent: Value = serde_json::from_str(&agent).unwrap();
        let connect = &mut agent["connect"];
        if let Some(open) = connect["placeholders"].as_array_mut() {
            open.retain(|it| it["placeholder"].as_str().unwrap().starts_with('{'));
        }
        let connect = &*connect;
        let outcome = client.call(connect).await;
        let is_good = match outcome {
            Outcome::Answered => true,
            Outcome::NeedsPerson => *capability == "leave",
            _ => false,
        };
        assert!(is_good, "{capability}: {outcome}: {connect:#}");
        protocols.insert(connect["protocol"].as_str().unwrap().to_owned());
    }
    protocols
}

/// Passes a request on to a server with its body, and returns its answer.
fn forward(server: SocketAddr, request: &::http::Request<Bytes>) -> ::http::Response<Bytes> {
    let path = request.uri().path_and_query().map_or("/", |it| it.as_str());
    let mut stream = TcpStream::connect(server).unwrap();
    let mut head = format!(
        "{} {path} HTTP/1.1\r\nhost: {HOST}\r\nconnection: close\r\ncontent-length: {}\r\n",
        request.method(),
        request.body().len()
    );
    for (name, value) in request.headers() {
        if !["host", "connection", "content-length", "accept-encoding"].contains(&name.as_str()) {
            head.extend([name.as_str(), ": ", value.to_str().unwrap(), "\r\n"]);
        }
    }
    head += "\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(request.body()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let end = answer.windows(4).position(|it| it == b"\r\n\r\n").unwrap();
    let head = std::str::from_utf8(&answer[..end]).unwrap();
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap();
    let mut response = ::http::Response::builder().status(status);
    for line in lines {
        let (name, value) = line.split_once(':').unwrap();
        if !["connection", "content-length"].contains(&name) {
            response = response.header(name, value.trim());
        }
    }
    let body = Bytes::copy_from_slice(&answer[end + 4..]);
    response.body(body).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn our_own_crawler_lists_the_registry_once_with_all_capabilities() {
    let other = registry().await;
    let server = serve_as_host(&other);
    let address = server.address();
    let answer = move |_: &str, request: &::http::Request<Bytes>| Some(forward(address, request));
    let web = Simweb::builder().site(HOST).responder(answer);
    let pipeline = Pipeline::new(web.start().await.unwrap());
    let crawled = pipeline.crawl(&["--delay", "0", "--report", "report.jsonl"]);
    assert_eq!(crawled.code, Some(0), "{}", crawled.output);
    let indexed = pipeline.index();
    assert_eq!(indexed.code, Some(0), "{}", indexed.output);

    let store = pipeline.store().await;
    let listed = agents(&*store).await;
    assert_eq!(listed.len(), 1, "{listed:#?}");
    let listing = &listed[0].listing;
    assert_eq!(listing.id.as_str(), "agentdex.example/agentdex");
    assert_eq!(listing.level.as_str(), "A");
    assert!(listing.conflicts.is_empty(), "{:#?}", listing.conflicts);
    assert!(listing.sources.len() > 5, "{:#?}", listing.sources);
    let names = listing.agent.capabilities.iter().map(|it| it.id.as_str());
    let names: BTreeSet<_> = names.collect();
    assert!(names.iter().eq(&CAPABILITIES), "{names:?}");

    // The registry that was crawled is found in the one that crawled it.
    let own = serve(&pipeline);
    let found = http::get(&format!("{}/api/v1/search?q=find+software+agents", own.url)).await;
    assert!(
        found.text.contains("\"agentdex.example/agentdex\""),
        "{}",
        found.text
    );
    let protocols = call_all(&own, &Client::new(&pipeline.web)).await;
    println!("{protocols:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_registry_that_publishes_agents_json_alone_is_called_over_the_interaction_api() {
    let other = registry().await;
    let server = serve_as_host(&other);
    let address = server.address();
    let answer = move |_: &str, request: &::http::Request<Bytes>| {
        let path = request.uri().path();
        let is_there =
            path == "/.well-known/agents.json" || path.starts_with("/.well-known/agents/api/");
        is_there.then(|| forward(address, request))
    };
    let web = Simweb::builder().site(HOST).responder(answer);
    let pipeline = Pipeline::new(web.start().await.unwrap());
    let crawled = pipeline.crawl(&["--delay", "0"]);
    assert_eq!(crawled.code, Some(0), "{}", crawled.output);
    let indexed = pipeline.index();
    assert_eq!(indexed.code, Some(0), "{}", indexed.output);
    let own = serve(&pipeline);
    let protocols = call_all(&own, &Client::new(&pipeline.web)).await;
    assert!(protocols.iter().eq(["interaction-api"]), "{protocols:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn our_own_lint_verifies_our_own_card() {
    let other = registry().await;
    let server = serve_as_host(&other);
    let folder = other.folder.path();
    for file in ["agent-card.json", "jwks.json"] {
        let answer = http::get(&format!("{}/.well-known/{file}", server.url)).await;
        std::fs::write(folder.join(file), answer.text).unwrap();
    }
    let origin = format!("https://{HOST}");
    let lint = |file: &str| {
        let arguments = ["lint", "--origin", &origin, "--keys", "jwks.json", file];
        crate::support::run("indexer", folder, &arguments)
    };
    let ran = lint("agent-card.json");
    assert_eq!(ran.code, Some(0), "{}", ran.output);
    assert_eq!(ran.output.matches(": valid\n").count(), 2, "{}", ran.output);
    let card = std::fs::read_to_string(folder.join("agent-card.json")).unwrap();
    let card = card.replace("Finds agents that meet a need", "Sends all mail to us");
    std::fs::create_dir(folder.join("forged")).unwrap();
    std::fs::write(folder.join("forged/agent-card.json"), card).unwrap();
    lint("forged/agent-card.json").fails_with(1, &["invalid"]);
}
