//! Servers that are broken or mean, all crawled at once beside healthy ones.
//!
//! Each [`Row`] is a row of the table of hostile servers: what the server does, and how the visit
//! must end. In every row there is one result, no request over the budget, and no other site is
//! affected.

mod codings;
mod content;
mod crowds;
mod heads;
mod http;
mod http2;
mod names;
mod redirects;
mod refusals;
mod returns;
mod tls;

use crate::crawl::{CARD, CARD_PATH, Stage, control};
use crate::support::pipeline::{self, Pipeline};
use crate::support::{run_program, skip};
use crawler::config::Config;
use crawler::plan::REQUEST_CAP;
use crawler::run::run;
use simweb::{Act, Answer, Behaviour, Simweb};
use std::collections::HashSet;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use store::Outcome;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::time::timeout;

const ROBOTS: &str = "/robots.txt";

/// Healthy hosts crawled beside the hostile ones.
const HEALTHY: usize = 25;

/// Behaviour of one hostile host, and the expected result.
struct Row {
    /// The number in the table of hostile servers.
    number: u8,
    /// Name of the host, besides its number.
    name: &'static str,
    behaviour: Behaviour,
    files: Vec<(&'static str, Vec<u8>)>,
    outcome: Outcome,
    /// A part of the detail; empty when any will do.
    detail: &'static str,
    /// The most requests that it may be sent.
    most: u32,
}

impl Row {
    fn new(number: u8, name: &'static str, behaviour: Behaviour) -> Self {
        Self {
            number,
            name,
            behaviour,
            files: Vec::new(),
            outcome: Outcome::Found,
            detail: "",
            most: REQUEST_CAP,
        }
    }

    /// Creates a host that gives this answer for its first manifest.
    fn probe(number: u8, name: &'static str, answer: Answer) -> Self {
        Self::new(number, name, Behaviour::default().path(CARD_PATH, answer))
    }

    /// Creates a host that gives this answer for robots.txt, with a manifest behind it.
    fn robots(number: u8, name: &'static str, answer: Answer) -> Self {
        Self::new(number, name, Behaviour::default().path(ROBOTS, answer)).file(CARD_PATH, CARD)
    }

    /// Creates a host that gives this answer for everything but robots.txt.
    fn everywhere(number: u8, name: &'static str, answer: Answer) -> Self {
        Self::new(number, name, Behaviour::default().path("/*", answer))
            .path(ROBOTS, Answer::status(404))
    }

    /// Creates a host with a manifest and this behaviour.
    fn host(number: u8, name: &'static str, behaviour: Behaviour) -> Self {
        Self::new(number, name, behaviour).file(CARD_PATH, CARD)
    }

    fn path(mut self, path: &str, answer: Answer) -> Self {
        self.behaviour = self.behaviour.path(path, answer);
        self
    }

    fn file(mut self, path: &'static str, body: impl Into<Vec<u8>>) -> Self {
        self.files.push((path, body.into()));
        self
    }

    fn ends(mut self, outcome: Outcome, detail: &'static str) -> Self {
        self.outcome = outcome;
        self.detail = detail;
        self
    }

    /// Sets the maximum number of requests after which the visit must end.
    fn most(mut self, most: u32) -> Self {
        self.most = most;
        self
    }

    fn host_name(&self) -> String {
        format!("row{}-{}.example", self.number, self.name)
    }
}

fn rows() -> Vec<Row> {
    let mut rows = http::rows();
    rows.extend(codings::rows());
    rows.extend(heads::rows());
    rows.extend(http2::rows());
    rows.extend(tls::rows());
    rows.extend(names::rows());
    rows.extend(redirects::rows());
    rows.extend(refusals::rows());
    rows.extend(content::rows());
    rows
}

/// Builds a web with the hosts of `rows` and some healthy ones.
fn web(rows: &[Row]) -> simweb::Builder {
    let mut web = Simweb::builder().addresses(4);
    if names::has_six() {
        web = web.six();
    } else {
        skip("this machine has no ::1, so no host has an address of version 6 alone");
    }
    for row in rows {
        web = web.site(&row.host_name()).behaviour(row.behaviour.clone());
        for (path, body) in &row.files {
            web = web.file(path, body.clone());
        }
    }
    for number in 0..HEALTHY {
        let host = format!("healthy{number}.example");
        web = web
            .site(&host)
            .file(CARD_PATH, CARD.replace("mesa.example", &host));
    }
    web
}

/// Returns a response head with status 200 and these headers, each with its line end.
fn head(headers: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n{headers}\r\n")
}

/// Returns a response with a correct `Content-Length`.
fn whole(headers: &str, body: &[u8]) -> Vec<u8> {
    let mut bytes = head(&format!("{headers}Content-Length: {}\r\n", body.len())).into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

/// Writes these bytes, then closes.
fn script(bytes: impl Into<Vec<u8>>) -> Answer {
    Answer::script([Act::send(bytes), Act::Close])
}

/// Fills the backlog of `address`, so that further connection attempts time out (HS-01).
async fn black_hole(address: SocketAddr) -> (TcpListener, Vec<TcpStream>) {
    const UNANSWERED: Duration = Duration::from_millis(200);
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(address).unwrap();
    let listener = socket.listen(0).unwrap();
    let mut streams = Vec::new();
    while let Ok(stream) = timeout(UNANSWERED, TcpStream::connect(address)).await {
        streams.push(stream.unwrap());
        assert!(streams.len() < 100, "the backlog of {address} never fills");
    }
    (listener, streams)
}

/// On a machine that is busy with other things everything takes too long, so another outcome is
/// tried again. A second result or a request too many has no such excuse, and fails at once.
const ATTEMPTS: usize = 3;

#[tokio::test(flavor = "multi_thread")]
async fn p43_p44_p46_each_hostile_row_has_its_result_and_no_other_site_is_affected() {
    let mut rows = rows();
    for attempt in 1..=ATTEMPTS {
        let wrong = crawl(&rows).await;
        if wrong.is_empty() {
            return;
        }
        let faults: Vec<_> = wrong.iter().map(|(_, what)| what.as_str()).collect();
        assert!(attempt < ATTEMPTS, "{}", faults.join("\n"));
        let is_wrong = |row: &Row| wrong.iter().any(|(host, _)| *host == row.host_name());
        // If a healthy host was affected, or the run took too long, any row may be the cause.
        if rows.iter().filter(|row| is_wrong(row)).count() == wrong.len() {
            rows.retain(is_wrong);
        }
    }
}

/// Crawls these rows; returns the host and the fault of each wrong result.
async fn crawl(rows: &[Row]) -> Vec<(String, String)> {
    let names: HashSet<String> = rows.iter().map(Row::host_name).collect();
    assert_eq!(names.len(), rows.len(), "two rows have one host");
    let mut stage = Stage::new(web(rows)).await;
    stage.also_own = vec![
        "127.0.0.9/32".parse().unwrap(),
        "127.1.0.0/16".parse().unwrap(),
    ];
    // Hosts that are only targets of redirects.
    stage.seeds.retain(|seed| !seed.starts_with("hop."));
    let hole = SocketAddr::from(([127, 0, 0, 9], stage.web.https_port()));
    let _hole = black_hole(hole).await;
    // This address is not allowed, so no connection may arrive.
    let trap = SocketAddr::from(([127, 66, 6, 6], stage.web.https_port()));
    let trap = TcpListener::bind(trap).await.unwrap();

    let (_progress, control) = control();
    let config = Config {
        concurrency: 100,
        // On a slow machine the run lasts until a throttling host is due again.
        limit: Some(stage.seeds.len() as u64),
        ..stage.config()
    };
    let started = Instant::now();
    let summary = run(&config, stage.store().await, control).await.unwrap();
    let took = started.elapsed();
    assert_eq!(summary.visits, stage.seeds.len() as u64);

    let report = stage.report();
    let store = stage.store().await;
    let mut wrong = Vec::new();
    for row in rows {
        let host = row.host_name();
        let site = store.site(&pipeline::domain(&host)).await.unwrap().unwrap();
        assert_eq!(site.visits.len(), 1, "results of {host}");
        let requests = stage.web.requests_of(&host);
        let paths: Vec<_> = requests.iter().map(|it| it.path.as_str()).collect();
        assert!(paths.len() <= row.most as usize, "{host}: {paths:?}");
        // Requests to the hand-written HTTP/2 server are recorded without a path.
        let first = paths.first().copied().unwrap_or(ROBOTS);
        assert!(first == ROBOTS || first.is_empty(), "{host}: {paths:?}");
        let outcome = report[&host]["outcome"].as_str().unwrap_or_default();
        let detail = report[&host]["detail"].as_str().unwrap_or_default();
        if outcome != row.outcome.as_str() || !detail.contains(row.detail) {
            let (wanted, part) = (row.outcome.as_str(), row.detail);
            let what = format!("{host}: {outcome} ({detail}), not {wanted} ({part})");
            wrong.push((host, what));
        }
    }

    for number in 0..HEALTHY {
        let host = format!("healthy{number}.example");
        let outcome = report[&host]["outcome"].to_string();
        if outcome != "\"found\"" {
            wrong.push((host.clone(), format!("{host}: {outcome}")));
        }
    }
    let requests = stage.web.requests();
    let cookies = requests.iter().find(|it| it.header("cookie").is_some());
    assert!(cookies.is_none(), "HS-26: {cookies:?}");
    if wrong.is_empty() {
        names::check(&stage.web, rows);
        http::check(&stage.web);
    }
    let trapped = timeout(Duration::from_millis(50), trap.accept()).await;
    assert!(trapped.is_err(), "a forbidden address was dialled");
    if took > Duration::from_secs(45) {
        wrong.push((String::new(), format!("it took {took:?}")));
    }
    wrong
}

/// Rows whose servers try to exhaust the crawler's memory.
const BOMBS: [u8; 13] = [7, 8, 15, 16, 18, 19, 25, 26, 32, 52, 79, 86, 99];

#[tokio::test(flavor = "multi_thread")]
async fn bombs_do_not_fill_the_crawlers_memory_and_a_proxy_in_the_environment_is_ignored() {
    let mut rows = rows();
    rows.retain(|row| {
        BOMBS.contains(&row.number) || matches!(row.name, "data-flood" | "robots-huge")
    });
    let count = rows.len();
    let pipeline = Pipeline::new(web(&rows).start().await.unwrap());
    // HS-101: a client that used the proxy of the environment would connect here.
    let proxy = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", proxy.local_addr().unwrap());
    let crawler = crate::support::binary("crawler");
    let mut arguments: Vec<String> = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "https_proxy"]
        .iter()
        .map(|name| format!("{name}={address}"))
        .collect();
    arguments.push(crawler.display().to_string());
    arguments.extend(pipeline.crawl_arguments());
    arguments.extend(["--delay", "0", "--concurrency", "500"].map(str::to_owned));
    let folder = pipeline.folder.path().to_owned();
    let ran = tokio::task::spawn_blocking(move || {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        run_program("env", &folder, &arguments)
    })
    .await
    .unwrap();
    assert_eq!(ran.code, Some(0), "{}", ran.output);
    let store = pipeline.store().await;
    for host in pipeline.web.hosts() {
        let site = store.site(&pipeline::domain(&host)).await.unwrap().unwrap();
        assert_eq!(site.visits.len(), 1, "{host}");
    }
    assert!(count > 15, "{count}");
    let most = 128 * 1024;
    assert!(
        ran.peak_kib < most,
        "{} KiB for {count} bombs",
        ran.peak_kib
    );
    let proxied = timeout(Duration::from_millis(50), proxy.accept()).await;
    assert!(proxied.is_err(), "HS-101: the proxy was used");
}
