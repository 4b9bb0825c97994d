//! Leaving, arriving and looking at the frontier, as processes beside a running crawler.

use crate::support::line::{Line, domain};
use crate::support::{Ran, binary, run};
use simweb::Simweb;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const DATABASE: [&str; 2] = ["--database", "sqlite:agentdex.db"];

fn command(line: &Line, arguments: &[&str]) -> Ran {
    run(
        "crawler",
        line.folder.path(),
        &[arguments, &DATABASE].concat(),
    )
}

/// A crawler that runs until it is dropped.
struct Running(Child);

impl Running {
    fn start(line: &Line, more: &[&str]) -> Self {
        let child = Command::new(binary("crawler"))
            .args(line.crawl_arguments())
            .args(more)
            .arg("--watch")
            .current_dir(line.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Self(child.unwrap())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits until it is so, half a minute at most.
async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let started = Instant::now();
    while !is_so().await {
        assert!(started.elapsed() < Duration::from_secs(30), "never {what}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn lookups(line: &Line, host: &str) -> usize {
    let queries = line.web.dns_queries();
    queries.iter().filter(|query| query.name == host).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn p04_an_excluded_domain_causes_no_packet() {
    let web = Simweb::builder().site("stay.example").site("leave.example");
    let line = Line::new(web.start().await.unwrap());
    assert_eq!(line.crawl(&["--delay", "0"]).code, Some(0));
    line.web.forget();

    let told = command(&line, &["exclude", "leave.example", "--reason", "asked"]);
    assert_eq!(told.code, Some(0), "{}", told.output);
    assert!(told.output.contains("deleted 1 domain"), "{}", told.output);
    let store = line.store().await;
    let site = store.site(&domain("leave.example")).await.unwrap();
    assert_eq!(site, None);

    let added = line.crawl(&["--delay", "0"]);
    assert_eq!(added.code, Some(0), "{}", added.output);
    assert_eq!(lookups(&line, "leave.example"), 0);
    assert!(line.web.requests_of("leave.example").is_empty());

    let back = command(&line, &["exclude", "leave.example", "--remove"]);
    assert_eq!(back.code, Some(0), "{}", back.output);
    assert_eq!(line.crawl(&["--delay", "0"]).code, Some(0));
    assert_eq!(line.web.requests_of("leave.example")[0].path, "/robots.txt");
}

#[tokio::test(flavor = "multi_thread")]
async fn p04_a_running_crawler_takes_notice_within_a_minute() {
    let web = Simweb::builder().site("a.shop.example").site("b.shop.example");
    let line = Line::new(web.start().await.unwrap());
    let _crawler = Running::start(&line, &["--delay", "3000"]);
    // The hosts of a site take turns: one is being visited now, the other waits under its lease.
    until("visited", async || !line.web.requests().is_empty()).await;
    let waiting = match line.web.requests_of("a.shop.example").is_empty() {
        true => "a.shop.example",
        false => "b.shop.example",
    };
    let told = command(
        &line,
        &["exclude", "shop.example", "--suffix", "--reason", "asked"],
    );
    assert_eq!(told.code, Some(0), "{}", told.output);
    tokio::time::sleep(Duration::from_secs(12)).await;
    let before = line.web.requests().len();
    tokio::time::sleep(Duration::from_secs(7)).await;
    assert_eq!(line.web.requests().len(), before);
    assert_eq!(lookups(&line, waiting), 0);
    let stats = line.store().await.stats(manifest::Timestamp(0)).await;
    assert_eq!(stats.unwrap().domains, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn p04_commands_say_what_is_wrong() {
    let line = Line::new(Simweb::builder().start().await.unwrap());
    let says = |arguments: &[&str], code: i32, words: &[&str]| {
        command(&line, arguments).fails_with(code, words);
    };
    says(&["exclude", "com", "--reason", "x"], 2, &["'com'", "domain"]);
    says(&["exclude", "a.example", "--reason", " "], 2, &["--reason"]);
    says(&["exclude", "a.example"], 2, &["--reason"]);
    says(&["exclude", "a.example", "--remove"], 1, &["not excluded"]);
    says(&["forget", "127.0.0.1"], 2, &["IP address"]);
    says(&["forget", "a.example"], 0, &["nothing is stored"]);
}
