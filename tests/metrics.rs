//! What a crawl tells Prometheus, asked over loopback while it runs.

use crate::crawl::{CARD, CARD_PATH};
use crate::support::http::get;
use crate::support::line::Line;
use crate::support::running::Running;
use crate::support::{self, USUAL_TIME};
use simweb::{Answer, Behaviour, Simweb};
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Starts a crawler that watches and says where it answers Prometheus.
fn watch(line: &Line) -> (Running, String) {
    let mut child = Command::new(support::binary("crawler"))
        .args(line.crawl_arguments())
        .args(["--watch", "--delay", "0", "--metrics", "127.0.0.1:0"])
        .env("RUST_LOG", "crawler=info")
        .current_dir(line.folder.path())
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

/// The value of a sample; none when there is no such sample.
fn sample(text: &str, name: &str) -> Option<u64> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("agentdex_crawler_")?.strip_prefix(name));
    line?.strip_prefix(' ')?.parse().ok()
}

#[tokio::test(flavor = "multi_thread")]
async fn prometheus_is_told_what_the_web_saw() {
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
    // At one address, which pauses when the first has asked for it: the others are put off.
    for number in 0..4 {
        let throttled = Answer::status(429).header("retry-after", "3600");
        web = web
            .site(&format!("tired{number}.farm.example"))
            .behaviour(Behaviour {
                addresses: vec!["127.0.0.2".parse().unwrap()],
                ..Behaviour::default().path("/robots.txt", throttled)
            });
    }
    let mut line = Line::new(web.start().await.unwrap());
    line.address_delay_ms = 20;
    let (_watching, address) = watch(&line);
    let url = format!("http://{address}/metrics");
    let patience = Instant::now() + USUAL_TIME;
    let text = loop {
        let text = get(&url).await.text;
        let visits = |outcome: &str| {
            let name = format!("visits_total{{outcome=\"{outcome}\"}}");
            sample(&text, &name).unwrap_or(0)
        };
        let put_offs = sample(&text, "put_offs_total").unwrap();
        let is_over = sample(&text, "in_flight") == Some(0);
        if visits("found") + visits("empty") == 6 && visits("throttled") + put_offs >= 4 && is_over
        {
            assert_eq!((visits("found"), visits("empty")), (2, 4));
            assert!(visits("throttled") >= 1 && put_offs >= 1, "{text}");
            break text;
        }
        assert!(Instant::now() < patience, "{text}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    let asked = line.web.requests();
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
fn metrics_where_nobody_can_listen_are_wrong_usage() {
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
