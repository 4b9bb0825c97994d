//! Tests of the Prometheus metrics of a running crawl.

use crate::crawl::{CARD, CARD_PATH};
use crate::support::http::get;
use crate::support::pipeline::Pipeline;
use crate::support::running::Running;
use crate::support::wait::value_within;
use crate::support::{self, USUAL_TIME};
use simweb::{Answer, Behaviour, Simweb};
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::process::{Command, Stdio};

/// Starts a watching crawler; returns it with the address of its metrics.
fn watch(pipeline: &Pipeline) -> (Running, String) {
    let mut child = Command::new(support::binary("crawler"))
        .args(pipeline.crawl_arguments())
        .args(["--watch", "--delay", "0", "--metrics", "127.0.0.1:0"])
        .env("RUST_LOG", "crawler=info")
        .current_dir(pipeline.folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let log = BufReader::new(child.stderr.take().unwrap());
    let watching = Running(child);
    let mut lines = log.lines().map(Result::unwrap);
    let address = lines
        .find_map(|line| {
            let line: serde_json::Value = serde_json::from_str(&line).unwrap();
            Some(line["fields"]["address"].as_str()?.to_owned())
        })
        .unwrap();
    // A full pipe would stop the crawler.
    std::thread::spawn(move || lines.for_each(drop));
    (watching, address)
}

/// Returns the value of a sample, or `None` if there is no such sample.
fn sample(text: &str, name: &str) -> Option<u64> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("agentdex_crawler_")?.strip_prefix(name));
    line?.strip_prefix(' ')?.parse().ok()
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_agree_with_the_requests_that_the_web_received() {
    let mut web = Simweb::builder().addresses(2);
    for number in 0..6 {
        web = web
            .site(&format!("site{number}.example"))
            .behaviour(Behaviour {
                addresses: vec!["127.0.0.1".parse().unwrap()],
                ..Behaviour::default()
            });
        if number < 2 {
            web = web.file(CARD_PATH, CARD);
        }
    }
    // At one address: after the first `Retry-After` the others are postponed.
    for number in 0..4 {
        let throttled = Answer::status(429).header("retry-after", "3600");
        web = web
            .site(&format!("tired{number}.farm.example"))
            .behaviour(Behaviour {
                addresses: vec!["127.0.0.2".parse().unwrap()],
                ..Behaviour::default().path("/robots.txt", throttled)
            });
    }
    let mut pipeline = Pipeline::new(web.start().await.unwrap());
    pipeline.address_delay_ms = 20;
    let (_watching, address) = watch(&pipeline);
    let url = format!("http://{address}/metrics");
    let text = value_within(USUAL_TIME, "each visit is over", async || {
        let text = get(&url).await.text;
        let visits = |outcome: &str| {
            let name = format!("visits_total{{outcome=\"{outcome}\"}}");
            sample(&text, &name).unwrap_or(0)
        };
        let put_offs = sample(&text, "put_offs_total").unwrap();
        let is_over = sample(&text, "in_flight") == Some(0)
            && visits("found") + visits("empty") == 6
            && visits("throttled") + put_offs >= 4;
        if is_over {
            assert_eq!((visits("found"), visits("empty")), (2, 4));
            assert!(visits("throttled") >= 1 && put_offs >= 1, "{text}");
        }
        is_over.then_some(text)
    })
    .await;
    let asked = pipeline.web.requests();
    let robots = asked.iter().filter(|it| it.path == "/robots.txt").count();
    assert_eq!(sample(&text, "requests_total"), Some(asked.len() as u64));
    assert_eq!(sample(&text, "robots_fetches_total"), Some(robots as u64));
    assert!(sample(&text, "bytes_total").unwrap() >= 2 * CARD.len() as u64);
    assert_eq!(sample(&text, "documents_total"), Some(2));
    assert_eq!(sample(&text, "outages_total"), Some(0));
    assert_eq!(sample(&text, "frontier_due"), Some(0));
    assert!(text.ends_with("# EOF\n"), "{text}");
    assert_eq!(get(&format!("http://{address}/")).await.status, 404);
}

#[test]
fn an_unusable_metrics_address_is_wrong_usage() {
    let folder = tempfile::tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let arguments = ["--database", "sqlite:agentdex.db", "--metrics", &address];
    let ran = support::run("crawler", folder.path(), &arguments);
    ran.fails_with(2, &["--metrics", &address, "in use"]);
    assert!(!folder.path().join("agentdex.db").exists());
    support::run("crawler", folder.path(), &["--metrics", "everywhere"])
        .fails_with(2, &["--metrics", "127.0.0.1:9091"]);
}
